"""The jobs folder on the desk, and launching runs: each launch is written down first, so it starts once."""

import datetime as dt
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from flows.desk.guard import Posted, RequestRefused, SignedIn, new_token, settings_of
from flows.desk.pages import show
from flows.desk.runs import as_shown, planned_runs
from flows.launch import Launcher
from flows.run_options import RunOptions
from flows.run_request import find_jobs, names_of_sources, require_within_reach
from flows.runner import describe_bug
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import StoredRun
from io_adapters.spreadsheets.declarations import read_job
from schemas.approval import Launch, Role
from schemas.deliveries import last_opened, month_after
from schemas.errors import ConfigurationError, RepasseError
from schemas.job import BRASILIA, PREVIOUS_MONTH, Job, PeriodRange, resolve_period
from schemas.messages import Listed, Message
from schemas.submission import SubmissionState
from schemas.values.names import same_person

# A run that has not shown up by then will not, or not soon: people are told.
PATIENCE: Final = dt.timedelta(seconds=90)
# Clocks of the machine that runs may be behind ours.
CLOCKS_APART: Final = dt.timedelta(seconds=5)
RUNS_SEARCHED: Final = 200

router = APIRouter()


@dataclass(frozen=True, slots=True)
class JobLine:
    """One job of the jobs folder.

    Attributes:
        period: The one at hand; "" where no month is open.
        next_month: The month that may be opened; "" where the job says its periods itself.
        has_statements, asks_invoices: Whether a month may ask for rates and sums received, and for invoices.
    """

    token: str
    file: str
    name: str
    period: str
    payer: str
    sources: tuple[tuple[str, str], ...]
    problem: Message | Listed | None
    last_run: StoredRun | None
    waiting_digest: str
    next_month: str = ""
    has_statements: bool = False
    asks_invoices: bool = False


@dataclass(frozen=True, slots=True)
class LaunchState:
    """A launch: the run it became, or why there is none yet."""

    job: JobLine | None
    run_id: str
    reasons: tuple[str, ...]
    ended: bool
    at: dt.datetime
    queued: bool


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What waits for people: runs with a plan (see `planned_runs`), and the plan of each job and period."""

    planned: Mapping[str, bool]
    waiting: Mapping[tuple[str, str], str]


class JobsFolder:
    """Jobs by token; files are read again when they change."""

    def __init__(self, folder: Path | None, ledger: Ledger, now: Callable[[], dt.datetime]) -> None:
        self._folder = folder
        self._ledger = ledger
        self._now = now
        self._read: dict[Path, tuple[tuple[int, int], Job | Message | Listed]] = {}
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path | None:
        return self._folder

    def token_of(self, path: Path) -> str:
        return self._token(path)

    def list(self) -> tuple[JobLine, ...]:
        if self._folder is None or not self._folder.is_dir():
            return ()
        snapshot = self._snapshot()
        return tuple(self._line(path, snapshot) for path in find_jobs(self._folder))

    def get(self, token: str) -> JobLine | None:
        path = self.path_of(token)
        return None if path is None else self._line(path, self._snapshot())

    def of_path(self, path: str) -> JobLine | None:
        found = Path(path)
        if self._folder is None or not found.is_file() or not found.is_relative_to(self._folder):
            return None
        return self._line(found, self._snapshot())

    def path_of(self, token: str) -> Path | None:
        if self._folder is None or not self._folder.is_dir():
            return None
        return next((path for path in find_jobs(self._folder) if self._token(path) == token), None)

    def declared(self, path: Path) -> Job | Message | Listed:
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
            return Listed((error.strerror or type(error).__name__,))
        return known[1]

    def _snapshot(self) -> _Snapshot:
        runs = planned_runs(self._ledger)
        planned = self._ledger.submissions.list(states={SubmissionState.PLANNED}, bodies=False)
        waiting = {(p.job, p.period): p.plan_digest for p in planned if runs.get(p.run_id) is False}
        return _Snapshot(runs, waiting)

    def _token(self, path: Path) -> str:
        assert self._folder is not None  # noqa: S101 - asked only of files that were found in it
        return sha256(str(path.relative_to(self._folder)).encode()).hexdigest()[:20]

    def _line(self, path: Path, snapshot: _Snapshot) -> JobLine:
        assert self._folder is not None  # noqa: S101
        shown, token, job = str(path.relative_to(self._folder)), self._token(path), self.declared(path)
        if not isinstance(job, Job):
            return JobLine(token, shown, "", "", "", (), job, None, "")
        period, following = self._months(job)
        last = self._ledger.runs.latest(job.job)
        patterns = (", ".join(source.files) for source in job.sources)
        sources = tuple(zip(names_of_sources(job), patterns, strict=True))
        last_run = as_shown(last, snapshot.planned, self._ledger, self._now()) if last else None
        digest = snapshot.waiting.get((job.job, period), "")
        has_statements = any(source.layout_name != "payments" for source in job.sources)
        whose = (job.job, period, job.payer.name, sources)
        return JobLine(
            token, shown, *whose, None, last_run, digest, following, has_statements, job.invoices is not None
        )

    def _months(self, job: Job) -> tuple[str, str]:
        """Return the period that is at hand, the latest that was opened, and the month that may be opened next."""
        today = self._now().astimezone(BRASILIA).date()
        own = resolve_period(job.period, today).label if job.period else ""
        if isinstance(job.period, PeriodRange) or job.period == PREVIOUS_MONTH:
            return own, ""
        period = max(own, last_opened(self._ledger.acts.on_months(), job.job))
        return period, month_after(period) if period else resolve_period(PREVIOUS_MONTH, today).label


def _declared(path: Path) -> Job | Message | Listed:
    try:
        job = read_job(path).job
        require_within_reach(job, path)
    except RepasseError as error:
        return error.content
    except Exception as bug:  # noqa: BLE001  # one file nobody can read hides no other job
        return describe_bug(bug)
    return job


class Launches:
    """Launches of the desk. Each is written down first, so that one key starts nothing twice."""

    def __init__(
        self, ledger: Ledger, jobs: JobsFolder, launcher: Launcher, log_folder: Path, now: Callable[[], dt.datetime]
    ) -> None:
        self._ledger = ledger
        self._jobs = jobs
        self._launcher = launcher
        self._log_folder = log_folder
        self._now = now

    def payout(self, job_token: str, options: RunOptions, *, key: str) -> str:
        path = self._jobs.path_of(job_token)
        if path is None:
            raise ConfigurationError(Message("error.no_job"))
        return self.start(str(path.absolute()), options, key=key)

    def go_on(self, run_id: str, *, by: str) -> str:
        run = self._ledger.runs.get(run_id)
        if run is None or not run.job_file:
            raise ConfigurationError(Message("error.not_taken_up"))
        return self.start(run.job_file, self.again(run, by), key=f"after-{run_id}")

    def again(self, run: StoredRun, by: str) -> RunOptions:
        """Return what is asked of a run that goes on where another one ended: its files, for its period."""
        return RunOptions(list(self.files_of(run)), by=by, period=run.period)

    def start(self, job_file: str, options: RunOptions, *, key: str, digest: str | None = None) -> str:
        """Write a launch down, and make it; taken back where it cannot be made.

        The same key starts nothing twice, but where what it started ended before its run began, as when another run
        held the job, it is another try.

        Raises:
            RepasseError: it could not be made; it may be tried again.
        """
        name = next(name for name in _names(key) if not self._came_to_nothing(name))
        if self._ledger.desk_launches.record(name, job_file, tuple(options.files), options.by, digest):
            try:
                self._launcher.payout(Path(job_file), options, key=name)
            except RepasseError:
                self._ledger.desk_launches.forget(name)
                raise
        return name

    def settle(self, *, key: str) -> None:
        """Look once at everything that is open."""
        self._launcher.settle(key=key)

    def get(self, key: str) -> LaunchState | None:
        """Find the run a launch became; after a while without one, say what the child said."""
        launch = self._ledger.desk_launches.get(key)
        if launch is None:
            return None
        job = self._jobs.of_path(launch.job_file)
        run = _became([stored for stored in self._ledger.runs.list(RUNS_SEARCHED) if _is_of(stored, launch)], launch)
        if run is not None:
            return LaunchState(job, run.run_id, (), ended=False, at=launch.at, queued=False)
        reasons = self._outcome_of(key)
        ended = bool(reasons) or self._now() > launch.at + PATIENCE
        return LaunchState(job, "", reasons, ended=ended, at=launch.at, queued=self._launcher.is_queued)

    def files_of(self, run: StoredRun) -> tuple[str, ...]:
        """Return the files a run was given: by its launch, or, where somebody else started it, none."""
        launches = [launch for launch in self._ledger.desk_launches.of_job_file(run.job_file) if _is_of(run, launch)]
        for apart in (dt.timedelta(0), CLOCKS_APART):
            for launch in launches:
                if launch.at - apart <= run.started_at:
                    return launch.files
        return ()

    def _came_to_nothing(self, name: str) -> bool:
        launch = self.get(name)
        return launch is not None and launch.ended

    def _outcome_of(self, name: str) -> tuple[str, ...]:
        """Return why a child ended without a run: the one document it printed, once it is whole."""
        log = self._log_folder / f"{sha256(name.encode()).hexdigest()[:32]}.log"
        try:
            text = log.read_text(encoding="utf-8", errors="replace")
            document = json.loads(text[text.index("{\n") if "{\n" in text else text.index("{") :])
        except (OSError, ValueError):
            return ()
        error = document.get("error") if isinstance(document, dict) else None
        return tuple(str(error).splitlines()) if error else ()


def _names(key: str) -> Iterator[str]:
    for number in count(1):
        text = key if number == 1 else f"{key} {number}"
        yield sha256(text.encode()).hexdigest()[:32]


def _became(runs: Sequence[StoredRun], launch: Launch) -> StoredRun | None:
    """Choose the run a launch became: the first since; where clocks are apart, one shortly before that still ran."""
    since = [run for run in runs if run.started_at >= launch.at]
    just_before = [
        run
        for run in runs
        if launch.at - CLOCKS_APART <= run.started_at < launch.at
        and (run.finished_at is None or run.finished_at > launch.at)
    ]
    found = since or just_before
    return found[-1] if found else None


def _is_of(run: StoredRun, launch: Launch) -> bool:
    return run.job_file == launch.job_file and same_person(run.prepared_by) == same_person(launch.by)


def jobs_of(request: Request) -> JobsFolder:
    jobs: JobsFolder = request.app.state.desk.jobs
    return jobs


def launches_of(request: Request) -> Launches:
    launches: Launches = request.app.state.desk.launches
    return launches


def job_of(request: Request, token: str) -> JobLine:
    """Return the job that an address names.

    Raises:
        Refused: there is none.
    """
    job = jobs_of(request).get(token)
    if job is None:
        raise RequestRefused(404, "desk.refused.nothing")
    return job


@router.get("/jobs/{token}")
def job(request: Request, token: str, _signed: SignedIn) -> Response:
    limit = settings_of(request).upload_limit_bytes
    return show(request, "job.html", job=job_of(request, token), limit_bytes=limit)


@router.get("/launches/{key}")
def launched(request: Request, key: str, _signed: SignedIn) -> Response:
    """Show what became of a launch: the run, as soon as there is one."""
    launch = launches_of(request).get(key)
    if launch is None:
        raise RequestRefused(404, "desk.refused.nothing")
    if launch.run_id:
        return RedirectResponse(f"/runs/{launch.run_id}", status_code=303)
    return show(request, "launched.html", launch=launch)


@router.post("/runs/{run_id}/go-on")
def go_on(request: Request, run_id: str, signed: SignedIn, _form: Posted) -> Response:
    """Start the same payout again, to finish what is left; pays nothing twice."""
    signed.require(Role.PREPARER)
    name = launches_of(request).go_on(run_id, by=signed.user.name)
    return RedirectResponse(f"/launches/{name}", status_code=303)


@router.post("/settle")
def settle(request: Request, _signed: SignedIn, _form: Posted) -> Response:
    """Look once at everything that is open or in doubt; creates no report."""
    launches_of(request).settle(key=f"desk-settle-{new_token()[:16]}")
    return RedirectResponse("/?done=settle", status_code=303)
