"""What old systems call .xls may be an HTML table or an XML spreadsheet: its cells stand where Excel shows them."""

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import open_file
from io_adapters.spreadsheets.workbook.markup import open_html, open_xml_sheet
from io_adapters.spreadsheets.workbook.sheets import WorkbookRefused, cell_text

EXCEL_2003 = "urn:schemas-microsoft-com:office:spreadsheet"


def html_rows(body: str, *, encoding: str = "utf-8") -> list[list[str]]:
    book = open_html(f"<html>{body}</html>".encode(encoding))
    return [list(map(cell_text, row)) for row in book.load("HTML").rows]


def xml(*worksheets: str) -> bytes:
    spaces = f'xmlns="{EXCEL_2003}" xmlns:ss="{EXCEL_2003}"'
    return f'<?xml version="1.0"?><Workbook {spaces}>{"".join(worksheets)}</Workbook>'.encode()


def worksheet(rows: str, name: str = "Folha", more: str = "") -> str:
    return f'<Worksheet ss:Name="{name}"><Table>{rows}</Table>{more}</Worksheet>'


def xml_rows(rows: str) -> list[list[str]]:
    return [list(map(cell_text, row)) for row in open_xml_sheet(xml(worksheet(rows))).load("Folha").rows]


def data(text: str, kind: str = "String", more: str = "") -> str:
    return f'<Cell {more}><Data ss:Type="{kind}">{text}</Data></Cell>'


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("<table><tr><td>A</td><td>B</td></tr><tr><td>1<td>2</table>", [["A", "B"], ["1", "2"]]),
        ("<TABLE><TR><TD>&nbsp;Jo&atilde;o<BR>Silva </TD></TR></TABLE>", [["João Silva"]]),
        ("<table><tr><td colspan=2>T<td>U<tr><td>1<td>2<td>3</table>", [["T", "", "U"], ["1", "2", "3"]]),
        ("<table><tr><td rowspan=2>T<td>U<tr><td>1<tr><td>2<td>3</table>", [["T", "U"], ["", "1"], ["2", "3"]]),
        ("<table><tr><td>A</table><p>between<table><tr><td>B</table>", [["A"], ["B"]]),
        ("<table><tr><td><table><tr><td>in</table>out</table>", [["in"], ["out"]]),
        ("<title>t</title><style>td {}</style><table><script>x</script><tr><td>A</table>", [["A"]]),
        ("<table><thead><tr><th>A</thead><tbody><tr><td></td></tr></tbody></table>", [["A"], [""]]),
        ("<table><tr><td x:num='1234.5'>1.234,50<td x:num>7</table>", [["1234.5", "7"]]),
        ("<table><tr><td x:num='inf'>1<td colspan='x'>2<td>A</table>", [["inf", "2", "A"]]),
    ],
)
def test_the_cells_of_an_html_table_stand_where_excel_shows_them(body, rows):
    assert html_rows(body) == rows


@pytest.mark.parametrize("declared", ["utf-8", "windows-1252", "iso-8859-1", "", "no-such-encoding"])
def test_a_page_is_read_in_the_encoding_it_declares(declared):
    encoding = declared if declared in ("windows-1252", "utf-8") else "cp1252"
    meta = f"<meta http-equiv=Content-Type content='text/html; charset={declared}'>" if declared else ""
    assert html_rows(f"{meta}<table><tr><td>João – “Pá”</table>", encoding=encoding) == [["João – “Pá”"]]


def test_a_cell_that_spans_the_world_spans_as_far_as_a_sheet_goes():
    (row,) = html_rows("<table><tr><td colspan=999999>A</table>")
    assert len(row) == 16_384
    with pytest.raises(WorkbookRefused):
        html_rows("<table><tr><td colspan=999999>A<td>B</table>")


def test_cells_of_an_xml_spreadsheet_are_read_by_their_kinds():
    rows = f"<Row>{data('1234.5', 'Number')}{data('2026-10-01T00:00:00.000', 'DateTime')}{data('1', 'Boolean')}</Row>"
    rows += f"<Row>{data('#REF!', 'Error')}<Cell ss:Formula='=A1'/>{data('n', 'Number')}</Row>"
    assert xml_rows(rows) == [["1234.5", "2026-10-01", "TRUE"], ["#REF!", "", "n"]]


def test_places_that_an_xml_spreadsheet_leaves_out_are_empty():
    wide, third = data("A", more="ss:MergeAcross='1'"), data("C", more="ss:Index='3'")
    rows = f"<Row>{wide}{data('B')}</Row><Row ss:Index='3'>{third}</Row>"
    assert xml_rows(rows) == [["A", "", "B"], ["", "", ""], ["", "", "C"]]


def test_hidden_sheets_of_an_xml_spreadsheet_are_hidden():
    hidden = "<WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions>"
    book = open_xml_sheet(xml(worksheet("", "Old", hidden), worksheet(f"<Row>{data('A')}</Row>")))
    assert [(sheet.name, sheet.visible) for sheet in book.sheets] == [("Old", False), ("Folha", True)]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (xml(worksheet("<Row ss:Index='2'/><Row ss:Index='1'/>")), "FILE_CORRUPT"),
        (xml(worksheet("<Row ss:Index='9999999'/>")), "FILE_EXTENT"),
        (xml(worksheet("<Row/>"), worksheet("<Row/>")), "FILE_CORRUPT"),
        (xml(worksheet("<Row>"))[:-20], "FILE_CORRUPT"),
        (b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaa">]><a>&a;</a>', "FILE_XML_FORBIDDEN"),
    ],
)
def test_an_xml_spreadsheet_that_is_not_sound_is_refused(content, code):
    with pytest.raises(WorkbookRefused) as refused:
        open_xml_sheet(content)
    assert refused.value.code == code


def test_numbers_of_an_xml_spreadsheet_are_numbers_and_its_formats_are_not_seen(tmp_path):
    rows = f"<Row>{data('CPF')}{data('Valor')}</Row><Row>{data('529.982.247-25')}{data('10.5', 'Number')}</Row>"
    (tmp_path / "p.xls").write_bytes(xml(worksheet(rows)))
    with open_file(str(tmp_path / "p.xls")) as file:
        (table,) = file.tables(read_layout("payments", tmp_path))
    assert table.cells.to_numpy().tolist() == [["529.982.247-25", "10.5"]]
    assert table.oddities.values_only
