"""What a sheet holds beside its values is told, at the cell where it matters, and not where it does not."""

import doctest

import pytest

from schemas.issues import Severity
from schemas.messages import render
from schemas.parsing import cells, stated_totals, what_holds_rows
from schemas.sheet_cells import CellKind, Oddities
from tests.schemas.sheets import ACCOUNT_PAYEE, PIX_PAYEE, codes, parse

PAYMENT = PIX_PAYEE | {"amount": "10,00"}
# Columns of a payment: A name, B `tax_id`, C `pix_key`, D `pix_key_type`, E amount.
NAME, TAX_ID, PIX_KEY, PIX_KEY_TYPE, AMOUNT = range(5)


def payments(*changes, oddities, **settings):
    """Read payments that differ by their reference, from row 2 on."""
    rows = [PAYMENT | {"reference": str(n)} | change for n, change in enumerate(changes)]
    return parse("payments", *rows, oddities=oddities, **settings)


@pytest.mark.parametrize("module", [cells, what_holds_rows, stated_totals])
def test_the_examples_in_the_documentation_are_true(module):
    assert doctest.testmod(module).failed == 0


def test_hidden_rows_and_columns_that_are_read_are_told_once():
    hidden = Oddities(hidden_rows=(2, 3, 4, 6, 9), hidden_columns=(TAX_ID, PIX_KEY))
    parsed = payments(*[{}] * 6, oddities=hidden)
    (issue,) = parsed.issues
    assert (issue.code.value, issue.severity, issue.sheet) == ("HIDDEN_DATA", Severity.WARNING, "Plan1")
    assert (issue.cell, issue.row, issue.column) == (None, None, None)
    assert "rows 2-4, 6; columns B, C" in str(issue.message)
    assert len(parsed.frame) == 6


def test_hidden_rows_are_told_in_the_language_of_the_job():
    parsed = payments({}, {}, oddities=Oddities(hidden_rows=(3,), hidden_columns=(AMOUNT,)))
    assert "linhas 3; colunas E" in render(parsed.issues[0].message, "pt-BR")


def test_of_a_file_read_for_its_values_alone_that_is_told_once_and_nothing_is_held_for_it():
    parsed = payments({}, {}, oddities=Oddities(values_only=True))
    (issue,) = parsed.issues
    assert (issue.code.value, issue.severity) == ("FILE_VALUES_ONLY", Severity.WARNING)
    assert (issue.sheet, issue.cell, issue.row) == (None, None, None)
    assert ".xlsx" in str(issue.accepts)
    assert len(parsed.frame) == 2
    assert "só se leem os valores" in render(issue.message, "pt-BR")


@pytest.mark.parametrize(
    ("written", "held"), [("0.5", True), ("1", True), ("1.5", False), ("50", False), ("50%", False)]
)
def test_a_number_that_may_be_shown_as_a_percentage_is_held_where_nobody_looked_how_it_is_shown(written, held):
    rows = [{"tax_id": "52998224725", "isrc": "BRABC2600001", "share": share} for share in (written, "33.5")]
    kinds = {(row, "share"): CellKind.NUMBER for row in (0, 1)}
    numbers = parse("shares", *rows, kinds=kinds, oddities=Oddities(values_only=True))
    expected = [("FILE_VALUES_ONLY", None), *([("PERCENT_FORMAT", "C2")] if held else [])]
    assert [(issue.code.value, issue.cell) for issue in numbers.issues] == expected
    texts = parse("shares", *rows, oddities=Oddities(values_only=True))
    assert [issue.code.value for issue in texts.issues] == ["FILE_VALUES_ONLY"]
    assert parse("shares", *rows, kinds=kinds).issues == ()


def test_nothing_is_told_of_what_is_hidden_and_not_read():
    blank = dict.fromkeys([*PAYMENT, "reference"], "")
    total = blank | {"name": "Total"}
    hidden = Oddities(hidden_rows=(3, 4), hidden_columns=(6,))
    assert codes(payments({}, blank, total, oddities=hidden, totals=["Total"])) == []
    assert codes(payments({"Nota": "x"}, oddities=hidden, remarks=["Nota"])) == []


def test_a_long_list_of_hidden_rows_is_cut():
    parsed = payments(*[{}] * 40, oddities=Oddities(hidden_rows=tuple(range(2, 42, 2))))
    assert "rows 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, ..." in str(parsed.issues[0].message)


def test_merged_cells_hold_the_rows_that_lack_their_value():
    parsed = payments({}, {"name": "", "tax_id": ""}, oddities=Oddities(merged=frozenset({(3, NAME), (3, TAX_ID)})))
    assert [(issue.code.value, issue.cell) for issue in parsed.issues] == [("CELL_MERGED", "A3"), ("CELL_MERGED", "B3")]
    assert parsed.frame["row"].tolist() == [2]
    assert parsed.held["codes"].tolist() == ["CELL_MERGED"]


def test_a_merged_cell_of_an_optional_column_holds_its_row_as_well():
    parsed = payments({"email": "a@example.com"}, {}, oddities=Oddities(merged=frozenset({(3, 6)})))
    assert [(issue.code.value, issue.cell, issue.column) for issue in parsed.issues] == [("CELL_MERGED", "G3", "email")]


def test_a_merged_destination_is_not_said_to_be_missing_and_another_is():
    gone = {"pix_key": "", "pix_key_type": ""}
    covered = Oddities(merged=frozenset({(2, PIX_KEY), (2, PIX_KEY_TYPE), (3, NAME)}))
    parsed = payments(gone, gone | {"name": ""}, oddities=covered)
    assert codes(parsed, row=2) == ["CELL_MERGED", "CELL_MERGED"]
    assert codes(parsed, row=3) == ["DESTINATION_MISSING", "CELL_MERGED"]


def test_merged_cells_matter_neither_in_columns_nobody_reads_nor_in_totals():
    drawn = Oddities(merged=frozenset({(2, 5), (3, TAX_ID), (3, AMOUNT), (9, NAME)}))
    total = dict.fromkeys(PAYMENT, "") | {"name": "Total"}
    parsed = parse("payments", PAYMENT | {"Nota": ""}, total, oddities=drawn, totals=["Total"])
    assert codes(parsed) == []
    assert len(parsed.frame) == 1


@pytest.mark.parametrize(("position", "expected"), [(AMOUNT, ["FORMULA_EXTERNAL"]), (6, [])])
def test_a_value_from_another_workbook_holds_its_row_where_it_is_read(position, expected):
    elsewhere = Oddities(external=frozenset({(3, position)}))
    parsed = payments({"Nota": "x"}, {"Nota": "x"}, oddities=elsewhere, remarks=["Nota"])
    assert codes(parsed) == expected
    assert len(parsed.frame) == (1 if position == AMOUNT else 2)


def test_a_workbook_that_asks_to_be_calculated_again_warns_at_its_first_formula_that_is_read():
    formulas = frozenset({(2, 6), (4, AMOUNT), (3, AMOUNT), (3, NAME)})
    parsed = payments(*[{"Nota": "x"}] * 3, oddities=Oddities(formulas=formulas, stale=True), remarks=["Nota"])
    told = [(issue.code.value, issue.severity, issue.cell) for issue in parsed.issues]
    assert told == [("FORMULA_STALE", Severity.WARNING, "A3")]
    assert len(parsed.frame) == 3
    assert "FORMULA_STALE" not in codes(payments({}, {}, {}, oddities=Oddities(formulas=formulas)))
    assert "FORMULA_STALE" not in codes(payments({}, {}, {}, oddities=Oddities(stale=True)))


def test_what_is_odd_hides_no_other_problem_of_the_cell():
    external = Oddities(external=frozenset({(2, AMOUNT)}))
    parsed = payments({"amount": "-1"}, oddities=external, kinds={(0, "amount"): CellKind.NUMBER})
    assert codes(parsed) == ["AMOUNT_NOT_POSITIVE", "FORMULA_EXTERNAL"]


def test_an_account_whose_fields_are_merged_away_is_told_by_the_merged_cells_alone():
    row = ACCOUNT_PAYEE | {"amount": "10,00"}
    merged = frozenset({(3, list(row).index("agency"))})
    parsed = parse("payments", row, row | {"agency": "", "reference": "b"}, oddities=Oddities(merged=merged))
    assert codes(parsed) == ["CELL_MERGED"]
