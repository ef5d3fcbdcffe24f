"""A real service on a socket, an environment that names it, and a team that uses it."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.flows.label import Label
from tests.flows.oracle import Oracle
from tests.sandboxes import opened_sandbox


@pytest.fixture
def another_service() -> Iterator[Callable[[], Oracle]]:
    """Start one more service, that pays at once."""
    with ExitStack() as exits:
        yield lambda: exits.enter_context(closing(Oracle(exits.enter_context(opened_sandbox()))))


@pytest.fixture
def service(another_service: Callable[[], Oracle]) -> Oracle:
    return another_service()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment that names a folder for the ledger, and no service yet."""
    for name in [name for name in os.environ if name.startswith("REPASSE_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("REPASSE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def workbooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs write their workbooks as well."""
    monkeypatch.setattr("tests.flows.jobs.FORMATS", ["xlsx", "csv", "json"])


@pytest.fixture
def label(tmp_path: Path, home: Path, service: Oracle, monkeypatch: pytest.MonkeyPatch) -> Label:
    """A team whose environment names the service."""
    monkeypatch.setenv("REPASSE_API_URL", service.url)
    monkeypatch.setenv("REPASSE_API_KEY", service.api_key)
    return Label(tmp_path / "job")


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    def wait(condition: Callable[[], bool]) -> None:
        deadline = monotonic() + 60
        while not condition():
            assert monotonic() < deadline, "it did not happen within a minute"
            sleep(0.02)

    return wait
