"""corrections.xlsx: the person's own sheet, with the bad cells marked; corrected, it can be read again."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from python_calamine import CalamineWorkbook

from io_adapters.outputs.corrections import SheetToCorrect, write_corrections
from io_adapters.outputs.workbook import Book, Setup, unique_sheet_name
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx
from schemas.corrections import Origin, from_properties, without_added
from schemas.issues import Issue, IssueCode, Severity
from schemas.messages import Message
from schemas.raw_table import FileIdentity, RawTable
from schemas.sheet_cells import CellKind, Oddities
from tests.io_adapters.spreadsheets.trap_workbook import cells_of, libreoffice
from tests.written import saying

convert = pytest.fixture(scope="module")(libreoffice)

E, T, N, D, B, X = (
    CellKind.EMPTY, CellKind.TEXT, CellKind.NUMBER, CellKind.DATE, CellKind.BOOL, CellKind.ERROR,
)  # fmt: skip


def raw_table(rows, kinds=None, name="pagamentos.xlsx", sheet="Outubro", header_row=3, headers=None):
    headers = headers or tuple(f"Coluna {n}" for n in range(len(rows[0])))
    index = range(header_row + 1, header_row + 1 + len(rows))
    cells = pd.DataFrame(rows, index=index, columns=range(len(headers)), dtype="str")
    return RawTable(
        FileIdentity(name, f"sha-{name}", 1), sheet, header_row, headers, cells,
        None if kinds is None else np.array(kinds, dtype=np.int8),
    )  # fmt: skip


def issue(cell=None, row=None, severity=Severity.ERROR, code=IssueCode.AMOUNT_FORMAT, column=None, **given):
    values = {"file": "pagamentos.xlsx", "sheet": "Outubro", "value_masked": "1,2,3"}
    values |= {"message": saying("não é um valor"), "accepts": saying("1234,56")}
    return Issue(code, severity, cell=cell, row=row, column=column, **values | given)


MIXED = raw_table(
    [
        ["Ana", "01234567890", "1234.5", "2026-10-31", "TRUE", "#REF!", ""],
        ["", "", "", "", "", "", ""],
        ["=1+1", "5", "12345678901234567890", "31/10/26", "", "b", ""],
    ],
    [[T, T, N, D, B, X, E], [E] * 7, [T, T, N, T, E, T, E]],
)


def corrections_of(tables, path, language, proposals=None):
    sheets = [
        SheetToCorrect(table, found, Origin(table.file.name, table.sheet, "payments"), proposals or {})
        for table, found in tables
    ]
    return write_corrections(sheets, path, language, Message("output.note.corrections", command="repasse run j.yaml"))


def columns_of(path, sheet="Outubro"):
    """Read what people are told in the added column, by row."""
    rows = load_workbook(path)[sheet].iter_rows()
    return {row[-1].row: row[-1].value for row in rows if row[-1].value is not None}


def read(path):
    book = CalamineWorkbook.from_path(path)
    return {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}


def test_headers_and_rows_stay_where_the_person_has_them(tmp_path):
    path = corrections_of([(MIXED, [issue("C4", 4)])], tmp_path / "corrections.xlsx", "pt-BR")
    rows = read(path)["Outubro"]
    assert rows[:2] == [[""] * 8] * 2
    assert tuple(rows[2]) == (*MIXED.headers, "Problema")
    assert rows[4] == [""] * 8
    assert rows[5][:4] == ["=1+1", "5", "12345678901234567890", "31/10/26"]


def test_text_stays_text_and_numbers_stay_numbers_where_no_digit_is_lost(tmp_path):
    path = corrections_of([(MIXED, [issue("C4", 4)])], tmp_path / "corrections.xlsx", "pt-BR")
    sheet = load_workbook(path)["Outubro"]
    assert [sheet.cell(4, column).data_type for column in range(1, 7)] == ["s", "s", "n", "d", "b", "e"]
    assert (sheet["B4"].value, sheet["B4"].number_format) == ("01234567890", "@")
    assert sheet["C4"].value == 1234.5
    assert (sheet["C6"].data_type, sheet["C6"].value) == ("s", "12345678901234567890")
    assert sheet["A6"].data_type == "s"


def test_a_bad_cell_is_coloured_and_says_what_is_wrong_and_what_is_right(tmp_path):
    path = corrections_of([(MIXED, [issue("C4", 4)])], tmp_path / "corrections.xlsx", "pt-BR")
    sheet = load_workbook(path)["Outubro"]
    assert sheet["C4"].comment.text == "— Repasse —\n\nnão é um valor\n→ 1234,56"
    assert sheet["C4"].fill.fill_type == "solid"
    assert sheet["A4"].comment is None
    assert sheet["A4"].fill.fill_type is None


def test_two_problems_of_one_cell_are_both_told(tmp_path):
    both = [issue("C4", 4), issue("C4", 4, code=IssueCode.AMOUNT_DECIMALS, message="tem três decimais")]
    path = corrections_of([(MIXED, both)], tmp_path / "corrections.xlsx", "pt-BR")
    text = load_workbook(path)["Outubro"]["C4"].comment.text
    assert "não é um valor" in text
    assert "tem três decimais" in text


def test_a_problem_of_a_row_is_told_on_its_first_cell_and_one_of_a_column_on_its_header(tmp_path):
    problems = [issue(row=6, code=IssueCode.ROW_DUPLICATE), issue(column="Coluna 1", code=IssueCode.COLUMN_DUPLICATE)]
    sheet = load_workbook(corrections_of([(MIXED, problems)], tmp_path / "c.xlsx", "pt-BR"))["Outubro"]
    assert sheet["A6"].comment is not None
    assert sheet["A6"].value == "=1+1"
    assert sheet["B3"].comment is not None


def test_notes_mark_no_cell_and_alone_they_make_no_file(tmp_path):
    note = issue("A4", 4, severity=Severity.NOTE)
    assert corrections_of([(MIXED, [note])], tmp_path / "c.xlsx", "pt-BR") is None
    assert not (tmp_path / "c.xlsx").exists()
    sheet = load_workbook(corrections_of([(MIXED, [note, issue("C4", 4)])], tmp_path / "c.xlsx", "pt-BR"))["Outubro"]
    assert sheet["A4"].comment is None


def test_an_empty_cell_that_must_be_filled_keeps_the_zeros_typed_into_it(tmp_path):
    table = raw_table([["Ana", ""]], headers=("Nome", "CPF"))
    path = corrections_of([(table, [issue("B4", 4, code=IssueCode.TAXID_FORMAT)])], tmp_path / "c.xlsx", "pt-BR")
    sheet = load_workbook(path)["Outubro"]
    assert sheet["B4"].value is None
    assert sheet["B4"].number_format == "@"
    (columns,) = [columns for columns in sheet.column_dimensions.values() if columns.min <= 2 <= columns.max]
    assert columns.number_format == "@"


def test_a_tax_id_that_became_a_number_keeps_the_zeros_typed_into_it(tmp_path):
    table = raw_table([["1234567890"]], [[N]])
    path = corrections_of([(table, [issue("A4", 4, code=IssueCode.TAXID_LENGTH)])], tmp_path / "c.xlsx", "pt-BR")
    cell = load_workbook(path)["Outubro"]["A4"]
    assert (cell.data_type, cell.number_format) == ("n", "@")


def test_the_last_sheet_lists_all_problems_in_the_language_of_the_job(tmp_path):
    for language, title in (("pt-BR", "Problemas"), ("en", "Issues")):
        path = corrections_of([(MIXED, [issue("C4", 4)])], tmp_path / "c.xlsx", language)
        sheets = read(path)
        assert list(sheets) == ["Outubro", title]
        assert sheets[title][2][3] == "C4"


def test_each_file_with_problems_has_its_sheets_and_the_others_are_left_out(tmp_path):
    tables = [
        (raw_table([["a"]], name="um.csv", sheet=None), [issue("A4", 4)]),
        (raw_table([["a"]], name="dois.xlsx", sheet="um"), [issue("A4", 4)]),
        (raw_table([["a"]], name="dois.xlsx", sheet="Problemas"), []),
        (raw_table([["a"]], name="certo.csv", sheet=None), []),
    ]
    path = corrections_of(tables, tmp_path / "c.xlsx", "pt-BR")
    assert list(read(path)) == ["um", "um (2)", "Problemas (2)", "Problemas"]


def test_of_a_very_large_sheet_only_the_rows_with_problems_are_copied_and_the_list_says_so(tmp_path):
    table = raw_table([[f"linha {n}", "1"] for n in range(50_001)], header_row=1)
    path = corrections_of([(table, [issue("B40000", 40_000)])], tmp_path / "c.xlsx", "pt-BR")
    sheets = read(path)
    filled = {number: row for number, row in enumerate(sheets["Outubro"], start=1) if any(row)}
    assert filled == {1: ["Coluna 0", "Coluna 1", "Problema"], 40_000: ["linha 39998", "1", "B40000: não é um valor"]}
    assert "só as linhas com problemas" in sheets["Problemas"][0][0]


def test_the_same_problems_give_the_same_bytes(tmp_path):
    first = corrections_of([(MIXED, [issue("C4", 4)])], tmp_path / "a.xlsx", "pt-BR").read_bytes()
    assert corrections_of([(MIXED, [issue("C4", 4)])], tmp_path / "b.xlsx", "pt-BR").read_bytes() == first


@pytest.mark.parametrize("text", ["_x0041_", "a\nb", "a\r\nb", " a ", "<&>'\"", "＝1+1", "'=1", "12e34567890123"])
def test_text_that_looks_like_something_else_reads_the_same_again(tmp_path, text):
    path = corrections_of([(raw_table([[text]], header_row=1), [issue("A2", 2)])], tmp_path / "c.xlsx", "pt-BR")
    assert read(path)["Outubro"][1][:-1] == [text]


def test_all_that_is_wrong_with_a_row_stands_at_its_end_where_it_can_be_filtered(tmp_path):
    problems = [
        issue("C4", 4, column="Coluna 2"),
        issue("B4", 4, column="Coluna 1", message=saying("tem 10 dígitos"), severity=Severity.WARNING),
        issue(row=6, message=saying("linha repetida")),
        issue("A6", 6, severity=Severity.NOTE, message=saying("lido de outro modo")),
    ]
    path = corrections_of([(MIXED, problems)], tmp_path / "c.xlsx", "pt-BR")
    assert columns_of(path) == {
        3: "Problema",
        4: "C4 Coluna 2: não é um valor; B4 Coluna 1: tem 10 dígitos",
        6: "linha repetida",
    }
    assert load_workbook(path)["Outubro"].auto_filter.ref == "A3:H6"


def test_each_problem_of_the_list_leads_to_its_cell(tmp_path):
    table = raw_table([["a"]], sheet="It's 10/2026 #1")
    problems = [issue("A4", 4, sheet=table.sheet), issue(row=4, sheet=table.sheet), issue(sheet=table.sheet)]
    sheet = load_workbook(corrections_of([(table, problems)], tmp_path / "c.xlsx", "pt-BR"))["Problemas"]
    links = [(cell.hyperlink.location if cell.hyperlink else None, cell.value) for cell in sheet["D"][2:]]
    there = "'It''s 10_2026 #1'!A4"
    assert links == [(there, "A4"), (there, "A4"), (None, None)]
    assert [cell.value for cell in sheet["E"][2:]] == [4, 4, None]


@pytest.mark.parametrize(
    ("code", "typed", "comes_back"),
    [
        (IssueCode.AMOUNT_TYPE, 59, ("59", N)),
        (IssueCode.AMOUNT_TYPE, "59,00", ("59,00", T)),
        (IssueCode.AGENCY_FORMAT, "1-5", ("1-5", T)),
        (IssueCode.AGENCY_FORMAT, 105, ("105", N)),
    ],
)
@pytest.mark.parametrize("program", ["openpyxl", "LibreOffice"])
def test_what_is_typed_where_a_spreadsheet_had_made_a_day_comes_back_as_it_was_typed(
    program, code, typed, comes_back, tmp_path, convert
):
    table = raw_table([["Ana", "2026-01-05", "2026-10-31"]], [[T, D, D]], header_row=1)
    path = corrections_of([(table, [issue("B2", 2, code=code)])], tmp_path / "c.xlsx", "pt-BR")
    book = load_workbook(path)
    book["Outubro"]["B2"] = typed
    book.save(path)
    if program == "LibreOffice":
        path = convert(path, "xlsx", tmp_path / "saved")
    cells = cells_of(open_xlsx(path.read_bytes()).load("Outubro"))
    assert cells[1][:3] == [("Ana", T), comes_back, ("2026-10-31", D)]


def test_a_day_that_nobody_corrected_reads_the_same_again(tmp_path):
    table = raw_table([["2026-01-05", "2026-01-05T09:30:00"]], [[D, D]], header_row=1)
    path = corrections_of([(table, [issue("A2", 2), issue("B2", 2)])], tmp_path / "c.xlsx", "pt-BR")
    assert [text for text, _ in cells_of(open_xlsx(path.read_bytes()).load("Outubro"))[1][:2]] == list(
        table.cells.iloc[0]
    )


@pytest.mark.parametrize("text", ["50%", "33.33%", "100%", "0.5%", "12.5%"])
def test_a_percentage_is_one_again(tmp_path, text):
    table = raw_table([[text, "x"]], [[N, T]], header_row=1)
    path = corrections_of([(table, [issue("B2", 2)])], tmp_path / "c.xlsx", "pt-BR")
    assert cells_of(open_xlsx(path.read_bytes()).load("Outubro"))[1][0] == (text, N)


def test_a_number_that_was_shown_with_its_zeros_is_shown_with_them_again(tmp_path):
    table = raw_table([["1234567890"], ["191"]], [[N], [N]], header_row=1)
    table = replace(table, oddities=Oddities(zeros=frozenset({(2, 0, 11), (3, 0, 14)})))
    path = corrections_of([(table, [issue("A2", 2, code=IssueCode.TAXID_CHECK)])], tmp_path / "c.xlsx", "pt-BR")
    sheet = open_xlsx(path.read_bytes()).load("Outubro")
    assert sheet.oddities.zeros == table.oddities.zeros
    assert [row[0] for row in cells_of(sheet)[1:]] == [("1234567890", N), ("191", N)]


def test_what_is_proposed_stands_in_the_cell_and_is_said_to_be_a_proposal(tmp_path):
    table = raw_table([["Ana", "Itaú"]], header_row=1)
    found = [issue("B2", 2, code=IssueCode.BANK_CODE)]
    path = corrections_of([(table, found)], tmp_path / "c.xlsx", "pt-BR", proposals={(2, 1): "341"})
    cell = load_workbook(path)["Outubro"]["B2"]
    assert (cell.value, cell.number_format, cell.fill.fill_type) == ("341", "@", "solid")
    assert "Proposta: 341, no lugar de “Itaú”." in cell.comment.text
    assert columns_of(path)[2] == "B2: não é um valor (proposta: 341)"


@pytest.mark.parametrize("more", [0, 1])
def test_the_column_for_people_is_not_read_back_whatever_stands_beside_it(tmp_path, more):
    table = raw_table([["a", "meu"]], headers=("Nome", "Problema"), header_row=1)
    path = corrections_of([(table, [issue("A2", 2)])], tmp_path / "c.xlsx", "pt-BR")
    (origin,) = from_properties(open_xlsx(path.read_bytes()).traits.properties).values()
    headers = ("Nome", "Problema", "Problema", *("Nota",) * more)
    oddities = Oddities(hidden_rows=(3,))
    given_back = replace(raw_table([["b", "meu", "A2: não é", "x"][: 3 + more]], headers=headers), oddities=oddities)
    kept = without_added(given_back, origin)
    assert kept.headers == ("Nome", "Problema", *("Nota",) * more)
    assert kept.cells.to_numpy().tolist() == [["b", "meu", *("x",) * more]]
    assert (list(kept.cells.columns), kept.oddities.hidden_rows) == (list(range(2 + more)), ())
    assert without_added(table, origin).headers == table.headers


@settings(max_examples=60)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip), min_size=1, max_size=5
    )
)
def test_whatever_text_a_person_wrote_reads_the_same_again(tmp_path_factory, texts):
    table = raw_table([texts], header_row=1)
    path = corrections_of([(table, [issue("A2", 2)])], tmp_path_factory.mktemp("c") / "c.xlsx", "pt-BR")
    expected = ["".join("\ufffd" if c in "\ufffe\uffff" else c for c in text) for text in texts]
    assert read(path)["Outubro"][1][:-1] == expected


@settings(max_examples=100)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=8))
def test_sheet_names_are_unique_and_allowed(wanted):
    taken = set()
    names = [unique_sheet_name(name, taken) for name in wanted]
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert 1 <= len(name) <= 31
        assert not set(name) & set("[]:*?/\\")
    book = Book()
    for name in names:
        book.page(Setup(name, []))
    assert list(CalamineWorkbook.from_filelike(io.BytesIO(book.to_bytes())).sheet_names) == names
