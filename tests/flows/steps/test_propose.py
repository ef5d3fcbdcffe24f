"""Where the service echoes no name: what a report contradicts, and which one could be a submission in doubt."""

import datetime as dt

import pytest

from flows.steps.propose import CLOCKS_APART, differs_from, look_alikes, propose
from schemas.plan import report_id
from schemas.submission import SubmissionState
from tests.spec.reports import SERVICE, report, submission

PAYER = "12ABC34501DE35"
SENT = dt.datetime(2026, 11, 20, 12, 0, tzinfo=dt.UTC)
OURS, THEIRS = (report_id(SERVICE, "abcd", content, 1) for content in ("one", "two"))


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


@pytest.mark.parametrize(
    ("said", "differs"),
    [
        ({}, []),
        ({"taxId": "12.ABC.345/01DE-35"}, []),
        ({"reportId": OURS}, []),
        ({"reportId": "invoice-7", "paymentBatchName": "November"}, []),
        ({"reportId": THEIRS}, ["name"]),
        ({"paymentBatchName": f"Selo [{THEIRS}]"}, ["name"]),
        ({"taxId": "11222333000181"}, ["payer"]),
        ({"currency": "USD"}, ["currency"]),
        ({"totalAmount": "100.01"}, ["total"]),
        ({"pendingPayments": 2}, ["number of payments"]),
        ({"pendingPayments": 0}, ["number of payments"]),
        ({"pendingPayments": 0, "status": "DONE"}, []),
        ({"taxId": "11222333000181", "totalAmount": "1.00"}, ["payer", "total"]),
    ],
)
def test_what_a_report_says_otherwise_is_named(said, differs):
    assert differs_from(doubt(), listed(**said)) == differs


@pytest.mark.parametrize("silent", ["taxId", "currency", "totalAmount", "pendingPayments", "donePayments", "status"])
def test_what_a_report_does_not_say_it_does_not_contradict_but_then_it_is_not_proposed(silent):
    assert differs_from(doubt(), listed(**{silent: None})) == []
    assert proposed([listed(**{silent: None})]) == ({OURS: "s-1"} if silent == "status" else {})


def test_the_only_report_that_agrees_in_everything_is_proposed():
    others = [listed("s-2", totalAmount="1.00"), listed("s-3", taxId="11222333000181"), listed("s-4", reportId=THEIRS)]
    assert proposed([listed(), *others]) == {OURS: "s-1"}


def test_of_two_that_look_alike_none_is_proposed():
    assert proposed([listed("s-1"), listed("s-2")]) == {}
    assert [one.id for one in look_alikes(doubt(), [listed("s-1"), listed("s-2")], ())] == ["s-1", "s-2"]


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
        ("2026-10-20T12:00:00Z", False),
        ("yesterday", False),
        (None, False),
    ],
)
def test_last_month_s_twin_is_not_proposed(made, found):
    assert bool(proposed([listed(splitDate=made)])) is found


def test_what_was_never_sent_is_like_nothing():
    assert look_alikes(doubt(sending_at=None), [listed()], ()) == ()
