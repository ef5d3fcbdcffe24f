"""A CPF typed as a number under a mask of zeros is whole; without the mask nobody knows how many digits it had."""

import doctest
from pathlib import Path

import openpyxl
import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from io_adapters.spreadsheets.workbook import xlsx_cells
from io_adapters.spreadsheets.workbook.calamine_sheet import open_values_only
from io_adapters.spreadsheets.workbook.xlsx_cells import mask_of
from schemas.messages import render
from schemas.parsing.table import ParsedTable, parse_table
from tests.io_adapters.spreadsheets.trap_workbook import libreoffice

convert = pytest.fixture(scope="module")(libreoffice)

PAYMENTS = read_layout("payments", Path())
CPF_MASK, CNPJ_MASK = r"000\.000\.000\-00", r"00\.000\.000\/0000\-00"
CPF_OR_CNPJ = r'[<=99999999999]000"."000"."000-00;00"."000"."000"/"0000-00'
HEADERS = ("Nome", "CPF/CNPJ", "Chave Pix", "Tipo da chave", "Valor", "Referência")
CPF, CNPJ = 1234567890, 191  # 012.345.678-90; 00.000.000/0001-91, a bank's


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(xlsx_cells).failed == 0


def sheet(folder: Path, *tax_ids: tuple[int | str, str], column: str = "B", width: int = 1) -> ParsedTable:
    """Read payments whose tax ids (or Pix keys) are given with their number formats."""
    book = openpyxl.Workbook()
    book.active.append(HEADERS)
    for number, (value, code) in enumerate(tax_ids * width, 2):
        book.active.append((f"Pessoa {number}", "529.982.247-25", f"p{number}@example.com", "E-mail", 10, number))
        book.active[f"{column}{number}"] = value
        book.active[f"{column}{number}"].number_format = code
        if column == "C":
            book.active[f"B{number}"], book.active[f"D{number}"] = "012.345.678-90", "CPF"
    book.save(folder / "payments.xlsx")
    return parse_table(read_table(str(folder / "payments.xlsx"), PAYMENTS), PAYMENTS)


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "code", "expected"),
    [
        (CPF, "00000000000", "01234567890"),
        (CPF, CPF_MASK, "01234567890"),
        (CPF, '000"."000"."000"-"00', "01234567890"),
        (CPF, "000000000-00", "01234567890"),
        (CPF, CPF_OR_CNPJ, "01234567890"),
        (CPF, f"[$-416]{CPF_MASK};@", "01234567890"),
        (CNPJ, "00000000000000", "00000000000191"),
        (CNPJ, CNPJ_MASK, "00000000000191"),
        (52998224725, CPF_OR_CNPJ, "52998224725"),
        (11444777000161, CPF_OR_CNPJ, "11444777000161"),
    ],
)
def test_the_zeros_that_a_mask_shows_are_read(tmp_path, number, code, expected):
    parsed = sheet(tmp_path, (number, code))
    assert parsed.frame["tax_id"].tolist() == [expected]


def test_it_is_told_once_for_the_column_at_its_first_cell(tmp_path):
    parsed = sheet(tmp_path, (52998224725, CPF_MASK), (CPF, CPF_MASK), (CNPJ, CNPJ_MASK))
    (note,) = parsed.issues
    assert (note.code.value, note.severity.value, note.cell, note.column) == ("ZEROS_SHOWN", "note", "B3", "CPF/CNPJ")
    assert "2 números desta coluna foram lidos com os zeros à esquerda" in render(note.message, "pt-BR")
    assert "1234567890" not in f"{note}"


@pytest.mark.parametrize("code", ["General", "0", "#,##0", "0.00", "0000000000", "000000000000", "@", "00000000000%"])
def test_a_short_number_without_a_mask_of_a_whole_tax_id_is_refused(tmp_path, code):
    parsed = sheet(tmp_path, (CPF, code))
    assert len(parsed.frame) == 0
    assert next(issue.code.value for issue in parsed.issues if issue.severity.value == "error").startswith("TAXID_")


def test_what_a_mask_makes_whole_must_still_have_its_check_digits(tmp_path):
    parsed = sheet(tmp_path, (CPF + 1, CPF_MASK), (CNPJ, CNPJ_MASK), (CNPJ + 1, CPF_MASK))
    found = [(issue.code.value, issue.cell) for issue in parsed.issues]
    assert found == [("TAXID_CHECK", "B2"), ("ZEROS_SHOWN", "B3"), ("TAXID_CHECK", "B4")]


def test_a_pix_key_that_is_a_tax_id_is_read_as_it_is_shown(tmp_path):
    parsed = sheet(tmp_path, (CPF, CPF_MASK), column="C")
    assert parsed.frame["pix_key"].tolist() == ["01234567890"]
    assert [(issue.code.value, issue.cell) for issue in parsed.issues] == [("ZEROS_SHOWN", "C2")]


def test_an_amount_under_a_mask_of_zeros_is_what_it_is(tmp_path):
    parsed = sheet(tmp_path, (12, "00000000000"), column="E")
    assert (parsed.frame["amount_cents"].tolist(), parsed.issues) == ([1200], ())


def test_a_large_sheet_is_read_like_a_small_one(tmp_path):
    parsed = sheet(tmp_path, (CPF, CPF_MASK), (52998224725, CPF_MASK), width=2500)
    assert parsed.frame["tax_id"].value_counts().to_dict() == {"01234567890": 2500, "52998224725": 2500}


@pytest.mark.parametrize(
    ("code", "number", "digits"),
    [
        (CPF_OR_CNPJ, CPF, 11),
        (CPF_OR_CNPJ, 10**11, 14),
        ("[>99999999999]00000000000000;00000000000", CPF, 11),
        ("00000000000;-00000000000;General", 0, 0),
        ("00000000000;-00000000000;General", 1, 11),
        ("000,000,000-00", CPF, 11),
        ("[Red]00000000000", CPF, 11),
        ("00000000000_)", CPF, 11),
    ],
)
def test_the_part_of_a_format_that_a_number_meets_decides(code, number, digits):
    mask = mask_of(code)
    assert (mask.digits(number) if mask else 0) == digits


@pytest.mark.parametrize(
    "code",
    [
        "000.000.000-00",
        "00000000000,",
        "0" * 200,
        "[h]00000000000",
        '"0"0000000000',
        "[$R$-416]00000000000",
        "0e00",
        "",
    ],
)
def test_what_is_no_row_of_zeros_is_no_mask(code):
    assert mask_of(code) is None


MASKED = [
    ("a", CPF, CPF_MASK),
    ("b", CPF, CPF_MASK),
    ("c", CPF, "General"),
    ("d", CNPJ, CNPJ_MASK),
    ("e", 1.5, "00.00"),
]


@pytest.mark.long
@pytest.mark.parametrize("form", ["ods", "xls"])
def test_of_the_other_formats_an_ods_says_how_its_numbers_are_shown(tmp_path, convert, form):
    book = openpyxl.Workbook()
    for name, number, code in MASKED:
        book.active.append((name, None, number))
        book.active.cell(book.active.max_row, 3).number_format = code
    book.active["C1"].comment = openpyxl.comments.Comment("000.000.001-91", "x")
    book.save(tmp_path / "masks.xlsx")
    sheet = open_values_only(convert(tmp_path / "masks.xlsx", form, tmp_path / form).read_bytes()).load("Sheet")
    assert sheet.oddities.zeros == ({(1, 2, 11), (2, 2, 11), (4, 2, 14)} if form == "ods" else set())


def test_repeated_rows_and_cells_of_an_ods_keep_their_places():
    content = (Path(__file__).parent / "files" / "repeated.ods").read_bytes()
    zeros = open_values_only(content).load("Dados").oddities.zeros
    assert zeros == {(4, 2, 11), (4, 3, 11), (5, 2, 11), (6, 1, 11)}


def test_in_an_xls_a_short_number_stays_refused_and_it_is_said_why(tmp_path, convert):
    sheet(tmp_path, (CPF, CPF_MASK))
    path = convert(tmp_path / "payments.xlsx", "xls", tmp_path / "xls")
    parsed = parse_table(read_table(str(path), PAYMENTS), PAYMENTS)
    assert [issue.code.value for issue in parsed.issues] == ["FILE_VALUES_ONLY", "TAXID_LENGTH"]
    assert "números mostrados com zeros à esquerda" in render(parsed.issues[0].message, "pt-BR")
    assert "em .xlsx" in render(parsed.issues[1].accepts, "pt-BR")
