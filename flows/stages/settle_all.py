"""Follow what is open or in doubt, of one job or of all, whatever run sent it; then write those runs' outputs again.

The exchange rates that a run has left over are set here too; no report is ever created.
"""

from pathlib import Path
from typing import Final

from flows.stages.document import RunDocument
from flows.stages.due_jobs import is_watched_still
from flows.stages.exchange_rate import note_rates, set_rates_left
from flows.stages.listing import doubt_abandoned, judge_look, note_doubts, take_look
from flows.stages.run import Run
from flows.stages.settle import by_id, list_open, look_at_open
from flows.stages.tell_payees import tell_payees
from flows.stages.write import left_open, reconciliation_of
from io_adapters.outputs.run_folder import write_outputs
from schemas.errors import SendingFrozen
from schemas.exchange_update import UNSETTLED
from schemas.exit_codes import ExitCode
from schemas.standing_words import state_in_words
from schemas.submission import OPEN, PROVISIONAL, UNTOLD, Submission, SubmissionState
from schemas.wire import SplitReport

S = SubmissionState

# Reports that ended without being paid and that the list does not show: so many are asked for in one settlement.
MOST_UNLISTED: Final = 50


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
    look = take_look(run, lambda: _list(run, before))
    try:
        judge_look(run, look)
    except SendingFrozen as frozen:
        run.end_with(frozen.exit_code, frozen.message)
    set_rates_left(run, run.only_job)
    known = {one.id for one in before}  # what was sent meanwhile is not in the list
    waiting = [one for one in _unfinished(run) if one.state in OPEN and one.id in known]
    if waiting:
        look_at_open(run, waiting, None if unsettled else look.reports)
    told_of = {one.report_id for one in run.discrepancies if one.report_id}
    run.touched |= {one.run_id for one in [*before, *run.ledger.submissions.with_ids(told_of)]}
    run.touched |= {one.report_run_id for one in unsettled}
    run.touched |= run.ledger.decisions.runs_to_tell(run.only_job)
    left = [one for one in _unfinished(run) if one.state in OPEN]
    if left:
        run.end_with(ExitCode.STILL_OPEN, run.say("open.left", count=len(left)))
    note_doubts(run, run.only_job)
    note_undetermined(run)
    note_rates(run, run.only_job)


def _list(run: Run, unfinished: list[Submission]) -> tuple[SplitReport, ...]:
    """List the reports; in every way there is where something, of whatever job, is in doubt."""
    if run.ledger.submissions.list(states={S.IN_DOUBT, S.ABSENT}, bodies=False):
        reports = run.require_service().api.list_all_reports()
    else:
        reports = list_open(run, [one for one in unfinished if one.state in OPEN])
    listed, now = {report.id for report in reports}, run.clock.now()
    ended = run.ledger.submissions.list(job=run.only_job, states=PROVISIONAL, bodies=False)
    unlisted = [one for one in ended if one.split_id not in listed and is_watched_still(one, now)]
    found = (by_id(run, one) for one in unlisted[:MOST_UNLISTED])
    return (*reports, *(report for report in found if report is not None and report.id))


def note_undetermined(run: Run) -> None:
    """Say in the run's outcome which reports do not tell whom they paid, as long as people have not explained them."""
    ended = run.ledger.submissions.list(job=run.only_job, states=UNTOLD, bodies=False)
    undecided = run.ledger.decisions.undecided(one.id for one in ended)
    for one in ended:
        if one.id in undecided:
            told = {
                "report": one.report_id,
                "payments": one.payments,
                "state": state_in_words(one.state.value, run.language),
            }
            run.end_with(ExitCode.DISCREPANCIES, run.say("undetermined.left", **told))


def _unfinished(run: Run) -> list[Submission]:
    return run.ledger.submissions.list(job=run.only_job, states=OPEN | {S.IN_DOUBT, S.SENDING, S.ABSENT})


def rewrite(run: Run) -> None:
    """Write the outputs of every run that was looked at again, where it wrote them first."""
    for run_id in sorted(run.touched):
        stored = run.ledger.runs.document(run_id)
        if stored is None:
            continue
        document = RunDocument.from_bytes(stored)
        own = {one.report_id for one in run.ledger.submissions.list(run_id=run_id, bodies=False)}
        seen = [one for one in run.discrepancies if one.report_id in own and one not in document.discrepancies]
        document = document.with_discrepancies(seen)
        reconciliation = reconciliation_of(document, run_id, run.ledger)
        summary = reconciliation.summary
        run.ledger.runs.save_document(run_id, document.to_bytes())
        left = left_open(document, reconciliation)
        run.ledger.runs.finish(run_id, summary.state, summary.exit_code, summary.to_json(), left)
        run.outputs += write_outputs(reconciliation, Path(document.folder), document.formats)
        tell_payees(run, document, reconciliation, run_id)
        if summary.exit_code == ExitCode.DISCREPANCIES:
            run.codes.add(ExitCode.DISCREPANCIES)
        run.progress.tell(run.say("run.rewritten", run=run_id, state=summary.state))
