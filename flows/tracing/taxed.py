"""Payments and taxes withheld by day of payment, for the accountant."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from flows.run_document import RunDocument
from io_adapters.ledger.ledger import Ledger
from schemas.account import TaxedPayment
from schemas.job import BRASILIA
from schemas.journal import AccountKind, EntryKind

_EVERY_RUN: Final = 10**9
# What the service kept itself, beside the kinds of taxes of the accountant's own table.
SERVICE_TAX: Final = "IR (serviço)"


class _Known(NamedTuple):
    """What runs of a period tell beside its payments: names by tax id, natures of income, who pays."""

    names: Mapping[str, str]
    natures: Mapping[str, str]
    payer_name: str


def taxed_payments(ledger: Ledger, first: dt.date, last: dt.date) -> list[TaxedPayment]:
    """List the payments that reports paid within some days, in Brazil, by day, payee and report.

    Each with the taxes that were withheld of it, and what the service kept of it. What it kept of a report of several
    is a line of nobody's; a tax that took all of a balance is a payment of nothing.

    Args:
        ledger: The record.
        first: The first of the days.
        last: The last one.
    """
    known = _KnownPeriods(ledger)
    found = [*_sent(ledger, known, first, last), *_withheld_whole(ledger, known, first, last)]
    return sorted(found, key=lambda payment: (payment.paid_on, payment.tax_id, payment.report, payment.kind))


def _sent(ledger: Ledger, known: "_KnownPeriods", first: dt.date, last: dt.date) -> Iterator[TaxedPayment]:
    days = {name: at.astimezone(BRASILIA).date() for name, at in ledger.submissions.paid_at().items()}
    within = [name for name, day in days.items() if first <= day <= last]
    kept = ledger.journal.kept_by_service(within)
    for submission in ledger.submissions.with_ids(within):
        where = known.of(submission.job, submission.period)
        payer = ledger.plans.get(submission.plan_digest).payer
        about = (submission.job, submission.period, submission.currency, days[submission.id], submission.id)
        for claim in ledger.claims.with_taxes(submission.id):
            if claim.kind == "owner":
                continue
            service_cents = kept.get((submission.id, claim.payee), 0)
            own = {SERVICE_TAX: service_cents} if service_cents else {}
            yield TaxedPayment(
                payer,
                where.payer_name,
                claim.payee,
                where.names.get(claim.payee, ""),
                where.natures.get(claim.payee, "") if claim.kind == "royalty" else "",
                claim.kind,
                *about,
                net_cents=claim.amount_cents - service_cents,
                withheld_cents={**claim.taxes_cents, **own},
            )
        if together := kept.get((submission.id, ""), 0):
            taxes = {SERVICE_TAX: together}
            yield TaxedPayment(payer, where.payer_name, "", "", "", "tax", *about, -together, taxes)


def _withheld_whole(ledger: Ledger, known: "_KnownPeriods", first: dt.date, last: dt.date) -> Iterator[TaxedPayment]:
    since, before = (dt.datetime.combine(day, dt.time(), BRASILIA) for day in (first, last + dt.timedelta(days=1)))
    for at, _, entry in ledger.journal.entries(since, before, kind=EntryKind.WITHHOLD):
        taxes = defaultdict[str, dict[str, int]](dict)
        for posting in entry.postings:
            if posting.account.kind is AccountKind.TAX:
                taxes[posting.account.payee][posting.account.reference] = -posting.amount_cents
        series, where = entry.series, known.of(entry.series.job, entry.period)
        about = (series.job, entry.period, series.currency, at.astimezone(BRASILIA).date(), "")
        for payee, own in taxes.items():
            name, nature = where.names.get(payee, ""), where.natures.get(payee, "")
            yield TaxedPayment(series.payer, where.payer_name, payee, name, nature, "royalty", *about, 0, own)


class _KnownPeriods:
    """What runs tell of the periods of payments: a payee whose row is gone is named by older ones."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._runs: dict[tuple[str, str], list[str]] = {}
        self._known: dict[tuple[str, str], _Known] = {}
        for run in ledger.runs.list(limit=_EVERY_RUN):  # newest first
            if run.job:
                self._runs.setdefault((run.job, run.period), []).append(run.run_id)

    def of(self, job: str, period: str) -> _Known:
        """Return what the runs of a period tell."""
        where = job, period
        if where not in self._known:
            self._known[where] = self._read(self._runs.get(where, []))
        return self._known[where]

    def _read(self, run_ids: Iterable[str]) -> _Known:
        names, natures, payer_name = dict[str, str](), dict[str, str](), ""
        for run_id in run_ids:
            stored = self._ledger.runs.document(run_id)
            if stored is None:
                continue
            document = RunDocument.from_bytes(stored)
            payer_name = payer_name or document.payer_name
            natures = {**document.natures, **natures}
            for owed in document.obligations:
                if owed.payee.name:
                    names.setdefault(owed.payee.tax_id, owed.payee.name)
        return _Known(names, natures, payer_name)
