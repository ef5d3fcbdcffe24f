"""Starts runs for the desk, and finds the run each launch became."""

import datetime as dt
import json
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final

from flows.desk.jobs import JobsFolder
from flows.launchers import Launcher
from io_adapters.desk.ports import LaunchStanding
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import Run
from schemas.desk_people import Launch
from schemas.errors import ConfigurationError, RepasseError
from schemas.values.names import same_person

# A run that has not shown up by then will not, or not soon: people are told.
PATIENCE: Final = dt.timedelta(seconds=90)
# Clocks of the machine that runs may be behind ours.
CLOCKS_APART: Final = dt.timedelta(seconds=5)
RUNS_SEARCHED: Final = 200


class Launches:
    """Launches of the desk. Each is written down first, so that one key starts nothing twice.

    Args:
        ledger: Where launches and runs are written.
        jobs: The jobs.
        launcher: Starts runs.
        log_folder: Where child runs leave their words.
        now: The clock.
    """

    def __init__(
        self, ledger: Ledger, jobs: JobsFolder, launcher: Launcher, log_folder: Path, now: Callable[[], dt.datetime]
    ) -> None:
        self._ledger = ledger
        self._jobs = jobs
        self._launcher = launcher
        self._log_folder = log_folder
        self._now = now

    def payout(self, job_token: str, files: Sequence[str], *, by: str, key: str, period: str = "") -> str:
        """Start a job's payout with files in place of its own, for the period that people were shown."""
        path = self._jobs.path_of(job_token)
        if path is None:
            raise ConfigurationError("there is no such job any more")
        return self.start(str(path.absolute()), tuple(files), by=by, key=key, period=period)

    def go_on(self, run_id: str, *, by: str) -> str:
        """Start a run's job again with the files it had."""
        run = self._ledger.runs.get(run_id)
        if run is None or not run.job_file:
            raise ConfigurationError("this run cannot be taken up again")
        return self.start(run.job_file, self.files_of(run), by=by, key=f"after-{run_id}", period=run.period)

    def start(  # each is named at the call
        self,
        job_file: str,
        files: tuple[str, ...],
        *,
        by: str,
        key: str,
        digest: str | None = None,
        period: str = "",
    ) -> str:
        """Write a launch down, and make it; taken back where it cannot be made.

        The same key starts nothing twice, but where what it started ended before its run began, as when another run
        held the job, it is another try.

        Returns:
            Its name for addresses.

        Raises:
            RepasseError: it could not be made; it may be tried again.
        """
        name = next(name for name in _names(key) if not self._came_to_nothing(name))
        if self._ledger.desk_launches.record(name, job_file, files, by, digest):
            try:
                self._launcher.payout(Path(job_file), files=files, by=by, key=name, period=period)
            except RepasseError:
                self._ledger.desk_launches.forget(name)
                raise
        return name

    def settle(self, *, key: str) -> None:
        """Look once at everything that is open."""
        self._launcher.settle(key=key)

    def get(self, key: str) -> LaunchStanding | None:
        """Find the run a launch became; after a while without one, say what the child said."""
        launch = self._ledger.desk_launches.get(key)
        if launch is None:
            return None
        job = self._jobs.of_path(launch.job_file)
        run = _became([one for one in self._ledger.runs.list(RUNS_SEARCHED) if _is_of(one, launch)], launch)
        if run is not None:
            return LaunchStanding(job, run.run_id, (), ended=False)
        words = self._said(key)
        ended = bool(words) or self._now() > launch.at + PATIENCE
        return LaunchStanding(job, "", words, ended=ended)

    def files_of(self, run: Run) -> tuple[str, ...]:
        """Return the files a run was given: by its launch, or, where somebody else started it, none."""
        launches = [one for one in self._ledger.desk_launches.of_job_file(run.job_file) if _is_of(run, one)]
        for apart in (dt.timedelta(0), CLOCKS_APART):
            for launch in launches:
                if launch.at - apart <= run.started_at:
                    return launch.files
        return ()

    def _came_to_nothing(self, name: str) -> bool:
        standing = self.get(name)
        return standing is not None and standing.ended

    def _said(self, name: str) -> tuple[str, ...]:
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
    """Name the tries of a launch, one after the other."""
    for number in count(1):
        text = key if number == 1 else f"{key} {number}"
        yield sha256(text.encode()).hexdigest()[:32]


def _became(runs: Sequence[Run], launch: Launch) -> Run | None:
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


def _is_of(run: Run, launch: Launch) -> bool:
    return run.job_file == launch.job_file and same_person(run.prepared_by) == same_person(launch.by)
