"""Open a run, walk its route, and report: one body for the command line and for the flow files."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from flows.opening import open_ledger_of, utc_now
from flows.preflight import check_environment
from flows.settings import read_settings
from flows.stages.due_jobs import is_anything_open, require_known_job
from flows.stages.follow import settle_and_follow
from flows.stages.route import PAYOUT, SETTLE, Route, Watch, walk
from flows.stages.run import Order, Progress, Run
from flows.steps.run_state import state_name
from flows.terminal.printing import QuietProgress
from flows.wiring import opened_run, read_order
from schemas.exit_codes import ExitCode
from schemas.issues import Issue
from schemas.reconciliation import Summary


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run came to, for whoever started it.

    Attributes:
        run_id: Identity of the run.
        exit_code: How it ended.
        state: The same as a word.
        messages: What a person must know.
        issues: All problems.
        outputs: Files that were written.
        summary: Content of `summary.json`; None when the run did not get that far.
        language: Of the job.
    """

    run_id: str
    exit_code: ExitCode
    state: str
    messages: tuple[str, ...]
    issues: tuple[Issue, ...]
    outputs: tuple[Path, ...]
    summary: Summary | None
    language: str

    @property
    def headline(self) -> str:
        """The first thing a person should know of it."""
        if not self.messages:
            return f"run {self.run_id}"
        return self.messages[-1 if self.exit_code is ExitCode.BUG else 0]


@dataclass(slots=True)
class Caller:
    """Who watches a flow from within this process; flow parameters could not carry it."""

    progress: Progress
    report: RunReport | None = None


CALLER: ContextVar[Caller | None] = ContextVar("CALLER", default=None)


def call(stage: Callable[[Run], None], run: Run) -> None:
    """Walk a stage unwatched."""
    stage(run)


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants of a payout, beside the job.

    Attributes:
        files: Files to read instead of those the job names, each as PATH or SOURCE=PATH.
        yes: Whether the plan that will be made is approved, up to the job's limits.
        by: Who asks; whoever runs the program when None.
        again: Files to pay although they were used before, under another job or period.
        period: The month a job for `previous_month` is run for; that before the present one when None.
        one_more: Whether one batch is to be sent although so many are in doubt that sending has stopped.
    """

    files: Sequence[str] = ()
    yes: bool = False
    by: str | None = None
    again: Sequence[str] = ()
    period: str | None = None
    one_more: bool = False


def run_payout(job_path: Path, wish: Wish, *, watch: Watch = call) -> RunReport:
    """Pay what a job owes: the whole route, from the files to the reconciliation.

    Raises:
        RepasseError: the run could not even begin: configuration, another run of the job, a newer ledger.
    """
    order = read_order(
        job_path,
        files=wish.files,
        yes=wish.yes,
        by=wish.by,
        again=wish.again,
        period=wish.period,
        one_more=wish.one_more,
    )
    return walk_order(order, watch)


def walk_order(order: Order, watch: Watch = call) -> RunReport:
    """Pay what an order asks for, that somebody has read and perhaps looked at before.

    Raises:
        RepasseError: the run could not even begin.
    """
    return _walk(PAYOUT, order, None, watch)


def run_settle(job: str | None, watch: Watch = call, *, follow_s: float = 0.0) -> RunReport:
    """Look at what is open or in doubt, of one job or of all.

    Args:
        job: Name of the job; all jobs when None.
        watch: How a stage is called.
        follow_s: How long to stay with open reports until they end, before the last look; 0 looks once.

    Raises:
        RepasseError: the run could not even begin; there is no such job.
    """
    if job is not None:
        with open_ledger_of(read_settings(), create=False) as ledger:
            require_known_job(ledger, job, jobs_folder())
    return _walk(settle_and_follow(follow_s) if follow_s else SETTLE, None, job, watch)


def jobs_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of jobs that REPASSE_JOBS names; None where it names none."""
    text = environment.get("REPASSE_JOBS", "")
    return Path(text).absolute() if text else None


def nothing_is_open(job: str | None) -> bool:
    """Say whether settling has nothing to look at, from the ledger alone: the service is not called.

    Raises:
        RepasseError: the ledger cannot be opened; there is no such job.
    """
    with open_ledger_of(read_settings(), create=False) as ledger:
        if job is not None:
            require_known_job(ledger, job, jobs_folder())
        return not is_anything_open(ledger, job, utc_now())


def _walk(route: Route, order: Order | None, only_job: str | None, watch: Watch) -> RunReport:
    check_environment()
    caller = CALLER.get() or Caller(QuietProgress())
    with opened_run(route.name, order, read_settings(), caller.progress) as run:
        run.only_job = only_job
        walk(route, run, watch)
    caller.report = RunReport(
        run_id=run.id,
        exit_code=run.exit_code,
        state=run.summary.state if run.summary else state_name(run.exit_code, sent=bool(run.touched)),
        messages=tuple(run.messages),
        issues=tuple(run.issues),
        outputs=tuple(run.outputs),
        summary=run.summary,
        language=order.job.outputs.language if order else "en",
    )
    return caller.report
