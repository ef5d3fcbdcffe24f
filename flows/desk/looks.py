"""Looks at a job's files: read and checked once for each content, in a thread, kept for a while."""

import datetime as dt
import shutil
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

import pandas as pd

from flows.desk.jobs import JobsFolder
from flows.intake.read import read
from flows.payables.draft import draft
from flows.reconciliation.preview import page_of, view_plan
from flows.reconciliation.rules.reconcile import count_rows
from flows.reconciliation.write import corrections_of, missing_shares_of
from flows.run import Run
from flows.runner import SYSTEM_CLOCK, describe_bug, opened_offline, read_run_request
from io_adapters.desk.ports import JobLine, Look, Preview, Table
from io_adapters.ledger.ledger import Ledger
from io_adapters.spreadsheets.files import expand, is_url
from schemas.errors import ConfigurationError, RepasseError
from schemas.job import Job
from schemas.reconciliation import RowCounts
from schemas.tables.contract import records

KEPT: Final = 24
AT_ONCE: Final = 2
# So long a look speaks for the same content asked again, as by a double click; then what people decided since, or what
# another job has paid, may have changed it.
GOOD_FOR_S: Final = 10.0
NOTHING: Final = RowCounts().model_dump()


class Silence:
    """Nobody watches; a file's name may be a person's, and logs name nobody."""

    def stage(self, name: str) -> None:
        """Say nothing."""

    def tell(self, message: str) -> None:
        """Say nothing."""

    def advance(self, what: str, done: int, total: int) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class _Kept:
    job: JobLine
    files: tuple[str, ...]
    seen: Future[Preview]
    since_s: float

    def is_stale(self) -> bool:
        """Whether asking again is worth another look: it ended, and failed or was some time ago."""
        if not self.seen.done():
            return False
        return bool(self.seen.result().failure) or monotonic() - self.since_s > GOOD_FOR_S


class Previews:
    """What people have looked at lately.

    Args:
        folder: Where corrections workbooks lie while their look is kept.
        jobs: The jobs.
        ledger: Only asked for the standing of jobs.
        open_ledger: Opens the ledger for one look.
    """

    def __init__(self, folder: Path, jobs: JobsFolder, ledger: Ledger, open_ledger: Callable[[], Ledger]) -> None:
        self._folder = folder
        self._jobs = jobs
        self._ledger = ledger
        self._open_ledger = open_ledger
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="look")
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = Lock()
        shutil.rmtree(folder, ignore_errors=True)  # of a desk before this one

    def begin(self, job_token: str, files: Sequence[str]) -> str:
        """Start to look; the same content is looked at once."""
        path, line = self._jobs.path_of(job_token), self._jobs.get(job_token)
        if path is None or line is None:
            raise ConfigurationError("there is no such job any more")
        token = self._token(path, line, files)
        with self._lock:
            known = self._kept.get(token)
            if known is None or known.is_stale():
                look = self._threads.submit(self._look, path, tuple(files), line.period, self._folder / token)
                self._kept[token] = _Kept(line, tuple(files), look, monotonic())
            self._kept.move_to_end(token)
            gone = [self._kept.popitem(last=False)[0] for _ in range(len(self._kept) - KEPT)]
        for name in gone:
            shutil.rmtree(self._folder / name, ignore_errors=True)
        return token

    def get(self, token: str) -> Look | None:
        """Return a look that is still kept."""
        with self._lock:
            kept = self._kept.get(token)
        if kept is None:
            return None
        return Look(token, kept.job, kept.files, kept.seen.result() if kept.seen.done() else None)

    def close(self) -> None:
        """Let go of everything."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _token(self, path: Path, line: JobLine, files: Sequence[str]) -> str:
        """Name the content of a look: the job file, what is read, and how the job stands in the ledger."""
        declared, last = self._jobs.declared(path), self._ledger.runs.latest(line.name)
        try:
            content = path.read_bytes()
        except OSError:
            raise ConfigurationError("the job file cannot be read any more") from None
        parts = [content.hex(), line.period, *files, *(() if last is None else (last.run_id, last.state))]
        if isinstance(declared, Job):
            parts += [_fingerprint(name) for name in _files_of(declared, path.parent, line.period)]
        return sha256("\0".join(parts).encode()).hexdigest()[:40]

    def _look(self, path: Path, files: tuple[str, ...], period: str, folder: Path) -> Preview:
        try:
            return self._seen(path, files, period, folder)
        except RepasseError as error:
            return Preview((), NOTHING, error.issues, None, None, error.message, None)
        except Exception as bug:  # noqa: BLE001  # the page says so; its text may hold people's data
            return Preview((), NOTHING, (), None, None, describe_bug(bug), None)

    def _seen(self, path: Path, files: tuple[str, ...], period: str, folder: Path) -> Preview:
        order = read_run_request(path, files=files, period=period)
        with opened_offline(order, Silence(), SYSTEM_CLOCK, self._open_ledger()) as run:
            read(run)
            failure, plan = "", None
            try:
                draft(run)
                plan = page_of(view_plan(run))
            except RepasseError as unsound:
                failure = unsound.message
            corrections, missing = corrections_of(run, folder), missing_shares_of(run, folder)
            return Preview(
                tables=_tables(run),
                rows=count_rows(run.require_inputs().rows).model_dump(),
                issues=tuple(run.issues),
                corrections=corrections,
                missing_shares=missing,
                failure=failure,
                plan=plan,
            )


def _tables(run: Run) -> tuple[Table, ...]:
    """Tell each table that was read, with the rows of it that went anywhere."""
    counts = _counts(run.require_inputs().rows)
    return tuple(
        Table(
            file=raw.file.name,
            sheet=raw.sheet or "",
            layout=origin.layout,
            header_row=raw.header_row,
            rows=NOTHING | counts.get((raw.file.name, raw.sheet or ""), {}),
            decisions=raw.decisions,
        )
        for raw, origin in run.sheets
    )


def _counts(runs: pd.DataFrame) -> dict[tuple[str, str], dict[str, int]]:
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in records(runs):
        of_sheet = found.setdefault((row["file"], row["sheet"]), {})
        of_sheet[row["disposition"]] = of_sheet.get(row["disposition"], 0) + int(row["rows"])
    return found


def _files_of(job: Job, folder: Path, period: str) -> list[str]:
    patterns = [pattern for source in job.sources for pattern in source.files]
    beside = (job.payees, job.shares, job.advances, job.opening)
    patterns += [pattern for one in beside for pattern in one or ()]
    found: list[str] = []
    for pattern in patterns:
        try:
            found += expand([pattern], folder, period)
        except RepasseError:
            found.append(pattern)
    return found


def _fingerprint(path: str) -> str:
    """Tell one state of a file from another without reading it; a URL's state is asked anew each time."""
    if is_url(path):
        return f"{path} {dt.datetime.now(dt.UTC).isoformat()}"
    try:
        stat = Path(path).stat()
    except OSError:
        return path
    return f"{path} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"
