"""What is taken for plain rows without a parser holds nothing that the parser of cells would have noted.

Varied: the cells and rows, as usual programs and as nobody writes them; words put anywhere into a sheet, bytes that are
no UTF-8 among them; the styles that say more of a number. Constant: one sheet; what calamine makes of the values.
"""

import zipfile
from xml.parsers.expat import ExpatError

import openpyxl
import pytest
import xlsxwriter
from defusedxml import DTDForbidden
from hypothesis import example, given
from hypothesis import strategies as st

from io_adapters.spreadsheets.workbook.xlsx_cells import CellReader, CellStyles, mask_of, plain_rows

STYLES = CellStyles(frozenset({3}), {4: mask_of("00000")}, frozenset({5}), frozenset({6}))
NOTED = (
    "cells", "formulas", "external", "zeros", "shown_otherwise", "struck", "hidden_rows", "hidden_columns",
)  # fmt: skip
HEADS = [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="s">', "<worksheet>",
    '<worksheet><cols><col min="2" max="3" hidden="1"/></cols>', '<?xml version="1.0" encoding="latin-1"?><worksheet>',
    "<worksheet><!-- <sheetData></sheetData> -->", "<!DOCTYPE worksheet []><worksheet>", "<x:worksheet>",
]  # fmt: skip
CELLS = [
    "<c r={at}><v>1.25</v></c>", '<c r={at} s="1" t="s"><v>0</v></c>', "<c r={at}/>", '<c r={at} s="6"/>',
    '<c r={at} t="inlineStr"><is><t>A &amp; B ção</t></is></c>', '<c r={at} t="b"><v>1</v></c>',
    '<c r={at} t="n"><v>-3E-2</v></c>', "<c r={at}><v>123456789012345</v></c>",
    # what a person has to be told of
    "<c r={at}><v>1234567890123456</v></c>", '<c r={at} t="e"><v>#REF!</v></c>', "<c r={at}><f>A1</f><v>1</v></c>",
    '<c r={at} s="3"><v>0.5</v></c>', '<c r={at} s="4"><v>7</v></c>', '<c r={at} s="5"><v>7</v></c>',
    '<c r={at} s="6" t="s"><v>0</v></c>', '<c r={at} t="str"><f>B1</f></c>', '<c t="s" r={at}><v>0</v></c>',
    # what is no sheet
    "<c r={at}><v>1</c>", '<c r="B9"><v>1</v></c>', '<c r={at} t="inlineStr"><is><t>&evil;</t></is></c>',
    '<c r={at} t="inlineStr"><is><t>]]></t></is></c>', "<c r={at} r={at}><v>1</v></c>",
]  # fmt: skip
ROWS = [
    '<row r="{n}">', '<row r="{n}" spans="1:3" ht="15.75" customHeight="1">', '<row r="{n}" hidden="1">',
    '<row r="{n}" ht="0">', "<row>", '<row r="{n}" hidden="false" outlineLevel="1">', '<row r="{n}" ht="12" ht="13">',
]  # fmt: skip
WORDS = [
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"</sheetData>",
    b"<sheetData>",
    b"\xff",
    b"\xef\xbf\xbe",
    b"\x00",
    b" ",
]


@st.composite
def sheets(draw):
    """Write a sheet of some rows; then perhaps put a word somewhere into it."""
    rows = []
    for number in range(1, draw(st.integers(1, 4))):
        cells = [
            draw(st.sampled_from(CELLS)).format(at=f'"{column}{number}"')
            for column in draw(st.lists(st.sampled_from(["A", "B", "AB"]), max_size=4))
        ]
        rows.append(draw(st.sampled_from(ROWS)).format(n=number) + "".join(cells) + "</row>")
    written = draw(st.sampled_from(HEADS)) + "<sheetData>" + "".join(rows) + "</sheetData></worksheet>"
    content = written.encode()
    if draw(st.booleans()):
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(st.sampled_from(WORDS)) + content[at + draw(st.integers(0, 3)) :]
    return content


def noted(content):
    """What a parser notes of a sheet, and how far it goes; the kind of error where it reads none."""
    reader = CellReader(STYLES)
    try:
        reader.read([content])
    except (ExpatError, DTDForbidden, ValueError, LookupError) as error:
        return type(error).__name__, (0, 0)
    return [getattr(reader, name) for name in NOTED], (reader.last_row + 1, reader.last_column + 1)


PLAIN = HEADS[0] + '<sheetData><row r="1">' + CELLS[0].format(at='"A1"') + "</row></sheetData></worksheet>"


@given(sheets())
@example(PLAIN.encode())
@example(PLAIN.replace("</worksheet>", '<sheetData><row r="2" hidden="1"/></sheetData></worksheet>').encode())
def test_what_is_taken_for_plain_holds_nothing_a_parser_would_note(content):
    plain = plain_rows(content, STYLES)
    if plain is not None:
        (whole, extent), (around, _) = noted(content), noted(plain.around)
        assert around == whole
        assert plain.height >= extent[0]
        assert plain.width >= extent[1]


@pytest.mark.parametrize("cell", CELLS[8:])
def test_a_cell_that_is_not_plain_is_never_taken_for_it(cell):
    row = '<row r="1">' + CELLS[0].format(at='"A1"') + cell.format(at='"B1"') + "</row>"
    assert plain_rows(PLAIN.replace("</sheetData>", "").encode(), STYLES) is None
    assert plain_rows(f"<worksheet><sheetData>{row}</sheetData></worksheet>".encode(), STYLES) is None


VALUES = [["Título", "A & B <c>", 1.5, 3, True, None], ["ação", "x" * 300, -2.25, 10**14, False, ""]]


def by_openpyxl(path):
    book = openpyxl.Workbook()
    for row in VALUES:
        book.active.append(row)
    book.save(path)


def by_xlsxwriter(path):
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(VALUES):
            sheet.write_row(number, 0, row)


@pytest.mark.parametrize("write", [by_openpyxl, by_xlsxwriter])
def test_sheets_of_usual_programs_need_no_parser(write, tmp_path):
    path = tmp_path / "book.xlsx"
    write(path)
    with zipfile.ZipFile(path) as archive:
        assert plain_rows(archive.read("xl/worksheets/sheet1.xml"), CellStyles()) is not None
