"""The list of institutions: how old a copy may be, which new list is believed, what a search finds."""

import datetime as dt

import pytest

from flows.payables.rules.institutions import find_institutions, is_believable, is_fresh, is_usable
from schemas.wire import Institution
from tests.spec.tables import table

NOW = dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)
BANKS = [
    Institution(
        ispb_number=row["ispb"], compe_number=row["code"], name=row["name"], str_start_date=row["since"] or None
    )
    for row in table("""
        | ispb     | code | name                | since      |
        | 60701190 | 341  | Itaú Unibanco S.A.  | 2002-04-22 |
        | 00000000 | 001  | Banco do Brasil     | 2002-04-22 |
        | 18236120 | 260  | Nu Pagamentos - IP  | 2016-05-10 |
        | 99999999 |      | Banco Sem Data      |            |
    """)
]


@pytest.mark.parametrize(("age", "fresh", "usable"), [
    (dt.timedelta(0), True, True),
    (dt.timedelta(hours=23, minutes=59), True, True),
    (dt.timedelta(days=1), False, True),
    (dt.timedelta(days=29, hours=23), False, True),
    (dt.timedelta(days=30), False, False),
    (dt.timedelta(minutes=-5), False, True),
])  # fmt: skip
def test_a_copy_is_fresh_for_a_day_and_usable_for_thirty(age, fresh, usable):
    assert (is_fresh(NOW - age, NOW), is_usable(NOW - age, NOW)) == (fresh, usable)


def test_a_list_that_was_never_read_is_neither():
    assert (is_fresh(None, NOW), is_usable(None, NOW)) == (False, False)


@pytest.mark.parametrize(("listed", "kept", "believed"), [(0, 0, False), (0, 4, False), (4, 0, True), (2, 4, True),
                                                          (2, 5, False), (4, 2, True)])  # fmt: skip
def test_a_list_of_less_than_half_of_what_there_was_has_been_cut(listed, kept, believed):
    assert is_believable(BANKS[:listed], kept) is believed


@pytest.mark.parametrize(("asked", "found"), [
    ({}, ["Banco do Brasil", "Banco Sem Data", "Itaú Unibanco S.A.", "Nu Pagamentos - IP"]),
    ({"name": "ITAU"}, ["Itaú Unibanco S.A."]),
    ({"name": "001"}, ["Banco do Brasil"]),
    ({"name": "18236120"}, ["Nu Pagamentos - IP"]),
    ({"name": "nobody"}, []),
    ({"started_from": dt.date(2002, 4, 23)}, ["Nu Pagamentos - IP"]),
    ({"started_to": dt.date(2002, 4, 22)}, ["Banco do Brasil", "Itaú Unibanco S.A."]),
    ({"name": "banco", "started_from": dt.date(2002, 1, 1)}, ["Banco do Brasil", "Itaú Unibanco S.A."]),
])  # fmt: skip
def test_a_search_finds_part_of_a_name_a_whole_code_and_days(asked, found):
    assert [institution.name for institution in find_institutions(BANKS, **asked)] == found
