"""What it costs to be watched by Prefect: the same run, plain and under a running server, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest

from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.exit_codes import ExitCode
from tests.bench.conftest import Figures
from tests.payments_job import write_payments_job
from tests.watched.installation import Installation

pytestmark = [pytest.mark.bench, pytest.mark.prefect, pytest.mark.timeout(1800)]

REPASSE = str(Path(sys.executable).with_name("repasse"))
PAYEES, BATCHES = 10_000, 20


def test_being_watched_while_ten_thousand_are_paid(figures: Figures, tmp_path: Path):
    installation = Installation(_made(tmp_path / "prefect"), dict(os.environ))
    try:
        installation.start_server()
        plain_s = min(_pay(tmp_path / f"plain-{number}", {}) for number in range(2))
        watched_s = min(
            _pay(tmp_path / f"watched-{number}", {"PREFECT_API_URL": installation.url}) for number in range(2)
        )
    finally:
        installation.stop()
    what = f"a run of {PAYEES:,} payees in {BATCHES} reports, watched"
    figures.tell(what, watched_s, beside_s=plain_s, beside="not watched")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _pay(folder: Path, more: dict[str, str]) -> float:
    """Pay everybody, and tell how many seconds it took."""
    job = write_payments_job(folder, PAYEES, per_batch=PAYEES // BATCHES)
    with EmbeddedSandbox(settings=SandboxSettings(processing_after_s=0, done_after_s=0)) as service:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("REPASSE_", "PREFECT_"))
        }
        environment |= {"REPASSE_HOME": str(folder / "home"), "REPASSE_API_URL": service.url}
        environment |= {"REPASSE_API_KEY": service.api_key} | more
        began = perf_counter()
        done = subprocess.run(
            [REPASSE, "run", str(job.path), "--yes"], env=environment, check=False, capture_output=True
        )
        took_s = perf_counter() - began
    assert done.returncode == ExitCode.DONE, done.stderr.decode()[-2000:]
    return took_s
