"""Prefect's side of a run: stages as tasks, progress as logs, outcomes as states that tell the truth."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.states import Completed, Failed

from flows.launch import CALLER, Caller, RunReport
from flows.stages.route import Stage
from flows.stages.run import Run
from schemas.exit_codes import ExitCode

# Ends that are as they should be, though somebody may have to look.
_WELL: Final = {ExitCode.DONE, ExitCode.APPROVAL_WANTED, ExitCode.ROWS_HELD, ExitCode.STILL_OPEN}


class RunLogProgress:
    """Progress as lines of the flow run's log; they carry ids, paths and counts, never people's data."""

    def __init__(self) -> None:
        """Take the flow run's logger now: the stages' own threads know of no run."""
        self._logger = get_run_logger()

    def stage(self, name: str) -> None:
        """The task's own name says it."""

    def tell(self, message: str) -> None:
        """Something worth a line."""
        self._logger.info(message)

    def advance(self, what: str, done: int, total: int) -> None:
        """Only ends are worth a line in a log."""
        if done == total:
            self._logger.info("%s: %d of %d", what, done, total)


def watch(stage: Stage, run: Run) -> None:
    """Run one stage as a task. Nothing is cached, persisted or tried again: the ledger says what is left to do."""

    def body() -> None:
        stage(run)

    task(name=stage.__name__, cache_policy=NO_CACHE, persist_result=False, retries=0)(body)()


@contextmanager
def speaking_to_prefect() -> Iterator[None]:
    """Give a flow that nobody watches from within this process the flow run's log to speak to."""
    if CALLER.get() is not None:
        yield
        return
    token = CALLER.set(Caller(RunLogProgress()))
    try:
        yield
    finally:
        CALLER.reset(token)


@contextmanager
def without_heartbeat() -> Iterator[None]:
    """Spare short flows the second each would wait for its heartbeat to end; nobody watches for dead ones here."""
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        yield


def told_state(report: RunReport) -> State[None]:
    """Turn a report into the flow run's final state: its name is the run's, its message the first thing to know."""
    name = "".join(word.capitalize() for word in report.state.split("_"))
    message = report.messages[0] if report.messages else f"run {report.run_id}"
    if report.exit_code in _WELL:
        return Completed(name=name, message=message)
    return Failed(name=name, message=message)
