"""A ledger for the cases that go over months."""

import datetime as dt
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from io_adapters.ledger.ledger import open_ledger
from tests.spec.year import Calendar, Year

NOW = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)


@pytest.fixture(scope="session")
def empty_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger's file, just made: copying it is quicker than making another."""
    path = tmp_path_factory.mktemp("year") / "ledger.db"
    with open_ledger(f"sqlite:///{path}", clock=lambda: NOW):
        return path


@pytest.fixture
def year(empty_ledger: Path, tmp_path: Path) -> Iterator[Year]:
    """A year of its own: what other jobs of the payer recoup counts."""
    shutil.copy(empty_ledger, tmp_path / "ledger.db")
    calendar = Calendar()
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", clock=calendar) as ledger:
        yield Year(ledger.journal, calendar)
