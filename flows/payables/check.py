"""The `check` command's work: read and check the files of a job offline, and name what keeps them from being paid."""

from dataclasses import dataclass
from pathlib import Path

from flows.intake.intake import Intake
from flows.intake.read import read
from flows.payables.corrections import corrections_of, missing_shares_of
from flows.payables.draft import refuse_unsound
from flows.payables.judge_inputs import judge_inputs
from flows.payables.rules.deals import told_deals
from flows.payables.rules.left_out import mark_repeated
from flows.payables.rules.places import count_rows
from flows.payables.snapshot import take_snapshot
from flows.run import Progress, Run, opened_offline
from flows.run_request import RunRequest
from schemas.errors import UnsoundPlan
from schemas.issues import Issue
from schemas.messages import Listed, Message
from schemas.reconciliation import RowCounts


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check` found."""

    issues: tuple[Issue, ...]
    rows: RowCounts
    corrections: Path | None
    missing_shares: Path | None


def check_files(order: RunRequest, progress: Progress) -> tuple[Checked, Message | Listed | None]:
    """Read and judge the files of a job, and write what there is to put right.

    Returns:
        What was found, and why no plan can be made of it whatever becomes of single rows; None when one can.
    """
    with opened_offline(order, progress) as run:
        intake = judge_inputs(run, read(run))
        for told in told_deals(intake.inputs, run.job.currency):
            run.show(told)
        return write_check(run, intake), why_unsound(run, intake)


def why_unsound(run: Run, intake: Intake) -> Message | Listed | None:
    """Say why no plan can be made of what was read, whatever becomes of single rows; None when one can."""
    try:
        refuse_unsound(run, *take_snapshot(run, intake))
    except UnsoundPlan as unsound:
        return unsound.content
    return None


def write_check(run: Run, intake: Intake) -> Checked:
    inputs = intake.inputs
    folder = run.request.folder / run.job.outputs.folder / run.job.job / run.request.period.label / "check"
    corrections = corrections_of(run, intake, folder.absolute())
    missing = missing_shares_of(run, intake, folder.absolute())
    rows = mark_repeated(inputs.rows, intake.used_before.repeated)
    return Checked(inputs.issues, count_rows(rows), corrections, missing)
