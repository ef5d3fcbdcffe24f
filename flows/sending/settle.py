"""Settlement: poll accepted reports to their end, with one list for all of them."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, get_args

from flows.reports.funding import unsettled_fundings
from flows.reports.report_list import MOST_UNLISTED, by_id, compare_reports, doubt_abandoned, fetch_reports, note_doubts
from flows.reports.rules.judge_report import NOTHING_WITHHELD, judge_report, next_pause_s
from flows.reports.rules.report_list import is_watched_still
from flows.run import Run
from flows.sending.exchange_rates import note_rates, record_rate, set_rates_left
from io_adapters.ledger.ledger import Ledger
from schemas.errors import ExitCode, NotSent, SendingFrozen
from schemas.exchange_update import UNSETTLED
from schemas.funding import WANTS_PAYER, FundingState, ReportFunding, owes_fee
from schemas.messages import Message, Money
from schemas.plan import HOME_CURRENCY
from schemas.reconciliation import Discrepancy
from schemas.submission import OPEN, PROVISIONAL, UNTOLD, Submission, SubmissionState, Withheld
from schemas.wire import ReportStatus, SplitReport

S = SubmissionState

LEASE_S: Final = 900.0
FOLLOW_EVERY_S: Final = 30.0
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
        poll_open_reports(run, waiting)
        left = open_submissions(run)
        run.progress.advance("reports", total - len(left), total)
        pause_s = next_pause_s(pause_s, every_s)
        if not left or run.clock.monotonic_s() - began_s + pause_s > for_s:
            break
        run.ledger.leases.renew(run.job.job, run.owner, LEASE_S)
        run.clock.sleep(pause_s)
    note_open(run)


def follow(run: Run, for_s: float) -> None:
    """Poll the open reports of all jobs, or of the run's only one, until they have ended or the time has run out.

    Effects: notes the runs that made them in `run.touched`, so that their outputs are written again.
    """
    began_s, pause_s, total = run.clock.monotonic_s(), 0.0, 0
    while waiting := run.ledger.submissions.list(job=run.only_job, states=OPEN):
        pause_s = next_pause_s(pause_s, FOLLOW_EVERY_S)
        if run.clock.monotonic_s() - began_s + pause_s > for_s:
            break
        run.clock.sleep(pause_s)
        run.touched |= {submission.run_id for submission in waiting}
        total = max(total, len(waiting))
        poll_open_reports(run, waiting)
        left = run.ledger.submissions.list(job=run.only_job, states=OPEN, bodies=False)
        run.progress.advance("reports", total - len(left), total)


def open_submissions(run: Run) -> list[Submission]:
    return run.ledger.submissions.list(job=run.job.job, states=OPEN)


def poll_open_reports(run: Run, waiting: Sequence[Submission], listed: Iterable[SplitReport] | None = None) -> None:
    """Look once, at all of them together, record what is seen, and hold the list against the ledger."""
    try:
        reports = {report.id: report for report in (_compared_list(run, waiting) if listed is None else listed)}
        withheld = run.ledger.claims.withheld(submission.id for submission in waiting)
        abroad = [submission.id for submission in waiting if submission.currency != HOME_CURRENCY]
        rates = run.ledger.exchange_updates.of_reports(abroad) if abroad else {}
        for submission in waiting:
            report = reports.get(submission.split_id) or by_id(run, submission)
            if report is None:
                run.note_discrepancies([Discrepancy.of("vanished", submission.report_id)])
            else:
                record_report(run, submission, report, withheld.get(submission.id, NOTHING_WITHHELD))
                if submission.id in rates:
                    record_rate(run, rates[submission.id], report)
    except NotSent as unreachable:
        run.show(Message("cli.poll.none", reason=unreachable.content))


def _compared_list(run: Run, waiting: Sequence[Submission]) -> tuple[SplitReport, ...]:
    """List the reports; a list that does not agree with the ledger freezes the sending, and settling goes on.

    Raises:
        NotSent: the list could not be had.
    """
    look = fetch_reports(run, lambda: list_open(run, waiting))
    try:
        compare_reports(run, look)
    except SendingFrozen as frozen:
        run.end_with(frozen.exit_code, frozen.content)
    return look.reports


def list_open(run: Run, waiting: Sequence[Submission]) -> tuple[SplitReport, ...]:
    """List the service's reports, once; by status too only where that is less than asking for each that is missing.

    Raises:
        NotSent: the list could not be had.
    """
    api = run.require_service().api
    reports = api.list_reports()
    missing = {submission.split_id for submission in waiting} - {report.id for report in reports}
    return api.list_all_reports() if len(missing) > len(STATUSES) else reports


def record_report(run: Run, submission: Submission, report: SplitReport, withheld: Withheld) -> None:
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
        owes_fee=owes_fee(report),
    )
    if stands.state not in {submission.state, judged.state}:
        return
    run.note_discrepancies(judged.discrepancies)
    if judged.state in CODE_OF:
        facts = {"report": submission.report_id, "state": Message(f"state.{judged.state}"), "reason": judged.reason}
        run.end_with(CODE_OF[judged.state], Message("cli.poll.ended", **facts))


def note_open(run: Run) -> None:
    note_funding(run, run.job.job)
    left = open_submissions(run)
    if left:
        run.end_with(ExitCode.STILL_OPEN, Message("cli.open.left", count=len(left)))
    note_rates(run, run.job.job)
    if run.discrepancies:
        run.codes.add(ExitCode.DISCREPANCIES)


def note_funding(run: Run, job: str | None) -> None:
    """Say what the payer has to do for reports, each kind once with its sum, before what goes on by itself."""
    found = defaultdict[FundingState, list[ReportFunding]](list)
    for stands in unsettled_fundings(run.ledger, job):
        found[stands.state].append(stands)
    for state in (state for state in FundingState if state in found and state in WANTS_PAYER):
        own = found[state]
        total = Money(sum(stands.sum_cents for stands in own), HOME_CURRENCY)
        told = Message("cli.funding.wanted", count=len(own), what=Message(f"funding.state.{state}"), sum=total)
        if state.exit_code is ExitCode.ROWS_HELD:  # everybody has been paid: the run is as it should be
            run.messages.append(told)
        else:
            run.end_with(state.exit_code, told)


def settle_all(run: Run) -> None:
    """Look once at every open report, and for everything in doubt, and set the exchange rates that are left over.

    One list serves all of it; it is asked for by status too only where something is in doubt or much is missing. What
    ended without being paid is looked at again too, and one by one where the list does not show it, for a month.

    Raises:
        NotSent: the service cannot be reached or refuses the key.
    """
    doubt_abandoned(run)
    before = _unfinished(run)
    unsettled = run.ledger.exchange_updates.list(job=run.only_job, states=UNSETTLED)
    look = fetch_reports(run, lambda: _list(run, before))
    try:
        compare_reports(run, look)
    except SendingFrozen as frozen:
        run.end_with(frozen.exit_code, frozen.content)
    set_rates_left(run, run.only_job)
    known = {submission.id for submission in before}  # what was sent meanwhile is not in the list
    waiting = [submission for submission in _unfinished(run) if submission.state in OPEN and submission.id in known]
    if waiting:
        poll_open_reports(run, waiting, None if unsettled else look.reports)
    told_of = {discrepancy.report_id for discrepancy in run.discrepancies if discrepancy.report_id}
    run.touched |= {submission.run_id for submission in [*before, *run.ledger.submissions.with_ids(told_of)]}
    run.touched |= {update.report_run_id for update in unsettled}
    run.touched |= run.ledger.decisions.runs_to_rewrite(run.only_job)
    note_funding(run, run.only_job)
    left = [submission for submission in _unfinished(run) if submission.state in OPEN]
    if left:
        run.end_with(ExitCode.STILL_OPEN, Message("cli.open.left", count=len(left)))
    note_doubts(run, run.only_job)
    note_undetermined(run)
    note_rates(run, run.only_job)


def _list(run: Run, unfinished: list[Submission]) -> tuple[SplitReport, ...]:
    """List the reports; in every way there is where something, of whatever job, is in doubt."""
    if run.ledger.submissions.list(states={S.IN_DOUBT, S.ABSENT}, bodies=False):
        reports = run.require_service().api.list_all_reports()
    else:
        reports = list_open(run, [submission for submission in unfinished if submission.state in OPEN])
    listed, now = {report.id for report in reports}, run.clock.now()
    ended = run.ledger.submissions.list(job=run.only_job, states=PROVISIONAL, bodies=False)
    unlisted = [
        submission for submission in ended if submission.split_id not in listed and is_watched_still(submission, now)
    ]
    found = (by_id(run, submission) for submission in unlisted[:MOST_UNLISTED])
    return (*reports, *(report for report in found if report is not None and report.id))


def note_undetermined(run: Run) -> None:
    """Say in the run's outcome which reports do not tell whom they paid, as long as people have not explained them."""
    ended = run.ledger.submissions.list(job=run.only_job, states=UNTOLD, bodies=False)
    undecided = run.ledger.decisions.undecided(submission.id for submission in ended)
    for submission in ended:
        if submission.id in undecided:
            facts = {
                "report": submission.report_id,
                "payments": submission.payments,
                "state": Message(f"state.{submission.state}"),
            }
            run.end_with(ExitCode.DISCREPANCIES, Message("cli.undetermined.left", **facts))


def _unfinished(run: Run) -> list[Submission]:
    return run.ledger.submissions.list(job=run.only_job, states=OPEN | {S.IN_DOUBT, S.SENDING, S.ABSENT})


def is_anything_open(ledger: Ledger, job: str | None, now: dt.datetime) -> bool:
    """Say whether a look at the service could change anything: reports open or in doubt, rates or fees left, words.

    So do reports that ended without being paid, for a month, and those that nobody has explained yet. What people have
    declared absent does not count: the night looks for it.
    """
    open_states = {S.ACCEPTED, S.PROCESSING, S.SENDING, S.IN_DOUBT}
    ended = ledger.submissions.list(job=job, states=PROVISIONAL, bodies=False)
    if any(is_watched_still(submission, now) for submission in ended):
        return True
    if ledger.decisions.undecided(submission.id for submission in ended if submission.state in UNTOLD):
        return True
    return (
        bool(ledger.submissions.list(job=job, states=open_states, bodies=False))
        or bool(ledger.exchange_updates.list(job=job, states=UNSETTLED))
        or bool(ledger.fundings.owing_fees())
        or bool(ledger.decisions.runs_to_rewrite(job))
    )
