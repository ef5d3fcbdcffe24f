"""A ledger for the cases that go over months."""

import datetime as dt
from collections.abc import Iterator

import pytest

from io_adapters.ledger import Ledger, open_ledger
from tests.spec.year import Year

NOW = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)


@pytest.fixture(scope="session")
def accrual_ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """One ledger for all cases; each has a job of its own in it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('year')}/ledger.db"
    with open_ledger(url, clock=lambda: NOW) as ledger:
        yield ledger


@pytest.fixture
def year(accrual_ledger: Ledger) -> Year:
    return Year(accrual_ledger.accruals)
