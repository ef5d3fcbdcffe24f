"""An .xlsx is read cell by cell as the person sees it, with the row numbers the person sees."""

import datetime as dt
import io
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest
from openpyxl.packaging.custom import StringProperty
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from schemas.errors import ExitCode, UnreadableFile
from schemas.issues import IssueCode
from schemas.layouts.layout import Layout
from schemas.messages import render
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from tests.io_adapters.spreadsheets.workbook_files import (
    ANA,
    HEADERS,
    SHEET,
    bytes_of,
    opened,
    read,
    rewritten,
    saved,
    table_of,
    with_part,
    with_shared_texts,
    with_sheet,
    workbook,
)
from tests.written import written

PAYMENTS = read_layout("payments", Path())


def kind(table: RawTable, row: int, position: int) -> CellKind:
    return CellKind(table.kinds_of(position)[table.cells.index.get_loc(row)])


def refused(path: str, layout: Layout = PAYMENTS, language: str = "en") -> tuple[IssueCode, str]:
    with pytest.raises(UnreadableFile) as caught:
        read_table(path, layout)
    (issue,) = caught.value.issues
    assert caught.value.exit_code is ExitCode.UNREADABLE_FILE
    assert issue.file == Path(path).name
    assert str(issue.message) in str(caught.value)
    return issue.code, render(caught.value.content, language)


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
    table = read_table(str(tmp_path / "p.xlsx"), PAYMENTS)
    assert table.header_row == 4
    assert table.headers == ("", *HEADERS)
    assert table.cells.index.tolist() == [5, 6, 7, 8]
    assert table.cells.loc[6].tolist() == [""] * 4
    assert table.cells.loc[8].tolist() == ["", "Ana", "529.982.247-25", "10.5"]
    assert "header in row 4" in written(table.decisions)


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
        SHEET,
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


def test_xml_with_prefixes_and_without_references_is_read_alike(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ("Ana", "#REF!", 1)]})

    def prefixed(xml: bytes) -> bytes:
        xml = re.sub(rb' r="[A-Z]*\d+"', b"", xml)
        return re.sub(rb"<(/?)(?=[a-zA-Z])", rb"<\1x:", xml).replace(b"xmlns=", b"xmlns:x=")

    table = read_table(rewritten(path, SHEET, prefixed), PAYMENTS)
    assert table.cells.loc[2].tolist() == ["Ana", "#REF!", "1"]


def test_hidden_sheets_are_not_read_and_that_is_said(tmp_path):
    path = saved(tmp_path, {"Velhos": [HEADERS, ("Velho", "x", 1)], "Pagamentos": [HEADERS, ANA]})
    book = openpyxl.load_workbook(path)
    book["Velhos"].sheet_state = "veryHidden"
    book.active = book["Pagamentos"]
    book.save(path)
    table = read_table(path, PAYMENTS)
    assert table.sheet == "Pagamentos"
    assert table.cells[0].tolist() == ["Ana"]
    told = ("aba Pagamentos", "abas ocultas não lidas: Velhos", "cabeçalho na linha 1")
    assert written(table.decisions, "pt-BR") == told


def test_hidden_rows_are_read_and_that_is_said(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ANA, ANA]})
    book = openpyxl.load_workbook(path)
    book.active.row_dimensions[3].hidden = True
    book.save(path)
    table = read_table(path, PAYMENTS)
    assert len(table.cells) == 2
    assert "there are hidden rows or columns, and they were read" in written(table.decisions)


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


def test_a_sheet_with_nothing_in_it_is_refused(tmp_path):
    assert refused(saved(tmp_path, {"P": []}))[0] is IssueCode.FILE_EMPTY


@pytest.mark.parametrize("below", [(), (("", None, ""),)], ids=["nothing below", "a blank row"])
def test_a_header_alone_is_an_empty_table_which_is_said(tmp_path, below):
    table = read_table(saved(tmp_path, {"P": [HEADERS, *below]}), PAYMENTS)
    assert table.cells.shape == (0, 3)
    assert "no row below the header" in str(table.decisions[-1])


def test_a_formatted_but_empty_far_cell_does_no_harm(tmp_path):
    path = saved(tmp_path, {"P": [HEADERS, ANA]})
    book = openpyxl.load_workbook(path)
    book.active["XFD1048576"].number_format = "0%"
    book.save(path)
    assert read_table(path, PAYMENTS).cells.shape == (1, 3)


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
    path = rewritten(path, SHEET, lambda xml: xml.replace(b"<v>77</v>", b"<v>529.982</v>"))
    assert read_table(path, PAYMENTS).cells.loc[2, 2] == "52998.2%"
    path = rewritten(path, SHEET, lambda xml: xml.replace(b"529.982", b"529.982y"))
    code, message = refused(path)
    assert code is IssueCode.FILE_CORRUPT
    assert "529" not in message


def test_what_is_hidden_below_the_header_is_named(tmp_path):
    book = openpyxl.Workbook()
    for row in [("Pagamentos",), HEADERS, ANA, ANA, ANA]:
        book.active.append(row)
    for row in (1, 4, 9):
        book.active.row_dimensions[row].hidden = True
    book.active.column_dimensions["B"].hidden = True
    book.active.column_dimensions["Z"].hidden = True
    with opened(bytes_of(book)) as content:
        table = table_of(content, header_row=2)
    assert table.oddities.hidden_rows == (4,)
    assert table.oddities.hidden_columns == (1,)


def test_the_cells_that_a_merged_one_covers_are_named(tmp_path):
    book = openpyxl.Workbook()
    for row in [("Pagamentos",), HEADERS, ANA, ("Bia", "x", 1), ("Caio", "y", 2)]:
        book.active.append(row)
    for merged in ("A1:C1", "B3:C4", "A9:C9"):
        book.active.merge_cells(merged)
    with opened(bytes_of(book)) as content:
        table = table_of(content, header_row=2)
    assert table.oddities.merged == {(3, 2), (4, 1), (4, 2)}
    assert table.cells.loc[4].tolist() == ["Bia", "", ""]


FORMULAS = """<sheetData>
<row r="1"><c r="A1" t="inlineStr"><is><t>Nome</t></is></c><c r="B1"><f>1+1</f><v>2</v></c></row>
<row r="2"><c r="A2"><f>10+2</f><v>12</v></c><c r="B2"><f>Table1[2026]+A2</f><v>1</v></c><c r="C2"><v>3</v></c></row>
<row r="3"><c r="A3"><f>[1]Folha!A1*2</f><v>1</v></c><c r="B3"><f>'C:\\[taxas.xlsx]Folha 1'!$B$2</f><v>1</v></c></row>
<row r="4"><c r="A4"><f t="shared" ref="A4:A5" si="0">SUM([2]!Total)</f><v>1</v></c><c r="B4"><f>C2</f></c></row>
<row r="5"><c r="A5"><f t="shared" si="0"/><v>1</v></c><c r="B5" t="str"><f>""</f><v></v></c></row>
<row r="6"><c r="A6" t="e"><f>[1]Folha!A1</f><v>#REF!</v></c><c r="B6"><f>Folha!A1+"[1]"</f><v>1</v></c></row>
</sheetData>"""


def test_formulas_and_those_that_ask_another_workbook_are_named():
    oddities = read(with_sheet(FORMULAS)).oddities
    assert oddities.external == {(3, 0), (3, 1), (4, 0), (5, 0), (6, 0)}
    assert oddities.formulas == {(2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (5, 0), (5, 1), (6, 1)}


@pytest.mark.parametrize(
    ("asks", "stale"),
    [(b'<calcPr fullCalcOnLoad="1"/>', True), (b'<calcPr calcMode="manual"/>', True), (b'<calcPr calcId="9"/>', False)],
)
def test_a_workbook_that_asks_to_be_calculated_again_is_stale_where_it_has_formulas(asks, stale):
    def asking(content: bytes) -> bytes:
        return with_part(content, "xl/workbook.xml", lambda xml: re.sub(rb"<calcPr[^>]*>", asks, xml))

    assert read(asking(with_sheet(FORMULAS))).oddities.stale is stale
    assert read(asking(workbook())).oddities.stale is False


def test_dates_counted_from_1904_are_the_same_dates_and_that_is_said():
    book = openpyxl.Workbook()
    book.epoch = CALENDAR_MAC_1904
    day = dt.date(2026, 11, 20)
    for row in [("Data",), (day,), (dt.datetime.combine(day, dt.time(3, 4)),)]:
        book.active.append(row)
    with opened(bytes_of(book)) as content:
        assert written(content.decisions) == ("dates counted from 1904",)
        assert table_of(content).cells[0].tolist() == ["2026-11-20", "2026-11-20T03:04:00"]


def test_that_macros_were_not_run_is_said(tmp_path):
    path = Path(saved(tmp_path, {"P": [HEADERS, ANA]}, "payments.xlsm"))
    path.write_bytes(with_part(path.read_bytes(), "xl/vbaProject.bin", lambda _: b"x"))
    assert "the file's macros were not run" in written(read_table(str(path), PAYMENTS).decisions)


def test_custom_document_properties_are_handed_on():
    book = openpyxl.Workbook()
    book.active.append(HEADERS)
    book.custom_doc_props.append(StringProperty(name="Origem", value="Ação & cia"))
    with opened(bytes_of(book)) as content:
        assert content.properties == {"Origem": "Ação & cia"}


def test_whole_numbers_too_long_for_a_double_keep_their_digits():
    row = "".join(f'<c r="{c}2"><v>{v}</v></c>' for c, v in [("A", "12345678901234567"), ("B", "-900719925474099301")])
    header = '<row r="1"><c r="A1" t="inlineStr"><is><t>Conta</t></is></c></row>'
    table = read(
        with_sheet(f'<sheetData>{header}<row r="2">{row}<c r="C2"><v>123456789012345</v></c></row></sheetData>')
    )
    assert table.cells.loc[2].tolist() == ["12345678901234567", "-900719925474099301", "123456789012345"]
    assert set(table.kinds.ravel()) == {CellKind.NUMBER}


def test_what_no_spreadsheet_takes_for_a_number_is_an_error():
    cells = '<c r="A2"><v>1e999</v></c><c r="B2"><v>nan</v></c><c r="C2"><v>1</v></c>'
    header = '<row r="1"><c r="A1" t="inlineStr"><is><t>Valor</t></is></c></row>'
    table = read(with_sheet(f'<sheetData>{header}<row r="2">{cells}</row></sheetData>'))
    assert table.cells.loc[2].tolist() == ["#NUM!", "#NUM!", "1"]
    assert table.kinds[0].tolist() == [CellKind.ERROR, CellKind.ERROR, CellKind.NUMBER]


def test_texts_are_read_whether_they_are_shared_or_stand_in_their_cells():
    texts = "<si><t>Nome</t></si><si><t xml:space='preserve'> Ana </t></si><si><r><t>Bi</t></r><r><t>a</t></r></si>"
    cells = ['<c r="A{0}" t="s"><v>{1}</v></c>', '<c r="B{0}" t="inlineStr"><is><t>Bia</t></is></c>']
    rows = [f'<row r="{n}">{"".join(cells).format(n, n - 1)}</row>' for n in (1, 2, 3)]
    table = read(with_shared_texts(texts, "".join(rows)))
    assert (table.headers, table.cells.to_numpy().tolist()) == (("Nome", "Bia"), [[" Ana ", "Bia"], ["Bia", "Bia"]])


def test_the_strict_form_of_the_format_is_read_alike():
    strict = workbook([HEADERS, ANA, ("Bia", "#REF!", 1)])
    with zipfile.ZipFile(io.BytesIO(strict)) as archive:
        names = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]
    for name in names:
        strict = with_part(
            strict,
            name,
            lambda xml: xml.replace(
                b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
                b"http://purl.oclc.org/ooxml/spreadsheetml/main",
            ).replace(
                b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                b"http://purl.oclc.org/ooxml/officeDocument/relationships",
            ),
        )
    table = read(strict)
    assert table.cells.loc[3].tolist() == ["Bia", "#REF!", "1"]
    assert table.kinds[1].tolist() == [CellKind.TEXT, CellKind.ERROR, CellKind.NUMBER]


def odd_sheet(rows: int) -> str:
    """Write a sheet in the usual way, in which each kind of oddity comes up at its own pace."""
    lines = ['<row r="1"><c r="A1" t="inlineStr"><is><t>Nome</t></is></c></row>']
    for row in range(2, rows + 2):
        cells = [
            f'<c r="A{row}" t="inlineStr"><is><t>Pessoa {row} t="e"</t></is></c>',
            f'<c r="B{row}" t="e"><v>#N/A</v></c>' if row % 97 == 0 else f'<c r="B{row}"><v>{row}</v></c>',
            f'<c r="C{row}" s="1"><v>0.{row}</v></c>' if row % 5 == 0 else f'<c r="C{row}" s="1"/>',
            f'<c r="D{row}"><f>A{row}</f></c>' if row % 89 == 0 else f'<c r="D{row}"><v>1234567890123456{row}</v></c>',
            f'<c r="E{row}"><f>[1]S!A{row}</f><v>7</v></c>' if row % 7 == 0 else "",
        ]
        hidden = ' hidden="1"' if row % 11 == 0 else ""
        lines.append(f'<row r="{row}"{hidden}>{"".join(cells)}</row>' if row % 13 else f'<row r="{row}" hidden="1"/>')
    return (
        f'<cols><col min="2" max="3" hidden="1"/></cols><sheetData>{"".join(lines)}</sheetData>'
        '<mergeCells count="1"><mergeCell ref="A30:B31"/></mergeCells>'
    )


def with_percent_style(content: bytes) -> bytes:
    return with_part(
        content, "xl/styles.xml", lambda xml: xml.replace(b"</cellXfs>", b'<xf numFmtId="10" xfId="0"/></cellXfs>')
    )


@pytest.mark.parametrize(
    ("usual", "otherwise"),
    [
        (b"<row r=", b"<row  r="),
        (b"</sheetData>", b"<!-- --></sheetData>"),
        (b"<c r=", b"<c\nr="),
        (b'" t="e"', b'" t = "e"'),
        (b'" t="e"', b"\"\n\tt='e'"),
        (b"<f>", b"<f\n>"),
        (b' hidden="1"', b" hidden = 'true'"),
        (b' s="1"', b"\ts='1'"),
    ],
)
def test_a_sheet_is_read_alike_however_its_xml_is_spelt(usual, otherwise):
    content, rows = with_percent_style(with_sheet(odd_sheet(200))), range(2, 202)
    written, respelt = read(content), read(with_part(content, SHEET, lambda xml: xml.replace(usual, otherwise)))
    assert written.cells.equals(respelt.cells)
    assert (written.kinds == respelt.kinds).all()
    assert written.oddities == respelt.oddities
    assert len(written.oddities.formulas) == sum(row % 7 == 0 and row % 13 > 0 for row in rows)
    assert written.cells.loc[95].tolist() == ['Pessoa 95 t="e"', "95", "95%", "123456789012345695", ""]
