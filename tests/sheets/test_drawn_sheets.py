"""What people really send is paid as they mean it, or waits with a word at its cell: one case for each drawing."""

from pathlib import Path

import pytest

from tests.sampled import sampled
from tests.sheets.drawing import DrawnSheet, drawings
from tests.sheets.judging import expected, read_and_judge

DRAWN = drawings()
FIRST = [pytest.param(sheet, sheet.forms[0], id=f"{sheet.name}{sheet.forms[0]}") for sheet in DRAWN]
OTHERS = [pytest.param(sheet, form, id=f"{sheet.name}{form}") for sheet in DRAWN for form in sheet.forms[1:]]


@pytest.mark.parametrize(("sheet", "form"), [*FIRST, *sampled(OTHERS, one_in=8)])
def test_a_sheet_is_read_as_its_writer_means_it(tmp_path: Path, sheet: DrawnSheet, form: str) -> None:
    found = read_and_judge(sheet.write(tmp_path, form))
    told = " ".join(found.pop("told"))
    accounts = found.pop("to", {})
    assert found == expected(sheet.truth), sheet.what
    for words in sheet.truth.get("told", []):
        assert words in told, sheet.what
    for row, account in sheet.truth.get("to", {}).items():
        assert account in accounts[row], sheet.what


def test_no_two_drawings_show_the_same() -> None:
    assert len({sheet.what for sheet in DRAWN}) == len(DRAWN)
