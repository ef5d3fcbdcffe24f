"""Views over the journal: the same rows from SQLite and PostgreSQL, and what their columns come to over months."""

import datetime as dt
import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.books.account import accounts_of_payee
from flows.books.payments import PaymentSearch, Search
from flows.views import columns
from flows.views.columns import ACCOUNT, MONTH, OWED, OWED_SINCE
from io_adapters.ledger.ledger import open_ledger
from io_adapters.ledger.views import LedgerView
from schemas.job import BRASILIA, labelled_period
from schemas.journal import (
    CHECKS,
    FEE,
    AccountKind,
    EntryKind,
    JournalAccount,
    JournalEntry,
    Series,
    Transfer,
    charge,
    entry_id,
    postings_of,
)
from schemas.values.money import parse_plain_amount
from tests.spec.tables import reais, table

A, K = AccountKind, EntryKind
YEAR = """
    | month   | earned | rows  | recouped | paid   | withheld |
    | 2027-10 | 45.00  |       | 40.00    |        |          |
    | 2027-11 | 10.00  | 12.00 |          | 12.00  |          |
    | 2027-12 | 30.00  |       |          |        | 25.00    |
    | 2028-01 | -3.00  |       |          |        |          |
"""


def cents(text: str) -> int:
    return parse_plain_amount(text or "0")


def entries_of(row: dict[str, str], job: str = "selo") -> list[JournalEntry]:
    """What a month books of Ana, beside Bia who earns the same: what came in, advances, what was paid and withheld."""
    series, period = Series(job, "payer", "BRL"), labelled_period(row["month"])
    payee, payment = series.account(A.PAYEE, "ana"), series.account(A.PAYMENT, "ana", row["month"])
    source, bia = series.account(A.SOURCE), series.account(A.PAYEE, "bia")
    moves = {
        K.READ: [(source, payee, "earned"), (source, payment, "rows"), (source, bia, "earned")],
        K.RECOUP: [(payee, series.account(A.ADVANCE, "ana", "disco"), "recouped")],
        K.SEND: [
            (payment if row["rows"] else payee, series.account(A.SERVICE, "ana"), "paid"),
            (payee, series.account(A.TAX, "ana", "IR"), "withheld"),
        ],
    }
    found = []
    for kind, of_kind in moves.items():
        transfer = Transfer()
        for debit, credit, column in of_kind:
            transfer.move(debit, credit, cents(row[column]))
        postings, name = postings_of(transfer.sums), entry_id(kind, job, row["month"])
        found += [JournalEntry(name, kind, series, period.label, period.start, kind, postings)] if postings else []
    return found


@pytest.fixture
def booked(ledger, clock):
    """Each month's entries on its last day in Brazil, late in the evening, when it is another day elsewhere."""
    for row in table(YEAR):
        month = labelled_period(row["month"])
        clock.moment = dt.datetime.combine(month.end, dt.time(23, 30), dt.timezone(dt.timedelta(hours=-3)))
        ledger.journal.post(entries_of(row), "run-1")
    return ledger


def test_an_account_opens_with_what_was_owed_before_and_closes_with_what_is_owed_since(booked):
    by_days = """
        | from       | to         | opening | came in | recouped | withheld | paid  | closing |
        | 2027-01-01 | 2027-12-31 | 0.00    | 97.00   | 40.00    | 25.00    | 12.00 | 20.00   |
        | 2027-11-30 | 2027-11-30 | 5.00    | 22.00   | 0.00     | 0.00     | 12.00 | 15.00   |
        | 2027-11-01 | 2027-11-29 | 5.00    | 0.00    | 0.00     | 0.00     | 0.00  | 5.00    |
        | 2028-01-01 | 2028-12-31 | 20.00   | -3.00   | 0.00     | 0.00     | 0.00  | 17.00   |
        | 2020-01-01 | 2028-12-31 | 0.00    | 94.00   | 40.00    | 25.00    | 12.00 | 17.00   |
    """
    for row in table(by_days):
        since, until = (dt.date.fromisoformat(row[name]) for name in ("from", "to"))
        (account,) = accounts_of_payee(booked, "ana", since=since, until=until).accounts
        columns = {"came in": "came_in", "recouped": "recouped", "withheld": "tax", "paid": "paid"}
        found = {name: reais(account.sum_cents(f"{column}_cents")) for name, column in columns.items()}
        found |= {"opening": reais(account.opening_cents), "closing": reais(account.closing_cents)}
        assert found == {name: row[name] for name in found}, row


def test_what_is_owed_is_as_old_as_the_oldest_sum_that_nothing_has_paid(booked):
    """The first come are the first paid; of what a report took and gave back, the age is that of before."""
    by_day = """
        | on         | owed  | since      |
        | 2027-10-31 | 5.00  | 2027-10-31 |
        | 2027-11-30 | 15.00 | 2027-10-31 |
        | 2027-12-31 | 20.00 | 2027-12-31 |
        | 2028-01-31 | 17.00 | 2027-12-31 |
    """
    payee, sent = Series("selo", "payer", "BRL").account(A.PAYEE, "ana"), Series("selo", "payer", "BRL")
    for _ in range(2):
        for row in table(by_day):
            day = dt.date.fromisoformat(row["on"])
            (owed,) = (about for about in booked.views.ask(OWED, until=day, runs=[]) if about.account == payee)
            (since,) = (about for about in booked.views.ask(OWED_SINCE, until=day) if about.account == payee)
            assert (reais(owed.amount_cents), since.since.isoformat()) == (row["owed"], row["since"])
        for kind, sign in ((K.SEND, 1), (K.RETURN, -1)):  # booked after all those days, and given back
            transfer = Transfer()
            transfer.move(payee, sent.account(A.TRANSIT, "ana"), sign * 1700)
            name, postings = entry_id(kind, "rp-1"), postings_of(transfer.sums)
            booked.journal.post([JournalEntry(name, kind, sent, "2028-01", None, "rp-1", postings)], "run-1")


def test_each_job_has_an_account_of_its_own(booked):
    booked.journal.post(entries_of(table(YEAR)[0], "editora"), "run-2")
    found = accounts_of_payee(booked, "ana").accounts
    assert [(account.job, reais(account.closing_cents)) for account in found] == [
        ("editora", "5.00"),
        ("selo", "17.00"),
    ]
    (only,) = accounts_of_payee(booked, "ana", job="editora").accounts
    assert only.job == "editora"


def test_what_moves_to_another_job_leaves_the_account_of_the_one_and_comes_into_that_of_the_other(booked):
    old, new = Series("selo", "payer", "BRL"), Series("editora", "payer", "BRL")
    transfer = Transfer()
    transfer.move(old.account(A.PAYEE, "ana"), new.account(A.PAYEE, "ana"), 1700)
    entry = JournalEntry(entry_id(K.MOVE, "selo"), K.MOVE, new, "", None, "series selo", postings_of(transfer.sums))
    booked.journal.post([entry], "run-2")
    accounts = {one.job: one for one in accounts_of_payee(booked, "ana").accounts}
    assert {job: reais(one.closing_cents) for job, one in accounts.items()} == {"editora": "17.00", "selo": "0.00"}
    assert [(e.kind, e.came_in_cents) for e in accounts["editora"].entries] == [(K.MOVE, 1700)]
    sums = booked.views.ask(MONTH, month="2028-01", by="day")
    moved = {row.job: (row.came_in_cents, row.owed_cents) for row in sums if not row.period}
    assert moved == {"editora": (1700, 1700), "selo": (-1700, -1700)}


def test_what_the_service_charges_stands_beside_a_months_money_and_in_nobodys_account(booked):
    series, october, shown = Series("selo", "payer", "BRL"), labelled_period("2027-10"), {}
    for number, charged in enumerate([{CHECKS: 105}, {FEE: 300}, {CHECKS: -35}]):
        transfer = Transfer()
        for what, amount in charged.items():
            charge(transfer, series, what, amount)
        entry = JournalEntry(
            *(entry_id(K.COST, number), K.COST, series, october.label, october.start),
            *("checks run-1", postings_of(transfer.sums)),
        )
        (before,) = booked.views.ask(MONTH, month="2027-10", by="period")
        booked.journal.post([entry], "run-1")
        (after,) = booked.views.ask(MONTH, month="2027-10", by="period")
        for what, cost in ((CHECKS, "checks_cents"), (FEE, "fee_cents")):
            assert getattr(after, cost) - getattr(before, cost) == charged.get(what, 0)
            shown[cost] = getattr(after, cost)
        assert replace(after, fee_cents=0, checks_cents=0) == replace(before, fee_cents=0, checks_cents=0)
    (on_the_day,) = booked.views.ask(MONTH, month="2028-01", by="day")[:1]
    assert (shown, on_the_day.period) == ({"checks_cents": 70, "fee_cents": 300}, "2027-10")
    assert all(entry.kind is not K.COST for entry in accounts_of_payee(booked, "ana").accounts[0].entries)


GIVEN = {
    "payees": ["ana"],
    "runs": ["run-1"],
    "run": "run-1",
    "since": dt.date(2026, 1, 1),
    "until": dt.date(2028, 12, 31),
    "month": "2027-10",
    "by": "day",
}


@pytest.mark.parametrize("view", [view for view in vars(columns).values() if isinstance(view, LedgerView)])
def test_every_view_is_a_text_that_both_databases_take(booked, view):
    given = {name: value for name, value in GIVEN.items() if re.search(rf":{name}\b", view.sql)}
    assert all(isinstance(row, view.row) for row in booked.views.ask(view, **given))
    of_nobody = {name: [] if isinstance(value, list) else value for name, value in given.items()}
    is_of_everybody = of_nobody == given or view is OWED
    assert is_of_everybody or booked.views.ask(view, **of_nobody) == []


def test_days_of_which_nothing_is_on_record_have_no_account(booked):
    assert accounts_of_payee(booked, "ana", until=dt.date(2020, 12, 31)).accounts == ()
    assert accounts_of_payee(booked, "caio").accounts == ()


ACCOUNTS = st.builds(
    Series("selo", "payer", "BRL").account,
    st.sampled_from(sorted(set(A) - {A.EXPENSE, A.FLOAT, A.BANK})),
    st.sampled_from(["", "ana", "bia"]),
    st.sampled_from(["", "1"]),
)
KINDS = st.sampled_from(sorted(K))
ENTRIES = st.tuples(KINDS, st.lists(st.tuples(ACCOUNTS, ACCOUNTS, st.integers(-500, 500)), min_size=1, max_size=4))


def book(ledger, drawn) -> None:
    """Book what was drawn, about October."""
    series, period, before = Series("selo", "payer", "BRL"), labelled_period("2026-10"), len(ledger.journal.entries())
    for number, (kind, moves) in enumerate(drawn):
        transfer = Transfer()
        for debit, credit, amount in moves:
            transfer.move(debit, credit, amount)
        postings, name = postings_of(transfer.sums), entry_id(kind, before, number)
        if postings:
            ledger.journal.post([JournalEntry(name, kind, series, period.label, period.start, "", postings)], "run-1")


@pytest.mark.long
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.lists(ENTRIES, max_size=8))
def test_an_account_comes_to_the_journals_balance_whatever_was_booked(ledger_url, clock, drawn):
    """Any entry, of kinds and accounts that no code books together: no row is without its sum, and none is lost."""
    with open_ledger(ledger_url, clock=clock) as ledger:
        book(ledger, drawn)
        for payee in ("ana", "bia"):
            owed = [
                -amount
                for account, amount in ledger.journal.balances(payees=[payee]).items()
                if account.kind in {A.PAYEE, A.PAYMENT}
            ]
            shown = ledger.views.ask(ACCOUNT, payees=[payee], until=dt.date(2026, 11, 20))
            assert sum(entry.owed_cents for entry in shown) == sum(owed)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(months=st.lists(st.lists(ENTRIES, max_size=3), max_size=4))
def test_all_that_is_owed_has_an_age_and_its_sum_is_the_journals(ledger_url, clock, months):
    """Held against a queue: what comes in stands behind what is there, what goes out takes from the front."""
    with open_ledger(ledger_url, clock=clock) as ledger:
        for drawn in months:
            book(ledger, drawn)
            clock.moment += dt.timedelta(days=31)
        queues = dict[JournalAccount, list[tuple[dt.date, int]]]()
        for at, _, entry in ledger.journal.entries():
            for posting in entry.postings:
                queue, left = queues.setdefault(posting.account, []), -posting.amount_cents
                while queue and left and (queue[0][1] > 0) != (left > 0):
                    day, cents = queue.pop(0)
                    taken = min(abs(cents), abs(left)) * (1 if cents > 0 else -1)
                    left += taken
                    queue[:0] = [(day, cents - taken)] if cents != taken else []
                queue += [(at.astimezone(BRASILIA).date(), left)] if left else []
        wanted = {A.PAYEE, A.PAYMENT, A.UNASSIGNED, A.SERVICE_HELD, A.RETURNED, A.TRANSIT}
        queues = {account: queue for account, queue in queues.items() if queue and account.kind in wanted}
        owed = {about.account: about.amount_cents for about in ledger.views.ask(OWED, until=ledger.today(), runs=[])}
        assert owed == {account: sum(cents for _, cents in queue) for account, queue in queues.items()}
        since = {about.account: about.since for about in ledger.views.ask(OWED_SINCE, until=ledger.today())}
        assert since == {account: queue[0][0] for account, queue in queues.items()}


ORDINARY = ENTRIES.filter(
    lambda drawn: drawn[0] is not K.OPENING and not any(A.ADVANCE in {a.kind, b.kind} for a, b, _ in drawn[1])
)


@pytest.mark.long
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.lists(ORDINARY, min_size=1, max_size=8))
def test_a_month_has_all_that_was_booked_about_it_and_in_it(ledger_url, clock, drawn):
    """Advances and opening balances aside, of which one leg is no matter of a month's columns: flows play those."""
    with open_ledger(ledger_url, clock=clock) as ledger:
        book(ledger, drawn)
        owed = [-cents for a, cents in ledger.journal.balances().items() if a.kind in {A.PAYEE, A.PAYMENT}]
        for by, month in (("period", "2026-10"), ("day", "2026-11")):
            sums = ledger.views.ask(MONTH, month=month, by=by)
            assert sum(row.owed_cents for row in sums) == sum(owed)
            assert ledger.views.ask(MONTH, month="2026-09", by=by) == []


OF_ONE_PAYEE = [columns.ACCOUNT, columns.RESTATED_OF_PAYEES, columns.ADVANCES, columns.OWED_TO_PAYEES]


@pytest.mark.parametrize("view", OF_ONE_PAYEE)
def test_a_question_about_one_payee_reads_nobody_elses_postings(tmp_path, clock, view):
    """However large a ledger is: no table of it is gone through, and none is put together on the way."""
    place = tmp_path / "ledger.db"
    open_ledger(f"sqlite:///{place}", clock=clock).close()
    text = view.sql.replace("IN :payees", "IN ('52998224725')").replace("IN :runs", "IN ('run-1')")
    with closing(sqlite3.connect(place)) as connection:
        steps = [step for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {text}", {"until": "2027-01-01"})]
    assert [step for step in steps if step.startswith("SEARCH")]
    assert not [step for step in steps if re.match(r"(MATERIALIZE|SCAN) (?!moved|standing)", step)], steps


@pytest.mark.parametrize("typed", ["ob-é", "ob-", "rp-1 2", "a\x00b", "ob-\x00", "%_'\";--", "😀", "ob-" + "a" * 300])
def test_whatever_somebody_types_is_looked_for(booked, typed):
    assert PaymentSearch(booked).find(Search(typed)) == ()


def test_who_is_known_by_a_document_alone_is_looked_for_by_it(ledger, desk, make_plan):
    """A run that died has left claims and no names."""
    desk.approve(make_plan({"52998224725": 100}))
    assert [line.amount_cents for line in PaymentSearch(ledger).find(Search("529.982.247-25"))] == [100]
