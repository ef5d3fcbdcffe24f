"""demo, sandbox, up: Repasse on sample data and a stand-in service, on loopback alone."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.cli.payouts import check, show_report
from schemas.errors import ConfigurationError
from schemas.exit_codes import ExitCode, worst
from schemas.messages import Message

if TYPE_CHECKING:
    from rich.console import Console

    from flows.runner import RunReport

ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = ROOT / "sample_data"
POOL: Final = "repasse"
LOCAL: Final = "127.0.0.1"
PORTS: Final = {"prefect": 4200, "sandbox": 8090, "desk": 8070}
PREFECT_URL: Final = f"http://{LOCAL}:{PORTS['prefect']}"
START_S: Final = 120.0
SAMPLE_JOBS: Final = ("payments", "royalties")

_PREPARATIONS: Final = (
    ["prefect", "work-pool", "create", POOL, "--type", "process", "--overwrite"],
    ["prefect", "block", "register", "--module", "flows.prefect_ui.deployments"],
    ["prefect", "--no-prompt", "deploy", "--all"],
    ["python", "-c", "from flows.prefect_ui.events import ensure_automations; ensure_automations()"],
)
GRACE_S: Final = 10.0

QUIET_PREFECT: Final = {
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "ERROR",
    "PREFECT_CLI_WRAP_LINES": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",  # a busy machine takes longer than Prefect's own 20
}


def demo() -> None:
    """Walk the whole way on the sample data; no server, no key.

    The service is the embedded sandbox; all it writes is in the folder demo of the home folder.
    """
    from rich.console import Console

    console = Console(highlight=False)
    folder = _fresh_folder()
    _point_at_sandbox(folder)
    _title(console, "1. A sheet full of mistakes: every one is named, nothing is sent")
    broken, _ = check(folder / "broken" / "job.yaml")
    with _prefect(console, folder):
        _title(console, "2. Royalties: two statements, forty payees, advances, a minimum")
        royalties = _pay(folder / "royalties" / "job.yaml", console)
        _title(console, "3. A list of payments: CPF, CNPJ, Pix keys and bank accounts")
        payments = _pay(folder / "payments" / "job.yaml", console)
        _title(console, "4. The same list again: nothing is paid twice")
        again = _pay(folder / "payments" / "job.yaml", console)
    console.print(f"\nEverything is in {folder}: open a reconciliation.xlsx.", soft_wrap=True)
    expected = broken is ExitCode.ROWS_REFUSED
    outcome = worst(report.exit_code for report in (royalties, payments, again))
    fine = expected and outcome in {ExitCode.DONE, ExitCode.ROWS_HELD}
    raise typer.Exit(int(ExitCode.DONE if fine else outcome or broken))


def _fresh_folder() -> Path:
    if not SAMPLES.is_dir():
        raise ConfigurationError(Message("error.no_sample_data"))
    folder = Path(os.environ.get("REPASSE_HOME", ".repasse")).absolute() / "demo"
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True, mode=0o700)
    copy_samples(("broken", "royalties", "payments"), folder)
    return folder


def _point_at_sandbox(folder: Path) -> None:
    """The demo never meets a real service, whatever the environment says."""
    for name in [name for name in os.environ if name.startswith("REPASSE_")]:
        del os.environ[name]
    os.environ |= {"REPASSE_API_URL": "sandbox", "REPASSE_HOME": str(folder)}


@contextmanager
def _prefect(console: "Console", folder: Path) -> Iterator[None]:
    """Let Prefect watch from a server of its own, or from the one the environment names."""
    os.environ |= {name: value for name, value in QUIET_PREFECT.items() if name not in os.environ}
    if not os.environ.get("PREFECT_API_URL"):
        os.environ |= {"PREFECT_HOME": str(folder / "prefect"), "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true"}
    from flows.prefect_ui.states import without_heartbeat

    console.print("[dim](Prefect starts a server of its own now; that takes a few seconds)[/dim]")
    with without_heartbeat():
        yield


def _pay(job: Path, console: "Console") -> "RunReport":
    from flows.cli.printing import progress_on
    from flows.runner import RunOptions
    from flows.start import start_payout

    with progress_on(console) as progress:
        report = start_payout(job, RunOptions(yes=True, by="demo"), progress=progress, watched=True)
    show_report(report, as_json=False)
    return report


def _title(console: "Console", text: str) -> None:
    console.print(f"\n[bold]{text}[/bold]")


def copy_samples(names: Iterable[str], folder: Path) -> None:
    """Copy these sample jobs into a folder, without the outputs of earlier runs.

    Raises:
        FileNotFoundError: the program was installed without the repository's sample data.
    """
    for name in names:
        shutil.copytree(SAMPLES / name, folder / name, ignore=shutil.ignore_patterns("out"))


def sandbox(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", help="Port to listen on; 0 takes a free one.")] = 8090,
    database: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of its state; sandbox.db in the home folder.")
    ] = None,
) -> None:
    """Serve the stand-in payout service; no money moves."""
    from io_adapters.sandbox import SandboxSettings
    from io_adapters.sandbox.serving import serve

    where = database or _home() / "sandbox.db"
    where.parent.mkdir(parents=True, exist_ok=True)
    settings = SandboxSettings()

    def tell(url: str) -> None:
        typer.echo(f"sandbox at {url}\n  export REPASSE_API_URL={url} REPASSE_API_KEY={settings.api_key}")

    try:
        serve(host, port, where, settings, on_ready=tell)
    except OSError as error:
        raise ConfigurationError(Message("error.cannot_listen", host=host, port=port, why=error.strerror)) from None


def up() -> None:
    """Start Prefect, a worker, the sandbox and the desk, to try.

    A Prefect server, a worker with the deployments, the sandbox and the desk, on loopback, with sample jobs;
    Ctrl-C ends all of it.
    """
    home = _home() / "up"
    jobs = jobs_folder(home)
    logs = home / "logs"
    logs.mkdir(exist_ok=True)
    _expect_free_ports()
    together = Together(_environment(home, jobs), logs)
    with _asked_to_end():
        try:
            typer.echo("starting Prefect, the sandbox and the desk: half a minute ...")
            together.start("prefect", ["prefect", "server", "start", "--host", LOCAL, "--port", _port("prefect")])
            together.start("sandbox", ["repasse", "sandbox", "--port", _port("sandbox")])
            together.start("desk", ["repasse", "desk", "--port", _port("desk")])
            for name in PORTS:
                _wait_for(name, together)
            for command in _PREPARATIONS:
                together.do("preparations", command)
            together.start("worker", ["prefect", "worker", "start", "--pool", POOL])
            typer.echo(_greeting(home, jobs, together.environment))
            while True:
                together.check()
                time.sleep(0.5)
        except KeyboardInterrupt:
            typer.echo("ending ...")
        finally:
            together.stop()


def jobs_folder(home: Path) -> Path:
    """Make the folders of an installation that is tried out, with sample jobs where nobody named jobs.

    Returns:
        REPASSE_JOBS; without it, a folder of this home, which gets copies of sample jobs while it is empty.
    """
    given = os.environ.get("REPASSE_JOBS")
    jobs = Path(given).absolute() if given else home / "jobs"
    for folder in (home, jobs):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not given and not any(jobs.iterdir()):
        copy_samples(SAMPLE_JOBS, jobs)
    return jobs


def _home() -> Path:
    """Return the home folder, whatever service the environment names: nothing here speaks to it."""
    from flows.settings import read_settings

    return read_settings({name: value for name, value in os.environ.items() if name == "REPASSE_HOME"}).home


def _environment(home: Path, jobs: Path) -> dict[str, str]:
    """Say to all of it where the others are; everything is on loopback, and the service is the sandbox."""
    return os.environ | {
        "PREFECT_HOME": str(home / "prefect"),
        "PREFECT_API_URL": f"{PREFECT_URL}/api",
        "PREFECT_SERVER_UI_API_URL": f"{PREFECT_URL}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
        "REPASSE_HOME": str(home),
        "REPASSE_JOBS": str(jobs),
        "REPASSE_API_URL": f"http://{LOCAL}:{PORTS['sandbox']}/external",
        "REPASSE_API_KEY": "sandbox-key",
        "REPASSE_LAUNCH": "here",
        "REPASSE_DESK_URL": f"http://{LOCAL}:{PORTS['desk']}",
    }


def _greeting(home: Path, jobs: Path, environment: Mapping[str, str]) -> str:
    """Say where everything is, how somebody gets into the desk, and how a terminal joins in."""
    program = shlex.quote(os.path.relpath(Path(sys.executable).parent / "repasse"))
    ana = f"{program} desk user add 'Ana Prado' --role preparer --role approver"
    shared = ("REPASSE_HOME", "REPASSE_API_URL", "REPASSE_API_KEY", "PREFECT_API_URL")
    return "\n".join(
        (
            f"Prefect  {PREFECT_URL}",
            f"desk     http://{LOCAL}:{PORTS['desk']}",
            f"sandbox  {environment['REPASSE_API_URL']}",
            f"jobs     {jobs}",
            f"logs     {home / 'logs'}",
            "To sign in to the desk, in another terminal:",
            f"  REPASSE_HOME={shlex.quote(str(home))} {ana}",
            "To work in a terminal on the same ledger and service:",
            "  export " + " ".join(f"{name}={shlex.quote(environment[name])}" for name in shared),
            "Ctrl-C ends all of it.",
        )
    )


def _port(name: str) -> str:
    return str(PORTS[name])


def _expect_free_ports() -> None:
    for name, port in PORTS.items():
        if _answers(port):
            raise ConfigurationError(Message("error.port_taken", port=port, name=name))


def _answers(port: int) -> bool:
    import socket

    try:
        with socket.create_connection((LOCAL, port), timeout=2):
            return True
    except OSError:
        return False


def _wait_for(name: str, together: "Together") -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        together.check()
        if _answers(PORTS[name]):
            return
        time.sleep(0.2)
    raise ConfigurationError(
        Message("error.not_started", name=name, seconds=f"{START_S:.0f}", log=str(together.logs / name))
    )


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """Asked to end by Ctrl-C or a signal, all of it ends; even where whoever started it ignores Ctrl-C, as `&` does."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True, slots=True)
class Program:
    """A program that runs, and where it writes."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path


@dataclass(slots=True)
class Together:
    """Programs of this installation, with one environment.

    Attributes:
        environment: What they are told.
        logs: Folder of their logs, one file each.
        programs: Those that were started, in that order.
    """

    environment: Mapping[str, str]
    logs: Path
    programs: list[Program] = field(default_factory=list)

    def start(self, name: str, command: Sequence[str]) -> None:
        """Start a program, and go on."""
        log = self.logs / f"{name}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603
                _of_this_installation(command),
                cwd=ROOT,
                env=dict(self.environment),
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self.programs.append(Program(name, process, log))

    def do(self, name: str, command: Sequence[str]) -> None:
        """Run a program to its end.

        Raises:
            ConfigurationError: it failed; its log says why.
        """
        log = self.logs / f"{name}.log"
        with log.open("ab") as out:
            done = subprocess.run(  # noqa: S603
                _of_this_installation(command),
                cwd=ROOT,
                env=dict(self.environment),
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        if done.returncode:
            raise ConfigurationError(
                Message("error.command_failed", command=" ".join(command[:3]), code=done.returncode, log=str(log))
            )

    def check(self) -> None:
        """Look whether all of them still run.

        Raises:
            ConfigurationError: one has ended.
        """
        for program in self.programs:
            if program.process.poll() is not None:
                code = program.process.returncode
                raise ConfigurationError(
                    Message("error.program_ended", program=program.name, code=code, log=str(program.log))
                )

    def stop(self) -> None:
        """Ask, wait, and insist; only what was started here, with what it started itself."""
        for program in reversed(self.programs):
            _signal(program, signal.SIGINT)
        until = time.monotonic() + GRACE_S
        for program in reversed(self.programs):
            with suppress(subprocess.TimeoutExpired):
                program.process.wait(max(0.1, until - time.monotonic()))
            _signal(program, signal.SIGKILL)
            program.process.wait()


def _of_this_installation(command: Sequence[str]) -> list[str]:
    return [str(Path(sys.executable).parent / command[0]), *command[1:]]


def _signal(program: Program, number: signal.Signals) -> None:
    """Reach the program's whole group; one that has ended may have left children in it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.process.pid, number)
