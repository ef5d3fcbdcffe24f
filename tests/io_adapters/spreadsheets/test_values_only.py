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

from io_adapters.spreadsheets.files import FileKind, kind_of
from io_adapters.spreadsheets.workbook.calamine_sheet import open_values_only
from io_adapters.spreadsheets.workbook.sheets import Sheet, number_text
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx
from io_adapters.spreadsheets.workbooks import OpenedWorkbook, WorkbookReader, open_workbook
from schemas.errors import UnreadableFile
from schemas.raw_table import CellKind, FileIdentity
from tests.io_adapters.spreadsheets import ods_writer as ods
from tests.io_adapters.spreadsheets import xls_writer as xls
from tests.io_adapters.spreadsheets import xlsb_writer as xlsb
from tests.io_adapters.spreadsheets.trap_workbook import (
    Convert,
    cells_of,
    libreoffice,
    refusal,
    texts_of,
    trap_workbook,
)

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
ANY_SHEET = (("Dados", xls.label(0, 0, "a") + xls.number(1, 0, 7.0)),)
NUMBERS = (1234.5, 0.07, -0.01, 1e-7, 52998224725.0, 123456789012345.0, 10.1 + 0.2, 3e20)


def read(content: bytes, kind: FileKind, reader: WorkbookReader | None = None) -> OpenedWorkbook:
    identity = FileIdentity(f"book.{kind}", "", len(content))
    return (reader.open if reader else open_workbook)(content, kind, identity)


def refused(content: bytes, kind: FileKind) -> str | None:
    """Return with what a file is refused by the process that reads workbooks; None when it is read."""
    try:
        read(content, kind).close()
    except UnreadableFile as failure:
        return failure.issues[0].code
    return None


def only_sheet(records: bytes, **of_workbook) -> Sheet:
    return open_values_only(xls.ole_file(xls.workbook([("Dados", records)], **of_workbook))).load("Dados")


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
    rows = (
        xlsb.row(0, xlsb.shared(0, 0), xlsb.text(1, "12345678E00131"), xlsb.flag(2, value=True)),
        xlsb.row(1, xlsb.whole(0, -77), xlsb.whole(1, 12345, hundredths=True), xlsb.short(2, 1.25), xlsb.real(3, 1e-7)),
        xlsb.row(3, xlsb.real(0, 46296.375, 1), xlsb.formula(1, 7.5), xlsb.formula(2, "ab"), xlsb.error(3, 7)),
    )
    sheet = open_values_only(xlsb.package({"D": xlsb.sheet(b"".join(rows))}, texts=["José  Ação"], formats=[22])).load(
        "D"
    )
    assert cells_of(sheet) == [
        [("José  Ação", TEXT), ("12345678E00131", TEXT), ("TRUE", BOOL), EMPTY],
        [("-77", NUMBER), ("123.45", NUMBER), ("1.25", NUMBER), ("0.0000001", NUMBER)],
        [EMPTY] * 4,
        [("2026-10-01T09:00:00", DATE), ("7.5", NUMBER), ("ab", TEXT), EMPTY],
    ]


def test_numbers_are_written_out_as_exactly_as_those_of_an_xlsx():
    expected = [[number_text(number)] for number in NUMBERS]
    records = b"".join(xls.number(row, 0, number) for row, number in enumerate(NUMBERS))
    assert texts_of(only_sheet(records)) == expected
    rows = b"".join(xlsb.row(row, xlsb.real(0, number)) for row, number in enumerate(NUMBERS))
    assert texts_of(open_values_only(xlsb.package({"D": xlsb.sheet(rows)})).load("D")) == expected
    cells = [ods.row(ods.float_cell(repr(number))) for number in NUMBERS]
    assert texts_of(open_values_only(ods.package(ods.table(*cells))).load("Dados")) == expected


def test_an_error_and_a_formula_that_was_never_calculated_are_empty_and_never_zero():
    records = xls.error(0, 0, 7) + xls.formula(0, 1, None) + xls.formula(0, 2, "pago") + xls.formula(0, 3, 0.5)
    assert cells_of(only_sheet(records)) == [[EMPTY, EMPTY, ("pago", TEXT), ("0.5", NUMBER)]]


def test_that_nothing_but_values_was_looked_for_is_told():
    assert only_sheet(xls.label(0, 0, "a")).oddities.values_only
    assert open_values_only(ods.package(ods.table(ods.row(ods.text_cell("a"))))).load("Dados").oddities.values_only
    rows = xlsb.sheet(xlsb.row(0, xlsb.text(0, "a")))
    assert open_values_only(xlsb.package({"D": rows})).load("D").oddities.values_only


@pytest.mark.long
def test_merged_cells_of_an_xls_are_known_all_the_same(convert: Convert, tmp_path: Path):
    source = trap_workbook(tmp_path / "traps.xlsx")
    sheet = open_values_only(convert(source, "xls", tmp_path).read_bytes()).load("Dados")
    assert sheet.oddities.merged == {(13, 2), (13, 3), (14, 1), (14, 2), (14, 3)}


def test_hidden_sheets_are_hidden_and_macro_sheets_are_none():
    sheets = [(name, xls.label(0, 0, name)) for name in ("A", "B", "C", "D")]
    old = open_values_only(xls.ole_file(xls.workbook(sheets, states=[0, 1, 2, 0], kinds=[0, 0, 0, 1])))
    assert list(old.sheets) == [("A", True), ("B", False), ("C", False)]
    binary = {name: xlsb.sheet(xlsb.row(0, xlsb.text(0, name))) for name in "ABC"}
    assert list(open_values_only(xlsb.package(binary, states=[0, 1, 2])).sheets) == list(old.sheets)


def test_macros_are_told():
    stream = xls.workbook(ANY_SHEET)
    assert open_values_only(xls.ole_file(stream, beside=["_VBA_PROJECT_CUR"])).traits.macros
    assert not open_values_only(xls.ole_file(stream, beside=["MBD0018"])).traits.macros
    sheets = {"D": xlsb.sheet(xlsb.row(0, xlsb.text(0, "a")))}
    assert open_values_only(xlsb.package(sheets, parts={"xl/vbaProject.bin": b"?"})).traits.macros
    assert open_values_only(ods.package(ods.table(), Basic__Module1_xml="<a/>")).traits.macros
    assert not open_values_only(ods.package(ods.table())).traits.macros


def test_properties_that_tell_what_a_workbook_stands_for_are_told():
    told = f'<office:document-meta {ods.DECLARED}><meta:user-defined meta:name="origem">7</meta:user-defined>'
    meta = f"{told}</office:document-meta>"
    assert dict(open_values_only(ods.package(ods.table(), meta_xml=meta)).traits.properties) == {"origem": "7"}
    custom = {"docProps/custom.xml": b'<Properties><property name="origem"><lpwstr>7</lpwstr></property></Properties>'}
    binary = xlsb.package({"D": xlsb.sheet(b"")}, parts=custom)
    assert dict(open_values_only(binary).traits.properties) == {"origem": "7"}


def test_a_workbook_locked_by_a_password_is_refused():
    for advice in (b"", xls.record(0x0086)):
        stream = xls.workbook(ANY_SHEET)
        locked = stream[:20] + advice + xls.LOCKED + stream[20:]
        assert refusal(open_values_only, xls.ole_file(locked)) == "FILE_ENCRYPTED"
    entry = '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
    assert refusal(open_values_only, ods.package(ods.table(), manifest=entry)) == "FILE_ENCRYPTED"


@pytest.mark.parametrize("stream", ["Book", "Workbook"])
def test_a_workbook_of_excel_95_is_read(stream):
    content = xls.ole_file(xls.excel_95([["Nome", "Valor"], ["João", 12.5]]), name=stream)
    book = open_values_only(content)
    assert [sheet.name for sheet in book.sheets] == ["Folha"]
    assert [list(row) for row in book.load("Folha").rows] == [["Nome", "Valor"], ["João", 12.5]]
    assert kind_of(io.BytesIO(content)) is FileKind.XLS
    assert refusal(open_values_only, xls.ole_file(xls.excel_95([["A"]], locked=True), name=stream)) == "FILE_ENCRYPTED"


def test_a_workbook_older_than_excel_95_is_refused():
    older = xls.workbook(ANY_SHEET, version=0x0400)
    assert refusal(open_values_only, xls.ole_file(older)) == "FILE_CORRUPT"
    assert refusal(open_values_only, xls.ole_file(older, name="Book")) == "FILE_CORRUPT"


def test_sheets_that_bear_one_name_are_refused():
    assert refusal(open_values_only, xls.ole_file(xls.workbook([*ANY_SHEET, *ANY_SHEET]))) == "FILE_CORRUPT"
    assert refusal(open_values_only, ods.package(ods.table(name="A"), ods.table(name="A"))) == "FILE_CORRUPT"


def test_a_document_type_is_refused():
    bomb = '<!DOCTYPE a [<!ENTITY a "aaaa">]>'
    assert refusal(open_values_only, ods.package(ods.table(), before=bomb)) == "FILE_XML_FORBIDDEN"
    assert refusal(open_values_only, ods.package(ods.table(), meta_xml=f"{bomb}<a/>")) == "FILE_XML_FORBIDDEN"
    parts = {"xl/_rels/workbook.bin.rels": f"{bomb}<Relationships/>".encode()}
    assert refusal(open_values_only, xlsb.package({"D": b""}, parts=parts)) == "FILE_XML_FORBIDDEN"


def test_a_few_bytes_never_become_more_cells_than_a_table_has():
    corners = xlsb.row(0, xlsb.text(0, "a")) + xlsb.row(1_048_575, xlsb.text(16_383, "z"))
    many = ods.row(
        ods.text_cell("x", 'table:number-columns-repeated="10000"'), more='table:number-rows-repeated="10000"'
    )
    reader = WorkbookReader(memory_bytes=2**30)
    for content, kind in (
        (xlsb.package({"D": xlsb.sheet(corners)}), FileKind.XLSB),
        (ods.package(ods.table(many)), FileKind.ODS),
    ):
        with pytest.raises(UnreadableFile) as caught:
            read(content, kind, reader)
        assert caught.value.issues[0].code in {"FILE_PARSER", "FILE_EXTENT"}
    reader.end()


@given(st.integers(0, 8191))
@settings(max_examples=40)
def test_an_xls_cut_short_is_refused_unless_nothing_is_missing(length):
    whole = xls.ole_file(xls.workbook([("Dados", b"".join(xls.label(row, 0, "José") for row in range(400)))]))
    content = whole[: length * len(whole) // 8192]
    if refused(content, FileKind.XLS) is None:
        assert texts_of(open_values_only(content).load("Dados")) == [["José"]] * 400
    else:
        assert refused(content, FileKind.XLS) == "FILE_CORRUPT"


@given(st.integers(0, 99))
@settings(max_examples=20)
def test_a_package_cut_short_is_refused(percent):
    sheet = xlsb.sheet(xlsb.row(0, xlsb.text(0, "a")))
    for whole, kind in (
        (ods.package(ods.table(ods.row(ods.text_cell("a")))), FileKind.ODS),
        (xlsb.package({"D": sheet}), FileKind.XLSB),
    ):
        assert refused(whole[: len(whole) * percent // 100], kind) == "FILE_CORRUPT"


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
    expected = {
        None,
        "FILE_CORRUPT",
        "FILE_ENCRYPTED",
        "FILE_EXTENT",
        "FILE_EMPTY",
        "FILE_PARSER",
        "FILE_XML_FORBIDDEN",
    }
    assert refused(content, kind) in expected


def damaged(content: bytes, data: st.DataObject) -> bytes:
    changed = bytearray(content)
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=6)):
        changed[place] = data.draw(st.integers(0, 255))
    return bytes(changed)


SAMPLES = {
    FileKind.XLS: xls.ole_file(
        xls.workbook([("Dados", b"".join(xls.number(row, 1, row, 1) for row in range(30)))], formats=["0%"])
    ),
    FileKind.XLSB: xlsb.package(
        {"Dados": xlsb.sheet(xlsb.row(0, xlsb.shared(0, 0), xlsb.real(1, 7.0, 1)))}, texts=["José"], formats=["0.00%"]
    ),
    FileKind.ODS: ods.package(ods.table(ods.row(ods.text_cell("José"), ods.float_cell("1.5")))),
}
