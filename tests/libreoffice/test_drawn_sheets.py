"""The drawn sheets, opened and saved by LibreOffice: as a workbook of its own and as an .xlsx, they pay the same."""

from pathlib import Path

import pytest

from tests.sheets.drawing import DrawnSheet
from tests.sheets.test_drawn_sheets import DRAWN, expected, read_and_judge

SHEETS = [sheet for sheet in DRAWN if ".xlsx" in sheet.forms and not sheet.file]


@pytest.fixture(scope="module")
def saved(libreoffice, tmp_path_factory: pytest.TempPathFactory):
    """Save all of them in each form at once, since it is the start of the program that takes the time."""
    drawn = tmp_path_factory.mktemp("drawn")
    for sheet in SHEETS:
        sheet.write(drawn, ".xlsx")
    files = sorted(drawn.glob("*.xlsx"))
    return {form: {path.stem: path for path in libreoffice(form, drawn / form, *files)} for form in ("ods", "xlsx")}


@pytest.mark.parametrize("form", ["ods", "xlsx"])
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_it_pays_the_same(saved, tmp_path: Path, sheet: DrawnSheet, form: str) -> None:
    found = read_and_judge(sheet.declare(tmp_path, str(saved[form][sheet.name])))
    truth = expected(sheet.truth)
    for what in ("paid", "lines", "refused"):
        assert found.get(what) == truth.get(what), sheet.what
