"""Launching runs in processes of their own, without waiting: for a form, the desk, a delivery."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock, Thread
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
        warm: Whether a child is kept ready that has loaded the program, so that a run begins at once.
    """

    is_queued = False

    def __init__(self, settings: Settings, *, warm: bool = False) -> None:
        self._settings = settings
        self._warm = warm
        self._lock = Lock()
        self._ready: subprocess.Popen[bytes] | None = None
        if warm:
            self._warm_up()

    def close(self) -> None:
        """Let the child go that is kept ready; what was started goes on."""
        with self._lock:
            ready, self._ready, self._warm = self._ready, None, False
        if ready is not None:
            _let_go(ready)

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
            if not self._hand_over(arguments, log):
                child = subprocess.Popen(  # noqa: S603
                    [sys.executable, "-c", "from flows.cli import main; main()", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=written,
                    stderr=written,
                    env=self._environment(),
                    start_new_session=True,
                )
                _outlive(child)
        except OSError as error:
            log.unlink(missing_ok=True)
            raise NotLaunched(Message("error.not_launched", why=error.strerror)) from error
        finally:
            os.close(written)
        self._warm_up()

    def _hand_over(self, arguments: Sequence[str], log: Path) -> bool:
        """Give the child that is ready its command; False where there is none that lives."""
        with self._lock:
            ready, self._ready = self._ready, None
        if ready is None or ready.stdin is None or ready.poll() is not None:
            return False
        _outlive(ready)
        try:
            with ready.stdin as pipe:
                pipe.write(json.dumps({"arguments": list(arguments), "log": str(log)}).encode() + b"\n")
        except OSError:  # it died meanwhile, and has started nothing: it reads its command whole, or not at all
            return False
        return True

    def _warm_up(self) -> None:
        """Start a child that loads the program and waits; where that fails, the next run starts cold."""
        with self._lock:
            if not self._warm or self._ready is not None:
                return
            with suppress(OSError):
                self._ready = subprocess.Popen(
                    [sys.executable, "-c", "from flows.cli.waiting import wait; wait()"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=self._environment(),
                    start_new_session=True,
                )

    def wait_until_warm(self) -> bool:
        """Wait until the child that is kept ready has loaded the program; False where there is none."""
        with self._lock:
            ready = self._ready
        return ready is not None and ready.stdout is not None and bool(ready.stdout.readline())

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


def _outlive(child: "subprocess.Popen[bytes]") -> None:
    """Wait for a child's end beside everything else, so that it leaves no zombie."""
    Thread(target=child.wait, name=f"launched-{child.pid}", daemon=True).start()


def _let_go(child: "subprocess.Popen[bytes]") -> None:
    """Close a waiting child's standard input, which ends it, and wait for that."""
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    _outlive(child)


class Launcher(Protocol):
    """Starts runs without waiting for their end.

    Attributes:
        is_queued: Whether a run waits for a worker before it starts.
    """

    is_queued: bool

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

    def close(self) -> None:
        """Let go of what was kept ready; what was started goes on."""


def launcher_for(settings: Settings, *, warm: bool = False) -> Launcher:
    """Choose by the environment: deployments where PREFECT_API_URL names a server, child processes elsewhere.

    REPASSE_LAUNCH=here starts children all the same: Prefect sees them, and no worker has to start a process for each.

    Args:
        settings: Of the environment.
        warm: Whether a child is kept ready.
    """
    if is_watched() and settings.launch == "worker":
        from flows.prefect_ui.deployments import DeploymentLauncher  # noqa: PLC0415

        return DeploymentLauncher()
    return ChildLauncher(settings, warm=warm)
