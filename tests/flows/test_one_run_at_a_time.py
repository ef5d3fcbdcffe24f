"""Holds, other runs of the same job, and runs that died: each leaves the money where it can be accounted for."""

import os
import signal
import subprocess
from dataclasses import replace

import pytest

from io_adapters.ledger.leases import Owner
from schemas.errors import ExitCode
from schemas.submission import SubmissionState
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import COMMAND, summary_of
from tests.flows.moments import At, power_cut
from tests.flows.oracle import CREATE

ANA, BIA, CAU = people(3)


@pytest.fixture
def two(label):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


def test_a_hold_stops_all_sending_until_it_is_released(two, service):
    two.say("hold", "--by", "bia", "--why", "wrong exchange rate")
    report = two.run()
    assert report.exit_code == ExitCode.NOT_SENT
    assert "wrong exchange rate" in report.messages[0]
    assert places(summary_of(report)) == {"planned": 3000}
    assert two.run().exit_code == ExitCode.NOT_SENT
    assert two.ask("status", code=21)["hold"] == "wrong exchange rate"
    assert service.posts == 0
    two.say("release", "--by", "bia")
    report = two.run(yes=False)
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]
    assert places(summary_of(report)) == {"paid": 3000}


def test_two_runs_of_one_job_never_go_on_together(two, service):
    with two.ledger() as ledger:
        ledger.leases.take("aurora", Owner.current("another-run"), 900)
    refused = two.ask("run", two.job, "--yes", code=30)
    assert "another-run" in refused["error"]
    assert service.posts == 0


def test_a_run_that_died_long_ago_holds_nobody_up(two, service):
    with two.ledger() as ledger:
        dead = replace(Owner.current("dead-run"), pid=2**22 + 1)
        ledger.leases.take("aurora", dead, 900)
    assert two.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


def test_what_a_dead_run_had_approved_is_sent_byte_for_byte_though_the_file_has_grown(two, service):
    stored = died_before_sending(two)
    two.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAU, "99,00"))
    report = two.run(yes=False)
    assert [created["reportId"] for created in service.reports] == [stored.report_id]
    assert service.paid == [1000, 2000]
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert places(summary_of(report)) == {"paid": 3000, "planned": 9900}
    with two.ledger() as ledger:
        (sent,) = ledger.submissions.list(job="aurora", states=[SubmissionState.PAID])
    assert sent.body == stored.body


def test_what_a_dead_run_had_approved_is_not_sent_when_one_of_its_rows_was_changed(two, service):
    died_before_sending(two)
    two.payments(payment(ANA, "99,00"), payment(BIA, "20,00"))
    report = two.run(yes=False)
    assert service.posts == 0
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert places(summary_of(report)) == {"planned": 11900}


def died_before_sending(label):
    with pytest.raises(KeyboardInterrupt):
        label.run(progress=At("send", power_cut))
    with label.ledger() as ledger:
        (stored,) = ledger.submissions.list(job="aurora")
    return stored


@pytest.mark.long
@pytest.mark.parametrize(("when", "code", "paid"), [("after", 0, [1000, 2000]), ("before", 22, [])])
def test_a_run_killed_while_it_was_sending_leaves_a_doubt_that_is_looked_up(two, service, eventually, when, code, paid):
    service.plant(CREATE, "hang", when=when, seconds=600)
    killed = subprocess.Popen([*COMMAND, "run", str(two.job), "--yes"], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        eventually(lambda: service.posts == 1 and (when == "before" or bool(service.reports)))
    finally:
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate(timeout=60)
    report = two.run()
    assert report.exit_code == code
    assert service.posts == 1
    assert service.paid == paid
    assert set(places(summary_of(report))) == ({"in_doubt"} if code else {"duplicate"})
