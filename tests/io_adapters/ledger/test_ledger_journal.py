"""The journal: entries posted once in the transaction of their cause, and what they sum up to."""

import datetime as dt
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.views.columns import PAID
from io_adapters.ledger.ledger import open_ledger
from schemas.approval import Decision, DecisionKind
from schemas.errors import BrokenInvariant
from schemas.job import BRASILIA, labelled_period
from schemas.journal import (
    STATED,
    AccountKind,
    EntryKind,
    JournalAccount,
    JournalEntry,
    Posting,
    Series,
    entry_id,
    postings_of,
)
from schemas.submission import Outcome, SubmissionState
from tests.journal_states import balances_of, state_of

A, K, S = AccountKind, EntryKind, SubmissionState
SERIES = Series("aurora-royalties", "payer", "BRL")
OTHERS = (SERIES, Series("boreal", "payer", "BRL"), Series("aurora-royalties", "another", "BRL"))
ANA = SERIES.account(A.PAYEE, "ana")
SOURCE = SERIES.account(A.SOURCE)


def entry(number: int, *legs: tuple[JournalAccount, int], kind=K.READ, period="2026-10", series=SERIES) -> JournalEntry:
    start = labelled_period(period).start if period else None
    sums = Counter[JournalAccount]()
    for account, cents in legs:
        sums[account] += cents
    return JournalEntry(entry_id(kind, number), kind, series, period, start, str(number), postings_of(sums))


def read(number: int, cents: int, **about) -> JournalEntry:
    return entry(number, (SOURCE, cents), (ANA, -cents), **about)


def test_an_entry_that_does_not_balance_is_none():
    with pytest.raises(BrokenInvariant, match="sum to zero"):
        entry(1, (SOURCE, 100), (ANA, -99))
    with pytest.raises(BrokenInvariant, match="two of one account"):
        JournalEntry("je-1", K.READ, SERIES, "", None, "", (Posting(ANA, 5), Posting(ANA, -5)))
    with pytest.raises(BrokenInvariant, match="sum to zero"):  # not even where two currencies add up
        entry(1, (SOURCE, 100), (Series("aurora-royalties", "payer", "USD").account(A.PAYEE, "ana"), -100))


def test_an_entry_that_is_posted_twice_is_posted_once(ledger):
    ledger.journal.post([read(1, 500), read(1, 500)], "run-1")
    ledger.journal.post([read(1, 500)], "run-2")
    assert ledger.journal.balances() == {SOURCE: 500, ANA: -500}
    ((_, by, posted),) = ledger.journal.entries()
    assert (by, posted) == ("run-1", read(1, 500))


def test_a_balance_is_of_the_moment_at_which_entries_were_booked(ledger, clock):
    ledger.journal.post([read(1, 500)], "run-1")
    clock.move(hours=24)
    ledger.journal.post([read(2, -200)], "run-2")
    assert ledger.journal.balances(clock())[ANA] == -500
    assert ledger.journal.balances()[ANA] == -300


ACCOUNTS = st.builds(
    lambda series, kind, payee, reference: series.account(kind, payee, reference),
    st.sampled_from(OTHERS),
    st.sampled_from([A.PAYEE, A.PAYMENT, A.ADVANCE, A.TAX, A.OWNER, A.SOURCE]),
    st.sampled_from(["ana", "bia", ""]),
    st.sampled_from(["", "disco", "|BRAUR2600001", STATED]),
)


@st.composite
def entries(draw):
    """Entries of several series and periods, balanced one by one."""
    found = []
    for number in range(draw(st.integers(1, 12))):
        series, period = draw(st.sampled_from(OTHERS)), draw(st.sampled_from(["2026-08", "2026-09", "2026-10", ""]))
        first, second = draw(ACCOUNTS), draw(ACCOUNTS)
        cents = draw(st.integers(-500, 500))
        found.append(
            entry(
                number,
                (first, cents),
                (second, -cents),
                kind=draw(st.sampled_from([kind for kind in K if kind is not K.MOVE])),
                period=period,
                series=series,
            )
        )
    return found


@pytest.mark.long
@settings(max_examples=30)
@given(posted=entries())
def test_what_the_ledger_says_of_a_period_is_what_its_entries_add_up_to(posted):
    with open_ledger("sqlite://", clock=lambda: dt.datetime(2026, 11, 20, tzinfo=dt.UTC)) as ledger:
        ledger.journal.post(posted, "run-1")
        for series in OTHERS:
            for label in ("2026-09", "2026-10"):
                start = labelled_period(label).start
                found = ledger.journal.state(series, label, start, dt.date(2026, 11, 20))
                assert found == state_of(posted, series, label, start)
        balances = ledger.journal.balances()
        assert balances == balances_of(posted)
        assert sum(balances.values()) == 0
        assert [kept for _, _, kept in ledger.journal.entries()] == posted


# How a report goes, and where Ana's R$ 1.00 is then: owed, in transit, paid.
WAYS = {
    "approved": ([], (0, -100, 0)),
    "accepted": (["accepted"], (0, -100, 0)),
    "paid": (["accepted", S.PAID], (0, 0, -100)),
    "failed": (["accepted", S.FAILED], (-100, 0, 0)),
    "failed and paid after all": (["accepted", S.FAILED, S.PAID], (0, 0, -100)),
    "partial": (["accepted", S.PARTIAL], (0, -100, 0)),
    "partial, and people say it was paid": (["accepted", S.PARTIAL, DecisionKind.PAID], (0, 0, -100)),
    "partial, and people say it was not": (["accepted", S.PARTIAL, DecisionKind.PAY], (-100, 0, 0)),
    "partial, not paid, and paid after all": (["accepted", S.PARTIAL, DecisionKind.PAY, S.PAID], (0, 0, -100)),
    "paid, and it came back": (["accepted", S.PAID, S.PARTIAL, DecisionKind.PAY], (-100, 0, 0)),
    "refused": (["refused"], (-100, 0, 0)),
    "not sent": (["not_sent"], (0, -100, 0)),
    "withdrawn": (["withdrawn"], (0, 0, 0)),  # and with it what was read for it
    "absent, and attempted again": (["in_doubt", "absent"], (0, -100, 0)),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_journal_says_where_money_is_whatever_becomes_of_its_report(way, desk, ledger, make_plan, me, key, clock):
    steps, expected = WAYS[way]
    ledger.journal.post([read(1, 100)], "run-1")
    (submission,) = desk.approve(make_plan({"ana": 100}))
    for step in steps:
        take(step, submission, desk, ledger, me, key, clock)
    found = ledger.journal.balances()
    there = (ANA, SERIES.account(A.TRANSIT, "ana"), SERIES.account(A.SERVICE, "ana"))
    assert tuple(found.get(account, 0) for account in there) == expected
    assert sum(found.values()) == 0


def take(step, submission, desk, ledger, me, key, clock):
    """Let one thing happen to a report."""
    name, record = submission.id, ledger.submissions
    if isinstance(step, DecisionKind):
        told = Decision(key("ana"), name, step, 100, "fingerprint of ana", "bia", "a receipt", clock())
        ledger.decisions.record([told])
    elif isinstance(step, S):
        record.record_status(name, b"{}", "DONE", step, by="run-1")
    elif step == "withdrawn":
        record.withdraw_unsent([name], run_id="run-1", reason=None)
    elif step == "absent":
        record.declare_absent([name], by=["Ana", "Bia"], evidence="looked", run_id="run-2")
    else:
        desk.take(submission, me)
        split_id = "s1" if step == "accepted" else None
        record.record_outcome(name, Outcome(step), http_status=200, raw_answer=b"{}", split_id=split_id, reason=None)


def test_taxes_go_with_the_payment_they_are_withheld_from(desk, ledger, make_plan, me, key, clock):
    plan = make_plan({"ana": 85})
    (submission,) = desk.store(plan)
    desk.sign(plan)
    taxes = {key("ana"): {"IRRF": 10, "ISS": 5}}
    ledger.submissions.approve_plan(plan.digest, "run-1", [read(1, 100)], clock(), taxes_cents=taxes)
    taxed = {SERIES.account(A.TAX, "ana", kind): -cents for kind, cents in (("IRRF", 10), ("ISS", 5))}
    assert ledger.journal.balances() == {SOURCE: 100, SERIES.account(A.TRANSIT, "ana"): -85} | taxed
    desk.take(submission, me)
    ledger.submissions.record_outcome(submission.id, Outcome.REFUSED, http_status=422, raw_answer=b"{}", reason=None)
    assert ledger.journal.balances() == {SOURCE: 100, ANA: -100}


def test_taxes_of_several_payees_in_several_reports_go_each_with_its_own(desk, ledger, make_plan, key, clock):
    plan = make_plan({"ana": 85}, {"bia": 160, "caio": 70})
    desk.store(plan)
    desk.sign(plan)
    taxes = {key("ana"): {"IRRF": 15}, key("bia"): {"IRRF": 30, "ISS": 10}}
    ledger.submissions.approve_plan(plan.digest, "run-1", [read(1, 370)], clock(), taxes_cents=taxes)
    of_tax = {account: -cents for account, cents in ledger.journal.balances().items() if account.kind is A.TAX}
    assert {(account.payee, account.reference): cents for account, cents in of_tax.items()} == {
        ("ana", "IRRF"): 15,
        ("bia", "IRRF"): 30,
        ("bia", "ISS"): 10,
    }


@pytest.mark.parametrize("payments", [{"ana": 100}, {"ana": 60, "bia": 40}])
def test_what_was_paid_is_told_whole_where_the_service_took_its_fee_out_of_it(desk, ledger, make_plan, me, payments):
    (submission,) = desk.approve(make_plan(payments))
    desk.take(submission, me)
    ledger.submissions.record_outcome(
        submission.id, Outcome.ACCEPTED, http_status=200, raw_answer=b"{}", split_id="s1", reason=None
    )
    report = b'{"paidAmount": 0.59, "irAmount": 0.06, "feeAmount": 0.35}'
    ledger.submissions.record_status(submission.id, report, "DONE", S.PAID, by="run-1")
    today = ledger.now().astimezone(BRASILIA).date()
    booked = ledger.views.ask(PAID, since=today, until=today)
    gross = {paid.tax_id: paid.paid_cents + paid.kept_cents for paid in booked if paid.tax_id}
    assert (gross, sum(paid.kept_cents for paid in booked)) == (payments, 6)


def test_what_a_report_kept_of_several_payments_is_taken_out_of_what_was_paid(desk, ledger, make_plan, me):
    (submission,) = desk.approve(make_plan({"ana": 100, "bia": 200}))
    desk.take(submission, me)
    ledger.submissions.record_outcome(
        submission.id, Outcome.ACCEPTED, http_status=200, raw_answer=b"{}", split_id="s1", reason=None
    )
    report = b'{"paidAmount": 2.94, "irAmount": 0.06}'
    ledger.submissions.record_status(submission.id, report, "DONE", S.PAID, by="run-1")
    found = Counter[AccountKind]()
    for account, cents in ledger.journal.balances().items():
        found[account.kind] += cents
    assert (found[A.SERVICE], found[A.SERVICE_TAX], found[A.TRANSIT]) == (-294, -6, 0)
