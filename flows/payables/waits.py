"""Gathering what waits from the ledger: what runs have left open, and runs that did not end."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Final

from flows.payables.rules.waits import (
    UNDER_WAY,
    LastRun,
    in_order,
    open_items,
    waits_of_items,
    what_waits,
)
from flows.payables.unpaid import Unpaid
from flows.views.columns import HELD_ROWS
from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_heads
from io_adapters.ledger.runs import StoredRun
from io_adapters.spreadsheets.declarations import read_job
from schemas.account import OwedSum
from schemas.errors import ExitCode, RepasseError
from schemas.job import PREVIOUS_MONTH, Outputs, resolve_period
from schemas.plan import Place
from schemas.reasons import because
from schemas.waits import HeldRows, OpenItem, OpenPeriod, Wait, WaitKind

RUNNING: Final = "running"


def is_interrupted(run: StoredRun, ledger: Ledger, now: dt.datetime) -> bool:
    """Say whether a run that never wrote down its end has ended all the same: it does not hold its job any more.

    A run takes its job before it is written down, and lets go of it after its end is. Nights hold none. What a process
    of this machine holds counts for as long as it lives; of another machine, until it runs out.
    """
    if run.state != RUNNING or run.finished_at is not None or not run.job:
        return False
    lease = ledger.leases.current(run.job)
    if lease is None or lease.owner.run_id != run.run_id:
        by_now = ledger.runs.get(run.run_id)  # it may have come to its end since it was read
        return by_now is not None and by_now.finished_at is None
    here = Owner.current("")
    if (lease.owner.host, lease.owner.boot_id) == (here.host, here.boot_id):
        return is_gone(lease.owner, here)
    return lease.until <= now


def gather_waits(ledger: Ledger, now: dt.datetime, job: str | None = None) -> tuple[Wait, ...]:
    """Gather what waits of one job or of all, beside submissions, which tell of themselves.

    Args:
        job: Name of the job; all jobs when None.
    """
    left = {(period.job, period.period): period for period in left_open(ledger, job)}
    submissions = ledger.submissions.list(job=job, states=UNDER_WAY, bodies=False)
    under_way = frozenset((submission.job, submission.period) for submission in submissions)
    payouts, commands, newest = ledger.runs.last_payouts(job), _Commands(), dict[str, str]()
    for run in payouts:
        newest.setdefault(run.job, run.run_id)
    in_desk = {name: ledger.decision_rules.wants_signed_in(name) for name in newest}
    last_runs = []
    for run in payouts:
        known = left.get((run.job, run.period))
        last_runs.append(
            LastRun(
                job=run.job,
                period=run.period,
                run_id=run.run_id,
                state=run.state,
                exit_code=None if run.exit_code is None else ExitCode(run.exit_code),
                interrupted=is_interrupted(run, ledger, now),
                is_last_of_job=newest[run.job] == run.run_id,
                command=commands.running(run),
                language=known.language if known else Outputs().language,
                in_desk=in_desk[run.job],
            )
        )
    return what_waits(last_runs, left, under_way)


def waits_elsewhere(ledger: Ledger, job: str, period: str) -> tuple[Wait, ...]:
    """Gather what waits of a job beside what a run of a period finds itself: other periods, and runs that died."""
    waits = gather_waits(ledger, ledger.now(), job)
    return tuple(wait for wait in waits if wait.period != period or wait.kind is WaitKind.INTERRUPTED)


def waits_of_run(ledger: Ledger, run_id: str, state: str, code: ExitCode) -> tuple[Wait, ...]:
    """Tell what a run leaves open, its files beside whatever tells of it, and what other periods of the job do."""
    stored = ledger.runs.get(run_id)
    job, period = (stored.job, stored.period) if stored else ("", "")
    left = next(left for left in left_open(ledger, job) if left.period == period)
    command = _Commands().running(stored) if stored else ""
    run = LastRun(
        job=job,
        period=period,
        run_id=run_id,
        state=state,
        exit_code=code,
        interrupted=False,
        is_last_of_job=True,
        command=command,
        language=left.language,
        in_desk=ledger.decision_rules.wants_signed_in(job),
    )
    under_way = bool(ledger.submissions.list(job=job, period=period, states=UNDER_WAY, bodies=False))
    own = waits_of_items(replace(left, folder=""), run, under_way=under_way)
    elsewhere = [wait for wait in gather_waits(ledger, ledger.now(), job) if wait.period != period]
    return in_order([*elsewhere, *own])


def left_open(ledger: Ledger, job: str | None = None) -> list[OpenPeriod]:
    """Tell what is open by now of each job and period, of one job or of all: what is owed, and rows that are held."""
    last = ledger.runs.last_with_results(job=job)
    heads = read_heads(ledger, (run.run_id for run in last))
    unpaid, held = defaultdict[tuple[str, str], list[OwedSum]](list), defaultdict[str, list[HeldRows]](list)
    known = sorted({(head.job, head.period) for head in heads.values()}, key=lambda where: where[1])
    latest = dict(known)  # of a job: what is about a period that it has not run is told with its last one
    for due in Unpaid(ledger, ledger.today(), with_plans=False).sums():
        where = due.job, due.period
        unpaid[where if where in known else (due.job, latest.get(due.job, ""))].append(due)
    for rows in ledger.views.ask(HELD_ROWS, runs=list(heads)):
        held[rows.run_id].append(rows)
    nobodys = defaultdict[tuple[str, str], list[OpenItem]](list)
    for each in ledger.returns.all():
        if each.is_nobodys and each.counts:
            why = because("returned_nobodys", report=each.submission_id)
            nobodys[each.job, each.period].append(OpenItem(Place.RETURNED, "returned", why, 1, each.amount_cents))
    periods = [
        OpenPeriod(
            *(head.job, head.period, name, head.currency, head.language, head.folder),
            (*open_items(unpaid[head.job, head.period], held[name]), *nobodys[head.job, head.period]),
        )
        for name, head in heads.items()
    ]
    return sorted(periods, key=lambda left: (left.job, left.period))


def commands_of(ledger: Ledger, run_ids: Iterable[str]) -> list[str]:
    """Return what runs the periods of some runs again, each once."""
    commands = _Commands()
    runs = (ledger.runs.get(run_id) for run_id in dict.fromkeys(run_ids))
    return list(dict.fromkeys(commands.running(run) for run in runs if run is not None and run.job_file))


class _Commands:
    """What runs periods again; each job file is read once."""

    def __init__(self) -> None:
        self._own: dict[str, str | None] = {}

    def running(self, run: StoredRun) -> str:
        """Return the command that runs a period again; the month is named where the job does not mean it by itself."""
        if run.job_file not in self._own:
            self._own[run.job_file] = _own_period(Path(run.job_file))
        period = "" if self._own[run.job_file] in {None, run.period} else f" --period {run.period}"
        return f"repasse run {quote(run.job_file)}{period}"


def _own_period(path: Path) -> str | None:
    """Return the period that a job file names; "" where it leaves it open, None where the file cannot be read."""
    try:
        period = read_job(path).job.period
    except (RepasseError, OSError):
        return None
    return "" if period in {None, PREVIOUS_MONTH} else resolve_period(period, dt.date.min).label
