"""What a period finds when it begins: what the ledger says, and the opening balances it does not contradict."""

from collections.abc import Collection
from dataclasses import replace

from flows.stages.run import Run
from flows.steps.accrue import Closed, History
from flows.steps.opening_balances import Opened, hold_contradictions, open_balances
from flows.steps.work_out import identity_of
from io_adapters.ledger.accruals import Accruals
from io_adapters.spreadsheets.declarations import read_layout
from schemas.exit_codes import ExitCode
from schemas.issue_texts import make_issue
from schemas.job import Job, Period
from schemas.layouts.headers import match_headers
from schemas.raw_table import column_letter
from schemas.submission import Claim


def open_period(run: Run, claims: Collection[Claim]) -> Opened:
    """Ask the ledger, and take opening balances at their word; rows that contradict it are told and held.

    Args:
        run: Has read its files.
        claims: Live claims of the job and period.

    Raises:
        UnsoundPlan: an opening balance has problems and does not say whose it is.
    """
    job, period, accruals = run.job, run.order.period, run.ledger.accruals
    opened = open_balances(
        run.require_inputs(),
        period,
        identity_of(job, period),
        history=history_of(accruals, job, period),
        posted=accruals.posted_periods(job.job, job.payer.tax_id, job.currency),
        claims=claims,
    )
    _tell_contradictions(run, opened)
    return opened


def history_of(accruals: Accruals, job: Job, period: Period) -> History:
    """Ask the ledger what a period finds when it begins, and what stands of it if a later one has been posted.

    A period that was left out, and is run after a later one was posted, finds nothing carried in: the later one has
    taken that up.
    """
    series = (job.job, job.payer.tax_id, job.currency)
    carried_in = accruals.carried_in(*series, period.start)
    recouped = accruals.recouped(*series, period.label, period.start)
    closed = accruals.closed(*series, period.label, period.start)
    if closed is None:
        return History(carried_in, recouped)
    return History(carried_in if closed.was_posted else {}, recouped, Closed(closed.left, closed.recouped))


def _tell_contradictions(run: Run, opened: Opened) -> None:
    """Name the cell of each opening balance that the ledger or the payments contradict, and hold its row."""
    if not opened.contradictions:
        return
    inputs, language = run.require_inputs(), run.language
    run.inputs = replace(inputs, rows=hold_contradictions(inputs.rows, opened.contradictions))
    sheets = {(raw.file.name, raw.sheet or ""): raw for raw, _ in run.sheets}
    layout = read_layout("opening", run.order.folder)
    for one in opened.contradictions:
        raw = sheets[one.file, one.sheet]
        position = match_headers(raw.headers, layout).positions.get(one.column)
        issue = make_issue(
            one.code,
            language=language,
            file=one.file,
            sheet=raw.sheet,
            cell=None if position is None else f"{column_letter(position)}{one.row}",
            row=one.row,
            column=None if position is None else raw.headers[position],
            found=one.found,
        )
        run.issues += [issue] if issue not in run.issues else []
        run.codes.add(ExitCode.ROWS_HELD)
