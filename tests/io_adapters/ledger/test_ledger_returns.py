"""What came back, on record: its witnesses, its bounds, who raced whom, and that the journal says the same."""

import datetime as dt

import pytest
from sqlalchemy import create_engine, text

from schemas.errors import DecisionRefused
from schemas.journal import AccountKind, EntryKind, JournalEntry, Series, postings_of
from schemas.returns import ReportWentBack, ReturnState, Witness
from schemas.submission import Outcome, SubmissionState
from tests.io_adapters.ledger.conftest import key_of

ANA, BIA = key_of("ana"), key_of("bia")
DAY = dt.date(2026, 11, 20)
SERIES = Series("aurora-royalties", "payer", "BRL")


@pytest.fixture
def paid(ledger, desk, make_plan, me):
    """A report that has paid Ana 1.00 and Bia 2.00."""
    (submission,) = desk.approve(make_plan({"ana": 100, "bia": 200}))
    desk.take(submission, me)
    ledger.submissions.record_outcome(
        submission.id, Outcome.ACCEPTED, http_status=200, raw_answer=b"{}", split_id="s1", reason=None
    )
    ledger.submissions.record_status(submission.id, b"{}", "DONE", SubmissionState.PAID, by="run-1")
    return submission.id


def record(ledger, key, cents):
    return ledger.returns.record(key, cents, DAY, by="Bia", evidence="statement")


def see(ledger, report, known, **told):
    ledger.returns.see(report, known, ReportWentBack(**told), by="run-2")


def balances(ledger):
    return {account.kind: cents for account, cents in ledger.journal.balances().items() if account.payee in {"ana", ""}}


def test_what_came_back_leaves_what_was_paid_and_is_in_the_bank(ledger, paid):
    before = balances(ledger)
    found = record(ledger, ANA, 40)
    after = balances(ledger)
    assert found.state is ReturnState.OPEN
    assert after[AccountKind.RETURNED] == -40
    assert after[AccountKind.SERVICE] - before[AccountKind.SERVICE] == 40
    assert (after[AccountKind.BANK], after[AccountKind.FLOAT]) == (40, -40)


@pytest.mark.parametrize("cents", [101, 61])
def test_no_more_comes_back_than_was_paid(ledger, paid, cents):
    record(ledger, ANA, 40)
    with pytest.raises(DecisionRefused):
        record(ledger, ANA, cents)
    assert record(ledger, ANA, 60).number == 2


def test_the_same_said_twice_is_refused_until_the_first_is_taken_back(ledger, paid):
    record(ledger, ANA, 40)
    with pytest.raises(DecisionRefused):
        record(ledger, ANA, 40)
    assert record(ledger, ANA, 41).number == 2


def test_nothing_comes_back_of_what_no_report_has_paid(ledger, desk, make_plan):
    desk.approve(make_plan({"ana": 100}))
    with pytest.raises(DecisionRefused):
        record(ledger, ANA, 1)


def test_what_a_report_alone_shows_is_nowhere_in_the_bank_and_a_person_joins_it(ledger, paid):
    see(ledger, paid, [], seen=((BIA, 200),))
    (found,) = ledger.returns.of_reports([paid])
    assert found.state is ReturnState.UNCONFIRMED
    assert AccountKind.BANK not in balances(ledger)
    assert record(ledger, BIA, 200).key == found.key
    assert balances(ledger)[AccountKind.BANK] == 200


@pytest.mark.parametrize("shown", [(30,), (10, 20), (20, 10), (10, 10, 10)])
@pytest.mark.parametrize("named", [(30,), (5, 25), (10, 20), (14, 16), (12, 1, 17)])
def test_what_reports_showed_of_nobody_yet_is_that_of_whom_people_name_however_it_was_shown(ledger, paid, shown, named):
    for cents in shown:
        see(ledger, paid, ledger.returns.of_reports([paid]), nobodys_cents=cents)
    left_cents = 30
    for cents in named:
        record(ledger, ANA, cents)
        left_cents -= cents
        found = [each for each in ledger.returns.of_reports([paid]) if each.counts]
        assert sum(each.amount_cents for each in found if each.is_nobodys) == left_cents
        assert sum(each.amount_cents for each in found if not each.is_nobodys) == 30 - left_cents
    assert all(each.seen_by == {Witness.PERSON, Witness.REPORT} for each in found)
    assert not ledger.returns.disagreeing([paid])


def test_of_two_looks_at_once_one_is_written(ledger, paid):
    see(ledger, paid, [], seen=((BIA, 200),))
    see(ledger, paid, [], seen=((BIA, 200),))
    assert len(ledger.returns.all()) == 1


def test_what_a_report_shows_no_more_is_posted_back(ledger, paid):
    before = ledger.journal.balances()
    see(ledger, paid, [], seen=((BIA, 200),))
    see(ledger, paid, ledger.returns.all(), paid_again=tuple(ledger.returns.all()))
    assert ledger.journal.balances() == before
    assert ledger.returns.disagreeing([paid]) == []


def test_a_row_that_somebody_adds_past_the_program_says_nothing(ledger, ledger_url, paid):
    record(ledger, ANA, 40)
    engine = create_engine(ledger_url)
    columns = "obligation_key, number, witness, submission_id, amount_cents, day, by, act"
    with engine.begin() as connection:
        copied = columns.replace(" number", " number + 1", 1)
        connection.execute(text(f"INSERT INTO returns ({columns}) SELECT {copied} FROM returns"))  # noqa: S608
    engine.dispose()
    assert [each.number for each in ledger.returns.all()] == [1]


def test_a_journal_that_says_otherwise_is_found(ledger, paid):
    found = record(ledger, ANA, 40)
    assert ledger.returns.disagreeing([paid]) == []
    moved = postings_of(
        {SERIES.account(AccountKind.RETURNED, "ana", found.key): 40, SERIES.account(AccountKind.OWNER): -40}
    )
    start = dt.date(2026, 10, 1)
    ledger.journal.post([JournalEntry("je-x", EntryKind.MOVE, SERIES, "2026-10", start, found.cause, moved)], "run-3")
    assert ledger.returns.disagreeing([paid]) == [found.key]
