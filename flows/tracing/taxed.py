"""What was paid to whom, by the day it was paid, with what was withheld for taxes: data for the accountant."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from flows.run_document import RunDocument
from flows.tracing.rules import place_now
from io_adapters.ledger.ledger import Ledger
from schemas.account import TaxedPayment
from schemas.job import BRASILIA
from schemas.obligation import Obligation
from schemas.plan import Place
from schemas.submission import Submission, SubmissionState
from schemas.values.money import allocate

_EVERY_RUN = 10**9
_PAID = frozenset({Place.PAID, Place.INCOME_TAX})


def taxed_payments(ledger: Ledger, first: dt.date, last: dt.date) -> list[TaxedPayment]:
    """List the payments that reports paid within some days, in Brazil, by day, payee and report.

    What was withheld of a period is spread over its payments of royalties, by kind, in proportion to what each pays.

    Args:
        ledger: The record.
        first: The first of the days.
        last: The last one.
    """
    taken, found = set[tuple[str, str]](), list[TaxedPayment]()
    for run in ledger.runs.list(limit=_EVERY_RUN):  # newest first
        if not run.job or (run.job, run.period) in taken:
            continue
        stored = ledger.runs.document(run.run_id)
        if stored is not None:
            taken.add((run.job, run.period))
            found += _of_books(ledger, RunDocument.from_bytes(stored))
    within = [payment for payment in found if first <= payment.paid_on <= last]
    return sorted(within, key=lambda payment: (payment.paid_on, payment.tax_id, payment.report, payment.kind))


def _of_books(ledger: Ledger, books: RunDocument) -> Iterator[TaxedPayment]:
    by_payee = dict[str, list[Obligation]]()
    for owed in books.obligations:
        if owed.kind in {"royalty", "payment", "tax"} and owed.payee.tax_id:
            by_payee.setdefault(owed.payee.tax_id, []).append(owed)
    names = {owed.submission_id for owed in books.obligations} - {""}
    submissions = {submission.id: submission for submission in ledger.submissions.with_ids(names)}
    paid_at = _paid_at(ledger, submissions)
    decided = ledger.decisions.on_reports({owed.key for owed in books.obligations} - {""})
    payers = {digest: ledger.plans.get(digest).payer for digest in {one.plan_digest for one in submissions.values()}}
    for payee, sums in by_payee.items():
        royalties = [owed for owed in sums if owed.kind == "royalty"]
        withheld = _spread([owed for owed in sums if owed.kind == "tax"], royalties)
        for owed in sums:
            submission = submissions.get(owed.submission_id)
            if owed.kind == "tax" or submission is None or owed.submission_id not in paid_at:
                continue
            if place_now(owed, submission, decided.get((owed.key, owed.submission_id))) in _PAID:
                yield TaxedPayment(
                    payer=payers[submission.plan_digest],
                    payer_name=books.payer_name,
                    tax_id=payee,
                    name=owed.payee.name,
                    nature=books.natures.get(payee, "") if owed.kind == "royalty" else "",
                    kind=owed.kind,
                    job=books.job,
                    period=books.period,
                    currency=books.currency,
                    paid_on=paid_at[owed.submission_id],
                    report=owed.submission_id,
                    net_cents=owed.amount_cents,
                    withheld_cents=withheld.get(owed.key, {}) if owed.kind == "royalty" else {},
                )


def _paid_at(ledger: Ledger, submissions: Mapping[str, Submission]) -> dict[str, dt.date]:
    """Return the day on which each report was first seen paid, in Brazil; none of those that are not."""
    found = dict[str, dt.date]()
    for name in submissions:
        for line in ledger.submissions.journal(name):
            if line.after == SubmissionState.PAID:
                found.setdefault(name, line.at.astimezone(BRASILIA).date())
    return found


def _spread(taxes: Sequence[Obligation], royalties: Sequence[Obligation]) -> dict[str, dict[str, int]]:
    """Spread what was withheld over payments of royalties, by key; to the centavo, by largest remainder."""
    weights = [max(0, owed.amount_cents) for owed in royalties]
    found: dict[str, dict[str, int]] = {owed.key: {} for owed in royalties}
    for tax in taxes if any(weights) else ():
        for owed, cents in zip(royalties, allocate(tax.amount_cents, weights), strict=True):
            if cents:
                found[owed.key][tax.reference] = found[owed.key].get(tax.reference, 0) + cents
    return found
