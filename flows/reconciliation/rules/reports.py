"""The workbook's rows on reports, approvals and decisions."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping

from schemas.approval import REJECTED, Decision, PlanWord
from schemas.messages import Message
from schemas.obligation import Obligation
from schemas.reconciliation import BatchExchange, PersonsWord, ReportLine
from schemas.submission import ENDED, LIKENESS, Submission
from schemas.wire import SplitReport, cents_of


def report_lines(
    submissions: Iterable[Submission],
    reports: Mapping[str, SplitReport],
    ended_at: Mapping[str, dt.datetime],
    words: Iterable[PlanWord],
    exchanges: Mapping[str, BatchExchange],
) -> tuple[ReportLine, ...]:
    """Describe the reports that pay something of a run, in the order they were sent; what is unsent comes last.

    Args:
        submissions: Those that claim any of its obligations.
        reports: The last report of each that has one, by submission id.
        ended_at: When each that ended was seen to, by submission id.
        words: What people said of their plans.
        exchanges: Rates of reports in a foreign currency, by report id.
    """
    approved_by = defaultdict[str, dict[str, None]](dict)
    for word in words:
        if word.is_used:
            approved_by[word.digest][word.by] = None

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


def persons_words(
    words: Iterable[PlanWord], decisions: Iterable[Decision], obligations: Iterable[Obligation]
) -> tuple[PersonsWord, ...]:
    """Tell what people said of the plans and payments of a run, oldest first.

    Args:
        words: On its plans.
        decisions: On its payments.
        obligations: Of the run; they know the payees' names.
    """
    names = {owed.key: owed.payee.name for owed in obligations if owed.key}
    told = [
        PersonsWord(
            at=word.at,
            by=word.by,
            said=_said(word),
            how=None if word.kind == REJECTED else Message(f"output.word.how.{word.kind}"),
            amount_cents=word.total_cents,
            plan_digest=word.digest,
            why=word.why,
        )
        for word in words
    ]
    told += [
        PersonsWord(
            at=decision.at,
            by=decision.by,
            said=Message(f"output.word.{decision.kind.value}"),
            how=None,
            amount_cents=decision.amount_cents,
            payee=names.get(decision.obligation_key, ""),
            why=decision.evidence,
        )
        for decision in decisions
    ]
    return tuple(sorted(told, key=lambda word: word.at))


def _said(word: PlanWord) -> Message:
    if word.kind == REJECTED:
        return Message("output.word.rejected")
    return Message(f"output.word.approved_{'used' if word.is_used else 'void' if word.is_void else 'unused'}")
