"""Starts runs from elsewhere - a form, the desk, a delivery - without waiting for them, as processes of their own."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Protocol

from flows.settings import Settings
from flows.start import is_watched
from schemas.errors import RepasseError
from schemas.exit_codes import ExitCode
from schemas.messages import Message


class NotLaunched(RepasseError):
    """A run could not be started; what was recorded before stands, and nothing was sent."""

    exit_code = ExitCode.NOT_SENT


class ChildLauncher:
    """Starts `repasse run` or `repasse settle` as a process of its own, which outlives this one.

    Args:
        settings: The child gets the same; its words go to a file of the home folder that only its user can read.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def payout(self, job_path: Path, *, files: Sequence[str] = (), by: str, key: str, period: str = "") -> None:
        """Start `repasse run JOB`; a key that was used before starts nothing."""
        given = [text for path in files for text in ("--file", path)]
        given += ["--period", period] if period else []
        self._start(["run", str(job_path.absolute()), *given, "--by", by, "--json"], key)

    def settle(self, *, key: str) -> None:
        """Start `repasse settle`; a key that was used before starts nothing."""
        self._start(["settle", "--json"], key)

    def _start(self, arguments: Sequence[str], key: str) -> None:
        folder = self._settings.home / "launched"
        log = folder / f"{sha256(key.encode()).hexdigest()[:32]}.log"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Whoever creates the file is the one who starts; all others have come later.
            written = os.open(log, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return
        except OSError as error:
            raise NotLaunched(Message("error.not_launched_folder", folder=str(folder), why=error.strerror)) from error
        try:
            child = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", "from flows.cli import main; main()", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                env=self._environment(),
                start_new_session=True,
            )
        except OSError as error:
            log.unlink(missing_ok=True)
            raise NotLaunched(Message("error.not_launched", why=error.strerror)) from error
        finally:
            os.close(written)
        Thread(target=child.wait, name=f"launched-{child.pid}", daemon=True).start()  # so that it leaves no zombie

    def _environment(self) -> Mapping[str, str]:
        settings, service = self._settings, self._settings.service
        environment = {
            "REPASSE_HOME": str(settings.home),
            "REPASSE_LEDGER_URL": settings.ledger_url,
            "REPASSE_TIMEOUT_S": f"{settings.timeout_s:g}",
        }
        if service is not None:
            environment |= {"REPASSE_API_URL": service.url, "REPASSE_API_KEY": service.api_key}
        return os.environ | environment | dict(settings.assumptions)


class Launcher(Protocol):
    """Starts runs without waiting for their end."""

    def payout(self, job_path: Path, *, files: Sequence[str] = (), by: str, key: str, period: str = "") -> None:
        """Start a job's payout.

        Args:
            job_path: The job file.
            files: Files to read instead of those the job names, each as PATH or SOURCE=PATH.
            by: Who asks; prepares the plan.
            key: Names the launch: the same key again starts nothing. It carries the occasion, an approval and its
                number for instance, and nothing personal.
            period: Month to run a job for `previous_month` for; "" leaves it to the day.

        Raises:
            NotLaunched: it could not be started.
        """

    def settle(self, *, key: str) -> None:
        """Start one look at everything that is open or in doubt.

        Raises:
            NotLaunched: it could not be started.
        """


def launcher_for(settings: Settings) -> Launcher:
    """Choose by the environment: deployments where PREFECT_API_URL names a server, child processes elsewhere."""
    if is_watched():
        from flows.prefect_ui.deployments import DeploymentLauncher  # noqa: PLC0415

        return DeploymentLauncher()
    return ChildLauncher(settings)
