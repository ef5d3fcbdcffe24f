"""What the accountant is handed: payments and taxes by day of payment, and the journal for other books."""

import csv
import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby
from operator import attrgetter
from pathlib import Path
from typing import Final

from flows.views.columns import PAID, WITHHELD_WHOLE
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import RecordHead, read_heads, read_natures
from io_adapters.outputs.journal_export import (
    AccountNames,
    Booked,
    Format,
    JournalToExport,
    day_of,
    export_journal,
)
from schemas.account import BookedPayment, NamedCode, TaxedPayment
from schemas.errors import ConfigurationError
from schemas.job import BRASILIA
from schemas.journal import AccountKind, ClaimedSum
from schemas.messages import Message
from schemas.values.money import SignedSums

# What the service kept itself, beside the kinds of taxes of the accountant's own table.
SERVICE_TAX: Final = "IR (serviço)"
# Of more payments to one payee in one report no choice is looked for.
_MOST_CHOSEN_FROM: Final = 12


def taxed_payments(ledger: Ledger, first: dt.date, last: dt.date) -> list[TaxedPayment]:
    """List what was paid within some days, in Brazil, by day, payee and report.

    Each payment with the taxes that were withheld of it, and what the service kept of it. What it kept of a report of
    several is a line of nobody's; a tax that took all of a balance is a payment of nothing; money that came back is a
    payment below zero on the day on which that was booked: a month that is over never changes.
    """
    known = _Known(ledger)
    found = [*_sent(ledger, known, first, last), *_withheld_whole(ledger, known, first, last)]
    return sorted(found, key=lambda payment: (payment.paid_on, payment.tax_id, payment.report, payment.kind))


def _sent(ledger: Ledger, known: "_Known", first: dt.date, last: dt.date) -> Iterator[TaxedPayment]:
    booked = ledger.views.ask(PAID, since=first, until=last)
    claimed = defaultdict[tuple[str, str], list[ClaimedSum]](list)
    for name, claims in ledger.claims.with_taxes({paid.submission_id for paid in booked}).items():
        for claim in claims:
            claimed[name, claim.payee] += [claim] if claim.kind != "owner" else []
    for paid in booked:
        where = paid.job, paid.period
        about = (*where, paid.currency, paid.day, paid.submission_id)
        kept = {SERVICE_TAX: paid.kept_cents} if paid.kept_cents else {}
        if not paid.tax_id:
            if kept:
                payer_name = known.payer_name(*where)
                yield TaxedPayment(paid.payer, payer_name, "", "", "", "tax", *about, -paid.kept_cents, kept)
            continue
        own = claimed[paid.submission_id, paid.tax_id]
        if paid.is_beside:  # taxes were withheld with the submission's own report alone
            own = [replace(claim, taxes_cents={}) for claim in own]
        for number, (claim, sign) in enumerate(_claims_of(paid, own)):
            own_kept = {} if number else kept
            yield TaxedPayment(
                paid.payer,
                known.payer_name(*where),
                claim.payee,
                known.name(claim.payee),
                known.nature(*where, claim.payee) if claim.kind == "royalty" else "",
                claim.kind,
                *about,
                net_cents=sign * claim.amount_cents - sum(own_kept.values()),
                withheld_cents={tax: sign * cents for tax, cents in claim.taxes_cents.items()} | own_kept,
            )


def _claims_of(paid: BookedPayment, own: Sequence[ClaimedSum]) -> Iterator[tuple[ClaimedSum, int]]:
    """Return the payments that make what was booked as paid, or as come back, of a payee: those, and 1 or -1.

    Of a payee with several payments in one report people may have said of some alone that they were made; where no
    choice of them makes the sum, it is one line without the taxes of any.
    """
    gross_cents = paid.paid_cents + paid.kept_cents
    sign = 1 if gross_cents > 0 else -1
    counts = range(len(own), 0, -1) if len(own) <= _MOST_CHOSEN_FROM else (len(own), 1)
    for some in (some for count in counts for some in combinations(own, count)):
        if sum(claim.amount_cents for claim in some) == abs(gross_cents):
            yield from ((claim, sign) for claim in some)
            return
    yield replace(own[0], amount_cents=abs(gross_cents), taxes_cents={}), sign


def _withheld_whole(ledger: Ledger, known: "_Known", first: dt.date, last: dt.date) -> Iterator[TaxedPayment]:
    of_entry = attrgetter("day", "job", "period", "payer", "currency", "tax_id")
    rows = sorted(ledger.views.ask(WITHHELD_WHOLE, since=first, until=last), key=of_entry)
    for (day, job, period, payer, currency, payee), taxes in groupby(rows, key=of_entry):
        name, nature, about = known.name(payee), known.nature(job, period, payee), (job, period, currency, day, "")
        own = SignedSums[str]()
        for row in taxes:
            own[row.tax] += row.withheld_cents
        yield TaxedPayment(payer, known.payer_name(job, period), payee, name, nature, "royalty", *about, 0, own)


class _Known:
    """What runs say of payments beside their sums: who pays, and natures of income; of payees, their names."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._names = ledger.payee_names.latest()
        self._runs = defaultdict[tuple[str, str], list[str]](list)
        self._heads: dict[tuple[str, str], list[RecordHead]] = {}
        self._natures: dict[tuple[str, str], dict[str, str]] = {}
        for run in ledger.runs.list(limit=None):  # newest first
            self._runs[run.job, run.period].append(run.run_id)

    def name(self, tax_id: str) -> str:
        """Return what a payee was called last; "" where nobody knows."""
        return self._names.get(tax_id, "")

    def payer_name(self, job: str, period: str) -> str:
        """Return who paid; "" where no run of the period left a record."""
        return next((head.payer_name for head in self._of(job, period)), "")

    def nature(self, job: str, period: str, tax_id: str) -> str:
        """Return the nature of a payee's income, as the latest run that knew one has it; "" for none."""
        where = job, period
        if where not in self._natures:
            self._natures[where] = read_natures(self._ledger, self._runs[where])
        return self._natures[where].get(tax_id, "")

    def _of(self, job: str, period: str) -> list[RecordHead]:
        where = job, period
        if where not in self._heads:
            self._heads[where] = list(read_heads(self._ledger, self._runs[where]).values())
        return self._heads[where]


_COLUMNS = ["account", "code"]


def exported_journal(
    ledger: Ledger, first: dt.date, last: dt.date, form: Format, codes: Path | None = None
) -> tuple[int, bytes]:
    """Export what was booked on some days.

    Args:
        codes: A CSV with the columns account and code: an account's name, or the beginning of one, and what it is in
            the accountant's chart of accounts.

    Returns:
        How many entries there are, and what is to be written.

    Raises:
        ConfigurationError: the days are not in order, or the table of codes cannot be read.
    """
    if first > last:
        raise ConfigurationError(Message("error.days_order", first=first, last=last))
    since, before = (dt.datetime.combine(day, dt.time(), BRASILIA) for day in (first, last + dt.timedelta(days=1)))
    booked = [Booked(day_of(at), entry) for at, _, entry in ledger.journal.entries(since, before)]
    journal = JournalToExport(
        booked=[found for found in booked if found.entry.postings],
        opening=dict(sorted(ledger.journal.balances(since).items())),
        since=first,
        until=last,
        numbers=ledger.journal.account_numbers(),
        codes=_codes(codes) if codes else {},
    )
    return len(journal.booked), export_journal(journal, form)


def named_codes(ledger: Ledger) -> list[NamedCode]:
    """List whose each code of the exported journal is: payees, their rows, their advances, in the order of accounts."""
    numbers = ledger.journal.account_numbers()
    names, known, seen = AccountNames(numbers), ledger.payee_names.latest(), set[str]()
    found = list[NamedCode]()
    for account in sorted(numbers, key=numbers.__getitem__):
        code = names.own(account) or (names.payee(account) if account.kind is AccountKind.PAYEE else "")
        if code and account.payee and code not in seen:
            seen.add(code)
            name, reference = known.get(account.payee, ""), account.reference if names.own(account) else ""
            found.append(NamedCode(code, names.of(account), name, account.payee, account.job, reference))
    return found


def _codes(path: Path) -> dict[str, str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(Message("error.account_codes", file=path.name, why=type(error).__name__)) from None
    if not rows or not set(_COLUMNS) <= rows[0].keys():
        raise ConfigurationError(Message("error.account_codes", file=path.name, why=", ".join(_COLUMNS)))
    return {row["account"].strip(): row["code"].strip() for row in rows if row["account"] and row["code"]}
