"""What a report's status and figures mean for its submission. Null is never zero, an unknown status is data."""

from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Final

from schemas.messages import Message
from schemas.reconciliation import Discrepancy
from schemas.submission import OPEN, TRANSITIONS, Submission, SubmissionState, Withheld
from schemas.wire import SplitReport, amount_from_cents, cents_of, says_cents

PAYING: Final = frozenset({"PENDING", "PROCESSING"})
SETTLED: Final = frozenset({"DONE", "CLOSED"})
_PAID_LESS: Final = {SubmissionState.PARTIAL, SubmissionState.FAILED}
_MAY_HAVE_PAID: Final = {SubmissionState.PARTIAL, SubmissionState.PAID}
NOTHING_WITHHELD: Final = Withheld()


@dataclass(frozen=True, slots=True)
class Judgement:
    """What to record of one look at a report.

    Attributes:
        reason: Why; None where that goes without saying.
    """

    state: SubmissionState
    reason: Message | None = None
    discrepancies: tuple[Discrepancy, ...] = ()


def judge_report(submission: Submission, report: SplitReport, withheld: Withheld = NOTHING_WITHHELD) -> Judgement:
    """Decide where a submission stands after a look at its report.

    DONE and CLOSED are paid only when the counts cover all payments, nothing was held back but what people asked for,
    and one formula over the amounts fits; what cannot be proven is partial, and then nobody knows which payees were
    paid. An end is provisional while the service may tell better: a report that was partial, failed or excluded becomes
    paid when it is; one that was paid becomes partial when its figures do not bear that out, or when it fails after
    all: money came back, say. Nothing ever opens a payment again but people's word, and a change is told.
    """
    judged = _judge_status(submission, report, withheld)
    found = tuple(_mismatches(submission, report))
    if submission.state in OPEN:
        return replace(judged, discrepancies=found)
    state = _after_the_end(submission, report, judged)
    changed = _changed_after_the_end(submission, report, judged)
    kept = submission.reason if state is submission.state else judged.reason
    is_verified = state is SubmissionState.PAID is judged.state and judged.reason is None
    return Judgement(state, None if is_verified else kept, (*found, *changed))


def _after_the_end(submission: Submission, report: SplitReport, judged: Judgement) -> SubmissionState:
    """Say where a look leaves what had ended: nearer to paid, or with people where money seems to have come back."""
    before, after = submission.state, judged.state
    if before is SubmissionState.PAID:
        came_back = after in _PAID_LESS and not _paid_too_much(submission, report)
        is_unverified = bool(submission.reason) and after is SubmissionState.EXCLUDED
        return SubmissionState.PARTIAL if came_back or is_unverified else before
    return after if after in TRANSITIONS[before] else before


def _changed_after_the_end(submission: Submission, report: SplitReport, judged: Judgement) -> list[Discrepancy]:
    """Tell of a report that had ended and says otherwise now, where the state it leads to does not tell it itself."""
    if changed := went_back(submission, report):
        return [changed]
    came_back = submission.state is SubmissionState.PAID and not submission.reason and judged.state in _PAID_LESS
    was_free = submission.state is SubmissionState.FAILED and judged.state in _MAY_HAVE_PAID
    if (came_back or was_free) and not _paid_too_much(submission, report):
        return [Discrepancy.of("figures_changed", submission.report_id, submission.state.value, judged.state.value)]
    return []


def _judge_status(submission: Submission, report: SplitReport, withheld: Withheld) -> Judgement:
    match report.status:
        case status if status in PAYING:
            return Judgement(SubmissionState.PROCESSING)
        case status if status in SETTLED:
            return _judge_settled(submission, report, withheld)
        case "ERROR":
            return _judge_error(report)
        case "EXCLUDED":
            return Judgement(SubmissionState.EXCLUDED, Message("judged.excluded"))
        case _:
            return Judgement(submission.state, Message("judged.unknown_status", status=report.status))


def _judge_settled(submission: Submission, report: SplitReport, withheld: Withheld) -> Judgement:
    if _paid_too_much(submission, report):
        return Judgement(SubmissionState.PARTIAL, Message("judged.overpaid"))
    if not (_held_as_asked(report, withheld) or held_nothing(report)):
        return Judgement(SubmissionState.PARTIAL, Message("judged.held_otherwise"))
    if not _counts_cover(submission, report):
        return Judgement(SubmissionState.PARTIAL, Message("judged.counts"))
    if not _some_formula_fits(submission, report):
        return Judgement(SubmissionState.PARTIAL, Message("judged.amounts"))
    unverified = [name for name in ("donePayments", "paidAmount") if getattr(report, name) is None]
    if not unverified:
        return Judgement(SubmissionState.PAID)
    fields = (
        unverified[0] if len(unverified) == 1 else Message("judged.both", first=unverified[0], second=unverified[1])
    )
    return Judgement(SubmissionState.PAID, Message("judged.unverified", fields=fields))


def _judge_error(report: SplitReport) -> Judgement:
    nothing_paid = report.donePayments == 0 and report.paidAmount == 0
    if nothing_paid:
        return Judgement(SubmissionState.FAILED, Message("judged.failed"))
    return Judgement(SubmissionState.PARTIAL, Message("judged.maybe_paid"))


def _held_as_asked(report: SplitReport, withheld: Withheld) -> bool:
    """Whether nothing that the service says was held back is more, or less, than people asked it to hold."""
    amount = report.withholdAmount
    fits = amount is None or says_cents(amount, withheld.amount_cents)
    return fits and report.withholdPayments in {None, withheld.payments}


def held_nothing(report: SplitReport) -> bool:
    """Whether the service says that it holds nothing back: what it was asked to hold was paid, or released since."""
    amount, count = report.withholdAmount, report.withholdPayments
    says_nothing = amount is None and count is None
    return not says_nothing and (amount is None or says_cents(amount, 0)) and count in {None, 0}


def _counts_cover(submission: Submission, report: SplitReport) -> bool:
    if report.pendingPayments:
        return False
    if report.donePayments is None:
        return True
    return report.donePayments + (report.withholdPayments or 0) == submission.payments


def _some_formula_fits(submission: Submission, report: SplitReport) -> bool:
    """Whether paid plus some of withheld, income tax, fee and owner's amount is the total; null amounts are skipped."""
    if report.pendingAmount is not None and not says_cents(report.pendingAmount, 0):
        return False
    if report.paidAmount is None:
        return True
    owner = amount_from_cents(submission.owner_cents)
    terms = [t for t in (report.withholdAmount, report.irAmount, report.feeAmount, owner) if t is not None]
    subsets = chain.from_iterable(combinations(terms, n) for n in range(len(terms) + 1))
    return any(says_cents(report.paidAmount + sum(subset), submission.amount_cents) for subset in subsets)


def _paid_too_much(submission: Submission, report: SplitReport) -> bool:
    return report.paidAmount is not None and cents_of(report.paidAmount) > submission.amount_cents


def _mismatches(submission: Submission, report: SplitReport) -> list[Discrepancy]:
    planned = amount_from_cents(submission.amount_cents)
    found = []
    if report.totalAmount is not None and not says_cents(report.totalAmount, submission.amount_cents):
        found.append(Discrepancy.of("total", submission.report_id, planned, report.totalAmount))
    if report.currency is not None and report.currency != submission.currency:
        found.append(Discrepancy.of("currency", submission.report_id, submission.currency, report.currency))
    if _paid_too_much(submission, report):
        found.append(Discrepancy.of("overpaid", submission.report_id, planned, report.paidAmount))
    return found


def went_back(submission: Submission, report: SplitReport) -> Discrepancy | None:
    """Tell of a report that had ended and now says otherwise; DONE and CLOSED say the same."""
    settled = submission.state in {SubmissionState.PAID, SubmissionState.FAILED, SubmissionState.EXCLUDED}
    same = report.status == submission.status or {report.status, submission.status} <= SETTLED
    if not settled or report.status is None or same:
        return None
    return Discrepancy.of("status_changed", submission.report_id, str(submission.status), report.status)


FIRST_S: Final = 0.5
GROWTH: Final = 1.5


def next_pause_s(last_s: float, every_s: float) -> float:
    """Grow from half a second to the job's pace: small reports end soon, long ones are not pestered.

    >>> next_pause_s(0.0, 30.0), next_pause_s(0.5, 30.0), next_pause_s(29.0, 30.0)
    (0.5, 0.75, 30.0)
    """
    return min(every_s, max(FIRST_S, last_s * GROWTH))
