"""Runs that touch no network: `check`, which touches no ledger either, and `plan`, which only reads one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flows.stages.correctables import corrections_of, missing_shares_of
from flows.stages.draft import draft
from flows.stages.run import Clock, Order, Progress, Run
from flows.steps.reconcile import count_rows
from flows.steps.repeated import mark_repeated
from io_adapters.ledger.ledger import Ledger, open_ledger
from io_adapters.ledger.owner import Owner
from schemas.errors import UnsoundPlan
from schemas.issues import Issue
from schemas.reconciliation import RowCounts


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check` found.

    Attributes:
        issues: All problems of all files.
        rows: Where each row would go, before claims.
        corrections: The workbook to correct; None when there is nothing to correct.
        missing_shares: The list of shares to fill in; None when none is missing.
    """

    issues: tuple[Issue, ...]
    rows: RowCounts
    corrections: Path | None
    missing_shares: Path | None


@contextmanager
def opened_offline(order: Order, progress: Progress, clock: Clock, ledger: Ledger | None = None) -> Iterator[Run]:
    """Open a run without a service; without a ledger given it has an empty one that leaves no trace."""
    own = ledger or open_ledger("sqlite://", clock=clock.now)
    with own:
        yield Run("check", order, own, None, Owner.current("check"), clock, progress, timeout_s=0.0)


def why_unsound(run: Run) -> str:
    """Say why no plan can be made of what was read, whatever becomes of single rows; "" when one can."""
    try:
        draft(run)
    except UnsoundPlan as unsound:
        return unsound.message
    return ""


def write_check(run: Run) -> Checked:
    """Write what there is to put right of what was read, and count the rows."""
    inputs = run.require_inputs()
    folder = run.order.folder / run.job.outputs.folder / run.job.job / run.order.period.label / "check"
    corrections = corrections_of(run, folder.absolute())
    missing = missing_shares_of(run, folder.absolute())
    rows = mark_repeated(inputs.rows, run.used_before.repeated)
    return Checked(inputs.issues, count_rows(rows), corrections, missing)
