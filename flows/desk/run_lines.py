"""How a run stands, in one line: what the ledger says of it, and what it could not write down any more."""

import datetime as dt
from collections.abc import Mapping
from typing import Final

from flows.reconciliation.waits import is_interrupted
from io_adapters.desk.ports import RunLine
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import Run
from schemas.submission import SubmissionState

AWAITING: Final = "awaiting_approval"
WENT_ON: Final = "went_on"
REJECTED: Final = "rejected"
INTERRUPTED: Final = "interrupted"


def planned_runs(ledger: Ledger) -> dict[str, bool]:
    """Return the runs whose plan nobody has taken up or replaced, each with whether people have rejected it."""
    planned = ledger.submissions.list(states={SubmissionState.PLANNED}, bodies=False)
    return {one.run_id: False for one in planned} | dict.fromkeys(ledger.plans.rejected_runs(), True)


def line_of(run: Run, planned: Mapping[str, bool], ledger: Ledger, now: dt.datetime) -> RunLine:
    """Tell a run of the ledger in one line.

    A plan that waits no more was rejected, taken up by another run, or replaced; a run whose process is gone was
    interrupted. A night has no plan of its own.
    """
    state = run.state
    if run.job and run.state == AWAITING and run.run_id not in planned:
        state = WENT_ON
    elif run.state == AWAITING and planned.get(run.run_id):
        state = REJECTED
    elif is_interrupted(run, ledger, now):
        state = INTERRUPTED
    return RunLine(
        run.run_id,
        run.job,
        run.period,
        run.command,
        run.prepared_by,
        state,
        run.exit_code,
        run.started_at,
        run.finished_at,
    )
