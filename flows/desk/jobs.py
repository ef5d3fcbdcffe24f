"""The jobs folder, as the desk shows it."""

import datetime as dt
import threading
from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path
from typing import Final

from flows.stages.due_jobs import find_jobs
from io_adapters.desk.ports import JobLine, RunLine
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import Run
from io_adapters.spreadsheets.declarations import read_job
from schemas.errors import RepasseError
from schemas.job import Job, resolve_period
from schemas.submission import SubmissionState

AWAITING: Final = "awaiting_approval"
WENT_ON: Final = "went_on"


class JobsFolder:
    """Jobs by token; files are read again when they change."""

    def __init__(self, folder: Path | None, ledger: Ledger, now: Callable[[], dt.datetime]) -> None:
        """Take a folder; without one there are no jobs."""
        self._folder = folder
        self._ledger = ledger
        self._now = now
        self._read: dict[Path, tuple[tuple[int, int], Job | str]] = {}
        self._lock = threading.Lock()

    def list(self) -> tuple[JobLine, ...]:
        """Return all jobs, by file."""
        if self._folder is None or not self._folder.is_dir():
            return ()
        waiting = self._waiting()
        return tuple(self._line(path, waiting) for path in find_jobs(self._folder))

    def get(self, token: str) -> JobLine | None:
        """Return one job."""
        path = self.path_of(token)
        return None if path is None else self._line(path, self._waiting())

    def of_path(self, path: str) -> JobLine | None:
        """Return the job of a file, when it is in the folder."""
        found = Path(path)
        if self._folder is None or not found.is_file() or not found.is_relative_to(self._folder):
            return None
        return self._line(found, self._waiting())

    def path_of(self, token: str) -> Path | None:
        """Return where a job's file is."""
        if self._folder is None or not self._folder.is_dir():
            return None
        return next((path for path in find_jobs(self._folder) if self._token(path) == token), None)

    def declared(self, path: Path) -> Job | str:
        """Return what a job file declares, or what is wrong with it."""
        try:
            stat = path.stat()
            seen = (stat.st_mtime_ns, stat.st_size)
            with self._lock:
                known = self._read.get(path)
            if known is None or known[0] != seen:
                known = (seen, _declared(path))
                with self._lock:
                    self._read[path] = known
        except OSError as error:
            return error.strerror or "unreadable"
        return known[1]

    def _waiting(self) -> dict[tuple[str, str], str]:
        """Return the plan that waits for approval, by job and period."""
        planned = self._ledger.submissions.list(states={SubmissionState.PLANNED}, bodies=False)
        return {(one.job, one.period): one.plan_digest for one in planned}

    def _token(self, path: Path) -> str:
        assert self._folder is not None  # noqa: S101 - asked only of files that were found in it
        return sha256(str(path.relative_to(self._folder)).encode()).hexdigest()[:20]

    def _line(self, path: Path, waiting: dict[tuple[str, str], str]) -> JobLine:
        assert self._folder is not None  # noqa: S101
        shown, token, job = str(path.relative_to(self._folder)), self._token(path), self.declared(path)
        if isinstance(job, str):
            return JobLine(token, shown, "", "", "", (), job, None, "")
        period = resolve_period(job.period, self._now().astimezone().date()).label
        last = self._ledger.runs.latest(job.job)
        sources = tuple(_source(position, job) for position in range(1, len(job.sources) + 1))
        last_run = line_of(last, waiting_runs(self._ledger)) if last else None
        digest = waiting.get((job.job, period), "")
        return JobLine(token, shown, job.job, period, job.payer.name, sources, "", last_run, digest)


def waiting_runs(ledger: Ledger) -> frozenset[str]:
    """Name the runs whose plan waits for approval at this moment."""
    return frozenset(one.run_id for one in ledger.submissions.list(states={SubmissionState.PLANNED}, bodies=False))


def line_of(run: Run, waiting: Collection[str]) -> RunLine:
    """Tell a run of the ledger in one line; a plan that waits no more was taken up by another run, or replaced."""
    went_on = run.state == AWAITING and run.run_id not in waiting
    return RunLine(
        run.run_id,
        run.job,
        run.period,
        run.command,
        run.prepared_by,
        WENT_ON if went_on else run.state,
        run.exit_code,
        run.started_at,
        run.finished_at,
    )


def _declared(path: Path) -> Job | str:
    try:
        return read_job(path).job
    except RepasseError as error:
        return error.message


def _source(position: int, job: Job) -> tuple[str, str]:
    """Name a source as the command line would: by its layout where that is its alone, by its position elsewhere."""
    names = [one.layout if isinstance(one.layout, str) else one.layout.layout for one in job.sources]
    name = names[position - 1]
    return (name if names.count(name) == 1 else str(position)), ", ".join(job.sources[position - 1].files)
