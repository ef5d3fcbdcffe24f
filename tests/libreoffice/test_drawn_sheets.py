"""The drawn sheets, opened and saved by LibreOffice: as a workbook of its own and as an .xlsx, they pay the same."""

from pathlib import Path

import pytest

from tests.sampled import sampled
from tests.sheets.drawing import DrawnSheet, drawings
from tests.sheets.judging import expected, read_and_judge

BY_NAME = {sheet.name: sheet for sheet in drawings() if ".xlsx" in sheet.forms and not sheet.file}
PLAYED = sampled([pytest.param(sheet, id=name) for name, sheet in BY_NAME.items()], one_in=10)


@pytest.fixture(scope="module")
def saved(request: pytest.FixtureRequest, libreoffice, tmp_path_factory: pytest.TempPathFactory):
    """Save all that are asked for in each form at once, since it is the start of the program that takes the time."""
    drawn = tmp_path_factory.mktemp("drawn")
    for name in {item.callspec.params["sheet"].name for item in request.session.items if item.path == request.path}:
        BY_NAME[name].write(drawn, ".xlsx")
    files = sorted(drawn.glob("*.xlsx"))
    return {form: {path.stem: path for path in libreoffice(form, drawn / form, *files)} for form in ("ods", "xlsx")}


@pytest.mark.parametrize("form", ["ods", "xlsx"])
@pytest.mark.parametrize("sheet", PLAYED)
def test_it_pays_the_same(saved, tmp_path: Path, sheet: DrawnSheet, form: str) -> None:
    found = read_and_judge(sheet.declare(tmp_path, str(saved[form][sheet.name])))
    truth = expected(sheet.truth)
    for what in ("paid", "lines", "refused"):
        assert found.get(what) == truth.get(what), sheet.what
