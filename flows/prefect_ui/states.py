"""Prefect states of a run: stages as tasks, progress as logs, outcomes as truthful states.

Prefect watches, and decides nothing: a stage whose watching fails is done all the same, once, and what cannot be
recorded is let go.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.context import FlowRunContext
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.states import Cancelled, Completed, Failed

from flows.books.rules.reconcile import state_name
from flows.prefect_ui.artifacts import Recorder, RunLogger, report_after
from flows.prefect_ui.cluster import map_files
from flows.run import Progress, Run
from flows.run_options import RunOptions
from flows.runner import CALLER, Caller, RunReport, Stage
from flows.stage_lines import line_of
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_heads
from schemas.errors import ExitCode, JobIsBusy, RepasseError, worst
from schemas.job import Outputs
from schemas.messages import Listed, Message, catalogue_in, currency_sign, render
from schemas.plan import Place
from schemas.readers import for_strangers
from schemas.reconciliation import Summary
from schemas.values.money import format_cents

# Ends that are as they should be, though somebody may have to look.
_WELL: Final = {ExitCode.DONE, ExitCode.APPROVAL_WANTED, ExitCode.ROWS_HELD, ExitCode.STILL_OPEN}
# Where the ledger's word for a state says less than it could to somebody who sees it alone, in a list.
_LOOK_BACK_RUNS: Final = 2_000
_TOLD_AS: Final = {"done": "Settled", "done_with_rows_held": "RowsHeld"}


class RunLogProgress:
    """Progress as lines of the flow run's log; they carry ids, paths and counts, never people's data."""

    def __init__(self) -> None:
        self._logger = get_run_logger()

    def speak(self, language: str) -> None:
        """Logs name what is counted as programs do."""

    def stage(self, name: str) -> None: ...

    def show(self, message: str) -> None:
        self._logger.info(message)

    def advance(self, what: str, done: int, total: int) -> None:
        """Only ends are worth a line in a log."""
        if done == total:
            self._logger.info("%s: %d of %d", what, done, total)


class _ShownProgress:
    def __init__(self, before: Progress, recorder: Recorder, job: str, language: str) -> None:
        self.before = before
        self._recorder = recorder
        self._job = job
        self._words = catalogue_in(language)

    def speak(self, language: str) -> None:
        self.before.speak(language)

    def stage(self, name: str) -> None:
        self.before.stage(name)

    def show(self, message: str) -> None:
        self.before.show(message)

    def advance(self, what: str, done: int, total: int) -> None:
        self.before.advance(what, done, total)
        key = "-".join(part for part in (*what.split(), self._job) if part)
        self._recorder.progress(key, done, total, f"{self._words.of_value('progress', what)}: {done} / {total}")


_Takes = ParamSpec("_Takes")
_Makes = TypeVar("_Makes")


class Watching:
    """Runs stages as tasks of the present flow run, and records what people want to see of them."""

    def __init__(
        self, recorder: Recorder, logger: RunLogger, *, asked: tuple[Path, RunOptions] | None = None, is_alone: bool
    ) -> None:
        self.recorder = recorder
        self.asked = asked
        self.is_alone = is_alone
        self._logger = logger
        self._codes_before: dict[str, int | None] | None = None
        # Of the flow run: tasks that a stage submits belong to it, and carry nothing of the stage to another process.
        self._flow = copy_context()
        # What a stage made -> the state of its task, so that Prefect's graph shows the way of the data.
        self._made_by: dict[int, State[Any]] = {}
        self._kept: list[object] = []
        self._reads_elsewhere = bool(os.environ.get("REPASSE_DASK", "").strip())

    def __call__(self, stage: Stage[_Takes, _Makes], run: Run, /, *made: _Takes.args, **named: _Takes.kwargs) -> _Makes:
        job = run.asked.job.job if run.asked else ""
        if not isinstance(run.progress, _ShownProgress):
            run.progress = _ShownProgress(run.progress, self.recorder, job, run.language)
            run.map_files = self._map_files if self._reads_elsewhere else None
        if run.asked is None and self._codes_before is None:
            self._codes_before = {stored.run_id: stored.exit_code for stored in run.ledger.runs.list(_LOOK_BACK_RUNS)}
        makes = list[_Makes]()

        def body() -> State[None]:
            codes, shown = set(run.codes), len(run.messages)
            makes.append(stage(run, *made, **named))
            line = line_of(stage.__name__, run, makes[-1])
            return _state_of_stage(run, worst(run.codes - codes), run.messages[shown:], line)

        before = [self._made_by[id(thing)] for thing in made if id(thing) in self._made_by]
        try:
            label = f"{job} {stage.__name__}" if job else stage.__name__
            state = self.as_task(stage.__name__, label, body, run.language, before)
        finally:
            self._tell(stage, run, made)
        if state is not None and makes[-1] is not None:
            self._made_by[id(makes[-1])] = state
            self._kept.append(makes[-1])
        return makes[-1]

    def _map_files(self, work: Callable[[Any], Any], files: Sequence[Any]) -> Sequence[Any]:
        return self._flow.run(map_files, work, files)

    def as_task(
        self,
        name: str,
        label: str,
        body: Callable[[], State[None]],
        language: str,
        before: Sequence[State[Any]] = (),
    ) -> State[Any] | None:
        """Run something as a task, once, whatever becomes of its being watched.

        Args:
            before: States of the tasks whose results it takes.

        Returns:
            The task's state as Prefect has it; None where it was not watched to its end.

        Raises:
            Exception: what the body raised; the task is shown as failed, and says why.
        """
        began = False
        state: State[None] | None = None
        error: Exception | None = None

        def watched_body() -> State[None]:
            nonlocal began, state, error
            began = True
            try:
                state = body()
            except RepasseError as raised:
                error = raised
                return state_of(raised.exit_code, raised.exit_code.name.lower(), render(raised.content, language))
            except Exception as raised:
                error = raised
                raise
            return state

        watched = task(name=name, task_run_name=label, cache_policy=NO_CACHE, persist_result=False, retries=0)
        ended: State[Any] | None = None
        try:
            ended = watched(watched_body)(return_state=True, wait_for=list(before))
        except Exception as failure:
            self._logger.warning("Prefect could not watch %s (%s)", name, type(failure).__name__)
            if began and state is None and error is None:
                raise
        if error is not None:
            raise error
        if not began:
            body()
        return ended

    def _tell(self, stage: Stage[_Takes, _Makes], run: Run, made: tuple[object, ...]) -> None:
        try:
            report_after(stage.__name__, run, made, self.recorder, self._codes_before or {})
        except Exception as error:  # noqa: BLE001  # a page that cannot be made stops nobody's pay
            self._logger.warning("the record of %s could not be made (%s)", stage.__name__, type(error).__name__)


@contextmanager
def watching() -> Iterator[Watching]:
    """Watch stages from within a flow; what is still to be recorded at its end is waited for, for some seconds."""
    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        raise RuntimeError("nothing is watched outside of a flow run")
    logger = get_run_logger()
    recorder = Recorder(context.flow_run.id, context.flow_run.tags, logger)
    caller = CALLER.get()
    token = CALLER.set(Caller(RunLogProgress())) if caller is None else None
    try:
        with for_strangers():
            yield Watching(recorder, logger, asked=caller.asked if caller else None, is_alone=token is not None)
    finally:
        if token is not None:
            CALLER.reset(token)
        recorder.close()


@contextmanager
def without_heartbeat() -> Iterator[None]:
    """Spare short flows the second each would wait for its heartbeat to end; nobody watches for dead ones here."""
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        yield


def _state_of_stage(run: Run, code: ExitCode, notes: Sequence[Message | Listed], line: Message | None) -> State[None]:
    """Tell how a stage ended: what leaves a doubt, or anything else that wants a person, is not shown as well."""
    if code is ExitCode.DONE:
        return Completed(message=render(line, run.language) if line else None)
    return state_of(code, state_name(code, sent=True), render(notes[0], run.language) if notes else "")


def state_of_report(report: RunReport) -> State[None]:
    """Turn a report into the flow run's final state.

    Its name is the run's; its message says where the money is, the first thing to know, and where to look.
    """
    messages = [figures_of(report.summary, report.language)] if report.summary else []
    messages += [report.headline] if report.first_note or not messages else []
    return state_of(report.exit_code, report.state, " · ".join(filter(None, (*messages, report.page))))


def figures_of(summary: Summary, language: str) -> str:
    """Write how much is where, such as "Paid BRL 1,234.56, Held BRL 5.00"; "" where nothing came in."""
    labels = catalogue_in(language)
    cents = {place: getattr(summary.totals_cents, place.value) for place in Place}
    return ", ".join(
        f"{labels(f'place.{place}')} {currency_sign(summary.currency)} {format_cents(amount, language)}"
        for place, amount in cents.items()
        if amount
    )


def state_of(code: ExitCode, state: str, message: str) -> State[None]:
    """Make a final state: completed where the run is as it should be, though somebody may have to look; else failed."""
    name = _TOLD_AS.get(state) or "".join(word.capitalize() for word in state.split("_"))
    return Completed(name=name, message=message) if code in _WELL else Failed(name=name, message=message)


def language_of(ledger: Ledger, run_id: str) -> str:
    """Return the language of the job that a run was of, as it kept it."""
    head = read_heads(ledger, [run_id]).get(run_id)
    return head.language if head else Outputs().language


def refused_state(error: RepasseError, *, is_alone: bool) -> State[None]:
    """Turn what kept a run from beginning into the flow run's final state; whoever waits in this process is told.

    One whose job another run has is cancelled: nothing has failed.

    Raises:
        RepasseError: the same, where somebody in this process waits for it.
    """
    if not is_alone:
        raise error
    told = render(error.content, Outputs().language)
    if isinstance(error, JobIsBusy):
        return Cancelled(name="AnotherRun", message=told)
    return state_of(error.exit_code, error.exit_code.name.lower(), told)
