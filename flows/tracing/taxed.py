"""Payments and taxes withheld by day of payment, for the accountant."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from flows.run_record import RecordHead, read_heads
from io_adapters.ledger.ledger import Ledger
from schemas.account import TaxedPayment
from schemas.job import BRASILIA
from schemas.journal import AccountKind, EntryKind

# What the service kept itself, beside the kinds of taxes of the accountant's own table.
SERVICE_TAX: Final = "IR (serviço)"


def taxed_payments(ledger: Ledger, first: dt.date, last: dt.date) -> list[TaxedPayment]:
    """List the payments that reports paid within some days, in Brazil, by day, payee and report.

    Each with the taxes that were withheld of it, and what the service kept of it. What it kept of a report of several
    is a line of nobody's; a tax that took all of a balance is a payment of nothing.

    Args:
        ledger: The record.
        first: The first of the days.
        last: The last one.
    """
    known = _Known(ledger)
    found = [*_sent(ledger, known, first, last), *_withheld_whole(ledger, known, first, last)]
    return sorted(found, key=lambda payment: (payment.paid_on, payment.tax_id, payment.report, payment.kind))


def _sent(ledger: Ledger, known: "_Known", first: dt.date, last: dt.date) -> Iterator[TaxedPayment]:
    days = {name: at.astimezone(BRASILIA).date() for name, at in ledger.submissions.paid_at().items()}
    within = [name for name, day in days.items() if first <= day <= last]
    kept = ledger.journal.kept_by_service(within)
    for submission in ledger.submissions.with_ids(within):
        where = submission.job, submission.period
        payer = ledger.plans.get(submission.plan_digest).payer
        about = (*where, submission.currency, days[submission.id], submission.id)
        for claim in ledger.claims.with_taxes(submission.id):
            if claim.kind == "owner":
                continue
            service_cents = kept.get((submission.id, claim.payee), 0)
            own = {SERVICE_TAX: service_cents} if service_cents else {}
            yield TaxedPayment(
                payer,
                known.payer_name(*where),
                claim.payee,
                known.name(claim.payee),
                known.nature(*where, claim.payee) if claim.kind == "royalty" else "",
                claim.kind,
                *about,
                net_cents=claim.amount_cents - service_cents,
                withheld_cents={**claim.taxes_cents, **own},
            )
        if together := kept.get((submission.id, ""), 0):
            taxes = {SERVICE_TAX: together}
            yield TaxedPayment(payer, known.payer_name(*where), "", "", "", "tax", *about, -together, taxes)


def _withheld_whole(ledger: Ledger, known: "_Known", first: dt.date, last: dt.date) -> Iterator[TaxedPayment]:
    since, before = (dt.datetime.combine(day, dt.time(), BRASILIA) for day in (first, last + dt.timedelta(days=1)))
    for at, _, entry in ledger.journal.entries(since, before, kind=EntryKind.WITHHOLD):
        taxes = defaultdict[str, dict[str, int]](dict)
        for posting in entry.postings:
            if posting.account.kind is AccountKind.TAX:
                taxes[posting.account.payee][posting.account.reference] = -posting.amount_cents
        series, where = entry.series, (entry.series.job, entry.period)
        about = (series.job, entry.period, series.currency, at.astimezone(BRASILIA).date(), "")
        for payee, own in taxes.items():
            name, nature = known.name(payee), known.nature(*where, payee)
            yield TaxedPayment(series.payer, known.payer_name(*where), payee, name, nature, "royalty", *about, 0, own)


class _Known:
    """What runs say of payments beside their sums: who pays, and natures of income; of payees, their names."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._names = ledger.payee_names.latest()
        self._runs = defaultdict[tuple[str, str], list[str]](list)
        self._heads: dict[tuple[str, str], list[RecordHead]] = {}
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
        return next((head.natures[tax_id] for head in self._of(job, period) if tax_id in head.natures), "")

    def _of(self, job: str, period: str) -> list[RecordHead]:
        where = job, period
        if where not in self._heads:
            heads = read_heads(self._ledger, self._runs[where])
            self._heads[where] = [heads[run_id] for run_id in self._runs[where] if run_id in heads]
        return self._heads[where]
