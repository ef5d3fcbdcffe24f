"""reconciliation.xlsx: what a finance person finds in it."""

import io
import zipfile
from dataclasses import replace
from decimal import Decimal
from typing import get_args

import pandas as pd
import pyarrow as pa
import pytest
from openpyxl import load_workbook
from python_calamine import CalamineWorkbook

from io_adapters.outputs.reconciliation_workbook import to_millionths
from io_adapters.outputs.run_folder import reconciliation_xlsx
from io_adapters.outputs.workbook import Book
from io_adapters.outputs.workbook_tables import SheetColumn, WorkbookTable, write_table
from schemas.errors import ExitCode
from schemas.issues import Severity
from schemas.messages import catalogue_in
from schemas.obligation import Kind
from schemas.parsing.row_accounting import RowRuns
from schemas.plan import Place
from schemas.reasons import codes_json, reasons_of
from schemas.reconciliation import Discrepancy, RowCounts
from schemas.tables.model import names_of
from schemas.tables.royalties import Earnings, PayeeBalances, earnings_frame
from schemas.waits import Wait, WaitKind
from tests.io_adapters.outputs.builder import SAMPLE, frame, obligation, reconciliation, summary


def sheets_of(given):
    book = CalamineWorkbook.from_filelike(io.BytesIO(reconciliation_xlsx(given)))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def column(rows, header, header_row=0):
    position = rows[header_row].index(header)
    return [row[position] for row in rows[header_row + 1 :] if row[0] != "Total"]


def test_the_sheets_are_named_in_the_language_of_the_job():
    assert list(sheets_of(reconciliation())) == [
        "Resumo", "Pagamentos", "Retidos", "Relatórios", "Aprovações", "Linhas", "Verificações", "Problemas",
    ]  # fmt: skip
    assert list(sheets_of(reconciliation(language="en"))) == [
        "Summary", "Payments", "Held and conflicts", "Reports", "Approvals", "Rows", "Account checks", "Issues",
    ]  # fmt: skip


def test_each_obligation_is_on_one_sheet_and_both_sheets_add_up_to_what_came_in():
    sheets = sheets_of(reconciliation())
    paid, held = sheets["Pagamentos"], sheets["Retidos"]
    assert column(paid, "Código do pagamento") == ["ob-1", "ob-5"]
    assert column(held, "Código do pagamento") == ["ob-2", "ob-3", "ob-4", "ob-6"]
    cents = [round(value * 100) for value in column(paid, "Valor") + column(held, "Valor")]
    assert sum(cents) == reconciliation().summary.totals_cents.in_


def test_a_payment_shows_the_tax_id_in_full_and_the_destination_masked():
    sheets = sheets_of(reconciliation())
    assert column(sheets["Pagamentos"], "CPF/CNPJ")[0] == "52998224725"
    assert column(sheets["Pagamentos"], "Tipo de destino")[0] == "Pix e-mail"
    assert column(sheets["Retidos"], "Tipo de destino")[0] == "Conta corrente"
    text = repr(sheets)
    assert "ana@exemplo.test" not in text
    assert "99887766" not in text


def test_a_held_payment_says_why_and_where_it_came_from():
    held = sheets_of(reconciliation())["Retidos"]
    assert column(held, "Situação")[0] == "Retido"
    assert column(held, "Motivo")[0] == "CPF inválido"
    assert [column(held, header)[0] for header in ("Arquivo", "Planilha", "Linha")] == ["pagamentos.xlsx", "Out", 3]


def test_amounts_are_exact_numbers_with_a_money_format():
    sheet = load_workbook(io.BytesIO(reconciliation_xlsx(reconciliation())))["Pagamentos"]
    cell = sheet.cell(row=2, column=[c.value for c in sheet[1]].index("Valor") + 1)
    assert (cell.data_type, cell.value, cell.number_format) == ("n", 123.45, '#,##0.00;-#,##0.00;"–"')


def test_the_summary_shows_both_sides_of_the_balance_and_says_that_they_agree():
    rows = {row[0]: row[1] for row in sheets_of(reconciliation())["Resumo"] if row[0]}
    assert rows["Entrou"] == rows["Soma das situações"] == pytest.approx(723.07)
    assert rows["Lidas"] == rows["Soma dos destinos"] == 5
    assert rows["Resultado"] == "concluído, com linhas retidas ou em conflito (15)"
    assert "NÃO FECHA" not in repr(rows)


def test_a_summary_that_does_not_add_up_says_so():
    wrong = summary(SAMPLE, rows=RowCounts(read=6, used=2, held=1, duplicate=1, ignored=1))
    rows = sheets_of(reconciliation(summary=wrong))["Resumo"]
    assert [row[1] for row in rows if str(row[1]).startswith(("✓", "✗"))] == ["✓ fecha", "✗ NÃO FECHA"]


def test_the_summary_counts_the_obligations_of_each_place():
    rows = {row[0]: row[1:3] for row in sheets_of(reconciliation())["Resumo"]}
    assert rows["Retido"] == [1.0, 1.0]
    assert rows["Levado ao próximo período"] == [pytest.approx(-0.45), 1.0]
    assert "Recusado" not in rows
    (empty,) = [name for name in rows if str(name).startswith("Nada em: ")]
    assert "Recusado" in empty


def test_used_rows_are_counted_and_all_others_listed_so_that_the_counts_are_the_rows_read():
    lines = sheets_of(reconciliation())["Linhas"]
    assert lines[1] == ["pagamentos.xlsx", "Out", "", "", "Usada", "", 2.0, ""]
    assert [row[4] for row in lines[2:-1]] == ["Retida", "Duplicada", "Ignorada"]
    assert sum(row[6] for row in lines[1:-1]) == lines[-1][6] == 5


def test_rows_of_a_text_file_are_counted_though_it_has_no_sheet():
    rows = pd.DataFrame(
        [("a.csv", None, 2, 2, 1, "used", ""), ("a.csv", None, 3, 3, 1, "held", codes_json("valor"))],
        columns=list(RowRuns.to_schema().columns),
    )
    lines = sheets_of(reconciliation(rows=rows))["Linhas"]
    assert [row[:2] for row in lines[1:-1]] == [["a.csv", ""], ["a.csv", ""]]


def test_problems_are_listed_with_cell_message_and_what_is_accepted():
    issues = sheets_of(reconciliation())["Problemas"]
    assert issues[1] == [
        "Erro", "pagamentos.xlsx", "Out", "B3", 3.0, "CPF/CNPJ", "***.456.789-**",
        "o dígito verificador não confere", "um CPF ou CNPJ válido", "TAXID_CHECK",
    ]  # fmt: skip


def test_payees_show_the_order_of_computing():
    payees = frame(PayeeBalances, ("52998224725", "Ana Exemplo", 10_000, 2_500, 100, 0, 0, 0, 7_600))
    rows = sheets_of(reconciliation(payees=payees))["Favorecidos"]
    assert rows[0][0].startswith("Ordem do cálculo")
    assert [header[:2] for header in rows[1][2:8]] == ["1.", "2.", "3.", "4.", "5.", "6."]
    assert rows[2][2:8] == [100.0, 25.0, 1.0, 0.0, 0.0, 76.0]


def test_payees_show_what_is_withheld_for_taxes_where_anything_is():
    payees = frame(PayeeBalances, ("52998224725", "Ana Exemplo", 10_000, 2_500, 100, 0, 0, 1_600, 6_000))
    rows = sheets_of(reconciliation(payees=payees))["Favorecidos"]
    assert (rows[1][7], rows[2][2:9]) == ("− Imposto retido", [100.0, 25.0, 1.0, 0.0, 0.0, 16.0, 60.0])


def test_earnings_show_a_rounded_number_beside_the_exact_one():
    part = ("52998224725", "intérprete", "BRXXX2600001", "", "", "Canção", "Ana", "Loja", "", "", "", "", "2026-09")
    part = (*part, "USD", 70, 3, "0.1", "5.4312", "333333", "", "", "", "", 0, "0.6666666667")
    columns = names_of(Earnings)
    earnings = earnings_frame(pa.table({name: [value] for name, value in zip(columns, part, strict=True)}))
    rows = sheets_of(reconciliation(earnings=earnings))["Rendimentos"]
    assert column(rows, "Rendimento", 1) == [0.666667]
    assert (column(rows, "Período da venda", 1), column(rows, "Quantidade", 1)) == (["2026-09"], [70])
    assert column(rows, "Rendimento exato", 1) == ["0.6666666667"]
    assert column(rows, "Participação (%)", 1) == [33.3333]


@pytest.mark.parametrize(
    ("exact", "rounded"),
    [
        ("0.0000005", "0.000000"),
        ("0.0000015", "0.000002"),
        ("-0.333333333333", "-0.333333"),
        ("7", "7.000000"),
        ("0.000000500000000000000001", "0.000001"),
    ],
)
def test_exact_amounts_are_rounded_half_to_even(exact, rounded):
    assert to_millionths(Decimal(exact)) == Decimal(rounded)


def test_headers_stay_in_view_can_be_filtered_and_print_on_every_page():
    book = load_workbook(io.BytesIO(reconciliation_xlsx(reconciliation())))
    sheet = book["Retidos"]
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:R5"
    assert sheet.print_title_rows == "$1:$1"
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.sheet_properties.pageSetUpPr.fitToPage


def test_a_table_too_long_for_one_sheet_goes_on_in_the_next():
    book = Book()
    write_table(book, WorkbookTable("T", [SheetColumn("n")], ((n,) for n in range(4))), rows_per_sheet=2)
    read = CalamineWorkbook.from_filelike(io.BytesIO(book.to_bytes()))
    assert [read.get_sheet_by_name(name).to_python() for name in read.sheet_names] == [
        [["n"], [0.0], [1.0]],
        [["n"], [2.0], [3.0]],
    ]


def test_an_amount_no_spreadsheet_number_can_hold_is_written_as_text():
    huge = [obligation(12_345_678_901_234_567, Place.HELD)]
    assert column(sheets_of(reconciliation(huge))["Retidos"], "Valor") == ["123456789012345.67"]


@pytest.mark.parametrize("language", ["pt-BR", "en"])
def test_every_place_kind_exit_code_and_severity_has_a_word(language):
    texts = catalogue_in(language)
    for family, values in (("place", Place), ("kind", get_args(Kind)), ("exit", ExitCode), ("severity", Severity)):
        for value in values:
            name = f"{family}.{int(value) if family == 'exit' else value}"
            assert (name if family == "place" else f"output.{name}") in texts


def test_the_workbook_tells_no_time():
    archive = zipfile.ZipFile(io.BytesIO(reconciliation_xlsx(reconciliation())))
    assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 31, 0, 0, 0)}


WAIT = Wait(
    WaitKind.HELD, "aurora", "2026-09", "run-1", reasons_of("TAXID_CHECK,NAME_REQUIRED"), 3, 123_456, "BRL",
    ExitCode.ROWS_HELD, "repasse run /casa/jobs/aurora/job.yaml", "/casa/jobs/aurora/out/2026-09", "pt-BR",
)  # fmt: skip
MISMATCH = Discrepancy.of("figures_changed", "rp-t3jl7o-3xnnrzqygsf56i7psqnfbpiol4", "processing", "paid")


def test_every_text_of_the_first_sheet_can_be_read_beside_what_stands_at_its_right():
    given = reconciliation(waits=(WAIT,))
    given = replace(given, summary=given.summary.model_copy(update={"discrepancies": [MISMATCH]}))
    sheet = load_workbook(io.BytesIO(reconciliation_xlsx(given))).worksheets[0]
    texts = [cell for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]
    assert any("repasse run" in cell.value for cell in texts)
    for cell in texts:
        width = sheet.column_dimensions[cell.column_letter].width
        if cell.offset(column=1).value is not None and not cell.value.startswith("="):
            is_whole = len(cell.value) <= width * 1.15
            is_wrapped = cell.alignment.wrap_text and width >= max(map(len, cell.value.split())) / 1.15
            assert is_whole or is_wrapped, (cell.coordinate, width, cell.value)
