"""Reconciling planned, recorded and reported: every centavo and row in exactly one place, or exit 70."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from flows.payables.rules.places import S
from schemas.approval import REJECTED, Decision, PlanDecision
from schemas.errors import ExitCode
from schemas.messages import Message
from schemas.obligation import Obligation, Obligations, sum_cents
from schemas.reconciliation import BatchExchange, BatchSummary, Discrepancy, RecordedDecision, ReportLine
from schemas.submission import ENDED, LIKENESS, Submission, SubmissionState
from schemas.wire import SplitReport, cents_of


def withheld_otherwise(
    obligations: Obligations, submissions: Sequence[Submission], reports: Mapping[str, SplitReport]
) -> list[Discrepancy]:
    """Tell where the service held back another sum than people asked it to."""
    found = []
    for submission in submissions:
        report = reports.get(submission.id)
        if report is None or report.withholdAmount is None or submission.state is not S.PAID:
            continue
        asked = (
            obligation
            for obligation in obligations
            if obligation.submission_id == submission.id and obligation.withhold
        )
        expected, withheld = sum_cents(asked), cents_of(report.withholdAmount)
        if expected != withheld:
            found.append(Discrepancy.of("withheld", submission.report_id, expected, withheld))
    return found


def ended_otherwise(submissions: Sequence[Submission]) -> list[Discrepancy]:
    """Tell which reports ended otherwise than paid, and why."""
    return [
        Discrepancy(
            kind=submission.state.value,
            report_id=submission.report_id,
            message=str(submission.reason or ""),
            why=submission.reason,
            found=submission.status,
        )
        for submission in submissions
        if submission.state in {S.PARTIAL, S.FAILED, S.EXCLUDED}
    ]


def summarise_batches(submissions: Sequence[Submission]) -> list[BatchSummary]:
    """Tell each report in the words of `summary.json`."""
    return [
        BatchSummary(
            report_id=submission.report_id,
            split_id=submission.split_id,
            status=submission.status,
            outcome=_outcome(submission.state),
            payments=submission.payments,
            amount_cents=submission.amount_cents,
            linked_by=submission.linked_by if submission.linked_by == LIKENESS else None,
        )
        for submission in submissions
    ]


def _outcome(state: SubmissionState) -> str:
    """What sending it came to: accepted, whatever the report became later; otherwise the state itself."""
    later = {S.PROCESSING, S.PAID, S.PARTIAL, S.FAILED, S.EXCLUDED}
    return S.ACCEPTED.value if state in later else state.value


# Codes that following the reports can change; they are told anew from the submissions each time.
FOLLOWED: Final = frozenset(
    {ExitCode.IN_DOUBT, ExitCode.NOT_SENT, ExitCode.STILL_OPEN, ExitCode.DISCREPANCIES, ExitCode.APPROVAL_WANTED}
)

_CODE_OF: Final = {
    S.PLANNED: ExitCode.APPROVAL_WANTED,
    S.WITHDRAWN: ExitCode.APPROVAL_WANTED,
    S.APPROVED: ExitCode.NOT_SENT,
    S.NOT_SENT: ExitCode.NOT_SENT,
    S.SENDING: ExitCode.IN_DOUBT,
    S.IN_DOUBT: ExitCode.IN_DOUBT,
    S.ABSENT: ExitCode.IN_DOUBT,
    S.ACCEPTED: ExitCode.STILL_OPEN,
    S.PROCESSING: ExitCode.STILL_OPEN,
    S.REFUSED: ExitCode.REFUSED,
    S.PARTIAL: ExitCode.DISCREPANCIES,
    S.FAILED: ExitCode.DISCREPANCIES,
    S.EXCLUDED: ExitCode.DISCREPANCIES,
}

_NAMES: Final = {
    ExitCode.DONE: "done",
    ExitCode.ROWS_REFUSED: "rows_refused",
    ExitCode.APPROVAL_WANTED: "awaiting_approval",
    ExitCode.ROWS_HELD: "done_with_rows_held",
    ExitCode.REFUSED: "refused",
    ExitCode.NOT_SENT: "not_sent",
    ExitCode.IN_DOUBT: "in_doubt",
    ExitCode.STILL_OPEN: "settling",
    ExitCode.ANOTHER_RUN: "another_run",
    ExitCode.FROZEN: "frozen",
    ExitCode.DISCREPANCIES: "discrepancies",
    ExitCode.NO_SOUND_PLAN: "no_sound_plan",
    ExitCode.BUG: "bug",
}
NOTHING_TO_PAY: Final = "nothing_to_pay"


def closing_codes(
    noted: Iterable[int],
    submissions: Sequence[Submission],
    discrepancies: Sequence[Discrepancy],
    *,
    ever_sent: bool,
    decided: Collection[str] = (),
) -> set[ExitCode]:
    """Return every exit code that holds of a run now.

    Rows held with nothing ever sent is another outcome (12) than rows held beside payments that went out (15). Where
    there is nothing to follow, because the service could not be reached for instance, all that was noted stands.

    Args:
        noted: Codes noted while the run went on.
        submissions: What the run sent or planned, and what of earlier runs still keeps its payments from being done.
        ever_sent: Whether anything of the job was ever sent, by any run.
        decided: Ids of those that people have explained, payment by payment; they stand in nobody's way.
    """
    codes = {ExitCode(code) for code in noted}
    if submissions:
        codes -= FOLLOWED
    codes |= {
        _CODE_OF[submission.state]
        for submission in submissions
        if submission.state in _CODE_OF and submission.id not in decided
    }
    if discrepancies:
        codes.add(ExitCode.DISCREPANCIES)
    if ExitCode.ROWS_HELD in codes and not ever_sent:
        codes = codes - {ExitCode.ROWS_HELD} | {ExitCode.ROWS_REFUSED}
    return codes or {ExitCode.DONE}


def state_name(code: ExitCode, *, sent: bool) -> str:
    """Name a run's state for people and `summary.json`.

    >>> state_name(ExitCode.DONE, sent=False)
    'nothing_to_pay'
    """
    if code is ExitCode.DONE and not sent:
        return NOTHING_TO_PAY
    return _NAMES.get(code, code.name.lower())


def report_lines(
    submissions: Iterable[Submission],
    reports: Mapping[str, SplitReport],
    ended_at: Mapping[str, dt.datetime],
    on_plans: Iterable[PlanDecision],
    exchanges: Mapping[str, BatchExchange],
) -> tuple[ReportLine, ...]:
    """Describe the reports that pay something of a run, in the order they were sent; what is unsent comes last.

    Args:
        submissions: Those that claim any of its obligations.
        reports: The last report of each that has one, by submission id.
        ended_at: When each that ended was seen to, by submission id.
        exchanges: Rates of reports in a foreign currency, by report id.
    """
    approved_by = defaultdict[str, dict[str, None]](dict)
    for approval in on_plans:
        if approval.is_used:
            approved_by[approval.digest][approval.by] = None

    def line(submission: Submission) -> ReportLine:
        report = reports.get(submission.id, SplitReport())
        return ReportLine(
            submission_id=submission.id,
            split_id=submission.split_id,
            plan_digest=submission.plan_digest,
            state=submission.state.value,
            status=submission.status,
            payments=submission.payments,
            amount_cents=submission.amount_cents,
            is_likely=submission.linked_by == LIKENESS,
            sent_at=submission.sending_at,
            ended_at=ended_at.get(submission.id) if submission.state in ENDED else None,
            approved_by=tuple(approved_by[submission.plan_digest]) if submission.sending_at else (),
            tax_cents=None if report.irAmount is None else cents_of(report.irAmount),
            fee_cents=None if report.feeAmount is None else cents_of(report.feeAmount),
            paid_cents=None if report.paidAmount is None else cents_of(report.paidAmount),
            exchange=exchanges.get(submission.report_id),
        )

    last = dt.datetime.max.replace(tzinfo=dt.UTC)
    by_time = sorted(submissions, key=lambda sent: (sent.sending_at or last, sent.plan_digest, sent.batch_number))
    return tuple(map(line, by_time))


def recorded_decisions(
    on_plans: Iterable[PlanDecision], decisions: Iterable[Decision], obligations: Iterable[Obligation]
) -> tuple[RecordedDecision, ...]:
    """List what people decided on the plans and payments of a run, oldest first.

    Args:
        obligations: Of the run; they know the payees' names.
    """
    names = {obligation.key: obligation.payee.name for obligation in obligations if obligation.key}
    recorded = [
        RecordedDecision(
            at=on_plan.at,
            by=on_plan.by,
            decided=_on_plan(on_plan),
            how=None if on_plan.kind == REJECTED else Message(f"output.word.how.{on_plan.kind}"),
            amount_cents=on_plan.total_cents,
            plan_digest=on_plan.digest,
            why=on_plan.why,
        )
        for on_plan in on_plans
    ]
    recorded += [
        RecordedDecision(
            at=decision.at,
            by=decision.by,
            decided=Message(f"output.word.{decision.kind.value}"),
            how=None,
            amount_cents=decision.amount_cents,
            payee=names.get(decision.obligation_key, ""),
            why=decision.evidence,
        )
        for decision in decisions
    ]
    return tuple(sorted(recorded, key=lambda decision: decision.at))


def _on_plan(decision: PlanDecision) -> Message:
    if decision.kind == REJECTED:
        return Message("output.word.rejected")
    return Message(f"output.word.approved_{'used' if decision.is_used else 'void' if decision.is_void else 'unused'}")
