"""Runs for the desk: how one stands at this moment, and what it left behind."""

import datetime as dt
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final, Literal

from flows.desk.run_lines import AWAITING, line_of, planned_runs
from flows.reconciliation.waits import RUNNING
from io_adapters.desk.ports import Output, RunLine, RunStanding
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import Run
from schemas.reconciliation import Summary
from schemas.submission import Submission, SubmissionState

S = SubmissionState
Where = Literal["done", "now", "later"]

STEPS: Final = ("read", "checks", "plan", "approval", "send", "settle", "books")
STATEMENTS: Final = "statements"
KEPT: Final = 64


class Runs:
    """Runs of the ledger.

    Args:
        ledger: Where they are.
        now: The clock.
    """

    def __init__(self, ledger: Ledger, now: Callable[[], dt.datetime]) -> None:
        self._ledger = ledger
        self._now = now
        self._folders: OrderedDict[str, Path | None] = OrderedDict()
        self._lock = Lock()

    def list(self, limit: int) -> tuple[RunLine, ...]:
        """Return the latest runs, newest first."""
        planned = planned_runs(self._ledger)
        return tuple(line_of(run, planned, self._ledger, self._now()) for run in self._ledger.runs.list(limit))

    def get(self, run_id: str) -> RunStanding | None:
        """Tell how a run stands, from the ledger alone."""
        run = self._ledger.runs.get(run_id)
        if run is None:
            return None
        summary = Summary.model_validate_json(run.summary_json) if run.summary_json else None
        batches = tuple(self._ledger.submissions.list(run_id=run_id, bodies=False))
        line = line_of(run, planned_runs(self._ledger), self._ledger, self._now())
        live = line.state == RUNNING and run.finished_at is None
        digest = (summary.plan_digest if summary else None) or (batches[0].plan_digest if batches else "")
        outputs = self._outputs(run_id, top=True) if not live else ()
        return RunStanding(
            line=line,
            live=live,
            steps=_steps(run, batches, live=live),
            digest=digest,
            batches=batches,
            checks=self._checks(run_id, summary),
            currency=summary.currency if summary else (batches[0].currency if batches else ""),
            totals=summary.totals_cents.model_dump(by_alias=True) if summary else {},
            discrepancies=tuple(discrepancy.message for discrepancy in summary.discrepancies) if summary else (),
            issues=summary.issues if summary else {},
            outputs=outputs,
            statements=len(self._outputs(run_id, top=False)) if outputs else 0,
        )

    def statements(self, run_id: str) -> tuple[Output, ...]:
        """Return the statements a run has left."""
        return self._outputs(run_id, top=False)

    def file(self, run_id: str, token: str) -> Path | None:
        """Find an output by its token; only regular files of the run's own folder are ever found."""
        folder = self._folder(run_id)
        if folder is None:
            return None
        paths = (*_files_in(folder), *_files_in(folder / STATEMENTS))
        return next((path for path in paths if _token(path, folder) == token), None)

    def _outputs(self, run_id: str, *, top: bool) -> tuple[Output, ...]:
        folder = self._folder(run_id)
        if folder is None:
            return ()
        paths = _files_in(folder if top else folder / STATEMENTS)
        return tuple(
            Output(_token(path, folder), path.name, size) for path in paths if (size := _size(path)) is not None
        )

    def _folder(self, run_id: str) -> Path | None:
        """Return the folder a run wrote into, as its document names it; that never changes once it is known."""
        with self._lock:
            if run_id in self._folders:
                return self._folders[run_id]
        document = self._ledger.runs.document(run_id)
        if document is None:
            return None
        folder = Path(json.loads(document)["folder"])
        with self._lock:
            self._folders[run_id] = folder
            while len(self._folders) > KEPT:
                self._folders.popitem(last=False)
        return folder

    def _checks(self, run_id: str, summary: Summary | None) -> Mapping[str, int]:
        if summary is not None:
            return {"made": summary.account_checks.made, "cost_cents": summary.account_checks.cost_cents}
        return {"made": len(self._ledger.checks.for_run(run_id)), "cost_cents": self._ledger.checks.spent(run_id)}


def _steps(run: Run, batches: Sequence[Submission], *, live: bool) -> tuple[tuple[str, Where], ...]:
    """Tell how far a run has come, from what it has written down."""
    if not run.job:
        return ()
    states = {batch.state for batch in batches}
    if not live:
        if run.state == AWAITING:
            now = "approval"
        elif run.state in {"settling", "in_doubt"}:
            now = "settle"
        elif run.state in {"not_sent", "frozen"} and batches:
            now = "send"
        elif run.summary_json:
            return tuple((name, "done") for name in STEPS)
        else:
            now = "read"
    elif not batches:
        now = "read"
    elif S.PLANNED in states:
        now = "approval"
    elif states & {S.APPROVED, S.SENDING, S.NOT_SENT}:
        now = "send"
    else:
        now = "settle"
    at = STEPS.index(now)
    return tuple((name, "done" if n < at else "now" if n == at else "later") for n, name in enumerate(STEPS))


def _files_in(folder: Path) -> list[Path]:
    """List regular files that really lie in a folder; none of one that is not there, or not ours to read."""
    if folder.is_symlink():
        return []
    try:
        found = sorted(folder.iterdir())
        return [path for path in found if path.is_file() and not path.is_symlink() and path.name[0] != "."]
    except OSError:
        return []


def _size(path: Path) -> int | None:
    """Return how long a file is; None where it has gone since it was listed."""
    try:
        return path.stat().st_size
    except OSError:
        return None


def _token(path: Path, folder: Path) -> str:
    return sha256(str(path.relative_to(folder)).encode()).hexdigest()[:20]
