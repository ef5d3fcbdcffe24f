"""Payments and taxes withheld by day of payment, for the accountant."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from flows.run_document import RunDocument
from flows.tracing.rules import place_now
from flows.tracing.trace import owed_of_claims
from io_adapters.ledger.ledger import Ledger
from schemas.account import TaxedPayment
from schemas.job import BRASILIA
from schemas.obligation import Obligation
from schemas.plan import Place
from schemas.submission import SubmissionState
from schemas.values.money import allocate

_EVERY_RUN: Final = 10**9
_PAID: Final = frozenset({Place.PAID, Place.INCOME_TAX})


class _Known(NamedTuple):
    """What the books of a period tell beside its payments: names by tax id, natures of income, who pays."""

    names: Mapping[str, str]
    natures: Mapping[str, str]
    payer_name: str


def taxed_payments(ledger: Ledger, first: dt.date, last: dt.date) -> list[TaxedPayment]:
    """List the payments that reports paid within some days, in Brazil, by day, payee and report.

    What was withheld of a period is spread over its payments of royalties, by kind, in proportion to what each pays.

    Args:
        ledger: The record.
        first: The first of the days.
        last: The last one.
    """
    runs = dict[tuple[str, str], list[str]]()
    for run in ledger.runs.list(limit=_EVERY_RUN):  # newest first
        if run.job:
            runs.setdefault((run.job, run.period), []).append(run.run_id)
    found = (payment for where, names in runs.items() for payment in _of_period(ledger, *where, names))
    within = [payment for payment in found if first <= payment.paid_on <= last]
    return sorted(within, key=lambda payment: (payment.paid_on, payment.tax_id, payment.report, payment.kind))


def _of_period(ledger: Ledger, job: str, period: str, run_ids: Sequence[str]) -> Iterator[TaxedPayment]:
    """Tell what a period's reports paid; by the claims, which outlive the rows of a file that was changed since."""
    owed_sums = owed_of_claims(ledger.claims.live_of(job, period))
    found = {one.id: one for one in ledger.submissions.with_ids({owed.submission_id for owed in owed_sums})}
    paid_at = _paid_at(ledger, found)
    if not paid_at:
        return
    decided = ledger.decisions.on_reports({owed.key for owed in owed_sums})
    withheld = _spread(ledger.accruals.taxed(job, period), [owed for owed in owed_sums if owed.kind == "royalty"])
    known = _known(ledger, run_ids)
    for owed in owed_sums:
        submission = found[owed.submission_id]
        place = place_now(owed, submission, decided.get((owed.key, owed.submission_id)))
        if owed.kind == "owner" or owed.submission_id not in paid_at or place not in _PAID:
            continue
        is_royalty = owed.kind == "royalty"
        yield TaxedPayment(
            payer=ledger.plans.get(submission.plan_digest).payer,
            payer_name=known.payer_name,
            tax_id=owed.payee.tax_id,
            name=known.names.get(owed.payee.tax_id, ""),
            nature=known.natures.get(owed.payee.tax_id, "") if is_royalty else "",
            kind=owed.kind,
            job=job,
            period=period,
            currency=submission.currency,
            paid_on=paid_at[owed.submission_id],
            report=owed.submission_id,
            net_cents=owed.amount_cents,
            withheld_cents=withheld.get(owed.key, {}),
        )


def _known(ledger: Ledger, run_ids: Sequence[str]) -> _Known:
    """Read the books of a period's runs, the newest first: a payee whose row is gone is named by older ones."""
    names, natures, payer_name = dict[str, str](), dict[str, str](), ""
    for run_id in run_ids:
        stored = ledger.runs.document(run_id)
        if stored is None:
            continue
        books = RunDocument.from_bytes(stored)
        payer_name = payer_name or books.payer_name
        natures = {**books.natures, **natures}
        for owed in books.obligations:
            if owed.payee.name:
                names.setdefault(owed.payee.tax_id, owed.payee.name)
    return _Known(names, natures, payer_name)


def _paid_at(ledger: Ledger, submissions: Iterable[str]) -> dict[str, dt.date]:
    """Return the day on which each report was first seen paid, in Brazil; none of those that are not."""
    found = dict[str, dt.date]()
    for name in submissions:
        for line in ledger.submissions.journal(name):
            if line.after == SubmissionState.PAID:
                found.setdefault(name, line.at.astimezone(BRASILIA).date())
    return found


def _spread(taxed: Mapping[tuple[str, str], int], royalties: Sequence[Obligation]) -> dict[str, dict[str, int]]:
    """Spread what was withheld over each payee's payments, by key; to the centavo, by largest remainder."""
    found = dict[str, dict[str, int]]()
    for (payee, kind), cents in sorted(taxed.items()):
        own = [owed for owed in royalties if owed.payee.tax_id == payee and owed.amount_cents > 0]
        for owed, part in zip(own, allocate(cents, [owed.amount_cents for owed in own]) if own else (), strict=True):
            if part:
                found.setdefault(owed.key, {})[kind] = part
    return found
