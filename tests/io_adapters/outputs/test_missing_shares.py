"""missing-shares.xlsx: what a person finds in it, and what they are to fill in."""

import io
from dataclasses import replace
from decimal import Decimal

import pytest
from openpyxl import load_workbook
from python_calamine import CalamineWorkbook

from io_adapters.outputs.corrections import missing_shares_xlsx, write_missing_shares
from io_adapters.spreadsheets.declarations import read_layout
from schemas.corrections import MissingShare, MissingShares
from schemas.layouts.headers import match_headers
from schemas.messages import catalogue_in

ONE = MissingShare("BRAUR2600001", "7890000000001", "Dia", "=Lua", "Samba", ("2026-10",), 4, Decimal("1234.565"))
TWO = MissingShare("", "", "", "", "Sem nome", ("", "2026-09"), 1, None)
BOTH = MissingShares("BRL", (ONE,), (TWO,))


@pytest.mark.parametrize(("language", "sheet"), [("pt-BR", "Participações"), ("en", "Shares")])
def test_the_sheet_is_in_the_layout_of_shares_and_everything_beside_is_left_alone(language, sheet, tmp_path):
    book = CalamineWorkbook.from_filelike(io.BytesIO(missing_shares_xlsx(BOTH, language)))
    headers = [str(header) for header in book.get_sheet_by_name(sheet).to_python()[0]]
    match = match_headers(headers, read_layout("shares", tmp_path))
    assert set(match.positions) == {"isrc", "upc", "release", "artist", "title", "tax_id", "role", "share"}
    assert (match.unknown, match.duplicates, match.missing) == ((), {}, ())


def test_what_is_to_be_filled_in_is_empty_and_marked_and_keeps_leading_zeros():
    sheet = load_workbook(io.BytesIO(missing_shares_xlsx(BOTH, "pt-BR")))["Participações"]
    cells = {sheet.cell(1, n).value: sheet.cell(2, n) for n in range(1, sheet.max_column + 1)}
    for header in ("CPF/CNPJ", "Função", "Participação"):
        assert cells[header].value is None
        assert cells[header].fill.fgColor.rgb == "FFFFF2CC"
    assert cells["CPF/CNPJ"].number_format == "@"
    assert cells["UPC"].value == "7890000000001"
    assert (cells["Artista"].value, cells["Artista"].data_type) == ("=Lua", "s")
    assert cells["Valor sem participação"].value == pytest.approx(1234.56)
    assert sheet.freeze_panes == "A2"


def test_of_many_periods_the_first_and_the_last_are_named():
    many = replace(ONE, periods=("2026-06", "2026-07", "2026-09"))
    sheet = load_workbook(io.BytesIO(missing_shares_xlsx(MissingShares("BRL", (many,), ()), "en")))["Shares"]
    assert "2026-06 … 2026-09" in [cell.value for cell in sheet[2]]


def test_the_second_sheet_says_what_to_do_and_lists_what_no_row_could_cover():
    book = CalamineWorkbook.from_filelike(io.BytesIO(missing_shares_xlsx(BOTH, "pt-BR")))
    words = [str(row[0]) for row in book.get_sheet_by_name("Como usar").to_python()]
    assert any("shares: [" in line for line in words)
    assert "Sem nome; 2026-09; Linhas: 1" in words


def test_nothing_missing_leaves_no_file(tmp_path):
    assert write_missing_shares(MissingShares("BRL", (), ()), tmp_path / "missing-shares.xlsx", "en") is None
    assert list(tmp_path.iterdir()) == []


def test_every_word_of_it_is_in_both_languages():
    for language in ("pt-BR", "en"):
        texts = catalogue_in(language)
        assert all(
            f"output.missing.{name}" in texts for name in ("fill_in", "several", "delete", "hand_in", "holds_for")
        )
