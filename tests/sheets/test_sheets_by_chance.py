"""Two hundred sheets as people draw them, as workbook, as text and as LibreOffice saves them: each pays what it may."""

from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from schemas.issues import Severity
from schemas.parsing.columns_by_cells import as_proposed
from schemas.parsing.table import ParsedTable, parse_table
from tests.io_adapters.spreadsheets.trap_workbook import libreoffice
from tests.sampled import in_turn, sampled
from tests.sheets.by_chance import IN_A_WORKBOOK, IN_TEXT, honest, spoiled

convert = pytest.fixture(scope="module")(libreoffice)
PAYMENTS = read_layout("payments", Path())
FORMS = ("texts.xlsx", "numbers.xlsx", "csv")
HONEST = range(100)
IN_ANY_FORM = [(seed, kind) for seed in range(3) for kind in IN_TEXT]
IN_WORKBOOKS = [(seed, kind) for seed in range(3) for kind in IN_A_WORKBOOK]
KINDS = IN_TEXT | IN_A_WORKBOOK


def parsed(path: Path) -> ParsedTable:
    raw = read_table(str(path), PAYMENTS)
    return parse_table(raw, as_proposed(raw, PAYMENTS))


def cents(found: ParsedTable) -> list[int]:
    return found.frame.sort_values("row")["amount_cents"].tolist()


@pytest.mark.parametrize(("seed", "form"), sampled(in_turn(HONEST, FORMS), one_in=10))
def test_an_honest_sheet_is_paid_whole_and_holds_nobody(tmp_path, seed, form):
    drawn = honest(seed)
    path = tmp_path / form
    found = parsed(drawn.write_csv(path) if form == "csv" else drawn.write_xlsx(path, numbers=form == "numbers.xlsx"))
    assert [issue for issue in found.issues if issue.severity is Severity.ERROR] == []
    assert cents(found) == drawn.paid_cents


SPOILED = [*in_turn(IN_ANY_FORM, FORMS), *((*case, "numbers.xlsx") for case in IN_WORKBOOKS)]


@pytest.mark.parametrize(("seed", "kind", "form"), sampled(SPOILED, one_in=5))
def test_what_says_that_a_row_is_not_to_be_paid_holds_it_and_no_other(tmp_path, seed, kind, form):
    drawn = spoiled(seed + 1_000, KINDS[kind])
    path = tmp_path / form
    found = parsed(drawn.write_csv(path) if form == "csv" else drawn.write_xlsx(path, numbers=form == "numbers.xlsx"))
    assert cents(found) == drawn.paid_cents
    assert len(found.held) >= len(drawn.unpaid) > 0


@pytest.mark.long
@pytest.mark.parametrize("form", ["xlsx", "ods"])
@pytest.mark.parametrize(
    ("seed", "kind"), [(seed, "") for seed in range(100, 112)] + [*IN_ANY_FORM, *IN_WORKBOOKS][::6]
)
def test_saved_by_libreoffice_a_sheet_says_the_same(tmp_path, convert, seed, kind, form):
    if kind in IN_A_WORKBOOK and form == "ods":
        return  # a warning says that nobody has looked
    drawn = spoiled(seed + 1_000, KINDS[kind]) if kind else honest(seed)
    found = parsed(convert(drawn.write_xlsx(tmp_path / "p.xlsx", numbers=True), form, tmp_path / "saved"))
    assert cents(found) == drawn.paid_cents
