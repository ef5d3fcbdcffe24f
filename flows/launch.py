"""Starting a flow: under Prefect where a server is configured, plainly elsewhere; the same stages either way."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from threading import Lock, Thread
from typing import Final, Protocol

from flows.nights.night import NightReport, folder_of_jobs, run_night
from flows.run import Progress
from flows.run_options import RunOptions, as_words
from flows.run_request import by_hash, declared_name
from flows.runner import CALLER, Caller, RunReport, run_payout, run_settle
from flows.settings import Settings
from schemas.errors import ConfigurationError, NotLaunched
from schemas.messages import Message

_MAIN: Final = "from flows.cli import main; main()"
# What a payout imports on its way; Prefect's part only where Prefect is there to see it.
_LOADED: Final = (
    "flows.cli.payouts",
    "flows.cli.printing",
    "flows.launch",
    "flows.runner",
    "flows.intake.read_lines",
    "io_adapters.outputs.corrections",
    "io_adapters.outputs.run_grids",
    "io_adapters.outputs.statements.folder",
)
_WATCHED: Final = ("flows.payout", "flows.settle")
_READY: Final = b"ready\n"


def wait() -> None:
    """Load the program, say so, and take the one command that comes on standard input; end where that is closed.

    The command is a line of JSON: `arguments`, and `log`, the file that gets all it writes. On return it stands where
    the command line looks for it. Of a check of 1,000 rows this takes away 1.3 of 3.2 seconds.
    """
    for name in (*_LOADED, *(_WATCHED if is_watched() else ())):
        import_module(name)
    os.write(sys.stdout.fileno(), _READY)
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    command = json.loads(line)
    log = os.open(command["log"], os.O_WRONLY | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(log)
    os.close(nothing)
    sys.argv = ["repasse", *command["arguments"]]


def is_watched() -> bool:
    return bool(os.environ.get("PREFECT_API_URL"))


def start_payout(job_path: Path, options: RunOptions, *, progress: Progress, watched: bool | None = None) -> RunReport:
    """Run the payout; `watched` overrides what the environment says.

    Raises:
        RepasseError: the run could not even begin.
    """

    def under_prefect() -> None:
        _require_prefect()
        from flows.payout import payout  # noqa: PLC0415  # Prefect takes a second to import

        # Prefect keeps the parameters: paths and names of files stay in this process.
        files = list(map(by_hash, options.files))
        state = payout(declared_name(job_path), files=files, period=options.period, return_state=True)
        state.result(raise_on_failure=caller.report is None)

    caller = Caller(progress, asked=(job_path, options))
    if is_watched() if watched is None else watched:
        return _reported(caller, under_prefect)
    return _reported(caller, lambda: run_payout(job_path, options))


def start_settle(job: str | None, *, progress: Progress) -> RunReport:
    """Follow what is open or in doubt.

    Raises:
        RepasseError: the run could not even begin.
    """

    def under_prefect() -> None:
        _require_prefect()
        from flows.settle import settle  # noqa: PLC0415  # Prefect takes a second to import

        state = settle(job or "", return_state=True)
        state.result(raise_on_failure=caller.report is None)

    caller = Caller(progress)
    return _reported(caller, under_prefect if is_watched() else lambda: run_settle(job))


def start_night(jobs: str | None, *, progress: Progress) -> NightReport:
    """Run a night: every job of a folder that is due.

    Prefect watches nights that it started itself; one that a person starts is told on the terminal alone.

    Raises:
        RepasseError: the night could not even begin.
    """
    token = CALLER.set(Caller(progress))
    try:
        return run_night(folder_of_jobs(jobs))
    finally:
        CALLER.reset(token)


def _reported(caller: Caller, start: Callable[[], object]) -> RunReport:
    """Run, and return the caller's report; a Prefect that is lost on the way takes nothing of it away."""
    token = CALLER.set(caller)
    try:
        start()
    except Exception:
        if caller.report is None:
            raise
        caller.progress.show("Prefect was lost on the way; it may show the run as running, or as crashed")
    finally:
        CALLER.reset(token)
    if caller.report is None:
        raise RuntimeError("the flow ended without a report; see the Prefect UI")
    return caller.report


def _require_prefect() -> None:
    """Make sure that the Prefect server which the environment names is there, before anything is begun.

    Raises:
        ConfigurationError: it does not answer, or answers everybody.
    """
    if not is_watched():
        return
    from flows.prefect_ui.deployments import is_answering, require_closed_server  # noqa: PLC0415

    require_closed_server()
    if not is_answering():
        raise ConfigurationError(Message("error.prefect_down"))


class ChildLauncher:
    """Starts `repasse run` or `repasse settle` as a process of its own, which outlives this one."""

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

    def payout(self, job_path: Path, options: RunOptions, *, key: str) -> None:
        """Start `repasse run JOB`; a key that was used before starts nothing."""
        self._start(["run", str(job_path.absolute()), *as_words(options), "--json"], key)

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
            if not self._hand_over(self._take_ready(), arguments, log):
                started = self._hand_over(self._waiting_child(written), arguments, log)
                if not started:
                    raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        except OSError as error:
            log.unlink(missing_ok=True)
            raise NotLaunched(Message("error.not_launched", why=error.strerror)) from error
        finally:
            os.close(written)
        self._warm_up()

    def _take_ready(self) -> "subprocess.Popen[bytes] | None":
        with self._lock:
            ready, self._ready = self._ready, None
        return ready

    def _hand_over(self, child: "subprocess.Popen[bytes] | None", arguments: Sequence[str], log: Path) -> bool:
        """Give a child that waits its command, where no list of processes shows it; False where it lives no more."""
        if child is None or child.stdin is None or child.poll() is not None:
            return False
        _outlive(child)
        try:
            with child.stdin as pipe:
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
                self._ready = self._waiting_child(subprocess.DEVNULL)

    def _waiting_child(self, errors: int) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", f"from flows.launch import wait; wait(); {_MAIN}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
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
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    _outlive(child)


class Launcher(Protocol):
    """Starts runs without waiting for their end."""

    is_queued: bool

    def payout(self, job_path: Path, options: RunOptions, *, key: str) -> None:
        """Start a job's payout.

        Args:
            key: Names the launch: the same key again starts nothing. It carries the occasion, an approval and its
                number for instance, and nothing personal.

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
    """
    if is_watched() and settings.launch == "worker":
        from flows.prefect_ui.deployments import DeploymentLauncher  # noqa: PLC0415

        return DeploymentLauncher()
    return ChildLauncher(settings, warm=warm)
