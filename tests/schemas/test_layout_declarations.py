"""Every layout that comes along is a sound declaration: each header has one place, each column is its table's."""

import re
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import known_layouts, read_layout
from schemas.layouts.layout import fold
from schemas.parsing.table import MODELS
from schemas.tables.model import columns_of

OUR_OWN = ("advances", "costs", "invoices", "opening", "payees", "payments", "rates", "royalties", "shares", "taxes")
COLUMNS = {table: columns_of(model) for table, model in MODELS.items()}
LAYOUTS = [read_layout(name, Path()) for name in known_layouts()]
# Files of typed records name their cells, not headers, and have tests of their own.
TABLES = [layout for layout in LAYOUTS if layout.records is None]
SENDERS = [layout for layout in TABLES if layout.layout not in OUR_OWN]


def ids(layouts):
    return [layout.layout for layout in layouts]


@pytest.mark.parametrize("name", known_layouts())
def test_a_layout_says_the_same_as_somebody_s_own_file_would(name, tmp_path):
    """Those that come with the program are read by another parser than files of the house."""
    own = tmp_path / "own.yaml"
    own.write_bytes((resources.files("schemas.layouts") / f"{name}.yaml").read_bytes())
    assert read_layout("own.yaml", tmp_path) == read_layout(name, tmp_path)


def test_each_sender_of_the_readme_has_its_layout():
    wanted = "distrokid distrokid-csv tunecore cdbaby believe orchard orchard-old onerpm bandcamp apple ingrooves"
    wanted += " symphonic fuga apple-streams youtube-cms prs cargo-physical"
    assert {*wanted.split(), *OUR_OWN} <= set(known_layouts())


@pytest.mark.parametrize("layout", LAYOUTS, ids=ids(LAYOUTS))
def test_each_sender_s_layout_says_what_it_rests_on(layout):
    assert (layout.rests_on is None) == (layout.layout in OUR_OWN)


@pytest.mark.parametrize("layout", LAYOUTS, ids=ids(LAYOUTS))
def test_a_layout_is_named_like_its_file_and_maps_columns_of_its_table_only(layout):
    assert layout.layout in known_layouts()
    assert set(layout.columns) <= {column.name for column in COLUMNS[layout.table]}


@pytest.mark.parametrize("layout", TABLES, ids=ids(TABLES))
def test_a_layout_requires_what_its_table_cannot_do_without(layout):
    assert {column.name for column in COLUMNS[layout.table] if column.required} <= set(layout.required)


@pytest.mark.parametrize("layout", TABLES, ids=ids(TABLES))
def test_every_header_of_a_layout_has_one_place(layout):
    read = [fold(alias) for aliases in layout.columns.values() for alias in {fold(alias) for alias in aliases}]
    stand_ins = [header for found in layout.fallbacks.values() for header in found]
    parts = layout.computed.parts if layout.computed else ()
    not_read = [fold(header) for header in (*layout.ignored, *stand_ins, *parts)]
    assert [header for header, times in Counter(read + not_read).items() if times > 1] == []


@pytest.mark.parametrize("layout", TABLES, ids=ids(TABLES))
def test_a_layout_is_recognised_left_out_and_signed_by_headers_that_it_knows(layout):
    known = {fold(alias) for aliases in layout.columns.values() for alias in aliases}
    known |= set(map(fold, [*layout.ignored, *(header for found in layout.fallbacks.values() for header in found)]))
    named = [*layout.recognise.headers, *(rule.column for rule in layout.leave_out)]
    named += [layout.sign.column] if layout.sign else []
    assert layout.recognise.headers
    assert [header for header in named if fold(header) not in known] == []


@pytest.mark.parametrize("layout", TABLES, ids=ids(TABLES))
def test_a_layout_of_words_that_anybody_uses_is_recognised_by_nothing_else(layout):
    assert layout.recognise.nothing_else == (layout.layout in OUR_OWN)


@pytest.mark.parametrize("layout", SENDERS, ids=ids(SENDERS))
def test_a_sender_s_title_says_which_of_its_exports_it_is(layout):
    assert re.search(r"TSV|CSV|XLSX|tab-separated|semicolons", layout.title)
    assert [other.layout for other in LAYOUTS if other.title == layout.title] == [layout.layout]


@pytest.mark.parametrize("layout", SENDERS, ids=ids(SENDERS))
def test_every_line_of_a_sender_has_a_currency(layout):
    assert layout.currency or "currency" in {*layout.required, *layout.preamble}


@pytest.mark.parametrize("layout", SENDERS, ids=ids(SENDERS))
def test_no_gross_price_tax_balance_or_rate_is_taken_for_the_money(layout):
    decoy = re.compile(r"gross|retail|withheld|\bfees?\b|recoup|balance|price|rate|tax|net sales", re.IGNORECASE)
    after_fees = re.compile(r"after fees?", re.IGNORECASE)
    assert [column for column in layout.columns["amount"] if decoy.search(after_fees.sub("", column))] == []
