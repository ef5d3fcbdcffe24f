"""The service's list of institutions is read once a day, kept, and used while the service is silent."""

import datetime as dt

import pytest

from flows.house_ledger import utc_now
from flows.payables.institutions import read_institutions
from flows.runner import opened_service
from flows.settings import read_settings
from tests.flows.address_book import INSTITUTIONS


@pytest.fixture
def look(label, monkeypatch):
    """Read the list so many days from now, with the service or without."""
    monkeypatch.setenv("REPASSE_ASSUME_INSTITUTIONS_ROWS", "20")  # so that there are several pages

    def read(*, days=0.0, asks=True, refresh=False):
        now = utc_now() + dt.timedelta(days=days)
        with label.ledger() as ledger, opened_service(read_settings()) as service:
            return read_institutions(ledger, service if asks else None, now, refresh=refresh)

    return read


def test_a_silent_service_leaves_the_copy_for_thirty_days_and_not_longer(look, service):
    kept = look()
    service.plant(INSTITUTIONS, "status", status=404, when="before", times=None)
    old = look(days=29)
    assert (dict(old.by_ispb), old.read_at) == (dict(kept.by_ispb), kept.read_at)
    assert "404" in str(old.trouble)
    older = look(days=31)
    assert (dict(older.by_ispb), older.too_old) == ({}, True)


def test_a_list_that_shrank_to_a_few_is_not_believed(look, service):
    kept = look()
    few = {
        "data": [{"ispb_number": "00000000", "name": "Banco", "is_active": True}],
        "pagination": {"current_page": 1, "rows_per_page": 20, "total_pages": 1, "total_rows": 1, "next_page": None},
    }
    service.plant(INSTITUTIONS, "status", status=200, body=few, when="before", times=None)
    told = look(days=2)
    assert (len(told.by_ispb), told.read_at) == (len(kept.by_ispb), kept.read_at)
    assert "only 1" in str(told.trouble)


def test_the_command_reads_the_list_the_first_time_and_searches_the_copy(label, service):
    found = label.ask("bank", "institutions", "--name", "itaú unibanco")["institutions"]
    assert [one["compe_number"] for one in found] == ["341"]
    calls = service.calls(INSTITUTIONS)
    assert len(label.ask("bank", "institutions")["institutions"]) >= 60
    assert label.ask("bank", "institutions", "--from", "2999-01-01")["institutions"] == []
    assert service.calls(INSTITUTIONS) == calls
    label.ask("bank", "institutions", "--refresh")
    assert service.calls(INSTITUTIONS) == 2 * calls


def test_the_command_tells_when_the_service_is_silent(label, service):
    label.ask("bank", "institutions")
    service.plant(INSTITUTIONS, "status", status=404, when="before", times=None)
    document = label.ask("bank", "institutions", "--refresh", code=21)
    assert "404" in document["trouble"]
    assert len(document["institutions"]) >= 60


def test_a_day_that_is_none_is_told(label):
    label.ask("bank", "institutions", "--from", "31/10/2026", code=2)
