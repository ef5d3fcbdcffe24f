"""demo, up, sandbox: Repasse on sample data and a stand-in service, on loopback alone."""

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

from flows.cli.desk import APPROVES, PREPARES, let_two_in
from schemas.errors import ConfigurationError, ExitCode, worst
from schemas.messages import Message
from schemas.readers import for_people

if TYPE_CHECKING:
    from rich.console import Console

    from flows.runner import RunReport
    from schemas.messages import Catalogue


ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = ROOT / "sample_data"
LOCAL: Final = "127.0.0.1"
PORTS: Final = {"prefect": 4200, "sandbox": 8090, "desk": 8070}
PREFECT_URL: Final = f"http://{LOCAL}:{PORTS['prefect']}"
START_S: Final = 120.0
SAMPLE_JOBS: Final = ("payments", "royalties", "fees")

GRACE_S: Final = 10.0


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
    from flows.settings import read_settings

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
            together.do("preparations", ["repasse", "deploy"])
            together.start("worker", ["prefect", "worker", "start", "--pool", "repasse"])
            own = "REPASSE_JOBS" in os.environ
            password = let_two_in(read_settings(together.environment), None if own else jobs)
            typer.echo(_greeting(home, jobs, together.environment, password))
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
    from flows.settings import Folders

    return Folders().home


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


def _greeting(home: Path, jobs: Path, environment: Mapping[str, str], password: str) -> str:
    """Say where everything is, who may sign in to the desk, and how a terminal joins in."""
    people = f"{PREPARES} prepares, {APPROVES} approves"
    signing_in = (f"people   {people}; password of both: {password}",) if password else ()
    shared = ("REPASSE_HOME", "REPASSE_API_URL", "REPASSE_API_KEY", "PREFECT_API_URL")
    return "\n".join(
        (
            f"Prefect  {PREFECT_URL}",
            f"desk     http://{LOCAL}:{PORTS['desk']}",
            *signing_in,
            f"sandbox  {environment['REPASSE_API_URL']}",
            f"jobs     {jobs}",
            f"logs     {home / 'logs'}",
            f"Try: sign in as {PREPARES}, prepare aurora-fees; then as {APPROVES}, look at its plan and approve it.",
            "To work in a terminal on the same ledger and service:",
            "  export " + " ".join(f"{name}={shlex.quote(environment[name])}" for name in shared),
            "Ctrl-C ends all of it.",
        )
    )


def _port(name: str) -> str:
    return str(PORTS[name])


def _expect_free_ports() -> None:
    for name, port in PORTS.items():
        if answers(port):
            raise ConfigurationError(Message("error.port_taken", port=port, name=name))


def answers(port: int) -> bool:
    """Whether something listens on a port of this machine."""
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
        if answers(PORTS[name]):
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


_EXAMPLES: Final = 3  # of the problems of the broken sheet
_JOBS: Final = ("broken", "royalties", "payments", "fees")
_QUIET_PREFECT: Final = {
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "ERROR",
    "PREFECT_CLI_WRAP_LINES": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",  # a busy machine takes longer than Prefect's own 20
}

Desk = Annotated[
    bool | None,
    typer.Option("--desk/--no-desk", help="Open the desk on it afterwards; without either, in a terminal alone."),
]
Port = Annotated[int | None, typer.Option(metavar="PORT", help="Port of the desk; 8070, or a free one, without.")]


@for_people()
def demo(desk: Desk = None, port: Port = None) -> None:
    """Walk the whole way on the sample data; no server, no key.

    The service is the embedded sandbox; all it writes is in the folder demo of the home folder. In a terminal the desk
    opens on it, with two people to sign in as, and Ctrl-C ends it.
    """
    from rich.console import Console

    from schemas.job import Outputs
    from schemas.messages import catalogue_in

    console, labels = Console(highlight=False, soft_wrap=True), catalogue_in(Outputs().language)
    folder = _fresh_folder()
    _point_at_sandbox(folder)
    console.print(labels("demo.begin"))
    jobs = folder / "jobs"
    broken = _check(jobs / "broken" / "job.yaml", console, labels)
    with _prefect(folder):
        reports = [
            _pay(jobs / name / "job.yaml", console, labels, title)
            for title, name in (("royalties", "royalties"), ("payments", "payments"), ("again", "payments"))
        ]
        waiting = _prepare(jobs / "fees" / "job.yaml", console, labels)
    expected = broken is ExitCode.ROWS_REFUSED and waiting.exit_code is ExitCode.APPROVAL_WANTED
    outcome = worst(report.exit_code for report in reports)
    fine = expected and outcome in {ExitCode.DONE, ExitCode.ROWS_HELD}
    _report_what_to_open(reports, console, labels)
    if fine and (desk if desk is not None else sys.stdin.isatty() and sys.stdout.isatty()):
        _open_desk(jobs, port, console, labels)
    elif fine:
        console.print(labels("demo.desk_command"))
    raise typer.Exit(int(ExitCode.DONE if fine else outcome or broken or waiting.exit_code))


def _fresh_folder() -> Path:
    if not SAMPLES.is_dir():
        raise ConfigurationError(Message("error.no_sample_data"))
    folder = Path(os.environ.get("REPASSE_HOME", ".repasse")).absolute() / "demo"
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True, mode=0o700)
    copy_samples(_JOBS, folder / "jobs")
    return folder


def _point_at_sandbox(folder: Path) -> None:
    """The demo never meets a real service, whatever the environment says."""
    for name in [name for name in os.environ if name.startswith("REPASSE_")]:
        del os.environ[name]
    os.environ |= {
        "REPASSE_API_URL": "sandbox",
        "REPASSE_HOME": str(folder),
        "REPASSE_JOBS": str(folder / "jobs"),
        "REPASSE_LAUNCH": "here",
    }


@contextmanager
def _prefect(folder: Path) -> Iterator[None]:
    """Let Prefect watch from a server of its own, or from the one the environment names."""
    os.environ |= {name: value for name, value in _QUIET_PREFECT.items() if name not in os.environ}
    if not os.environ.get("PREFECT_API_URL"):
        os.environ |= {"PREFECT_HOME": str(folder / "prefect"), "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true"}
    from flows.prefect_ui.states import without_heartbeat

    with without_heartbeat():
        yield


def _check(job: Path, console: "Console", labels: "Catalogue") -> ExitCode:
    """Check the broken sheet, and show what a few of its problems read like."""
    from flows.payables.check import check_files
    from flows.run import Silence
    from flows.run_request import read_run_request
    from schemas.issues import errors_among

    _title(console, labels, "check")
    checked, _ = check_files(read_run_request(job), Silence())
    errors = list(errors_among(checked.issues))
    console.print("   " + labels("demo.problems", count=len(errors), rows=checked.rows.held))
    for issue in errors[:: max(1, len(errors) // _EXAMPLES)][:_EXAMPLES]:
        console.print(f"     {issue.cell or issue.row}  {labels.write(issue.message)}", markup=False)
    if checked.corrections:
        console.print("   " + labels("demo.corrections", path=_shown(checked.corrections)), markup=False)
    return ExitCode.ROWS_REFUSED if checked.rows.held else ExitCode.DONE


def _pay(job: Path, console: "Console", labels: "Catalogue", title: str) -> "RunReport":
    """Pay a job under Prefect, and say in a few lines where the money is."""
    from flows.launch import start_payout
    from flows.run import Silence
    from flows.run_options import RunOptions

    _title(console, labels, title)
    report = start_payout(job, RunOptions(yes=True, by="demo"), progress=Silence(), watched=True)
    summary = report.summary
    if summary is None:
        return report
    for place, cents in summary.totals_cents.by_place().items():
        console.print(f"   {labels(f'place.{place}'):<26} {_reais(cents, labels):>16}", markup=False)
    outcome = labels.of_value("output.exit", str(summary.exit_code))
    if summary.batches:
        payments = sum(batch.payments for batch in summary.batches)
        console.print("   " + labels("demo.paid", count=len(summary.batches), payments=payments, outcome=outcome))
    for path in report.outputs:
        if path.name == "reconciliation.xlsx":
            console.print(f"   {_shown(path)}", markup=False)
    return report


def _prepare(job: Path, console: "Console", labels: "Catalogue") -> "RunReport":
    """Prepare the fees, which wait for a second person at the desk."""
    from flows.cli.desk import PREPARES
    from flows.launch import start_payout
    from flows.run import Silence
    from flows.run_options import RunOptions

    _title(console, labels, "fees")
    report = start_payout(job, RunOptions(by=PREPARES), progress=Silence(), watched=True)
    if report.summary is not None:
        totals = report.summary.totals_cents
        console.print("   " + labels("demo.waits", amount=_reais(totals.planned, labels), name=PREPARES), markup=False)
    return report


def _report_what_to_open(reports: Sequence["RunReport"], console: "Console", labels: "Catalogue") -> None:
    statements = [path for report in reports for path in report.outputs if path.suffix == ".pdf"]
    console.print()
    console.print(labels("demo.open"))
    if statements:
        folder = _shown(statements[0].parent)
        console.print(labels("demo.statements", count=len(statements), folder=folder), markup=False)


def _open_desk(jobs: Path, port: int | None, console: "Console", labels: "Catalogue") -> None:
    from flows.cli.desk import APPROVES, PREPARES, let_two_in, serve_desk
    from flows.desk.guard import LOOPBACK_HOSTS, MEGABYTE, DeskSettings
    from flows.desk.serving import Where
    from flows.settings import UPLOADS, read_settings

    settings = read_settings()
    password = let_two_in(settings, jobs)
    chosen = port if port is not None else 0 if answers(PORTS["desk"]) else PORTS["desk"]
    served = DeskSettings(uploads=settings.home / UPLOADS, hosts=LOOPBACK_HOSTS, upload_limit_bytes=100 * MEGABYTE)

    def tell(url: str) -> None:
        facts = {"url": url, "prepares": PREPARES, "approves": APPROVES, "password": password}
        console.print(labels("demo.desk", **facts), markup=False)

    try:
        serve_desk(settings, jobs, served, Where(LOCAL, chosen), on_ready=tell)
    except KeyboardInterrupt:
        console.print()


def _title(console: "Console", labels: "Catalogue", name: str) -> None:
    console.print()
    console.print(f"[bold]{labels(f'demo.title.{name}')}[/bold]")


def _reais(cents: int, labels: "Catalogue") -> str:
    from schemas.values.money import format_cents

    return f"R$ {format_cents(cents, labels.language)}"


def _shown(path: Path) -> str:
    """Name a file as somebody in this folder would."""
    return os.path.relpath(path)
