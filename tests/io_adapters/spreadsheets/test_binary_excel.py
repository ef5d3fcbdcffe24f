"""An .xlsb is read from its records: what a cell holds, and as what it is shown."""

import datetime as dt
import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from python_calamine import load_workbook

from io_adapters.spreadsheets.workbook.sheets import ExactCell, Sheet
from io_adapters.spreadsheets.workbook.xlsb import open_xlsb
from io_adapters.spreadsheets.workbook.xlsb_records import records, rk_number, wide_text
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx
from schemas.sheet_cells import CellKind
from tests.io_adapters.spreadsheets import xlsb_writer as xlsb
from tests.io_adapters.spreadsheets.trap_workbook import Convert, cells_of, libreoffice, refusal, texts_of

convert = pytest.fixture(scope="module")(libreoffice)

NUMBER, TEXT, DATE, BOOL, ERROR = CellKind.NUMBER, CellKind.TEXT, CellKind.DATE, CellKind.BOOL, CellKind.ERROR
EMPTY = ("", CellKind.EMPTY)
FORMATS = (14, "0.00%", "[h]:mm:ss", '"R$" #,##0.00', 9, 46, 22)
DATES, PERCENT, HOURS, MONEY, WHOLE_PERCENT = 1, 2, 3, 4, 5
TEXTS = ("José  Ação", "00123456000", "日本 😀 <&>", " x\ty ")

# A table that begins in B3; what LibreOffice, too, reads of an .xlsb.
TABLE = (
    xlsb.row(2, *(xlsb.shared(column, place) for place, column in enumerate(range(1, 5))))
    + xlsb.row(3, xlsb.whole(1, 46296, DATES), xlsb.real(2, 46296.375, DATES), xlsb.whole(3, 30, HOURS), hidden=True)
    + xlsb.row(
        4, xlsb.whole(1, -77), xlsb.whole(2, 12345, MONEY, hundredths=True), xlsb.short(3, 1.25), xlsb.real(4, 1e-7)
    )
    + xlsb.row(5, xlsb.short(1, 0.5, PERCENT), xlsb.real(2, 0.3333, PERCENT), xlsb.whole(3, 7, WHOLE_PERCENT))
    + xlsb.row(8, xlsb.text(0, "12345678E00131"), xlsb.rich_text(1, "rico"), xlsb.short(2, -12.5, hundredths=True))
)
TOLD = xlsb.sheet(TABLE, hidden_columns=[(3, 3), (5, 99)], merged=[(8, 9, 1, 2), (2, 2, 1, 1)])


def only_sheet(*rows: bytes, **of_package) -> Sheet:
    return open_xlsb(xlsb.package({"Dados": xlsb.sheet(b"".join(rows))}, **of_package)).load("Dados")


def test_every_kind_of_cell_is_read_as_it_is_shown():
    sheet = open_xlsb(xlsb.package({"Dados": TOLD}, texts=TEXTS, formats=FORMATS)).load("Dados")
    assert (sheet.height, sheet.width) == (9, 5)
    told = sheet.oddities
    assert (told.hidden_rows, told.hidden_columns, told.merged) == ((4,), (3,), {(9, 2)})
    cells = cells_of(sheet)
    assert cells[2] == [EMPTY, *((text, TEXT) for text in TEXTS)]
    assert cells[3] == [EMPTY, ("2026-10-01", DATE), ("2026-10-01T09:00:00", DATE), ("30 days, 0:00:00", DATE), EMPTY]
    assert cells[4] == [EMPTY, ("-77", NUMBER), ("123.45", NUMBER), ("1.25", NUMBER), ("0.0000001", NUMBER)]
    assert cells[5] == [EMPTY, ("50%", NUMBER), ("33.33%", NUMBER), ("700%", NUMBER), EMPTY]
    assert cells[8] == [("12345678E00131", TEXT), ("rico", TEXT), ("-0.125", NUMBER), EMPTY, EMPTY]
    assert all(cell == EMPTY for row in (0, 1, 6, 7) for cell in cells[row])


def test_libreoffice_reads_the_same(convert: Convert, tmp_path):
    parts = {"Dados": TOLD, "Oculta": xlsb.sheet(xlsb.row(0, xlsb.text(0, "x")))}
    content = xlsb.package(parts, texts=TEXTS, formats=FORMATS, states=[0, 1])
    (tmp_path / "b.xlsb").write_bytes(content)
    theirs = open_xlsx(convert(tmp_path / "b.xlsb", "xlsx", tmp_path).read_bytes())
    ours = open_xlsb(content)
    assert list(ours.sheets) == list(theirs.sheets)
    for name, _ in ours.sheets:
        one, other = ours.load(name), theirs.load(name)
        assert one.oddities == other.oddities
        assert cells_of(one) == cells_of(other)
    assert ours.load("Dados").oddities.hidden_columns == (3,)
    assert ours.load("Dados").oddities.merged == {(9, 2)}


def test_calamine_reads_the_same_but_for_what_it_gets_wrong():
    content = xlsb.package({"Dados": TOLD}, texts=TEXTS, formats=FORMATS)
    theirs = load_workbook(io.BytesIO(content)).get_sheet_by_index(0).to_python(skip_empty_area=False)
    ours = list(open_xlsb(content).load("Dados").rows)
    wrong = {(3, 1): 46296, (3, 3): 30, (8, 1): ""}
    for row, cells in enumerate(ours):
        for column, cell in enumerate(cells):
            if not isinstance(cell, ExactCell):
                assert theirs[row][column] == wrong.get((row, column), cell)


def test_formulas_give_their_values_and_are_told():
    sheet = only_sheet(
        xlsb.row(
            0,
            xlsb.formula(0, "ab"),
            xlsb.formula(1, 7.5),
            xlsb.formula(2, result=True),
            xlsb.formula(3, 46296.0, style=1),
        ),
        xlsb.row(1, xlsb.formula(0, ""), xlsb.flag(1, value=False), xlsb.formula(2, 0.25, style=2)),
        formats=FORMATS,
    )
    assert cells_of(sheet) == [
        [("ab", TEXT), ("7.5", NUMBER), ("TRUE", BOOL), ("2026-10-01", DATE)],
        [EMPTY, ("FALSE", BOOL), ("25%", NUMBER), EMPTY],
    ]
    assert sheet.oddities.formulas == {(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 2)}
    assert not sheet.oddities.stale


def test_errors_are_told_by_name_and_never_read_as_empty():
    codes = {
        0x00: "#NULL!",
        0x07: "#DIV/0!",
        0x0F: "#VALUE!",
        0x17: "#REF!",
        0x1D: "#NAME?",
        0x24: "#NUM!",
        0x2A: "#N/A",
        0x2B: "#GETTING_DATA",
        0x99: "#ERROR!",
    }
    rows = [xlsb.row(row, xlsb.error(0, code), xlsb.formula_error(1, code)) for row, code in enumerate(codes)]
    sheet = only_sheet(*rows)
    assert cells_of(sheet) == [[(text, ERROR)] * 2 for text in codes.values()]
    assert sheet.oddities.formulas == frozenset()


def test_formulas_that_look_into_another_workbook_are_told():
    sheet = only_sheet(
        xlsb.row(0, xlsb.formula(0, 1.0, xlsb.other_sheet(0)), xlsb.formula(1, "x", xlsb.other_sheet(1))),
        xlsb.row(
            1, xlsb.formula_error(0, 7, xlsb.other_sheet(1)), xlsb.formula(1, result=True, parsed=xlsb.other_sheet(1))
        ),
        xlsb.row(2, xlsb.formula(0, 1.0, b"\1\2\0\0\0"), xlsb.array_formula(2, 3, 0, 0, xlsb.other_sheet(1))),
        xlsb.row(3, xlsb.formula(0, 1.0, b"\1\2\0\0\0")),
        more=xlsb.links(357, 355),
    )
    assert sheet.oddities.external == {(1, 1), (2, 0), (2, 1), (3, 0), (4, 0)}
    assert not only_sheet(
        xlsb.row(0, xlsb.formula(0, 1.0, xlsb.other_sheet(1))), more=xlsb.links(357, 667)
    ).oddities.external


def test_formulas_that_may_be_stale_are_told():
    formula = xlsb.row(0, xlsb.formula(0, 7.0))
    assert only_sheet(formula, more=xlsb.calculation(on_opening=True)).oddities.stale
    assert only_sheet(formula, more=xlsb.calculation(by_hand=True)).oddities.stale
    assert only_sheet(formula, xlsb.record(146), xlsb.record(663, b"\1")).oddities.stale
    assert not only_sheet(formula, more=xlsb.calculation()).oddities.stale
    assert not only_sheet(xlsb.row(0, xlsb.whole(0, 7)), more=xlsb.calculation(on_opening=True)).oddities.stale


def test_the_1904_calendar_is_honoured_and_told():
    sheets = {"Dados": xlsb.sheet(xlsb.row(0, xlsb.whole(0, 46296 - 1462, DATES), xlsb.real(1, 0.75, DATES)))}
    book = open_xlsb(xlsb.package(sheets, formats=FORMATS, date_1904=True))
    assert book.traits.date_1904
    assert list(book.load("Dados").rows) == [[dt.date(2026, 10, 1), dt.time(18)]]


def test_sheets_hidden_from_the_menu_too_are_hidden():
    sheets = {name: xlsb.sheet(xlsb.row(0, xlsb.text(0, name))) for name in "ABC"}
    book = open_xlsb(xlsb.package(sheets, states=[0, 1, 2]))
    assert list(book.sheets) == [("A", True), ("B", False), ("C", False)]
    assert texts_of(book.load("C")) == [["C"]]


def test_macros_and_custom_properties_are_told():
    plain = open_xlsb(xlsb.package({"Dados": xlsb.sheet(b"")})).traits
    assert (plain.macros, dict(plain.properties)) == (False, {})
    assert open_xlsb(xlsb.package({"Dados": TOLD}, parts={"xl/vbaProject.bin": b"?"})).traits.macros
    relation = '<Relationship Id="r{0}" Type="x/{1}" Target="{2}"/>'
    told = [
        relation.format(1, "officeDocument", "xl/workbook.bin"),
        relation.format(2, "custom-properties", "custom.xml"),
    ]
    parts = {
        "_rels/.rels": f"<Relationships>{''.join(told)}</Relationships>".encode(),
        "custom.xml": b'<Properties><property name="origem"><lpwstr>7</lpwstr></property></Properties>',
    }
    assert dict(open_xlsb(xlsb.package({"Dados": TOLD}, parts=parts)).traits.properties) == {"origem": "7"}


def test_cells_that_are_formatted_and_empty_do_not_count():
    sheet = only_sheet(
        xlsb.row(1, xlsb.text(1, "a"), xlsb.blank(9)), xlsb.row(9, xlsb.blank(0)), xlsb.row(20, xlsb.text(0, ""))
    )
    assert texts_of(sheet) == [["", ""], ["", "a"]]
    assert texts_of(only_sheet()) == []


def test_two_cells_at_opposite_corners_are_refused_with_the_extent():
    rows = xlsb.row(0, xlsb.text(0, "a")) + xlsb.row(1_048_575, xlsb.text(16_383, "z"))
    assert refusal(open_xlsb, xlsb.package({"Dados": xlsb.sheet(rows)})) == "FILE_EXTENT"


NONSENSE = {
    "text missing": xlsb.row(0, xlsb.shared(0, 9)),
    "style missing": xlsb.row(0, xlsb.whole(0, 1, style=9)),
    "rows out of order": xlsb.row(3) + xlsb.row(2),
    "cells out of order": xlsb.row(0, xlsb.text(1, "a"), xlsb.text(0, "b")),
    "column beyond the last": xlsb.row(0, xlsb.text(16_384, "a")),
    "row beyond the last": xlsb.row(1_048_576, xlsb.text(0, "a")),
    "cell without a row": xlsb.text(0, "a"),
    "text cut off": xlsb.row(0, xlsb.record(6, bytes(8) + b"\xff\xff\xff\0")),
    "text that is none": xlsb.row(0, xlsb.record(6, bytes(8) + b"\1\0\0\0\0\xd8")),
    "number cut off": xlsb.row(0, xlsb.record(5, bytes(9))),
}


@pytest.mark.parametrize("rows", NONSENSE.values(), ids=NONSENSE)
def test_records_that_make_no_sense_are_refused(rows):
    assert refusal(open_xlsb, xlsb.package({"Dados": xlsb.sheet(rows)})) == "FILE_CORRUPT"


@pytest.mark.parametrize("part", [b"\2", b"\2\x20abc", b"\x80"], ids=["length", "body", "type"])
def test_a_record_that_is_cut_off_is_refused(part):
    assert refusal(open_xlsb, xlsb.package({"Dados": part})) == "FILE_CORRUPT"


def test_a_package_without_its_parts_is_refused():
    whole = xlsb.package({"Dados": TOLD}, texts=TEXTS, formats=FORMATS)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        names = [name for name in archive.namelist() if name != "[Content_Types].xml"]
    for left_out in names:
        packed = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(packed, "w") as new:
            for name in names:
                if name != left_out:
                    new.writestr(name, old.read(name))
        assert refusal(open_xlsb, packed.getvalue()) == "FILE_CORRUPT", left_out


def test_a_document_type_in_its_relations_is_refused():
    relations = b'<!DOCTYPE r [<!ENTITY a "b">]><Relationships/>'
    content = xlsb.package({"Dados": TOLD}, parts={"xl/_rels/workbook.bin.rels": relations})
    assert refusal(open_xlsb, content) == "FILE_XML_FORBIDDEN"


@pytest.mark.parametrize("size", [0, 0x7F, 0x80, 0x3FFF, 0x4000, 0x1F_FFFF, 0x20_0000])
@pytest.mark.parametrize("kind", [0, 0x7F, 0x80, 0x3FFF])
def test_a_record_of_any_type_and_length_is_found_again(kind, size):
    part = xlsb.record(1) + xlsb.record(kind, bytes(size)) + xlsb.record(2, b"x")
    assert list(records(part)) == [(1, b""), (kind, bytes(size)), (2, b"x")]


@given(st.integers(-(2**29), 2**29 - 1), st.booleans())
def test_a_packed_number_is_unpacked_exactly(number, hundredths):
    ((_, body),) = records(xlsb.whole(0, number, hundredths=hundredths))
    assert rk_number(body, 8) == (number / 100 if hundredths else number)


@given(st.text())
def test_a_text_is_read_whatever_it_holds(text):
    assert wide_text(b"?" + xlsb.wide(text) + b"!", 1) == (text, 1 + len(xlsb.wide(text)))


@given(st.data())
@settings(max_examples=150)
def test_damaged_bytes_are_refused_or_read_and_raise_nothing_else(data):
    part = data.draw(
        st.sampled_from(["xl/workbook.bin", "xl/worksheets/sheet1.bin", "xl/styles.bin", "xl/sharedStrings.bin"])
    )
    whole = xlsb.package({"Dados": TOLD}, texts=TEXTS, formats=FORMATS, more=xlsb.links(357, 355) + xlsb.calculation())
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    damaged = bytearray(parts[part])
    for place in data.draw(st.lists(st.integers(0, len(damaged) - 1), min_size=1, max_size=6)):
        damaged[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([None, len(damaged) // 2]))
    content = xlsb.package({"Dados": TOLD}, parts=parts | {part: bytes(damaged[:cut])})
    assert refusal(open_xlsb, content) in {None, "FILE_CORRUPT", "FILE_EXTENT"}


@given(st.integers(0, 99))
@settings(max_examples=20)
def test_a_package_cut_short_is_refused(percent):
    whole = xlsb.package({"Dados": TOLD}, texts=TEXTS, formats=FORMATS)
    assert refusal(open_xlsb, whole[: len(whole) * percent // 100]) == "FILE_CORRUPT"
