"""Both kinds of ledger for tests that kill, and one line at the end that says what the kills came to."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tests.hypothesis_profile  # noqa: F401 - so that a profile can be named on the command line
from tests.crash.tally import Tally
from tests.throwaway_postgresql import new_database, opened_cluster

TALLY = pytest.StashKey[Tally]()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    with opened_cluster() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def new_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Name a ledger that does not exist yet, another one each time."""
    if request.param == "sqlite":
        numbers = iter(range(1_000_000))
        return lambda: f"sqlite:///{tmp_path}/home-{next(numbers)}/ledger.db"
    server = request.getfixturevalue("postgresql_server")
    return lambda: new_database(server)


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """What all kills of this session came to."""
    return request.config.stash.setdefault(TALLY, Tally())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    told = config.stash.get(TALLY, None)
    if told is not None and told.rounds and not terminalreporter.getreports("failed"):
        terminalreporter.write_line(str(told))
