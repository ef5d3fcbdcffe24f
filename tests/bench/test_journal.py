"""How fast the journal takes and answers after 36 months of ten thousand payees."""

import datetime as dt
from statistics import median

import pytest

from flows.books.account import accounts_of_payee
from flows.books.month import view_of_month
from io_adapters.ledger.ledger import open_ledger
from schemas.job import resolve_period
from schemas.journal import AccountKind, EntryKind, JournalEntry, Series, Transfer, entry_id, postings_of
from tests.bench.conftest import Figures, median_s
from tests.payments_job import PAYER

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

A = AccountKind
SERIES = Series("aurora", PAYER, "BRL")
PAYEES = [f"{number:011d}" for number in range(10_000)]
MONTHS = [f"{year}-{month:02}" for year in (2024, 2025, 2026) for month in range(1, 13)]
ROUNDS = 25
POSTINGS = len(MONTHS) * (2 * len(PAYEES) + 1)


def test_thirty_six_months_of_ten_thousand_payees(figures: Figures, tmp_path):
    now = dt.datetime(2024, 2, 1, tzinfo=dt.UTC)
    file = tmp_path / "ledger.db"
    with open_ledger(f"sqlite:///{file}", clock=lambda: now) as ledger:
        taken = list[float]()
        for month in MONTHS:
            now += dt.timedelta(days=30)
            ledger.runs.begin(f"run-{month}", SERIES.job, month, "payout", "ana", "job.yaml")
            taken.append(median_s(lambda month=month: ledger.journal.post(_entries(month), f"run-{month}"), 1))
        first, last = median(taken[:6]), median(taken[-6:])
        figures.add(
            "post a month of 10,000 payees, the last six of 36", last,
            baseline="the first six", baseline_median=first, at_most=1.5,
        )  # fmt: skip
        some = iter(PAYEES[:: len(PAYEES) // ROUNDS])
        account = median_s(lambda: accounts_of_payee(ledger, next(some)), ROUNDS)
        figures.add("a payee's account over 36 months", account, at_most=0.05)
        figures.add("a month over all payees", median_s(lambda: view_of_month(ledger, "2026-06"), 5), at_most=0.5)
        following = ("2027-01", dt.date(2027, 1, 1), now.date())
        figures.add("what the next month finds", median_s(lambda: ledger.journal.state(SERIES, *following)))
        figures.add("the balances of all accounts", median_s(ledger.journal.balances))
    figures.add(f"the ledger of {POSTINGS:,} postings", file.stat().st_size / 1e6, unit="MB")


def _entries(month: str) -> list[JournalEntry]:
    """Everybody earns, and half are paid."""
    read, sent = Transfer(), Transfer()
    for number, payee in enumerate(PAYEES):
        cents = 1_000 + number % 977
        read.move(SERIES.account(A.SOURCE), SERIES.account(A.PAYEE, payee), cents)
        if number % 2:
            sent.move(SERIES.account(A.PAYEE, payee), SERIES.account(A.SERVICE, payee), cents)
    start = resolve_period(month, None).start
    return [
        JournalEntry(entry_id(kind, month), kind, SERIES, month, start, f"{kind} {month}", postings_of(transfer.sums))
        for kind, transfer in ((EntryKind.READ, read), (EntryKind.SEND, sent))
    ]
