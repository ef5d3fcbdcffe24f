"""A real Prefect server for the tests of this folder, and the sample data against the embedded sandbox."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(scope="session")
def prefect_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Start a Prefect server with a database of its own, and let short flows end without waiting for a heartbeat."""
    home = tmp_path_factory.mktemp("prefect")
    os.environ |= {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true",
        "PREFECT_LOGGING_LEVEL": "WARNING",
    }
    from prefect.settings import (
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
        PREFECT_SERVER_DATABASE_CONNECTION_URL,
        temporary_settings,
    )
    from prefect.testing.utilities import prefect_test_harness

    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}), prefect_test_harness(server_startup_timeout=90):
        yield Path(PREFECT_SERVER_DATABASE_CONNECTION_URL.value().split("///")[1])


@pytest.fixture
def payments_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample list of payments, with a ledger and a sandbox of its own."""
    for name in [name for name in os.environ if name.startswith("REPASSE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REPASSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("REPASSE_API_URL", "sandbox")
    monkeypatch.setenv("REPASSE_JOBS", str(tmp_path))
    shutil.copytree(SAMPLES / "payments", tmp_path / "payments", ignore=shutil.ignore_patterns("out"))
    return tmp_path / "payments" / "job.yaml"
