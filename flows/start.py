"""Starting a flow: under Prefect where a server is configured, plainly elsewhere; the same stages either way."""

import os
from collections.abc import Callable
from pathlib import Path

from flows.night import NightReport, folder_of_jobs, run_night
from flows.run import Progress
from flows.runner import CALLER, Caller, RunOptions, RunReport, run_payout, run_settle
from schemas.errors import ConfigurationError
from schemas.messages import Message


def is_watched() -> bool:
    """Whether a Prefect server is there to watch."""
    return bool(os.environ.get("PREFECT_API_URL"))


def start_payout(job_path: Path, options: RunOptions, *, progress: Progress, watched: bool | None = None) -> RunReport:
    """Run the payout; `watched` overrides what the environment says.

    Raises:
        RepasseError: the run could not even begin.
    """

    def under_prefect() -> None:
        _require_prefect()
        from flows.payout import payout  # noqa: PLC0415  # Prefect takes a second to import

        state = payout(
            str(job_path),
            files=list(options.files),
            yes=options.yes,
            by=options.by or "",
            again=list(options.again),
            period=options.period or "",
            one_more=options.one_more,
            pix_types=options.key_types,
            return_state=True,
        )
        state.result(raise_on_failure=caller.report is None)

    caller = Caller(progress)
    if is_watched() if watched is None else watched:
        return _reported(caller, under_prefect)
    return _reported(caller, lambda: run_payout(job_path, options))


def start_settle(job: str | None, *, progress: Progress) -> RunReport:
    """Follow what is open or in doubt.

    Raises:
        RepasseError: the run could not even begin.
    """

    def under_prefect() -> None:
        _require_prefect()
        from flows.settle import settle  # noqa: PLC0415  # Prefect takes a second to import

        state = settle(job or "", return_state=True)
        state.result(raise_on_failure=caller.report is None)

    caller = Caller(progress)
    return _reported(caller, under_prefect if is_watched() else lambda: run_settle(job))


def start_night(jobs: str | None, *, progress: Progress) -> NightReport:
    """Run a night: every job of a folder that is due.

    Prefect watches nights that it started itself; one that a person starts is told on the terminal alone.

    Raises:
        RepasseError: the night could not even begin.
    """
    token = CALLER.set(Caller(progress))
    try:
        return run_night(folder_of_jobs(jobs))
    finally:
        CALLER.reset(token)


def _reported(caller: Caller, start: Callable[[], object]) -> RunReport:
    """Run, and return the caller's report; a Prefect that is lost on the way takes nothing of it away."""
    token = CALLER.set(caller)
    try:
        start()
    except Exception:
        if caller.report is None:
            raise
        caller.progress.tell("Prefect was lost on the way; it may show the run as running, or as crashed")
    finally:
        CALLER.reset(token)
    if caller.report is None:
        raise RuntimeError("the flow ended without a report; see the Prefect UI")
    return caller.report


def _require_prefect() -> None:
    """Make sure that the Prefect server which the environment names is there, before anything is begun.

    Raises:
        ConfigurationError: it does not answer, or answers everybody.
    """
    if not is_watched():
        return
    from flows.prefect_ui.deployments import is_answering, require_closed_server  # noqa: PLC0415

    require_closed_server()
    if not is_answering():
        raise ConfigurationError(Message("error.prefect_down"))
