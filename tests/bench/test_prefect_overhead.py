"""What it costs to be watched by Prefect: the same run, plain and under a running server, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

import pytest

from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.errors import ExitCode
from tests.bench.conftest import Figures
from tests.payments_job import PaymentsJob, write_payments_job
from tests.watched.installation import Installation

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1800)]

REPASSE = str(Path(sys.executable).with_name("repasse"))
PAYEES, BATCHES = 10_000, 20
SETTLED_S = 5.0  # a server that has just started is still busy with itself


def test_being_watched_while_ten_thousand_are_paid(figures: Figures, tmp_path: Path):
    """Once as fast as a service can be, which nobody has; once with the accounts checked, at 100 ms an answer."""
    installation = Installation(_made(tmp_path / "prefect"), dict(os.environ))
    try:
        installation.start_server()
        sleep(SETTLED_S)
        for kind, pay in (("as fast as can be", _pay), ("with all accounts checked", _pay_and_check)):
            plain_s, watched_s = [], []
            for number in range(3):
                folder = tmp_path / f"{pay.__name__}-{number}"
                plain_s.append(pay(folder / "plain", {}))
                watched_s.append(pay(folder / "watched", {"PREFECT_API_URL": installation.url}))
            what = f"{PAYEES:,} payees in {BATCHES} reports, {kind}, watched"
            figures.add(what, median(watched_s), baseline_median=median(plain_s), baseline="not watched")
    finally:
        installation.stop()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _pay(folder: Path, more: dict[str, str]) -> float:
    """Pay everybody at once, and tell how many seconds it took."""
    job = write_payments_job(folder, PAYEES, per_batch=PAYEES // BATCHES)
    return _run(job, SandboxSettings(processing_after_s=0, done_after_s=0), more)


def _pay_and_check(folder: Path, more: dict[str, str]) -> float:
    """Pay everybody after checking their accounts, 50 at a time, with a service that takes 100 ms for everything."""
    job = write_payments_job(folder, PAYEES, per_batch=PAYEES // BATCHES, checks="new_or_changed")
    text = job.path.read_text(encoding="utf-8")
    job.path.write_text(text.replace("account_checks: {", "account_checks: {at_a_time: 50, "), encoding="utf-8")
    return _run(job, SandboxSettings(processing_after_s=0, done_after_s=0, latency_s=0.1), more)


def _run(job: PaymentsJob, settings: SandboxSettings, more: dict[str, str]) -> float:
    with EmbeddedSandbox(settings=settings) as service:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("REPASSE_", "PREFECT_"))
        }
        environment |= {"REPASSE_HOME": str(job.path.parent / "home"), "REPASSE_API_URL": service.url}
        environment |= {"REPASSE_API_KEY": service.api_key} | more
        began = perf_counter()
        done = subprocess.run(
            [REPASSE, "run", str(job.path), "--yes"], env=environment, check=False, capture_output=True
        )
        took_s = perf_counter() - began
    assert done.returncode == ExitCode.DONE, done.stderr.decode()[-2000:]
    return took_s
