"""The `check` command's work: read and check the files of a job offline, and name what keeps them from being paid."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

from flows.intake.intake import Intake
from flows.intake.read import read
from flows.payables.corrections import corrections_of, missing_shares_of
from flows.payables.draft import draft, judge_inputs
from flows.payables.rules.left_out import mark_repeated
from flows.payables.rules.places import count_rows
from flows.run import SYSTEM_CLOCK, Progress, Run
from flows.run_request import RunRequest
from schemas.errors import UnsoundPlan, errors_in_language
from schemas.issues import Issue
from schemas.journal import NOTHING_POSTED
from schemas.messages import Listed, Message
from schemas.reconciliation import RowCounts

if TYPE_CHECKING:
    from io_adapters.ledger.ledger import Ledger

Answers = dict[str, dict[str, Callable[..., Any]]]
# What an empty ledger answers to all that a check asks. A check begins with it, rather than with an empty database,
# since a database's libraries take longer to import than everything else a check does.
NOTHING_KNOWN: Final[Answers] = {
    "journal": {"state": lambda *_: NOTHING_POSTED, "balances_of_payees": lambda *_: {}},
    "checks": {"kept": lambda *_: {}},
    "claims": {
        "epoch": lambda: 0,
        "live_of": lambda *_: [],
        "payments_alike": lambda *_: [],
        "royalties_of": lambda *_: [],
    },
    "contacts": {"ids": lambda *_: {}},
    "corrected_rows": {"known": lambda *_: []},
    "opening_rows": {"known": lambda *_: {}},
    "pix_key_types": {"known": lambda *_: {}},
    "decisions": {"on_rows": lambda *_: {}},
    "desk_launches": {"of_job_file": lambda *_: []},
    "files": {"uses_of": lambda *_: [], "uses_of_lines": lambda *_: []},
    "institutions": {"read_at": lambda: None},
    "submissions": {"list": lambda **_: []},
}


@contextmanager
def opened_check(order: RunRequest, progress: Progress) -> Iterator[Run]:
    """Open a run that knows of nothing but the job's own files."""
    ledger = SimpleNamespace(**{name: SimpleNamespace(**answers) for name, answers in NOTHING_KNOWN.items()})
    with errors_in_language(order.job.outputs.language):
        yield Run("check", order, cast("Ledger", ledger), None, None, SYSTEM_CLOCK, progress, timeout_s=0.0)


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


def check_files(order: RunRequest, progress: Progress) -> tuple[Checked, Message | Listed | None]:
    """Read and judge the files of a job, and write what there is to put right.

    Returns:
        What was found, and why no plan can be made of it whatever becomes of single rows; None when one can.
    """
    with opened_check(order, progress) as run:
        intake = judge_inputs(run, read(run))
        return write_check(run, intake), why_unsound(run, intake)


def why_unsound(run: Run, intake: Intake) -> Message | Listed | None:
    """Say why no plan can be made of what was read, whatever becomes of single rows; None when one can."""
    try:
        draft(run, intake)
    except UnsoundPlan as unsound:
        return unsound.content
    return None


def write_check(run: Run, intake: Intake) -> Checked:
    """Write what there is to put right of what was read and judged, and count the rows."""
    inputs = intake.inputs
    folder = run.request.folder / run.job.outputs.folder / run.job.job / run.request.period.label / "check"
    corrections = corrections_of(run, intake, folder.absolute())
    missing = missing_shares_of(run, intake, folder.absolute())
    rows = mark_repeated(inputs.rows, intake.used_before.repeated)
    return Checked(inputs.issues, count_rows(rows), corrections, missing)
