"""The jobs folder, as the desk shows it."""

import datetime as dt
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from flows.desk.run_lines import line_of, planned_runs
from flows.due_jobs import find_jobs
from flows.runner import describe_bug
from io_adapters.desk.ports import JobLine
from io_adapters.ledger.ledger import Ledger
from io_adapters.spreadsheets.declarations import read_job
from schemas.errors import RepasseError
from schemas.job import Job, resolve_period
from schemas.submission import SubmissionState


@dataclass(frozen=True, slots=True)
class _Standing:
    """What waits for people: runs with a plan (see `planned_runs`), and the plan of each job and period."""

    planned: Mapping[str, bool]
    waiting: Mapping[tuple[str, str], str]


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
        standing = self._standing()
        return tuple(self._line(path, standing) for path in find_jobs(self._folder))

    def get(self, token: str) -> JobLine | None:
        """Return one job."""
        path = self.path_of(token)
        return None if path is None else self._line(path, self._standing())

    def of_path(self, path: str) -> JobLine | None:
        """Return the job of a file, when it is in the folder."""
        found = Path(path)
        if self._folder is None or not found.is_file() or not found.is_relative_to(self._folder):
            return None
        return self._line(found, self._standing())

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

    def _standing(self) -> _Standing:
        runs = planned_runs(self._ledger)
        planned = self._ledger.submissions.list(states={SubmissionState.PLANNED}, bodies=False)
        waiting = {(p.job, p.period): p.plan_digest for p in planned if runs.get(p.run_id) is False}
        return _Standing(runs, waiting)

    def _token(self, path: Path) -> str:
        assert self._folder is not None  # noqa: S101 - asked only of files that were found in it
        return sha256(str(path.relative_to(self._folder)).encode()).hexdigest()[:20]

    def _line(self, path: Path, standing: _Standing) -> JobLine:
        assert self._folder is not None  # noqa: S101
        shown, token, job = str(path.relative_to(self._folder)), self._token(path), self.declared(path)
        if isinstance(job, str):
            return JobLine(token, shown, "", "", "", (), job, None, "")
        period = resolve_period(job.period, self._now().astimezone().date()).label
        last = self._ledger.runs.latest(job.job)
        sources = tuple(_source(position, job) for position in range(1, len(job.sources) + 1))
        last_run = line_of(last, standing.planned, self._ledger, self._now()) if last else None
        digest = standing.waiting.get((job.job, period), "")
        return JobLine(token, shown, job.job, period, job.payer.name, sources, "", last_run, digest)


def _declared(path: Path) -> Job | str:
    try:
        return read_job(path).job
    except RepasseError as error:
        return error.message
    except Exception as bug:  # noqa: BLE001  # one file nobody can read hides no other job
        return describe_bug(bug)


def _source(position: int, job: Job) -> tuple[str, str]:
    """Name a source as the command line would: by its layout where that is its alone, by its position elsewhere."""
    names = [source.layout if isinstance(source.layout, str) else source.layout.layout for source in job.sources]
    name = names[position - 1]
    return (name if names.count(name) == 1 else str(position)), ", ".join(job.sources[position - 1].files)
