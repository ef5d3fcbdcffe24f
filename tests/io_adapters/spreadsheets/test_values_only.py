"""Of .xls, .xlsb and .ods the values are read, exactly; what else they hold is neither guessed at nor silently lost."""

import datetime as dt
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from io_adapters.spreadsheets.kinds import FileKind, kind_of
from io_adapters.spreadsheets.readers import READERS, Readers
from io_adapters.spreadsheets.workbook.calamine_sheet import open_values_only
from io_adapters.spreadsheets.workbook.sheets import Sheet, number_text
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx
from schemas.errors import UnreadableFile
from schemas.sheet_cells import CellKind
from tests.io_adapters.spreadsheets.trap_workbook import (
    Convert,
    cells_of,
    libreoffice,
    refusal,
    texts_of,
    trap_workbook,
)
from tests.io_adapters.spreadsheets.workbook_files import opened

convert = pytest.fixture(scope="module")(libreoffice)

NUMBER, TEXT, DATE, BOOL = CellKind.NUMBER, CellKind.TEXT, CellKind.DATE, CellKind.BOOL
EMPTY = ("", CellKind.EMPTY)
PERCENTAGES = {("50%", NUMBER): "0.5", ("33.33%", NUMBER): "0.3333", ("150%", NUMBER): "1.5", ("7%", NUMBER): "0.07"}
# What calamine takes otherwise from an .ods that LibreOffice has saved.
IN_ODS = {
    ("TRUE", BOOL): ("1", NUMBER),
    ("FALSE", BOOL): ("0", NUMBER),
    (" x\ty ", TEXT): (" xy ", TEXT),
    ("1 day, 6:00:00", DATE): ("PT30H00M00S", TEXT),
}
FILES = Path(__file__).parent / "files"
# What is left of a workbook, or was made of its first bytes, may not look like one any more.
NO_WORKBOOK = {"FILE_TYPE", "FILE_EMPTY", "FILE_ENCODING", "FILE_ENCRYPTED"}
NUMBERS = (1234.5, 0.07, -0.01, 1e-7, 52998224725.0, 123456789012345.0, 10.1 + 0.2, 3e20)


def refused(content: bytes, readers: Readers = READERS) -> str | None:
    """Return with what a file is refused by the process that reads workbooks; None when it is read."""
    try:
        with opened(content, readers, "book"):
            return None
    except UnreadableFile as failure:
        return failure.issues[0].code


def saved(name: str) -> bytes:
    """A workbook as it was written once, record by record, for what no program at hand can be made to write."""
    return (FILES / name).read_bytes()


def only_sheet(name: str) -> Sheet:
    ((sheet, _),) = open_values_only(saved(name)).sheets
    return open_values_only(saved(name)).load(sheet)


@pytest.mark.long
@pytest.mark.parametrize("form", ["xls", "ods"])
def test_every_value_is_that_of_the_same_workbook_as_xlsx(convert: Convert, tmp_path: Path, form: str):
    source = trap_workbook(tmp_path / "traps.xlsx")
    excel = open_xlsx(convert(source, "xlsx", tmp_path / "xlsx").read_bytes())
    ours = open_values_only(convert(source, form, tmp_path / form).read_bytes())
    assert list(ours.sheets) == list(excel.sheets)
    otherwise = IN_ODS if form == "ods" else {}

    def expected(text: str, kind: CellKind) -> tuple[str, CellKind]:
        if kind in (CellKind.ERROR, CellKind.FORMULA_WITHOUT_VALUE):
            return EMPTY
        return otherwise.get((text, kind), (PERCENTAGES.get((text, kind), text), kind))

    for name, _ in excel.sheets:
        assert cells_of(ours.load(name)) == [[expected(*cell) for cell in row] for row in cells_of(excel.load(name))]


@pytest.mark.long
@pytest.mark.parametrize("form", ["xls", "ods"])
def test_dates_of_the_1904_calendar_stay_what_they_are(convert: Convert, tmp_path: Path, form: str):
    book = openpyxl.Workbook()
    book.epoch = CALENDAR_MAC_1904
    for row in (dt.date(2026, 10, 1), dt.datetime.fromisoformat("2026-10-01T09:30"), dt.date(1904, 1, 2)):
        book.active.append([row])
    book.save(tmp_path / "mac.xlsx")
    ours = open_values_only(convert(tmp_path / "mac.xlsx", form, tmp_path).read_bytes())
    assert texts_of(ours.load("Sheet")) == [["2026-10-01"], ["2026-10-01T09:30:00"], ["1904-01-02"]]


def test_an_xlsb_gives_its_values():
    sheet = only_sheet("values.xlsb")
    assert cells_of(sheet) == [
        [("José  Ação", TEXT), ("12345678E00131", TEXT), ("TRUE", BOOL), EMPTY],
        [("-77", NUMBER), ("123.45", NUMBER), ("1.25", NUMBER), ("0.0000001", NUMBER)],
        [EMPTY] * 4,
        [("2026-10-01T09:00:00", DATE), ("7.5", NUMBER), ("ab", TEXT), EMPTY],
    ]


def test_numbers_are_written_out_as_exactly_as_those_of_an_xlsx():
    expected = [[number_text(number)] for number in NUMBERS]
    for form in ("xls", "xlsb", "ods"):
        assert texts_of(only_sheet(f"numbers.{form}")) == expected


def test_an_error_and_a_formula_that_was_never_calculated_are_empty_and_never_zero():
    assert cells_of(only_sheet("errors-and-formulas.xls")) == [[EMPTY, EMPTY, ("pago", TEXT), ("0.5", NUMBER)]]


@pytest.mark.parametrize("form", ["xls", "xlsb", "ods"])
def test_that_nothing_but_values_was_looked_for_is_told(form):
    assert only_sheet(f"one-cell.{form}").oddities.values_only


@pytest.mark.long
def test_merged_cells_of_an_xls_are_known_all_the_same(convert: Convert, tmp_path: Path):
    source = trap_workbook(tmp_path / "traps.xlsx")
    sheet = open_values_only(convert(source, "xls", tmp_path).read_bytes()).load("Dados")
    assert sheet.oddities.merged == {(13, 2), (13, 3), (14, 1), (14, 2), (14, 3)}


def test_hidden_sheets_are_hidden_and_macro_sheets_are_none():
    old = open_values_only(saved("hidden-sheets.xls"))
    assert list(old.sheets) == [("A", True), ("B", False), ("C", False)]
    assert list(open_values_only(saved("hidden-sheets.xlsb")).sheets) == list(old.sheets)


@pytest.mark.parametrize("name", ["macros.xls", "macros.xlsb", "macros.ods"])
def test_macros_are_told(name):
    assert open_values_only(saved(name)).traits.macros


@pytest.mark.parametrize("name", ["embedded.xls", "nothing.ods"])
def test_what_is_no_macro_is_not_called_one(name):
    assert not open_values_only(saved(name)).traits.macros


@pytest.mark.parametrize("form", ["ods", "xlsb"])
def test_properties_that_tell_what_a_workbook_stands_for_are_told(form):
    assert dict(open_values_only(saved(f"property.{form}")).traits.properties) == {"origem": "7"}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("locked.xls", "FILE_ENCRYPTED"),
        ("locked-with-advice.xls", "FILE_ENCRYPTED"),
        ("locked.ods", "FILE_ENCRYPTED"),
        ("excel-95-locked.xls", "FILE_ENCRYPTED"),
        ("excel-95-renamed-locked.xls", "FILE_ENCRYPTED"),
        ("older.xls", "FILE_CORRUPT"),
        ("older-renamed.xls", "FILE_CORRUPT"),
        ("one-name.xls", "FILE_CORRUPT"),
        ("one-name.ods", "FILE_CORRUPT"),
        ("doctype.ods", "FILE_XML_FORBIDDEN"),
        ("doctype-in-meta.ods", "FILE_XML_FORBIDDEN"),
        ("doctype.xlsb", "FILE_XML_FORBIDDEN"),
    ],
)
def test_what_is_locked_too_old_or_not_what_it_says_is_refused(name, code):
    assert refusal(open_values_only, saved(name)) == code


@pytest.mark.parametrize("name", ["excel-95.xls", "excel-95-renamed.xls"])
def test_a_workbook_of_excel_95_is_read(name):
    book = open_values_only(saved(name))
    assert [sheet.name for sheet in book.sheets] == ["Folha"]
    assert [list(row) for row in book.load("Folha").rows] == [["Nome", "Valor"], ["João", 12.5]]
    assert kind_of(io.BytesIO(saved(name))) is FileKind.XLS


def test_a_few_bytes_never_become_more_cells_than_a_table_has():
    reader = Readers(memory_bytes=2**30)
    for name in ("far-corners.xlsb", "repeated-far.ods"):
        assert refused(saved(name), reader) in {"FILE_PARSER", "FILE_EXTENT"}
    reader.end()


@pytest.mark.long
@given(st.integers(0, 8191))
@settings(max_examples=40)
def test_an_xls_cut_short_is_refused_unless_nothing_is_missing(length):
    whole = saved("four-hundred-rows.xls")
    content = whole[: length * len(whole) // 8192]
    if (code := refused(content)) is None:
        assert texts_of(open_values_only(content).load("Dados")) == [["José"]] * 400
    else:
        assert code in {"FILE_CORRUPT", *NO_WORKBOOK}


@given(st.integers(0, 99))
@settings(max_examples=20)
def test_a_package_cut_short_is_refused(percent):
    for form in ("ods", "xlsb"):
        whole = saved(f"one-cell.{form}")
        assert refused(whole[: len(whole) * percent // 100]) in {"FILE_CORRUPT", *NO_WORKBOOK}


def test_a_damaged_xls_that_claims_more_columns_than_excel_has_is_refused():
    content = bytearray(saved("numbers.xls"))
    place = content.index(b"\x03\x02\x0e\x00") + 6  # a number's record: what it is, its length, row, column
    content[place : place + 2] = (43_756).to_bytes(2, "little")
    assert refused(bytes(content)) == "FILE_EXTENT"


@pytest.mark.long
@given(st.data())
@settings(max_examples=100)
def test_damaged_bytes_are_refused_or_read_and_raise_nothing_else(data):
    kind = data.draw(st.sampled_from([FileKind.XLS, FileKind.XLSB, FileKind.ODS]))
    whole = SAMPLES[kind]
    if kind is FileKind.XLS:
        content = damaged(whole, data)
    else:
        with zipfile.ZipFile(io.BytesIO(whole)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        part = data.draw(st.sampled_from(sorted(parts)))
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, old in parts.items():
                archive.writestr(name, damaged(old, data) if name == part and old else old)
        content = packed.getvalue()
    expected: set[str | None] = {
        None,
        "FILE_CORRUPT",
        "FILE_ENCRYPTED",
        "FILE_EXTENT",
        "FILE_EMPTY",
        "FILE_PARSER",
        "FILE_XML_FORBIDDEN",
    }
    assert refused(content) in expected | NO_WORKBOOK


def damaged(content: bytes, data: st.DataObject) -> bytes:
    changed = bytearray(content)
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=6)):
        changed[place] = data.draw(st.integers(0, 255))
    return bytes(changed)


SAMPLES = {
    FileKind.XLS: saved("percentages.xls"),
    FileKind.XLSB: saved("percentages.xlsb"),
    FileKind.ODS: saved("two-cells.ods"),
}
