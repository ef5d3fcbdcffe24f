"""Reports are followed to their end; what they do not prove is told, and is never paid again by itself."""

import json
import shutil

import pytest

from schemas.errors import ExitCode
from tests.flows.books import assert_books_close, places
from tests.flows.jobs import payment, people
from tests.flows.label import Label, digest_of, summary_of

ANA, BIA = people(2)
SLOW = {"processing_after_s": 3600, "done_after_s": 3600}
AT_ONCE = {"processing_after_s": 0, "done_after_s": 0}
pytestmark = pytest.mark.long


@pytest.fixture
def two(label):
    label.declare(settle={"every_s": "0.1", "for_s": "0.2"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


@pytest.fixture
def still_open(two, service):
    """A run whose report had not ended when its time ran out."""
    service.behave(**SLOW)
    return two.run()


def rewritten(report):
    summary = summary_of(report)
    assert_books_close(summary)
    return summary


@pytest.mark.journey
def test_a_report_that_does_not_end_in_time_is_told_as_open(still_open):
    assert still_open.exit_code == ExitCode.STILL_OPEN
    assert places(summary_of(still_open)) == {"processing": 3000}
    assert summary_of(still_open)["state"] == "settling"


@pytest.mark.journey
def test_settle_follows_it_later_and_writes_the_run_anew(two, service, still_open):
    two.say("settle", code=23)
    service.behave(**AT_ONCE)
    two.say("settle", "--job", "aurora")
    summary = rewritten(still_open)
    assert (summary["state"], summary["exit_code"]) == ("done", 0)
    assert places(summary) == {"paid": 3000}
    assert summary["batches"][0]["status"] == "DONE"
    assert two.ask("status", still_open.run_id) == summary
    assert service.posts == 1


def test_statements_that_cannot_be_written_are_told_and_the_books_are_written_all_the_same(two, service):
    settle = {"every_s": "0.1", "for_s": "0.2"}
    two.declare(settle=settle, outputs={"folder": "out", "statements": True})
    service.behave(**SLOW)
    first = two.run()
    statements = [path for path in first.outputs if path.suffix == ".pdf"]
    assert len(statements) == 2
    folder = statements[0].parent
    shutil.rmtree(folder)
    folder.write_text("in the way")
    service.behave(**AT_ONCE)
    result = two.say("settle")
    assert first.run_id in result.output
    assert rewritten(first)["state"] == "done"
    assert folder.is_file()


def test_a_run_started_meanwhile_follows_it_too_and_pays_nothing(two, service, still_open):
    report = two.run()
    assert report.exit_code == ExitCode.STILL_OPEN
    assert places(summary_of(report)) == {"duplicate": 3000}
    assert service.posts == 1


def test_settling_one_job_leaves_the_others_alone(two, service, still_open, tmp_path):
    service.behave(**AT_ONCE)
    other = Label(tmp_path / "another")
    other.declare(job="another")
    other.payments(payment(ANA, "1,00"))
    other.run()
    two.say("settle", "--job", "another")
    assert rewritten(still_open)["state"] == "settling"


@pytest.mark.parametrize("words", [("settle",), ("explain", "rp-1")])
def test_a_job_nobody_knows_is_an_error_that_names_the_nearest(two, service, still_open, words):
    service.behave(**AT_ONCE)
    refused = two.ask(*words, "--job", "Auroro", code=ExitCode.CONFIGURATION)
    assert "Auroro" in refused["error"]
    assert "aurora" in refused["error"]
    assert rewritten(still_open)["state"] == "settling"
    assert "nearest" not in two.ask(*words, "--job", "zzz", code=ExitCode.CONFIGURATION)["error"]


def test_a_job_of_the_folder_that_never_ran_is_known(two, service, monkeypatch):
    monkeypatch.setenv("REPASSE_JOBS", str(two.folder))
    assert two.ask("settle", "--job", "aurora")["exit_code"] == 0


def test_nothing_to_settle_is_well(two, service):
    assert two.ask("settle")["exit_code"] == 0


def test_a_report_paid_in_part_is_undetermined_and_nobody_is_paid_again(two, service):
    service.behave(failing_payees=[BIA.destination.pix_key])
    report = two.run()
    assert report.exit_code == ExitCode.DISCREPANCIES
    assert places(summary_of(report)) == {"undetermined": 3000}
    service.behave(failing_payees=[])
    again = two.run()
    assert service.posts == 1
    assert places(summary_of(again)) == {"undetermined": 3000}
    assert two.ask("status", code=40)["undetermined"][0]["amount_cents"] == 3000


def test_a_report_that_failed_for_certain_is_planned_and_paid_again(two, service):
    service.behave(failing_payees=[ANA.tax_id, BIA.tax_id])
    report = two.run()
    assert report.exit_code == ExitCode.DISCREPANCIES
    assert places(summary_of(report)) == {"failed": 3000}
    service.behave(failing_payees=[])
    waiting = two.run()
    assert (waiting.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 1)
    two.approve(digest_of(waiting), "30,00", "bia")
    again = two.run(yes=False)
    assert again.exit_code == ExitCode.DONE
    assert places(summary_of(again)) == {"paid": 3000}
    first, second = service.reports
    assert first["reportId"] != second["reportId"]
    assert first["extPaymentIds"] == second["extPaymentIds"]


@pytest.mark.parametrize(
    ("says", "place"),
    [
        ({"status": "EXCLUDED"}, "excluded"),
        ({"status": "ERROR", "donePayments": None, "paidAmount": 0}, "undetermined"),
        ({"status": "DONE", "donePayments": 1}, "undetermined"),
        ({"status": "DONE", "paidAmount": 10.00, "pendingAmount": 0}, "undetermined"),
        ({"status": "CLOSED", "paidAmount": 31.00}, "undetermined"),
    ],
)
def test_what_a_report_does_not_prove_waits_for_a_person(two, service, still_open, says, place):
    service.force(**says)
    two.say("settle", code=40)
    assert places(rewritten(still_open)) == {place: 3000}
    two.run()
    assert service.posts == 1


@pytest.mark.parametrize("says", [{"status": "DONE", "donePayments": None, "paidAmount": None}, {"status": "CLOSED"}])
def test_what_the_service_does_not_say_is_no_contradiction(two, service, still_open, says):
    service.force(**says)
    two.say("settle")
    assert places(rewritten(still_open)) == {"paid": 3000}


@pytest.mark.parametrize("says", [{"status": "PAUSED"}, {"status": None}])
def test_a_status_nobody_knows_keeps_the_report_open(two, service, still_open, says):
    service.force(**says)
    two.say("settle", code=23)
    assert places(rewritten(still_open)) == {"processing": 3000}


def test_a_status_that_goes_back_raises_an_alarm_and_pays_nothing(two, service):
    assert two.run().exit_code == ExitCode.DONE
    service.force(status="PENDING")
    two.say("settle", code=40)
    report = two.run()
    assert report.exit_code == ExitCode.DISCREPANCIES
    assert [discrepancy["kind"] for discrepancy in summary_of(report)["discrepancies"]] == ["status_changed"]
    assert places(summary_of(report)) == {"duplicate": 3000}
    assert service.posts == 1


def test_a_failed_report_that_is_paid_after_all_raises_an_alarm_and_is_not_paid_again(two, service):
    service.behave(failing_payees=[ANA.tax_id, BIA.tax_id])
    two.run()
    service.behave(failing_payees=[])
    service.force(status="DONE", donePayments=2, paidAmount=30.00)
    assert two.run().exit_code == ExitCode.FROZEN
    assert service.posts == 1


def test_a_report_that_vanishes_raises_an_alarm_and_pays_nothing(two, service, still_open):
    service.force(vanished=True)
    two.say("settle", code=40)
    assert [discrepancy["kind"] for discrepancy in rewritten(still_open)["discrepancies"]] == ["vanished"]
    two.run()
    assert service.posts == 1


def test_income_tax_and_withheld_money_have_places_of_their_own(label, service):
    service.behave(income_tax_rate="0.10")
    label.payments(payment(ANA, "10,00", Reter="não"), payment(BIA, "20,00", Reter="sim"))
    report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert places(summary_of(report)) == {"paid": 900, "income_tax": 100, "withheld": 2000}
    assert json.loads(report.outputs[-1].read_text())["totals_cents"]["in"] == 3000
