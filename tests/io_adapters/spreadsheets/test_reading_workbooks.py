"""An .xlsx is read cell by cell as the person sees it, with the row numbers the person sees."""

import datetime as dt
import io
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from schemas.errors import UnreadableFile
from schemas.exit_codes import ExitCode
from schemas.issues import IssueCode
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind

PAYMENTS = read_layout("payments", Path())
HEADERS = ("Nome", "CPF/CNPJ", "Valor")
ANA = ("Ana", "529.982.247-25", 10.5)


def saved(folder: Path, sheets: dict[str, list[tuple]], name: str = "payments.xlsx") -> str:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(folder / name)
    return str(folder / name)


def rewritten(path: str, part: str, change) -> str:
    """Replace one part of a package."""
    content = Path(path).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == part else old.read(name))
    return path


def kind(table: RawTable, row: int, position: int) -> CellKind:
    return CellKind(table.kinds_of(position)[table.cells.index.get_loc(row)])


def refused(path: str, layout: Layout = PAYMENTS, language: str = "en") -> tuple[IssueCode, str]:
    with pytest.raises(UnreadableFile) as caught:
        read_table(path, layout, language=language)
    (issue,) = caught.value.issues
    assert caught.value.exit_code is ExitCode.UNREADABLE_FILE
    assert issue.file == Path(path).name
    assert issue.message in str(caught.value)
    return issue.code, str(caught.value)


def test_each_kind_of_cell_becomes_the_text_a_person_would_write(tmp_path):
    header = (*HEADERS, "a", "b", "c", "d", "e", "f")
    day = dt.date(2026, 10, 1)
    row = ("Ana", 52998224725, 1234.5, True, day, dt.datetime.combine(day, dt.time(9, 30)), 1e-7, 3e20, None)
    table = read_table(saved(tmp_path, {"P": [header, row]}), PAYMENTS)
    assert table.cells.loc[2].tolist() == [
        "Ana",
        "52998224725",
        "1234.5",
        "TRUE",
        "2026-10-01",
        "2026-10-01T09:30:00",
        "0.0000001",
        "300000000000000000000",
        "",
    ]
    text, number, boolean, date, empty = (CellKind[k] for k in ("TEXT", "NUMBER", "BOOL", "DATE", "EMPTY"))
    assert table.kinds[0].tolist() == [text, number, number, boolean, date, date, number, number, empty]
    assert table.cells[0].dtype == "str"


def test_identifiers_written_as_text_keep_every_character(tmp_path):
    row = ("NA", "00123456000", "10,50", "12345678E00131", "0001", " 00 ")
    table = read_table(saved(tmp_path, {"P": [(*HEADERS, "x", "y", "z"), row]}), PAYMENTS)
    assert table.cells.loc[2].tolist() == list(row)


def test_a_header_below_a_merged_title_is_found_and_rows_keep_their_numbers(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["B1"] = "Pagamentos de outubro"
    sheet.merge_cells("B1:D1")
    for position, header in enumerate(HEADERS):
        sheet.cell(4, position + 2, header)
        sheet.cell(5, position + 2, ANA[position])
        sheet.cell(8, position + 2, ANA[position])
    book.save(tmp_path / "p.xlsx")
    table = read_table(str(tmp_path / "p.xlsx"), PAYMENTS, language="en")
    assert table.header_row == 4
    assert table.headers == ("", *HEADERS)
    assert table.cells.index.tolist() == [5, 6, 7, 8]
    assert table.cells.loc[6].tolist() == [""] * 4
    assert table.cells.loc[8].tolist() == ["", "Ana", "529.982.247-25", "10.5"]
    assert "header in row 4" in table.decisions


def test_an_error_cell_is_told_and_never_read_as_empty(tmp_path):
    rows = [HEADERS, ("Ana", "#N/A", "#REF!"), ANA, ("#DIV/0!", None, None)]
    table = read_table(saved(tmp_path, {"P": rows}), PAYMENTS)
    assert table.cells.loc[2].tolist() == ["Ana", "#N/A", "#REF!"]
    assert [kind(table, 2, p) for p in range(3)] == [CellKind.TEXT, CellKind.ERROR, CellKind.ERROR]
    assert table.cells.index[-1] == 4
    assert kind(table, 4, 0) is CellKind.ERROR


def test_a_formula_without_a_value_is_told_and_one_with_a_value_gives_it(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ("Ana", "x", "=10+1"), ("Bia", "y", "=10+2"), ("Caio", "z", "=A1")]})
    calculated = rb'(<c r="C3")[^>]*><f>[^<]*</f><v ?/?>(</v>)?'
    path = rewritten(
        path,
        "xl/worksheets/sheet1.xml",
        lambda xml: re.sub(calculated, rb"\1><f>10+2</f><v>12</v>", xml).replace(
            b'<c r="C4"><f>A1</f><v />', b'<c r="C4" t="str"><f>A1</f><v></v>'
        ),
    )
    table = read_table(path, PAYMENTS)
    assert table.cells[2].tolist() == ["", "12", ""]
    kinds = [kind(table, row, 2) for row in (2, 3, 4)]
    assert kinds == [CellKind.FORMULA_WITHOUT_VALUE, CellKind.NUMBER, CellKind.EMPTY]


def test_a_number_shown_as_a_percentage_is_read_as_shown(tmp_path):
    path = saved(tmp_path, {"P": [("CPF", "Participação"), ("x", 0.5), ("y", 0.3333), ("z", 50)]})
    book = openpyxl.load_workbook(path)
    book.active["B2"].number_format = "0%"
    book.active["B3"].number_format = "0.00%"
    book.active["B4"].number_format = '0" %"'
    book.save(path)
    table = read_table(path, read_layout("shares", Path()))
    assert table.cells[1].tolist() == ["50%", "33.33%", "50"]
    assert set(table.kinds_of(1)) == {CellKind.NUMBER}


def test_large_sheets_are_looked_at_as_closely_as_small_ones(tmp_path):
    rows = [HEADERS, *[ANA] * 20_000, ("Bia", "#REF!", "=1+1")]
    table = read_table(saved(tmp_path, {"P": rows}), PAYMENTS)
    assert len(table.cells) == 20_001
    assert table.cells.loc[20_002].tolist() == ["Bia", "#REF!", ""]
    assert kind(table, 20_002, 2) is CellKind.FORMULA_WITHOUT_VALUE


def test_xml_with_prefixes_and_without_references_is_read_alike(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ("Ana", "#REF!", 1)]})

    def prefixed(xml: bytes) -> bytes:
        xml = re.sub(rb' r="[A-Z]*\d+"', b"", xml)
        return re.sub(rb"<(/?)(?=[a-zA-Z])", rb"<\1x:", xml).replace(b"xmlns=", b"xmlns:x=")

    table = read_table(rewritten(path, "xl/worksheets/sheet1.xml", prefixed), PAYMENTS)
    assert table.cells.loc[2].tolist() == ["Ana", "#REF!", "1"]


def test_hidden_sheets_are_not_read_and_that_is_said(tmp_path):
    path = saved(tmp_path, {"Velhos": [HEADERS, ("Velho", "x", 1)], "Pagamentos": [HEADERS, ANA]})
    book = openpyxl.load_workbook(path)
    book["Velhos"].sheet_state = "veryHidden"
    book.active = book["Pagamentos"]
    book.save(path)
    table = read_table(path, PAYMENTS, language="pt-BR")
    assert table.sheet == "Pagamentos"
    assert table.cells[0].tolist() == ["Ana"]
    assert table.decisions == ("aba Pagamentos", "abas ocultas não lidas: Velhos", "cabeçalho na linha 1")


def test_hidden_rows_are_read_and_that_is_said(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ANA, ANA]})
    book = openpyxl.load_workbook(path)
    book.active.row_dimensions[3].hidden = True
    book.save(path)
    table = read_table(path, PAYMENTS, language="en")
    assert len(table.cells) == 2
    assert "there are hidden rows or columns, and they were read" in table.decisions


def test_of_several_sheets_the_only_one_with_the_required_headers_is_read(tmp_path):
    sheets = {"Capa": [("Selo Aurora",)], "Pagamentos": [HEADERS, ANA], "Notas": [("Nome", "Nota"), ("a", "b")]}
    assert read_table(saved(tmp_path, sheets), PAYMENTS).sheet == "Pagamentos"


def test_when_several_sheets_fit_none_is_chosen(tmp_path):
    sheets = {"Outubro": [HEADERS, ANA], "Novembro": [HEADERS, ANA], "Capa": [("x",)]}
    code, message = refused(saved(tmp_path, sheets))
    assert code is IssueCode.SHEET_AMBIGUOUS
    assert "Outubro, Novembro" in message
    assert "Capa" not in message


def test_when_no_sheet_fits_the_required_headers_are_named(tmp_path):
    code, message = refused(saved(tmp_path, {"A": [("x",), ("y",)], "B": [("x",), ("y",)]}))
    assert code is IssueCode.SHEET_AMBIGUOUS
    assert "CPF/CNPJ, Valor" in message


def test_a_single_sheet_without_the_headers_is_left_to_the_parser(tmp_path):
    table = read_table(saved(tmp_path, {"P": [("Nome", "Quantia"), ("Ana", 1)]}), PAYMENTS)
    assert (table.header_row, table.headers) == (1, ("Nome", "Quantia"))


def test_the_layout_may_name_sheet_and_header_row(tmp_path):
    layout = PAYMENTS.model_copy(update={"sheets": ["novembro"], "header_row": 2})
    sheets = {"Outubro": [HEADERS, ANA], "Novembro": [HEADERS, HEADERS, ("Bia", "x", 1)]}
    table = read_table(saved(tmp_path, sheets), layout)
    assert (table.sheet, table.header_row, table.cells[0].tolist()) == ("Novembro", 2, ["Bia"])
    code, message = refused(saved(tmp_path, sheets), layout.model_copy(update={"sheets": ["Dezembro"]}))
    assert code is IssueCode.SHEET_MISSING
    assert "Outubro, Novembro" in message


def test_trailing_blank_rows_and_columns_are_left_out(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ANA, ("", None, "")]})
    table = read_table(path, PAYMENTS)
    assert table.cells.shape == (1, 3)


@pytest.mark.parametrize(
    ("rows", "code"), [([], IssueCode.FILE_EMPTY), ([HEADERS], IssueCode.FILE_NO_ROWS)], ids=["nothing", "header only"]
)
def test_a_sheet_without_rows_is_refused(tmp_path, rows, code):
    assert refused(saved(tmp_path, {"P": rows}))[0] is code


def test_two_cells_at_opposite_corners_do_not_bring_the_program_down(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS]})
    book = openpyxl.load_workbook(path)
    book.active["XFD1048576"] = "x"
    book.save(path)
    code, message = refused(path)
    assert code is IssueCode.FILE_CORRUPT
    assert "1048576 rows x 16384 columns" in message


def test_a_formatted_but_empty_far_cell_does_no_harm(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ANA]})
    book = openpyxl.load_workbook(path)
    book.active["XFD1048576"].number_format = "0%"
    book.save(path)
    assert read_table(path, PAYMENTS).cells.shape == (1, 3)


def test_an_archive_that_expands_beyond_measure_is_not_opened(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ANA]})
    bomb = rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: xml + b" " * (100 * 2**20))
    code, message = refused(bomb)
    assert code is IssueCode.FILE_CORRUPT
    assert "sheet1.xml" in message


def test_a_document_type_in_the_xml_is_refused(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ANA]})
    doctype = b'<!DOCTYPE worksheet [<!ENTITY a "aaaa">]>'
    code, _ = refused(rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: doctype + xml))
    assert code is IssueCode.FILE_CORRUPT


def test_a_cut_or_damaged_workbook_is_refused(tmp_path):
    path = Path(saved(tmp_path, {"P": [HEADERS, *[ANA] * 500]}))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert refused(str(path))[0] is IssueCode.FILE_CORRUPT
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        start = archive.getinfo("xl/worksheets/sheet1.xml").header_offset + 100
    path.write_bytes(content[:start] + b"\xff\x00\xff\x00" + content[start + 4 :])
    assert refused(str(path))[0] is IssueCode.FILE_CORRUPT


def test_a_workbook_without_its_parts_is_refused(tmp_path):
    path = tmp_path / "p.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert refused(str(path))[0] is IssueCode.FILE_CORRUPT


def test_a_number_that_is_none_is_refused_without_repeating_it(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ("Ana", "x", 77)]})
    book = openpyxl.load_workbook(path)
    book.active["C2"].number_format = "0%"
    book.save(path)
    path = rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"<v>77</v>", b"<v>529.982</v>"))
    assert read_table(path, PAYMENTS).cells.loc[2, 2] == "52998.2%"
    path = rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"529.982", b"529.982y"))
    code, message = refused(path)
    assert code is IssueCode.FILE_CORRUPT
    assert "529" not in message
