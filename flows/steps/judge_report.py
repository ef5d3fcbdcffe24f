"""What a report's status and figures mean for its submission. Null is never zero, an unknown status is data."""

from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, combinations
from typing import Final

from schemas.reconciliation import Discrepancy
from schemas.submission import OPEN, Submission, SubmissionState
from schemas.wire import SplitReport, amount_from_cents

PAYING: Final = frozenset({"PENDING", "PROCESSING"})
SETTLED: Final = frozenset({"DONE", "CLOSED"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """What to record of one look at a report.

    Attributes:
        state: Where the submission now stands.
        reason: Why, for people; "".
        discrepancies: Mismatches seen, each a datum with a kind.
    """

    state: SubmissionState
    reason: str = ""
    discrepancies: tuple[Discrepancy, ...] = ()


def judge_report(submission: Submission, report: SplitReport) -> Judgement:
    """Decide where a submission stands after a look at its report.

    DONE and CLOSED are paid only when the counts cover all payments and one formula over the amounts fits; what cannot
    be proven is partial, and then nobody knows which payees were paid. A status that goes back never reopens payment.
    """
    found = tuple(_mismatches(submission, report))
    if submission.state not in OPEN:
        changed = went_back(submission, report)
        return Judgement(submission.state, submission.reason, (*found, *([changed] if changed else [])))
    match report.status:
        case status if status in PAYING:
            return Judgement(SubmissionState.PROCESSING, "", found)
        case status if status in SETTLED:
            return _judge_settled(submission, report, found)
        case "ERROR":
            return _judge_error(report, found)
        case "EXCLUDED":
            return Judgement(SubmissionState.EXCLUDED, "the service excluded the report", found)
        case _:
            return Judgement(submission.state, f"status {report.status!r} is not known", found)


def _judge_settled(submission: Submission, report: SplitReport, found: tuple[Discrepancy, ...]) -> Judgement:
    if _paid_too_much(submission, report):
        return Judgement(SubmissionState.PARTIAL, "more was paid than was asked", found)
    if not _counts_cover(submission, report):
        return Judgement(SubmissionState.PARTIAL, "done and withheld payments do not make up all payments", found)
    if not _some_formula_fits(submission, report):
        return Judgement(SubmissionState.PARTIAL, "no formula over the report's amounts gives its total", found)
    unverified = [name for name in ("donePayments", "paidAmount") if getattr(report, name) is None]
    reason = f"not verified: the service did not say {' and '.join(unverified)}" if unverified else ""
    return Judgement(SubmissionState.PAID, reason, found)


def _judge_error(report: SplitReport, found: tuple[Discrepancy, ...]) -> Judgement:
    nothing_paid = report.donePayments == 0 and report.paidAmount == 0
    if nothing_paid:
        return Judgement(SubmissionState.FAILED, "the service says ERROR and that nothing was paid", found)
    return Judgement(SubmissionState.PARTIAL, "the service says ERROR and not that nothing was paid", found)


def _counts_cover(submission: Submission, report: SplitReport) -> bool:
    if report.pendingPayments:
        return False
    if report.donePayments is None:
        return True
    return report.donePayments + (report.withholdPayments or 0) == submission.payments


def _some_formula_fits(submission: Submission, report: SplitReport) -> bool:
    """Whether paid plus some of withheld, income tax, fee and owner's amount is the total; null amounts are skipped."""
    if report.pendingAmount:
        return False
    if report.paidAmount is None:
        return True
    total = amount_from_cents(submission.amount_cents)
    owner = amount_from_cents(submission.owner_cents)
    terms = [t for t in (report.withholdAmount, report.irAmount, report.feeAmount, owner) if t is not None]
    subsets = chain.from_iterable(combinations(terms, n) for n in range(len(terms) + 1))
    return any(report.paidAmount + sum(subset, Decimal(0)) == total for subset in subsets)


def _paid_too_much(submission: Submission, report: SplitReport) -> bool:
    return report.paidAmount is not None and report.paidAmount > amount_from_cents(submission.amount_cents)


def _mismatches(submission: Submission, report: SplitReport) -> list[Discrepancy]:
    planned = amount_from_cents(submission.amount_cents)
    found = []
    if report.totalAmount is not None and report.totalAmount != planned:
        message = "the report's total is not the amount that was asked"
        found.append(_discrepancy("total", submission, message, planned, report.totalAmount))
    if report.currency is not None and report.currency != submission.currency:
        message = "the report is in another currency"
        found.append(_discrepancy("currency", submission, message, submission.currency, report.currency))
    if _paid_too_much(submission, report):
        message = "more was paid than was asked"
        found.append(_discrepancy("overpaid", submission, message, planned, report.paidAmount))
    return found


def went_back(submission: Submission, report: SplitReport) -> Discrepancy | None:
    """Tell of a report that had ended and now says otherwise; DONE and CLOSED say the same."""
    settled = submission.state in {SubmissionState.PAID, SubmissionState.FAILED, SubmissionState.EXCLUDED}
    same = report.status == submission.status or {report.status, submission.status} <= SETTLED
    if not settled or report.status is None or same:
        return None
    message = "the status changed after the end; nothing is paid again"
    return _discrepancy("status_changed", submission, message, submission.status, report.status)


def _discrepancy(kind: str, submission: Submission, message: str, expected: object, found: object) -> Discrepancy:
    return Discrepancy(
        kind=kind, report_id=submission.report_id, message=message, expected=str(expected), found=str(found)
    )
