"""Routes: the short lists of stages that a flow is, and the one way to walk them, watched or not."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.stages.approve import approve
from flows.stages.check_accounts import check_accounts
from flows.stages.draft import draft
from flows.stages.exchange_rate import exchange_rate
from flows.stages.freeze_plan import freeze_plan
from flows.stages.read import read
from flows.stages.recover import recover
from flows.stages.run import Run
from flows.stages.send import send
from flows.stages.settle import settle
from flows.stages.settle_all import rewrite, settle_all
from flows.stages.write import write
from schemas.errors import RepasseError
from schemas.exit_codes import ExitCode

Stage = Callable[[Run], None]
Watch = Callable[[Stage, Run], None]


@dataclass(frozen=True, slots=True)
class Route:
    """Stages in order.

    Attributes:
        name: Of the flow.
        stages: Each does only what the ledger says is left to do; one that raises ends the walk.
        last: Walked in any case, so that every run leaves its outputs.
    """

    name: str
    stages: tuple[Stage, ...]
    last: Stage


PAYOUT: Final = Route(
    "payout", (read, draft, recover, check_accounts, freeze_plan, approve, send, exchange_rate, settle), write
)
SETTLE: Final = Route("settle", (settle_all,), rewrite)


def walk(route: Route, run: Run, watch: Watch = lambda stage, run: stage(run)) -> None:
    """Walk a route to its end.

    Args:
        route: Which stages.
        run: What they fill in.
        watch: How a stage is called; Prefect wraps each in a task.

    Effects: those of the stages. Never raises for what a person must know: that is in the run's codes and messages.
    """
    for stage in route.stages:
        if not _walk_one(stage, run, watch):
            break
    _walk_one(route.last, run, watch)


def _walk_one(stage: Stage, run: Run, watch: Watch) -> bool:
    run.progress.stage(stage.__name__)
    try:
        watch(stage, run)
    except RepasseError as error:
        run.end_with(error.exit_code, error.in_words(run.language))
    except Exception as error:  # noqa: BLE001  # the outputs of what was already sent must still be written
        run.end_with(ExitCode.BUG, describe_bug(error))
    else:
        return True
    return False


def describe_bug(error: BaseException) -> str:
    """Say where a bug struck, without the exception's text: it may hold people's data."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = "/".join(Path(frame.filename).parts[-3:])
    return f"this is a bug in Repasse: {type(error).__name__} in {place}:{frame.lineno}; nothing more was sent"
