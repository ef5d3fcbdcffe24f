"""Where the service echoes no name: what a report contradicts, and which one could be a submission in doubt."""

import datetime as dt

import pytest

from flows.reports.rules.report_list import (
    absence_lacks,
    linked_by_likeness,
    look_alikes,
    propose,
)
from schemas.plan import report_id
from schemas.submission import TAKEN_BACK, SubmissionState
from schemas.wire import CLOCKS_APART
from tests.spec.reports import report, submission

PAYER = "12ABC34501DE35"
SENT = dt.datetime(2026, 11, 20, 12, 0, tzinfo=dt.UTC)
OURS, THEIRS = (report_id("abcd", content, 1) for content in ("one", "two"))


def doubt(name=OURS, **fields):
    known = {"state": SubmissionState.IN_DOUBT, "split_id": None, "sending_at": SENT}
    return submission(name, **known | {"body": f'{{"taxId": "{PAYER}"}}'.encode()} | fields)


def listed(split_id="s-1", **fields):
    """A report without a name that agrees in everything; fields replace what differs."""
    said = {
        "_id": split_id,
        "splitDate": "2026-11-20T12:00:01.000+00:00",
        "taxId": PAYER,
        "currency": "BRL",
        "status": "PENDING",
        "totalAmount": "100.00",
        "pendingPayments": 1,
        "withholdPayments": 1,
        "donePayments": 0,
    }
    return report(**said | fields)


def proposed(reports, doubts=(), linked=()):
    return {name: one.id for name, one in propose(list(doubts) or [doubt()], reports, linked).items()}


def test_the_only_report_that_agrees_in_everything_is_proposed():
    others = [listed("s-2", totalAmount="1.00"), listed("s-3", taxId="11222333000181"), listed("s-4", reportId=THEIRS)]
    assert proposed([listed(), *others]) == {OURS: "s-1"}


def test_of_two_that_look_alike_none_is_proposed():
    assert proposed([listed("s-1"), listed("s-2")]) == {}
    assert [alike.id for alike in look_alikes(doubt(), [listed("s-1"), listed("s-2")], ())] == ["s-1", "s-2"]


def test_a_report_that_could_be_two_submissions_is_proposed_to_neither():
    assert proposed([listed()], [doubt(OURS), doubt(THEIRS)]) == {}
    later = doubt(THEIRS, sending_at=SENT + dt.timedelta(days=2))
    assert proposed([listed()], [doubt(OURS), later]) == {OURS: "s-1"}


def test_a_report_that_is_another_submission_s_is_not_proposed():
    assert proposed([listed("s-1"), listed("s-2")], linked={"s-1"}) == {OURS: "s-2"}


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ((SENT - CLOCKS_APART).isoformat(), True),
        ((SENT - CLOCKS_APART - dt.timedelta(seconds=1)).isoformat(), False),
        ("2026-11-20T09:00:00-03:00", True),
        ("2026-11-20T12:00:00", True),
        ("2026-11-20T09:00:01", True),  # of no zone: Brasília's clock says so
        ("2026-11-20", True),
        ("2026-11-18", False),
        ("2026-10-20T12:00:00Z", False),
        ("9999-12-31T23:59:59Z", False),
        ("yesterday", False),
        (None, False),
    ],
)
def test_last_month_s_twin_is_not_proposed(made, found):
    assert bool(proposed([listed(splitDate=made)])) is found


def test_what_was_never_sent_is_like_nothing():
    assert look_alikes(doubt(sending_at=None), [listed()], ()) == ()


# --- linked without a person, and absent ------------------------------------------------------------------------------


def linked(reports, doubts=()):
    doubts = list(doubts) or [doubt()]
    found = linked_by_likeness(propose(doubts, reports, ()), doubts, reports)
    return {name: one.id for name, one in found.items()}


def test_where_nothing_is_echoed_the_only_one_that_agrees_is_linked():
    assert linked([listed()]) == {OURS: "s-1"}


@pytest.mark.parametrize("fields", [{"linked_by": TAKEN_BACK}, {"state": SubmissionState.ABSENT}])
def test_what_people_have_spoken_about_is_not_linked_without_them(fields):
    assert linked([listed()], [doubt(**fields)]) == {}


def sent(number, minutes, state=SubmissionState.PAID):
    at = SENT + dt.timedelta(minutes=minutes)
    name = report_id("abcd", f"content {number}", 1)
    return submission(name, state=state, split_id=f"s-{number}", sending_at=at, body=b"")


EARLY, BEFORE, AFTER, LATE = sent(1, -60), sent(2, -1), sent(3, 1), sent(4, 60)


def lacks(others, shown, evidence="ticket 7"):
    found = absence_lacks(doubt(), others, [listed(report.split_id) for report in shown], evidence)
    return found and (found.id, found.facts.get("other"))


def test_a_list_that_shows_the_reports_before_and_after_it_speaks_for_its_absence():
    assert lacks([EARLY, BEFORE, AFTER, LATE], [BEFORE, AFTER]) is None
    assert lacks([AFTER], [AFTER]) is None  # nothing was sent before


@pytest.mark.parametrize(
    ("others", "shown", "found"),
    [
        ([], [], ("doubt.none_after", None)),
        ([BEFORE], [BEFORE], ("doubt.none_after", None)),
        ([BEFORE, AFTER], [AFTER], ("doubt.list_lacks", BEFORE.report_id)),
        ([BEFORE, AFTER], [BEFORE], ("doubt.list_lacks", AFTER.report_id)),
        ([EARLY, BEFORE, AFTER, LATE], [EARLY, LATE], ("doubt.list_lacks", BEFORE.report_id)),
        ([BEFORE, sent(3, 1, SubmissionState.IN_DOUBT)], [BEFORE], ("doubt.none_after", None)),
    ],
)
def test_a_list_that_lacks_the_reports_of_that_time_does_not(others, shown, found):
    assert lacks(others, shown) == found


def test_one_that_is_gone_is_passed_over_where_both_name_it_and_one_made_by_hand_counts_as_after_it():
    assert lacks([EARLY, BEFORE, AFTER], [EARLY, AFTER], f"{BEFORE.report_id} was deleted") is None
    made_by_hand = listed("s-9", splitDate="2026-11-20T15:00:00+00:00")
    assert absence_lacks(doubt(), [BEFORE], [listed("s-2"), made_by_hand], "see s-9") is None
    assert absence_lacks(doubt(), [BEFORE], [listed("s-2"), made_by_hand], "see the portal").id == "doubt.none_after"
