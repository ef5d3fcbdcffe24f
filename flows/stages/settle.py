"""Follow the reports the service has accepted to their end: one list serves all of them."""

from collections.abc import Iterable, Sequence
from typing import Final, get_args

from flows.stages.exchange_rate import note_rates
from flows.stages.listing import judge_look, take_look
from flows.stages.run import Run
from flows.stages.set_rate import look_at_rate
from flows.steps.judge_report import NOTHING_WITHHELD, judge_report
from flows.steps.settlement_pace import next_pause_s
from schemas.errors import NotSent, SendingFrozen
from schemas.exchange_terms import HOME_CURRENCY
from schemas.exit_codes import ExitCode
from schemas.reconciliation import Discrepancy
from schemas.submission import OPEN, Submission, SubmissionState, Withheld
from schemas.wire import ReportStatus, SplitReport

S = SubmissionState

LEASE_S: Final = 900.0
STATUSES: Final = get_args(ReportStatus)
CODE_OF: Final = {
    S.PARTIAL: ExitCode.DISCREPANCIES,
    S.FAILED: ExitCode.DISCREPANCIES,
    S.EXCLUDED: ExitCode.DISCREPANCIES,
}


def settle(run: Run) -> None:
    """Poll until every open report of the job has ended, or the job's time for it has run out (exit 23).

    Pauses grow from a second to the job's `every_s`. A list that cannot be had is no information and ends nothing.
    """
    every_s, for_s = float(run.job.settle.every_s), float(run.job.settle.for_s)
    began_s, pause_s = run.clock.monotonic_s(), 0.0
    total = len(open_submissions(run))
    while waiting := open_submissions(run):
        look_at_open(run, waiting)
        left = open_submissions(run)
        run.progress.advance("reports", total - len(left), total)
        pause_s = next_pause_s(pause_s, every_s)
        if not left or run.clock.monotonic_s() - began_s + pause_s > for_s:
            break
        run.ledger.leases.renew(run.job.job, run.owner, LEASE_S)
        run.clock.sleep(pause_s)
    note_open(run)


def open_submissions(run: Run) -> list[Submission]:
    """List what the service has accepted and not finished, of this job."""
    return run.ledger.submissions.list(job=run.job.job, states=OPEN)


def look_at_open(run: Run, waiting: Sequence[Submission], listed: Iterable[SplitReport] | None = None) -> None:
    """Look once, at all of them together, record what is seen, and hold the list against the ledger.

    Args:
        run: Who looks.
        waiting: Open submissions, of any job.
        listed: A list that is not older than `waiting`; None to ask for one, which serves all of them.
    """
    try:
        reports = {report.id: report for report in (_compared_list(run, waiting) if listed is None else listed)}
        withheld = run.ledger.claims.withheld(one.id for one in waiting)
        abroad = [one.id for one in waiting if one.currency != HOME_CURRENCY]
        rates = run.ledger.exchange_updates.of_reports(abroad) if abroad else {}
        for submission in waiting:
            report = reports.get(submission.split_id) or by_id(run, submission)
            if report is None:
                message = "the service no longer shows the report; nothing is paid again"
                run.note_discrepancies([Discrepancy(kind="vanished", report_id=submission.report_id, message=message)])
            else:
                record_look(run, submission, report, withheld.get(submission.id, NOTHING_WITHHELD))
                if submission.id in rates:
                    look_at_rate(run, rates[submission.id], report)
    except NotSent as unreachable:
        run.progress.tell(run.say("look.none", reason=unreachable.message))


def _compared_list(run: Run, waiting: Sequence[Submission]) -> tuple[SplitReport, ...]:
    """List the reports; a list that does not agree with the ledger freezes the sending, and settling goes on.

    Raises:
        NotSent: the list could not be had.
    """
    look = take_look(run, lambda: list_open(run, waiting))
    try:
        judge_look(run, look)
    except SendingFrozen as frozen:
        run.end_with(frozen.exit_code, frozen.message)
    return look.reports


def list_open(run: Run, waiting: Sequence[Submission]) -> tuple[SplitReport, ...]:
    """List the service's reports, once; by status too only where that is less than asking for each that is missing.

    Raises:
        NotSent: the list could not be had.
    """
    api = run.require_service().api
    reports = api.list_reports()
    missing = {one.split_id for one in waiting} - {report.id for report in reports}
    return api.list_all_reports() if len(missing) > len(STATUSES) else reports


def by_id(run: Run, submission: Submission) -> SplitReport | None:
    """Ask for one report that the list does not show; lists may lag."""
    if not submission.split_id:
        return None
    service = run.require_service()
    return service.api.find_report(service.path_id(split_id=submission.split_id, report_id=submission.report_id))


def record_look(run: Run, submission: Submission, report: SplitReport, withheld: Withheld) -> None:
    """Write down what one look at one report says; nothing when somebody else has looked later."""
    judged = judge_report(submission, report, withheld)
    stands = run.ledger.submissions.record_status(
        submission.id,
        report.document(),
        report.status,
        judged.state,
        by=run.id,
        reason=judged.reason,
        seen=submission.state,
    )
    if stands.state not in {submission.state, judged.state}:
        return
    run.note_discrepancies(judged.discrepancies)
    if judged.state in CODE_OF:
        told = {"report": submission.report_id, "state": judged.state.value, "reason": judged.reason}
        run.end_with(CODE_OF[judged.state], run.say("look.ended", **told))


def note_open(run: Run) -> None:
    """Say what is still open, and that the run ends all the same."""
    left = open_submissions(run)
    if left:
        run.end_with(ExitCode.STILL_OPEN, run.say("open.left", count=len(left)))
    note_rates(run, run.job.job)
    if run.discrepancies:
        run.codes.add(ExitCode.DISCREPANCIES)
