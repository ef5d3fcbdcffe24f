"""An .xls says what the same workbook says as .xlsx, and nothing of it is silently empty."""

import datetime as dt
import io

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from python_calamine import load_workbook

from io_adapters.spreadsheets.workbook.sheets import CellValue, Sheet
from io_adapters.spreadsheets.workbook.xls import open_xls
from io_adapters.spreadsheets.workbook.xls_numbers import number_value, shown_as
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx
from schemas.sheet_cells import CellKind
from tests.io_adapters.spreadsheets import xls_writer as xls
from tests.io_adapters.spreadsheets.trap_workbook import (
    Convert,
    cells_of,
    libreoffice,
    refusal,
    texts_of,
    trap_workbook,
)

convert = pytest.fixture(scope="module")(libreoffice)

FORMATS = (
    "General",
    "0.00",
    "#,##0.00_);[Red](#,##0.00)",
    '"R$" #,##0.00',
    "R$\\ #,##0.00;-R$\\ #,##0.00",
    '_-"R$"* #,##0.00_-;-"R$"* #,##0.00_-;_-"R$"* "-"??_-;_-@_-',
    '0.00" dias"',
    "0*d",
    "0.00E+00",
    "@",
    "dd/mm/yyyy",
    "[$-416]d \\d\\e mmmm \\d\\e yyyy;@",
    "mmm-yy",
    "h:mm AM/PM",
    "m/d/yy h:mm",
    "mm:ss.0",
    "[h]:mm:ss",
    "[mm]:ss",
    "[Red][>100]0.00;0",
    "0;dd/mm",
)
ANY_SHEET = (("Dados", xls.label(0, 0, "a") + xls.number(1, 0, 7.0)),)


def only_sheet(records: bytes, **of_workbook) -> Sheet:
    return open_xls(xls.ole_file(xls.workbook([("Dados", records)], **of_workbook))).load("Dados")


def test_every_cell_says_in_xls_what_it_says_in_xlsx(convert: Convert, tmp_path):
    source = trap_workbook(tmp_path / "traps.xlsx")
    new = open_xlsx(convert(source, "xlsx", tmp_path / "new").read_bytes())
    old = open_xls(convert(source, "xls", tmp_path / "old").read_bytes())
    assert list(old.sheets) == list(new.sheets)
    for name, _ in new.sheets:
        ours, theirs = old.load(name), new.load(name)
        assert ours.oddities == theirs.oddities
        assert cells_of(ours) == cells_of(theirs)
    assert old.load("Dados").oddities.hidden_rows == (5,)


def test_the_1904_calendar_is_honoured_and_told(convert: Convert, tmp_path):
    book = openpyxl.Workbook()
    book.epoch = CALENDAR_MAC_1904
    for row in (
        dt.date(2026, 10, 1),
        dt.datetime.fromisoformat("2026-10-01T09:30"),
        dt.date(1904, 1, 2),
        dt.time(18, 45),
    ):
        book.active.append([row])
    book.save(tmp_path / "mac.xlsx")
    old = open_xls(convert(tmp_path / "mac.xlsx", "xls", tmp_path).read_bytes())
    assert old.traits.date_1904
    assert texts_of(old.load("Sheet")) == [["2026-10-01"], ["2026-10-01T09:30:00"], ["1904-01-02"], ["18:45:00"]]


def test_its_values_are_those_that_calamine_reads(convert: Convert, tmp_path):
    book = openpyxl.Workbook()
    for row in range(300):
        book.active.append([f"Pessoa {row}", row, row / 7, -row * 1e9, dt.date(2026, 1, 1) + dt.timedelta(row), "01"])
    book.save(tmp_path / "many.xlsx")
    content = convert(tmp_path / "many.xlsx", "xls", tmp_path).read_bytes()
    assert (
        list(open_xls(content).load("Sheet").rows)
        == load_workbook(io.BytesIO(content)).get_sheet_by_index(0).to_python()
    )


def test_number_formats_mean_what_calamine_takes_them_for_in_xlsx():
    book = openpyxl.Workbook()
    numbers = (0.0, 0.4, 0.999999999, 1.0, 59.25, 61.0, 46296.0, 46296.3958, 2958465.999)
    for row, code in enumerate(FORMATS, 1):
        for column, number in enumerate(numbers, 1):
            book.active.cell(row, column, number).number_format = code
    saved = io.BytesIO()
    book.save(saved)
    saved.seek(0)
    theirs = load_workbook(saved).get_sheet_by_index(0).to_python()
    ours = [[number_value(number, shown_as(code), date_1904=False) for number in numbers] for code in FORMATS]
    assert dict(zip(FORMATS, ours, strict=True)) == dict(zip(FORMATS, theirs, strict=True))


@pytest.mark.parametrize(
    ("code", "number", "text"),
    [
        ("0%", 0.5, "50%"),
        ("0.00%;[Red]-0.00%", -0.125, "-12.5%"),
        ('0.0" %"', 50.0, "50"),
        ("0\\%", 7.0, "7"),
        ("dd/mm/yyyy", -5.0, "-5"),
        ("dd/mm/yyyy", 3e6, "3000000"),
        ("[h]:mm", 1e300, "1" + "0" * 300),
        ("0%", float("inf"), "#NUM!"),
    ],
)
def test_a_number_is_read_as_its_format_shows_it(code, number, text):
    ((cell,),) = cells_of(only_sheet(xls.number(0, 0, number, 1), formats=[code]))
    assert cell[0] == text
    assert cell[1] is (CellKind.ERROR if text == "#NUM!" else CellKind.NUMBER)


@given(st.floats(0, 2_958_465, width=64), st.booleans())
def test_a_date_lies_as_far_from_another_as_their_numbers(number, date_1904):
    moments: list[CellValue] = [
        number_value(value, shown_as("dd/mm/yyyy hh:mm"), date_1904=date_1904)
        for value in (number // 1, number // 1 + 0.5)
    ]
    days = [moment for moment in moments if isinstance(moment, dt.date)]
    if len(days) == 2:
        first = dt.datetime.combine(days[0], dt.time.min)
        assert days[1] - first == dt.timedelta(hours=12)
        # Excel's day 60, 29 February 1900, is none.
        assert first - dt.datetime.fromisoformat("1904-01-01") == dt.timedelta(
            number // 1 - (0 if date_1904 else 1462 - (number < 60))
        )


def test_errors_are_told_by_name_and_never_read_as_empty():
    codes = {
        0x00: "#NULL!",
        0x07: "#DIV/0!",
        0x0F: "#VALUE!",
        0x17: "#REF!",
        0x1D: "#NAME?",
        0x24: "#NUM!",
        0x2A: "#N/A",
    }
    sheet = only_sheet(b"".join(xls.error(row, 0, code) for row, code in enumerate([*codes, 0x99])))
    assert cells_of(sheet) == [[(text, CellKind.ERROR)] for text in [*codes.values(), "#ERROR!"]]


def test_formulas_that_nobody_calculated_have_no_value():
    never = xls.label(0, 0, "Valor") + xls.formula(1, 0, None) + xls.formula(4, 1, 0.0, flags=1)
    sheet = only_sheet(never)
    assert (sheet.height, sheet.width) == (5, 2)
    kinds = [[kind for _, kind in row] for row in cells_of(sheet)]
    assert (kinds[1][0], kinds[4][1]) == (CellKind.FORMULA_WITHOUT_VALUE,) * 2
    assert sheet.oddities.formulas == frozenset()


def test_an_empty_text_is_a_value_where_other_formulas_have_theirs():
    some = (
        xls.formula(0, 0, None) + xls.formula(0, 1, 0.0) + xls.formula(0, 2, "pago") + xls.formula(0, 3, 0.0, flags=1)
    )
    sheet = only_sheet(some)
    assert cells_of(sheet) == [
        [("", CellKind.EMPTY), ("0", CellKind.NUMBER), ("pago", CellKind.TEXT), ("0", CellKind.NUMBER)]
    ]
    assert sheet.oddities.formulas == {(1, 0), (1, 1), (1, 2), (1, 3)}


def test_a_formula_that_gives_zero_has_a_value():
    assert cells_of(only_sheet(xls.formula(0, 0, 0.0))) == [[("0", CellKind.NUMBER)]]


def test_formulas_that_look_into_another_workbook_are_told():
    own, other = b"\1\0\1\4", b"\1\0\5\0\0a.xls"
    links = xls.record(0x01AE, own) + xls.record(0x01AE, other)
    references = xls.record(0x0017, b"\2\0" + b"\0\0\0\0\0\0" + b"\1\0\0\0\0\0")
    sheet = only_sheet(
        xls.formula(0, 0, 1.0, xls.other_sheet(0))
        + xls.formula(0, 1, 1.0, xls.other_sheet(1))
        + xls.formula(1, 0, 1.0, b"\1\1\0\0\0")
        + xls.array_formula(1, 2, 0, 0, xls.other_sheet(1))
        + xls.formula(2, 0, 1.0, b"\1\1\0\0\0"),
        more=links + references,
    )
    assert sheet.oddities.external == {(1, 1), (2, 0), (3, 0)}
    assert len(sheet.oddities.formulas) == 4


@pytest.mark.parametrize("sign", [xls.UNCALCED, xls.CALCULATED_BY_HAND], ids=["pending", "by hand"])
def test_formulas_that_may_be_stale_are_told(sign):
    assert only_sheet(sign + xls.formula(0, 0, 7.0)).oddities.stale
    assert not only_sheet(sign + xls.number(0, 0, 7.0)).oddities.stale
    assert not only_sheet(xls.formula(0, 0, 7.0)).oddities.stale


def test_sheets_hidden_from_the_menu_too_are_hidden_and_macro_sheets_are_none():
    sheets = [(name, xls.label(0, 0, name)) for name in ("A", "B", "C", "D")]
    book = open_xls(xls.ole_file(xls.workbook(sheets, states=[0, 1, 2, 0], kinds=[0, 0, 0, 1])))
    assert list(book.sheets) == [("A", True), ("B", False), ("C", False)]
    assert book.traits.macros
    assert texts_of(book.load("C")) == [["C"]]


def test_macros_are_told():
    stream = xls.workbook(ANY_SHEET)
    assert open_xls(xls.ole_file(stream, beside=["_VBA_PROJECT_CUR", "MBD0018"])).traits.macros
    assert not open_xls(xls.ole_file(stream, beside=["MBD0018"])).traits.macros


def test_cells_that_are_formatted_and_empty_do_not_count():
    sheet = only_sheet(xls.label(1, 1, "a") + xls.blank(9, 9) + xls.label(20, 0, ""))
    assert (sheet.height, sheet.width) == (2, 2)
    assert texts_of(sheet) == [["", ""], ["", "a"]]


def test_sheets_that_bear_one_name_are_refused():
    assert refusal(open_xls, xls.ole_file(xls.workbook([*ANY_SHEET, *ANY_SHEET]))) == "FILE_CORRUPT"


def test_a_sheet_may_be_loaded_again():
    book = open_xls(xls.ole_file(xls.workbook(ANY_SHEET)))
    assert texts_of(book.load("Dados")) == texts_of(book.load("Dados")) == [["a"], ["7"]]


def test_a_workbook_locked_by_a_password_is_refused():
    assert refusal(open_xls, xls.ole_file(xls.workbook(ANY_SHEET, more=xls.LOCKED))) == "FILE_ENCRYPTED"
    assert refusal(open_xls, xls.ole_file(b"?", name="EncryptedPackage")) == "FILE_ENCRYPTED"


def test_a_workbook_older_than_excel_97_is_refused():
    assert refusal(open_xls, xls.ole_file(xls.workbook(ANY_SHEET, version=0x0500))) == "FILE_CORRUPT"
    assert refusal(open_xls, xls.ole_file(xls.workbook(ANY_SHEET, version=0x0500), name="Book")) == "FILE_CORRUPT"


@given(st.integers(0, 8191))
@settings(max_examples=40)
def test_a_workbook_cut_short_is_refused_unless_nothing_is_missing(length):
    whole = xls.ole_file(xls.workbook([("Dados", b"".join(xls.label(row, 0, "José") for row in range(400)))]))
    content = whole[: length * len(whole) // 8192]
    if refusal(open_xls, content) is None:
        assert texts_of(open_xls(content).load("Dados")) == [["José"]] * 400
    else:
        assert refusal(open_xls, content) == "FILE_CORRUPT"


@given(st.data())
@settings(max_examples=150)
def test_damaged_bytes_are_refused_or_read_and_raise_nothing_else(data):
    records = b"".join(
        xls.number(row, 1, row, 1) + xls.formula(row, 2, "x") + xls.error(row, 3, 7) for row in range(30)
    )
    content = bytearray(xls.ole_file(xls.workbook([("Dados", records)], formats=["0%"]), beside=["Outro"]))
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
        content[place] = data.draw(st.integers(0, 255))
    assert refusal(open_xls, bytes(content)) in {None, "FILE_CORRUPT", "FILE_ENCRYPTED"}
