"""Nights without Prefect: what is due is run, one job's failure stops no other, and nothing is paid twice."""

import datetime as dt
from pathlib import Path

import pytest
import time_machine

from flows.house_ledger import utc_now
from flows.launch import start_payout
from flows.nights.due import DueReason, last_night
from flows.nights.night import ANOTHER_NIGHT, JobNight, NightReport, run_night
from flows.prefect_ui.artifacts import night_page
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.run_request import find_jobs
from flows.runner import CALLER, Caller
from schemas.errors import ExitCode
from schemas.messages import render
from tests.flows.jobs import NOBODY, payment, people
from tests.flows.label import Label
from tests.flows.oracle import CREATE, LIST, Oracle

ANA, BIA = people(2)
pytestmark = pytest.mark.long


@pytest.fixture
def jobs(label: Label) -> Path:
    """A folder of three jobs: one to be paid without a word, one that waits for a word, one that makes no sense."""
    folder = label.folder.parent / "jobs"
    folder.mkdir()
    free, waits = Label(folder / "free"), Label(folder / "waits")
    free.declare(job="free", approval={"above": "1000.00"})
    free.payments(payment(ANA, "10,00", "a"))
    waits.declare(job="waits", approval={"above": "0.00"})
    waits.payments(payment(BIA, "20,00", "b"))
    (folder / "aaa.yaml").write_text("job: [")
    return folder


def test_each_yaml_file_and_each_folder_with_a_job_is_a_job(jobs: Path):
    assert [str(path.relative_to(jobs)) for path in find_jobs(jobs)] == ["aaa.yaml", "free/job.yaml", "waits/job.yaml"]


@pytest.mark.journey
def test_one_jobs_failure_stops_no_other_and_the_night_tells_the_worst(jobs: Path, service: Oracle):
    night = run_night(jobs)
    assert {job.file: job.state for job in night.jobs} == {
        "aaa.yaml": "could_not_begin",
        "free/job.yaml": "done",
        "waits/job.yaml": "awaiting_approval",
    }
    assert night.exit_code is ExitCode.CONFIGURATION
    assert service.paid == [1000]


@pytest.mark.journey
def test_the_second_night_runs_nothing_and_asks_nothing(jobs: Path, service: Oracle):
    run_night(jobs)
    lists, checks = service.calls(LIST), service.checks
    night = run_night(jobs)
    assert not any(job.was_run for job in night.jobs)
    assert (service.calls(LIST), service.checks, service.posts) == (lists, checks, 1)


def test_a_word_given_by_day_is_taken_up_at_night(jobs: Path, label: Label, service: Oracle):
    waiting = next(job for job in run_night(jobs).jobs if job.job == "waits")
    _, _, way = render(waiting.message, "pt-BR").partition("repasse approve ")
    label.approve(way.split()[0], "20,00", "bruno")
    night = run_night(jobs)
    assert [job.job for job in night.jobs if job.was_run] == ["waits"]
    assert service.paid == [1000, 2000]


def test_a_corrected_file_is_run_again_and_pays_what_is_new(jobs: Path, service: Oracle):
    run_night(jobs)
    free = Label(jobs / "free")
    free.declare(job="free", approval={"above": "1000.00"})
    free.payments(payment(ANA, "10,00", "a"), payment(BIA, "5,00", "c"))
    night = run_night(jobs)
    assert [job.job for job in night.jobs if job.was_run] == ["free"]
    assert service.paid == [500, 1000]


def test_a_service_that_was_away_is_tried_again_the_next_night(jobs: Path, service: Oracle):
    service.plant(LIST, "status", times=None)
    assert {job.state for job in run_night(jobs).jobs} <= {"could_not_begin", "not_sent"}
    service.clear()
    run_night(jobs)
    assert service.paid == [1000]


def test_a_report_in_doubt_is_settled_and_never_sent_again(jobs: Path, service: Oracle):
    service.plant(CREATE, "drop", when="before")
    assert next(job for job in run_night(jobs).jobs if job.job == "free").state == "in_doubt"
    second = next(job for job in run_night(jobs).jobs if job.job == "free")
    assert (second.state, second.was_run) == ("in_doubt", False)
    assert service.posts == 1


EARLIER = "2019-02"  # long before the month that `previous_month` means, whenever this runs


@pytest.fixture
def monthly(label: Label, service: Oracle) -> tuple[Path, Label]:
    """A job for the previous month, of which an earlier month holds a row; the previous month's file has not come."""
    folder = label.folder.parent / "monthly"
    folder.mkdir()
    job = Label(folder / "aurora")
    sources = [{"files": "payments-{period}.xlsx", "layout": "payments"}]
    job.declare(period="previous_month", sources=sources, approval={"above": "1000.00"})
    job.write(f"payments-{EARLIER}.xlsx", [payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY)])
    start_payout(job.job, RunOptions(period=EARLIER, yes=True, by="ana"), progress=QuietProgress(), watched=False)
    return folder, job


def of_earlier(night: NightReport) -> JobNight:
    (found,) = (job for job in night.jobs if job.period == EARLIER)
    return found


def test_a_night_tells_what_an_earlier_month_still_holds(monthly: tuple[Path, Label], service: Oracle):
    folder, job = monthly
    run_night(folder)
    quiet = of_earlier(run_night(folder))
    assert (quiet.was_run, quiet.exit_code) == (False, ExitCode.ROWS_HELD)
    assert "20,00" in render(quiet.message, "pt-BR")
    assert f"--period {EARLIER}" in render(quiet.message, "pt-BR")
    assert EARLIER in job.say("nightly", "--jobs", folder, code=ExitCode.ROWS_HELD).output
    assert service.paid == [1000]


def test_an_earlier_month_is_run_again_when_its_file_was_corrected(monthly: tuple[Path, Label], service: Oracle):
    folder, job = monthly
    run_night(folder)
    job.write(f"payments-{EARLIER}.xlsx", [payment(ANA, "10,00"), payment(BIA, "20,00")])
    night = of_earlier(run_night(folder))
    assert (night.was_run, night.exit_code) == (True, ExitCode.DONE)
    assert service.paid == [1000, 2000]
    assert EARLIER not in {job.period for job in run_night(folder).jobs}


def test_of_a_job_with_a_period_of_its_own_the_night_tells_what_an_earlier_one_holds(label: Label, service: Oracle):
    folder = label.folder.parent / "stated"
    folder.mkdir()
    job = Label(folder / "aurora")
    job.declare(period=EARLIER)
    job.payments(payment(ANA, "10,00"), payment(BIA, "20,00", CPF=NOBODY))
    job.run()
    job.declare(period="2026-10")
    job.payments(payment(ANA, "11,00"))
    night = of_earlier(run_night(folder))
    assert (night.was_run, night.exit_code) == (False, ExitCode.ROWS_HELD)
    assert "20,00" in render(night.message, "pt-BR")


def test_a_decision_made_by_day_is_taken_up_at_night(label: Label, service: Oracle):
    folder = label.folder.parent / "decided"
    folder.mkdir()
    job = Label(folder / "aurora")
    job.declare(approval={"above": "1000.00"})
    job.payments(payment(ANA, "10,00"))
    run_night(folder)
    job.payments(payment(ANA, "12,00"))
    assert run_night(folder).exit_code is ExitCode.ROWS_HELD
    assert not any(job.was_run for job in run_night(folder).jobs)
    (key,) = {obligation["key"] for obligation in job.ask("explain", ANA.tax_id)["explanations"][0]["obligations"]}
    job.say("decide", key, "--drop", "--by", "bia", "--evidence", "a typing mistake")
    (night,) = run_night(folder).jobs
    assert (night.why, night.exit_code) == (DueReason.REASON_GONE, ExitCode.DONE)
    assert service.paid == [1000]


def test_a_night_without_a_folder_says_what_to_set(label: Label, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("REPASSE_JOBS", raising=False)
    refused = label.ask("nightly", code=ExitCode.CONFIGURATION)
    assert "REPASSE_JOBS" in refused["error"]
    refused = label.ask("nightly", "--jobs", "nowhere", code=ExitCode.CONFIGURATION)
    assert "is not there" in refused["error"]


@pytest.mark.journey
def test_a_second_night_ends_before_its_first_job_and_the_first_is_not_disturbed(jobs: Path, service: Oracle):
    """However it comes about: a schedule that fires twice, or a person beside it. The third, afterwards, is a night."""
    seen = list[NightReport]()

    class Another(QuietProgress):
        def stage(self, name: str) -> None:
            if name == "send" and not seen:
                seen.append(run_night(jobs))

    token = CALLER.set(Caller(Another()))
    try:
        first = run_night(jobs)
    finally:
        CALLER.reset(token)
    (second,) = seen
    assert (second.state, second.exit_code, second.jobs) == (ANOTHER_NIGHT, ExitCode.DONE, ())
    assert "outra noite está em andamento desde" in night_page(second, "pt-BR")
    assert {job.job: job.state for job in first.jobs if job.job} == {"free": "done", "waits": "awaiting_approval"}
    assert service.paid == [1000]
    assert run_night(jobs).state != ANOTHER_NIGHT


def test_a_job_that_somebody_is_running_is_left_to_them(jobs: Path, service: Oracle):
    nights, begun = list[NightReport](), list[str]()

    class Beside(QuietProgress):
        def stage(self, name: str) -> None:
            if name == "send" and not begun:
                begun.append(name)
                nights.append(run_night(jobs))

    free = Label(jobs / "free")
    free.declare(job="free", approval={"above": "1000.00"})
    free.run(progress=Beside())
    night = nights[0]
    busy = next(job for job in night.jobs if job.job == "free")
    assert (busy.why, busy.was_run, busy.exit_code) == (DueReason.BUSY, False, ExitCode.DONE)
    assert "ele fica com ela" in night_page(night, "pt-BR")
    assert next(job for job in night.jobs if job.job == "waits").state == "awaiting_approval"
    assert service.paid == [1000]


@pytest.mark.parametrize(("hours", "told"), [(3, "3 h ago."), (25, "25 h ago."), (31, "none has since")])
def test_status_and_doctor_say_how_long_ago_the_last_night_was(jobs, label, service, hours, told):
    assert "Last night" not in label.say("status").output
    run_night(jobs)
    with time_machine.travel(utc_now() + dt.timedelta(hours=hours)):
        status, doctor = label.type("status").output, label.type("doctor").output
        with label.ledger() as ledger:
            night = last_night(ledger, utc_now())
    assert told in status
    assert told in doctor
    assert f"há {hours} h" in render(night, "pt-BR")
