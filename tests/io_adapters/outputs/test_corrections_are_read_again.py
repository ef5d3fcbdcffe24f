"""A corrections workbook that nobody has touched reads exactly as the file it came from."""

import datetime as dt

import pytest
from openpyxl import Workbook, load_workbook

from io_adapters.outputs.corrections import SheetToCorrect, write_corrections
from io_adapters.spreadsheets.reading import open_file, read_table
from schemas.corrections import Origin, from_properties, without_added
from schemas.issues import Issue, IssueCode, Severity
from schemas.layouts.layout import Layout
from schemas.messages import Message
from tests.written import saying

LAYOUT = Layout(
    layout="teste",
    title="Pagamentos",
    table="payments",
    columns={"name": ["Nome"], "tax_id": ["CPF"], "amount": ["Valor"]},
    required=["name", "tax_id", "amount"],
)
PROBLEM = Issue(
    IssueCode.TAXID_CHECK,
    Severity.ERROR,
    "pagamentos",
    None,
    "B4",
    4,
    "CPF",
    "10 digits",
    saying("não confere"),
    saying("11 dígitos"),
)


def corrections_of(tables, path, language):
    sheets = [SheetToCorrect(table, found, Origin(table.file.name, table.sheet, "payments")) for table, found in tables]
    return write_corrections(sheets, path, language, Message("output.note.corrections_desk"))


def read_again(path):
    with open_file(str(path)) as file:
        (origin,) = from_properties(file.properties).values()
    return without_added(read_table(str(path), LAYOUT), origin)


@pytest.fixture
def workbook(tmp_path):
    """A sheet as people make them: a title above, numbers and texts mixed, a blank row."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Outubro 2026"
    sheet["A1"] = "Pagamentos de outubro"
    for row in (["Nome", "CPF", "Valor", "Data", "Obs"], ["Ana Exemplo", "01234567890", 1234.56, dt.date(2026, 10, 31)],
                [], ["Bento Exemplo", 1234567890, "1.234,56", "31/10/26", True]):  # fmt: skip
        sheet.append(row)
    sheet["E3"].value, sheet["E3"].data_type = "=1+1", "s"
    book.save(tmp_path / "pagamentos.xlsx")
    return tmp_path / "pagamentos.xlsx"


@pytest.fixture
def text_file(tmp_path):
    (tmp_path / "pagamentos.csv").write_text(
        "Nome;CPF;Valor\r\nAna Exemplo;01234567890;1.234,56\r\n;;\r\nBento Exemplo;1234567890;=1+1\r\n",
        encoding="utf-8",
    )
    return tmp_path / "pagamentos.csv"


@pytest.mark.parametrize("source", ["workbook", "text_file"])
def test_untouched_it_reads_the_same(source, request, tmp_path):
    before = read_table(str(request.getfixturevalue(source)), LAYOUT)
    path = corrections_of([(before, [PROBLEM])], tmp_path / "corrections.xlsx", "pt-BR")
    after = read_again(path)
    assert after.sheet == (before.sheet or "pagamentos")
    assert (after.header_row, after.headers) == (before.header_row, before.headers)
    assert after.cells.equals(before.cells)
    for position in range(len(before.headers)):
        assert after.kinds_of(position).tolist() == before.kinds_of(position).tolist()


def test_a_corrected_cell_is_what_is_read(workbook, tmp_path):
    path = corrections_of([(read_table(str(workbook), LAYOUT), [PROBLEM])], tmp_path / "corrections.xlsx", "pt-BR")
    book = load_workbook(path)
    book["Outubro 2026"]["B5"] = "52998224725"
    book.save(path)
    assert read_again(path).cells.loc[5, 1] == "52998224725"
