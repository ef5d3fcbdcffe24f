"""Runs for the desk: how one stands at this moment, and what it left behind."""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final, Literal

from flows.desk.jobs import AWAITING, line_of, waiting_runs
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
RUNNING: Final = "running"


class Runs:
    """Runs of the ledger.

    Args:
        ledger: Where they are.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._folders: OrderedDict[str, Path | None] = OrderedDict()
        self._lock = Lock()

    def list(self, limit: int) -> tuple[RunLine, ...]:
        """Return the latest runs, newest first."""
        waiting = waiting_runs(self._ledger)
        return tuple(line_of(run, waiting) for run in self._ledger.runs.list(limit))

    def get(self, run_id: str) -> RunStanding | None:
        """Tell how a run stands, from the ledger alone."""
        run = self._ledger.runs.get(run_id)
        if run is None:
            return None
        summary = Summary.model_validate_json(run.summary_json) if run.summary_json else None
        batches = tuple(self._ledger.submissions.list(run_id=run_id, bodies=False))
        live = run.state == RUNNING and run.finished_at is None
        digest = (summary.plan_digest if summary else None) or (batches[0].plan_digest if batches else "")
        outputs = self._outputs(run_id, top=True) if not live else ()
        return RunStanding(
            line=line_of(run, waiting_runs(self._ledger)),
            live=live,
            steps=_steps(run, batches, live=live),
            digest=digest,
            batches=batches,
            checks=self._checks(run_id, summary),
            currency=summary.currency if summary else (batches[0].currency if batches else ""),
            totals=summary.totals_cents.model_dump(by_alias=True) if summary else {},
            discrepancies=tuple(one.message for one in summary.discrepancies) if summary else (),
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
        return tuple(Output(_token(path, folder), path.name, path.stat().st_size) for path in paths)

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
    states = {one.state for one in batches}
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
    """List regular files that really lie in a folder."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink() and path.name[0] != ".")


def _token(path: Path, folder: Path) -> str:
    return sha256(str(path.relative_to(folder)).encode()).hexdigest()[:20]
