"""What a statement leaves empty in a column and says elsewhere in the row is read, and told; nothing is guessed."""

from dataclasses import replace
from decimal import Decimal

import pytest
from openpyxl import Workbook

from io_adapters.spreadsheets.reading import open_file
from io_adapters.statement_lines.blocks import sum_block
from schemas.issues import Severity
from schemas.layouts.headers import match_headers
from schemas.layouts.recognise import Fit, preamble_of
from schemas.messages import render
from schemas.parsing.blocks import Before, BlockAccounting
from schemas.parsing.line_sums import TableSource
from schemas.parsing.table import parse_table
from schemas.sheet_cells import CellKind, HeadRow, View
from tests.schemas.sheets import codes, layout, sheet

ISRC = "BRAUR2600001"
CODES = layout("royalty_lines", currency="BRL", fallbacks={"isrc": ["song id", "other id"]})
REFUNDS = layout(
    "royalty_lines",
    currency="BRL",
    decimal=".",
    computed={"add": ["item total"], "subtract": ["transaction fee"], "subtract_if_given": ["shipping", "tax"]},
)


def line(**cells):
    return {"isrc": "", "song id": "", "amount": "1.00"} | cells


def refund(**cells):
    parts = {"item total": "-10.00", "transaction fee": "-0.50", "shipping": "-2.00", "tax": ""}
    return {"title": "Samba", "amount": ""} | parts | cells


def decisions(parsed):
    return [render(message, "en") for message in parsed.decisions]


def both_ways(raw, how):
    """Read a table at once, and as a block whose plain lines are read by the column; both tell the same."""
    parsed = parse_table(raw, how)
    summed = sum_block(raw, how, Before(), few_rows=0)
    books = BlockAccounting(TableSource("test.xlsx", "Plan1", raw.headers), 1)
    for found in summed.found:
        books.add(found)
    assert tuple(books.close().decisions) == tuple(parsed.decisions)
    assert summed.content.rows == len(parsed.frame)
    return parsed


def test_an_isrc_is_read_from_another_column_where_its_own_is_empty_and_this_is_told():
    raw = sheet(line(isrc=ISRC, **{"song id": "123"}), line(**{"song id": "BR-AUR-26-00002"}), line())
    parsed = both_ways(raw, CODES)
    assert parsed.frame["isrc"].tolist() == [ISRC, "BRAUR2600002", ""]
    assert decisions(parsed)[-1] == "1 empty cell of isrc read from song id"
    assert codes(parsed) == []


def test_a_cell_of_another_form_never_stands_in():
    parsed = both_ways(sheet(line(**{"song id": "9912377"}), line(**{"song id": "a title"})), CODES)
    assert parsed.frame["isrc"].tolist() == ["", ""]
    assert not any("empty cell" in told for told in decisions(parsed))


def test_its_own_cell_is_never_overruled_not_even_a_wrong_one():
    parsed = parse_table(sheet(line(isrc="BR-1", **{"song id": ISRC})), CODES)
    assert codes(parsed) == ["ISRC_FORMAT"]


def test_a_column_that_stands_in_is_known_and_not_told_as_unread():
    found = match_headers(("isrc", "song id", "amount", "transaction fee"), CODES)
    assert (found.ignored, found.unknown) == ((1,), (3,))


def test_a_refund_without_an_amount_is_counted_as_its_parts_come_to_and_this_is_told():
    parsed = both_ways(sheet(refund(), refund(amount="6.22"), refund(tax="-0.25")), REFUNDS)
    assert parsed.frame["amount"].tolist() == [Decimal("-7.50"), Decimal("6.22"), Decimal("-7.25")]
    assert decisions(parsed)[-1] == "2 rows without amount counted as their parts come to (item total, transaction fee)"


def test_parts_are_read_with_the_mark_they_were_saved_with():
    comma = {"item total": "-10,00", "transaction fee": "-0,50", "shipping": "-2,00"}
    parsed = both_ways(sheet(refund(**comma)), REFUNDS)
    assert parsed.frame["amount"].tolist() == [Decimal("-7.50")]


def test_numbers_of_a_workbook_are_parts_as_well():
    kinds = {(0, name): CellKind.NUMBER for name in ("item total", "transaction fee")}
    parsed = both_ways(sheet(refund(**{"item total": "-10", "shipping": ""}), kinds=kinds), REFUNDS)
    assert parsed.frame["amount"].tolist() == [Decimal("-9.50")]


@pytest.mark.parametrize(
    "changed",
    [
        {"item total": ""},
        {"transaction fee": ""},
        {"transaction fee": "*"},
        {"transaction fee": "0.50"},
        {"item total": "-10,00"},
        {"shipping": "n/a?"},
    ],
)
def test_a_row_whose_parts_are_missing_or_contradict_each_other_is_held_as_ever(changed):
    parsed = parse_table(sheet(refund(**changed)), REFUNDS)
    assert codes(parsed) == ["CELL_REQUIRED"]
    assert not any("parts come to" in told for told in decisions(parsed))


def test_a_wrong_upc_beside_a_sound_isrc_is_a_warning_and_the_line_is_sound():
    raw = sheet(line(isrc=ISRC, upc="12A"), line(isrc="", upc="12A"), line(isrc="BR-1", upc="12A"))
    parsed = both_ways(raw, layout("royalty_lines", currency="BRL"))
    assert parsed.frame["upc"].tolist() == ["?"]
    assert [issue.code.value for issue in parsed.issues if issue.severity is Severity.ERROR] == [
        "UPC_FORMAT",
        "ISRC_FORMAT",
        "UPC_FORMAT",
    ]
    assert [(issue.cell, issue.severity) for issue in parsed.issues if issue.code.value == "UPC_UNREAD"] == [
        ("D2", Severity.WARNING)
    ]


def test_what_stands_above_the_header_is_every_line_s():
    above = layout("royalty_lines", preamble={"currency": {"label": "Currency"}, "period": {"label": "Start Date"}})
    rows = [line(isrc=ISRC), line(isrc="BRAUR2600002")]
    headers = ("isrc", "song id", "amount")
    raw = replace(sheet(*rows, headers=headers), preamble={"currency": "AUD", "period": "2026-09"})
    parsed = both_ways(raw, above)
    assert parsed.frame[["currency", "period"]].drop_duplicates().to_numpy().tolist() == [["AUD", "2026-09"]]
    assert [issue.code.value for issue in parsed.issues] == ["COLUMN_UNKNOWN"]


def test_a_column_of_the_file_goes_before_what_stands_above_it():
    raw = replace(sheet(line(currency="BRL")), preamble={"currency": "AUD"})
    assert parse_table(raw, layout("royalty_lines")).frame["currency"].tolist() == ["BRL"]


def test_a_year_and_a_month_in_two_columns_are_a_period():
    how = layout("royalty_lines", currency="BRL", months={"year": "Ano", "month": "Mês"})
    rows = [line(Ano="2026", Mês=month) for month in ("9", "10", "setembro", "Dec", "13")]
    parsed = both_ways(sheet(*rows), how)
    assert parsed.frame["period"].tolist() == ["2026-09", "2026-10", "2026-09", "2026-12"]
    assert codes(parsed)[-1:] == ["DATE_FORMAT"]


def preamble(*rows, **above):
    lines = layout("royalty_lines", preamble=above)
    head = tuple(HeadRow(row, texts) for row, texts in enumerate((*rows, ("isrc", "amount")), 1))
    view = View(None, ",", visible=True, head=head)
    return preamble_of(Fit(lines, view, head[-1], match_headers(head[-1].texts, lines)))


def test_a_value_above_the_header_is_found_beside_its_label_or_by_its_form():
    rows = [("Start Date", "", "10/01/2026"), ("Royalties in AUD for October",), ("Currency",)]
    found = preamble(*rows, period={"label": "start date"}, currency={"behind": "royalties in", "shape": "currency"})
    assert found == {"period": ("10/01/2026", 1), "currency": ("AUD", 2)}
    assert preamble(*rows, currency={"label": "Currency"}) == {}


@pytest.mark.parametrize(
    "above",
    [
        {}, {"label": "a", "behind": "b", "shape": "month"}, {"behind": "b"}, {"shape": "day"},
        {"behind": " ", "shape": "day"},
        {"label": "a", "shape": "day"}, {"pattern": "((?:a+)+)$"}, {"behind": "b", "shape": "[a-z]+"},
    ],
)  # fmt: skip
def test_a_value_above_the_header_is_declared_in_one_way_and_by_no_expression(above):
    with pytest.raises(ValueError):
        layout("royalty_lines", preamble={"currency": above})


@pytest.mark.parametrize(
    ("row", "behind", "shape", "value"),
    [
        ("Valores em USD e BRL", "valores em", "currency", "USD"),
        ("Sales for 2026-09", "SALES FOR", "month", "2026-09"),
        ("Período: 01/09/2026 a 30/09/2026", "a", "day", "30/09/2026"),
        ("Mês de 09/2026", "mês de", "month", "09/2026"),
        ("Valores em reais", "valores em", "currency", None), ("(((a+)+)+)+ USD", "(((a+)+)+)+", "currency", "USD"),
    ],
)  # fmt: skip
def test_a_value_in_a_sentence_is_known_by_what_stands_before_it_and_its_shape(row, behind, shape, value):
    column = "currency" if shape == "currency" else "period"
    found = preamble((row,), **{column: {"behind": behind, "shape": shape}})
    assert found == ({column: (value, 1)} if value else {})


@pytest.mark.parametrize("name", ["headless.csv", "headless.xlsx"])
def test_a_file_without_a_header_is_read_by_the_headers_that_its_layout_gives(tmp_path, name):
    path = tmp_path / name
    if name.endswith(".csv"):
        path.write_text(f"{ISRC};Samba;1,50\nBRAUR2600002;Choro;-0,25\n", encoding="utf-8")
    else:
        book = Workbook()
        book.active.append([ISRC, "Samba", 1.5])
        book.active.append(["BRAUR2600002", "Choro", -0.25])
        book.save(path)
    headers = ["isrc", "title", "amount"]
    how = layout("royalty_lines", currency="BRL", headers=headers)
    with open_file(str(path)) as file:
        (raw,) = file.tables(how)
    parsed = parse_table(raw, how)
    assert parsed.frame["amount"].tolist() == [Decimal("1.50"), Decimal("-0.25")]
    assert parsed.frame["row"].tolist() == [1, 2]
