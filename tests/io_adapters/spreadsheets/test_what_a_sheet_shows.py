"""What a sheet shows beside its values is found: words of formats, colours, text nobody sees, boxes, comments.

Held constant: a sheet of six rows. What varies: which program wrote it (openpyxl, XlsxWriter, LibreOffice), how a
colour is named in the file, and whether the rows are plain or have to be parsed (a formula among them).
"""

import doctest
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
import xlsxwriter
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Color, Font, PatternFill

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from io_adapters.spreadsheets.workbook import looks
from schemas.sheet_cells import NOTE_MARK, Look
from tests.io_adapters.spreadsheets.trap_workbook import libreoffice

convert = pytest.fixture(scope="module")(libreoffice)
PAYMENTS = read_layout("payments", Path())
DOT = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
HEADERS = ("Nome", "CPF", "Chave Pix", "Tipo da chave", "Valor", "Obs")
YELLOW = PatternFill("solid", fgColor="FFFFFF00")
COLOURS = {
    "rgb": (YELLOW, "yellow"),
    "theme": (PatternFill("solid", fgColor=Color(theme=9)), "orange"),
    "tinted": (PatternFill("solid", fgColor=Color(theme=5, tint=0.6)), "red"),
    "indexed": (PatternFill("solid", fgColor=Color(indexed=10)), "red"),
    "of an old palette": (PatternFill("solid", fgColor=Color(indexed=43)), "other"),
}


@pytest.fixture(params=["plain", "with a formula"])
def book(request):
    """Six payments under a header in colours, as most have one."""
    made = Workbook()
    made.active.append(HEADERS)
    for row in range(2, 8):
        made.active.append((f"Pessoa {row}", "529.982.247-25", f"p{row}@example.com", "E-mail", row, "x"))
    for cell in made.active[1]:
        cell.fill, cell.font = PatternFill("solid", fgColor="FF1F3864"), Font(color="FFFFFFFF", bold=True)
    if request.param != "plain":
        made.active["E7"] = "=3+4"
    return made


def seen(path):
    return list(read_table(str(path), PAYMENTS).oddities.looks)


def saved(book, folder):
    book.save(folder / "p.xlsx")
    return seen(folder / "p.xlsx")


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(looks).failed == 0


def test_a_header_in_colours_and_formats_of_money_and_days_show_nothing(book, tmp_path):
    for row, code in enumerate(
        ('"R$" #,##0.00', "R$ 0.00", '_-"R$"* #,##0.00_-', 'dd" de "mmmm', "[Red]-0.00", "0%"), 2
    ):
        book.active[f"E{row}"].number_format = code
    assert saved(book, tmp_path) == []


@pytest.mark.parametrize("how", COLOURS)
def test_the_colour_of_a_row_is_named_however_the_file_says_it(book, tmp_path, how):
    fill, word = COLOURS[how]
    book.active["A4"].fill = book.active["F4"].fill = fill
    assert saved(book, tmp_path) == [(4, 0, Look.COLOUR, word)]


@pytest.mark.parametrize(
    ("ink", "ground"), [("FFFFFFFF", None), ("FFFFFFFF", "FFFFFFFF"), ("FFFF0000", "FFFF0000"), (Color(theme=0), None)]
)
def test_text_in_the_colour_of_its_cell_is_found(book, tmp_path, ink, ground):
    book.active["F5"].font = Font(color=ink)
    if ground:
        book.active["F5"].fill = PatternFill("solid", fgColor=ground)
    assert (5, 5, Look.UNSEEN, "") in saved(book, tmp_path)


def test_a_number_that_its_format_hides_is_found(book, tmp_path):
    book.active["E5"].number_format = ";;;"
    assert saved(book, tmp_path) == [(5, 4, Look.UNSEEN, "")]


@pytest.mark.parametrize(
    ("old", "new"),
    [('fontId="1"', 'fontId="999"'), ('fillId="2"', 'fillId="x"'), ('rgb="FFFFFF00"', 'rgb="nix"'), ("fills", "filz")],
)
def test_damaged_styles_show_nothing_and_keep_nobody_from_reading(book, tmp_path, old, new):
    book.active["A4"].fill = YELLOW
    book.save(tmp_path / "p.xlsx")
    with ZipFile(tmp_path / "p.xlsx") as packed:
        parts = {name: packed.read(name).decode() for name in packed.namelist()}
    parts["xl/styles.xml"] = parts["xl/styles.xml"].replace(old, new)
    with ZipFile(tmp_path / "p.xlsx", "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    assert read_table(str(tmp_path / "p.xlsx"), PAYMENTS).cells[0].tolist()[0] == "Pessoa 2"


def test_words_of_a_format_stand_at_their_cell(book, tmp_path):
    book.active["E3"].number_format = '0.00" só na volta";-0.00'
    assert saved(book, tmp_path) == [(3, 4, Look.FORMAT, "só na volta")]


def test_what_repasse_has_coloured_says_nothing(book, tmp_path):
    book.active["E3"].fill = YELLOW
    book.active["E3"].comment = Comment(f"confirmar\n{NOTE_MARK}\nvalor inválido", "Repasse")
    assert saved(book, tmp_path) == []
    assert read_table(str(tmp_path / "p.xlsx"), PAYMENTS).oddities.comments == ((3, 4, "confirmar"),)


def test_boxes_are_read_and_pictures_are_told(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "p.xlsx") as made:
        sheet = made.add_worksheet("Folha")
        for row, cells in enumerate([HEADERS, ("Ana", "529.982.247-25", "a@example.com", "E-mail", 10, "x")]):
            sheet.write_row(row, 0, cells)
        sheet.insert_textbox("H2", "a Bia recebe\nsó na volta")
        sheet.insert_image("H20", "logo.png", {"image_data": BytesIO(DOT)})
    box, picture = seen(tmp_path / "p.xlsx")
    assert box == (2, 0, Look.BOX, "a Bia recebe só na volta")
    assert picture[2] is Look.PICTURE


def test_an_ods_says_its_comments(convert, tmp_path, book):
    book.active["E3"].comment = Comment("só na volta\nda Bia", "Zé")
    book.save(tmp_path / "p.xlsx")
    convert(tmp_path / "p.xlsx", "ods", tmp_path)
    found = read_table(str(tmp_path / "p.ods"), PAYMENTS)
    assert found.oddities.comments == ((3, 4, "só na volta\nda Bia"),)
    assert found.cells[4].tolist() == ["2", "3", "4", "5", "6", "7"]
