"""Start a flow for a person: under Prefect where a server watches, plainly elsewhere; the same stages either way."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from flows.launch import CALLER, Caller, RunReport, run_payout, run_settle
from flows.stages.run import Progress


def is_watched() -> bool:
    """Whether a Prefect server is there to watch."""
    return bool(os.environ.get("PREFECT_API_URL"))


def start_payout(  # each is named at the call
    job_path: Path,
    files: Sequence[str],
    *,
    yes: bool,
    by: str | None,
    progress: Progress,
    again: Sequence[str] = (),
    watched: bool | None = None,
) -> RunReport:
    """Run the payout; `watched` overrides what the environment says.

    Raises:
        RepasseError: the run could not even begin.
    """

    def under_prefect() -> None:
        from flows.payout import payout  # noqa: PLC0415  # Prefect takes a second to import

        state = payout(str(job_path), files=list(files), yes=yes, by=by, again=list(again), return_state=True)
        state.result(raise_on_failure=caller.report is None)

    caller = Caller(progress)
    if is_watched() if watched is None else watched:
        return _reported(caller, under_prefect)
    return _reported(caller, lambda: run_payout(job_path, files, yes=yes, by=by, again=again))


def start_settle(job: str | None, *, progress: Progress) -> RunReport:
    """Follow what is open or in doubt.

    Raises:
        RepasseError: the run could not even begin.
    """

    def under_prefect() -> None:
        from flows.settle import settle  # noqa: PLC0415  # Prefect takes a second to import

        state = settle(job, return_state=True)
        state.result(raise_on_failure=caller.report is None)

    caller = Caller(progress)
    return _reported(caller, under_prefect if is_watched() else lambda: run_settle(job))


def _reported(caller: Caller, start: Callable[[], object]) -> RunReport:
    token = CALLER.set(caller)
    try:
        start()
    finally:
        CALLER.reset(token)
    if caller.report is None:
        raise RuntimeError("the flow ended without a report; see the Prefect UI")
    return caller.report
