"""The demo: the sample data the whole way, under Prefect, against the embedded sandbox; no server, no key."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console

from flows.commands.payouts import check_job, tell_report
from flows.commands.samples import SAMPLES, copy_samples
from flows.runner import RunOptions, RunReport
from flows.start import start_payout
from flows.terminal.printing import progress_on
from schemas.errors import ConfigurationError
from schemas.exit_codes import ExitCode, worst

QUIET_PREFECT: Final = {
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "ERROR",
    "PREFECT_CLI_WRAP_LINES": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",  # a busy machine takes longer than Prefect's own 20
}


def run_demo() -> ExitCode:
    """Check a broken sheet, pay royalties, pay a list, and run the list again to see that nothing is paid twice.

    Effects: all in .repasse/demo, which is made anew each time.
    """
    console = Console(highlight=False)
    folder = _fresh_folder()
    _point_at_sandbox(folder)
    _title(console, "1. A sheet full of mistakes: every one is named, nothing is sent")
    broken, _ = check_job(folder / "broken" / "job.yaml", as_json=False)
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
    return ExitCode.DONE if fine else outcome or broken


def _fresh_folder() -> Path:
    if not SAMPLES.is_dir():
        raise ConfigurationError("the demo needs the folder sample_data of the repository beside the packages")
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
def _prefect(console: Console, folder: Path) -> Iterator[None]:
    """Let Prefect watch from a server of its own, or from the one the environment names."""
    os.environ |= {name: value for name, value in QUIET_PREFECT.items() if name not in os.environ}
    if not os.environ.get("PREFECT_API_URL"):
        os.environ |= {"PREFECT_HOME": str(folder / "prefect"), "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true"}
    from flows.prefect_ui.states import without_heartbeat  # noqa: PLC0415

    console.print("[dim](Prefect starts a server of its own now; that takes a few seconds)[/dim]")
    with without_heartbeat():
        yield


def _pay(job: Path, console: Console) -> RunReport:
    with progress_on(console) as progress:
        report = start_payout(job, RunOptions(yes=True, by="demo"), progress=progress, watched=True)
    tell_report(report, as_json=False)
    return report


def _title(console: Console, text: str) -> None:
    console.print(f"\n[bold]{text}[/bold]")
