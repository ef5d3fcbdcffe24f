"""demo: the whole way on sample data, against a stand-in service; then the desk, where two people finish it."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.cli.playground import LOCAL, PORTS, SAMPLES, answers, copy_samples
from schemas.errors import ConfigurationError, ExitCode, worst
from schemas.messages import Message

if TYPE_CHECKING:
    from rich.console import Console

    from flows.runner import RunReport
    from schemas.messages import Catalogue

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


def demo(desk: Desk = None, port: Port = None) -> None:
    """Walk the whole way on the sample data; no server, no key.

    The service is the embedded sandbox; all it writes is in the folder demo of the home folder. In a terminal the desk
    opens on it, with two people to sign in as, and Ctrl-C ends it.
    """
    from rich.console import Console

    from schemas.job import Outputs
    from schemas.messages import catalogue_in

    console, words = Console(highlight=False, soft_wrap=True), catalogue_in(Outputs().language)
    folder = _fresh_folder()
    _point_at_sandbox(folder)
    console.print(words("demo.begin"))
    jobs = folder / "jobs"
    broken = _check(jobs / "broken" / "job.yaml", console, words)
    with _prefect(folder):
        reports = [
            _pay(jobs / name / "job.yaml", console, words, title)
            for title, name in (("royalties", "royalties"), ("payments", "payments"), ("again", "payments"))
        ]
        waiting = _prepare(jobs / "fees" / "job.yaml", console, words)
    expected = broken is ExitCode.ROWS_REFUSED and waiting.exit_code is ExitCode.APPROVAL_WANTED
    outcome = worst(report.exit_code for report in reports)
    fine = expected and outcome in {ExitCode.DONE, ExitCode.ROWS_HELD}
    _tell_what_to_open(reports, console, words)
    if fine and (desk if desk is not None else sys.stdin.isatty() and sys.stdout.isatty()):
        _open_desk(jobs, port, console, words)
    elif fine:
        console.print(words("demo.desk_command"))
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


def _check(job: Path, console: "Console", words: "Catalogue") -> ExitCode:
    """Check the broken sheet, and show what a few of its problems read like."""
    from flows.payables.check import check_files
    from flows.run import Silence
    from flows.run_request import read_run_request
    from schemas.issues import errors_among

    _title(console, words, "check")
    checked, _ = check_files(read_run_request(job), Silence())
    errors = list(errors_among(checked.issues))
    console.print("   " + words("demo.problems", count=len(errors), rows=checked.rows.held))
    for issue in errors[:: max(1, len(errors) // _EXAMPLES)][:_EXAMPLES]:
        console.print(f"     {issue.cell or issue.row}  {words.write(issue.message)}", markup=False)
    if checked.corrections:
        console.print("   " + words("demo.corrections", path=_shown(checked.corrections)), markup=False)
    return ExitCode.ROWS_REFUSED if checked.rows.held else ExitCode.DONE


def _pay(job: Path, console: "Console", words: "Catalogue", title: str) -> "RunReport":
    """Pay a job under Prefect, and say in a few lines where the money is."""
    from flows.launch import start_payout
    from flows.run import Silence
    from flows.runner import RunOptions

    _title(console, words, title)
    report = start_payout(job, RunOptions(yes=True, by="demo"), progress=Silence(), watched=True)
    summary = report.summary
    if summary is None:
        return report
    for place, cents in summary.totals_cents.by_place().items():
        console.print(f"   {words(f'place.{place}'):<26} {_reais(cents, words):>16}", markup=False)
    outcome = words.of_value("output.exit", str(summary.exit_code))
    if summary.batches:
        payments = sum(batch.payments for batch in summary.batches)
        console.print("   " + words("demo.paid", count=len(summary.batches), payments=payments, outcome=outcome))
    for path in report.outputs:
        if path.name == "reconciliation.xlsx":
            console.print(f"   {_shown(path)}", markup=False)
    return report


def _prepare(job: Path, console: "Console", words: "Catalogue") -> "RunReport":
    """Prepare the fees, which wait for a second person at the desk."""
    from flows.cli.desk import PREPARES
    from flows.launch import start_payout
    from flows.run import Silence
    from flows.runner import RunOptions

    _title(console, words, "fees")
    report = start_payout(job, RunOptions(by=PREPARES), progress=Silence(), watched=True)
    if report.summary is not None:
        totals = report.summary.totals_cents
        console.print("   " + words("demo.waits", amount=_reais(totals.planned, words), name=PREPARES), markup=False)
    return report


def _tell_what_to_open(reports: Sequence["RunReport"], console: "Console", words: "Catalogue") -> None:
    statements = [path for report in reports for path in report.outputs if path.suffix == ".pdf"]
    console.print()
    console.print(words("demo.open"))
    if statements:
        folder = _shown(statements[0].parent)
        console.print(words("demo.statements", count=len(statements), folder=folder), markup=False)


def _open_desk(jobs: Path, port: int | None, console: "Console", words: "Catalogue") -> None:
    from flows.cli.desk import APPROVES, PREPARES, let_two_in, serve_desk
    from flows.desk.app import Where
    from flows.desk.guard import LOOPBACK_HOSTS, MEGABYTE, DeskSettings
    from flows.settings import UPLOADS, read_settings

    settings = read_settings()
    password = let_two_in(settings)
    chosen = port if port is not None else 0 if answers(PORTS["desk"]) else PORTS["desk"]
    served = DeskSettings(uploads=settings.home / UPLOADS, hosts=LOOPBACK_HOSTS, upload_limit_bytes=100 * MEGABYTE)

    def tell(url: str) -> None:
        facts = {"url": url, "prepares": PREPARES, "approves": APPROVES, "password": password}
        console.print(words("demo.desk", **facts), markup=False)

    try:
        serve_desk(settings, jobs, served, Where(LOCAL, chosen), on_ready=tell)
    except KeyboardInterrupt:
        console.print()


def _title(console: "Console", words: "Catalogue", name: str) -> None:
    console.print()
    console.print(f"[bold]{words(f'demo.title.{name}')}[/bold]")


def _reais(cents: int, words: "Catalogue") -> str:
    from schemas.values.money import format_cents

    return f"R$ {format_cents(cents, words.language)}"


def _shown(path: Path) -> str:
    """Name a file as somebody in this folder would."""
    return os.path.relpath(path)
