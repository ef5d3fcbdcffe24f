"""Starts runs for the desk, and finds the run each launch became."""

import datetime as dt
import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from flows.desk.jobs import JobsFolder
from flows.walking.launching import Launcher
from io_adapters.desk.ports import LaunchStanding
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import Run
from schemas.desk_people import Launch
from schemas.errors import ConfigurationError, RepasseError
from schemas.person import same_person

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

    def payout(self, job_token: str, files: Sequence[str], *, by: str, key: str) -> str:
        """Start a job's payout with files in place of its own."""
        path = self._jobs.path_of(job_token)
        if path is None:
            raise ConfigurationError("there is no such job any more")
        return self.start(str(path.absolute()), tuple(files), by=by, key=key)

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

        Returns:
            Its name for addresses.

        Raises:
            RepasseError: it could not be made; it may be tried again.
        """
        name = sha256(key.encode()).hexdigest()[:32]
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
        since = launch.at - CLOCKS_APART
        runs = [one for one in self._ledger.runs.list(RUNS_SEARCHED) if _is_of(one, launch) and one.started_at >= since]
        if runs:
            return LaunchStanding(job, runs[-1].run_id, (), ended=False)
        words = self._said(key)
        ended = bool(words) or self._now() > launch.at + PATIENCE
        return LaunchStanding(job, "", words, ended=ended)

    def files_of(self, run: Run) -> tuple[str, ...]:
        """Return the files a run was given: by its launch, or, where somebody else started it, none."""
        for launch in self._ledger.desk_launches.of_job_file(run.job_file):
            if _is_of(run, launch) and launch.at - CLOCKS_APART <= run.started_at:
                return launch.files
        return ()

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


def _is_of(run: Run, launch: Launch) -> bool:
    return run.job_file == launch.job_file and same_person(run.prepared_by) == same_person(launch.by)
