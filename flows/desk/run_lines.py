"""How a run stands, in one line: what the ledger says of it, and what it could not write down any more."""

import datetime as dt
from collections.abc import Mapping
from typing import Final

from io_adapters.desk.ports import RunLine
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.owner import Owner, is_gone
from io_adapters.ledger.runs import Run
from schemas.submission import SubmissionState

AWAITING: Final = "awaiting_approval"
WENT_ON: Final = "went_on"
RUNNING: Final = "running"
REJECTED: Final = "rejected"
INTERRUPTED: Final = "interrupted"


def planned_runs(ledger: Ledger) -> dict[str, bool]:
    """Return the runs whose plan nobody has taken up or replaced, each with whether people have rejected it."""
    planned = ledger.submissions.list(states={SubmissionState.PLANNED}, bodies=False)
    return {one.run_id: False for one in planned} | dict.fromkeys(ledger.plans.rejected_runs(), True)


def is_interrupted(run: Run, ledger: Ledger, now: dt.datetime) -> bool:
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
