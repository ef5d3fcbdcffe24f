"""What a file's headers leave open, the job says: which column is which, and which sheet is meant.

What a refusal suggests is written into the job as it stands, and then the file is read.
"""

import re

import pytest
from openpyxl import Workbook, load_workbook
from ruamel.yaml import YAML

from flows.intake.read import read
from flows.payables.check import write_check
from flows.payables.judge_inputs import judge_inputs
from flows.run import QuietProgress, opened_offline
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from io_adapters.spreadsheets.declarations import job_schema
from schemas.errors import ConfigurationError, UnreadableFile
from schemas.issues import IssueCode
from schemas.layouts.drafting import yaml_scalar
from schemas.messages import render

HEAD = "job: columns\npayer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}\nperiod: 2026-10\n"
MARIA = ("Maria Silva", "529.982.247-25", "maria@example.com", "E-mail")
WHO = ("Nome", "CPF", "Chave Pix", "Tipo da chave")


def write(folder, name, sheets):
    """Write a workbook: title -> rows."""
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(folder / name)


def take_in(folder, declared, head=HEAD):
    """Read the files of a job whose sources and tables are declared so; what is noted goes beside."""
    path = folder / "job.yaml"
    path.write_text(head + declared, "utf-8")
    with opened_offline(read_run_request(path), QuietProgress()) as run:
        return read(run)


def paid(intake):
    return intake.inputs.payments["amount_cents"].tolist()


def refused(folder, declared, head=HEAD):
    """Return the issue for which a file is refused, and the YAML that it suggests."""
    with pytest.raises(UnreadableFile) as refusal:
        take_in(folder, declared, head)
    (issue,) = refusal.value.issues
    return issue, [re.search(r"`(columns: \{.*?\}|\w+: \{files: .*\})`", render(issue.accepts, language))
                   for language in ("en", "pt-BR")]  # fmt: skip


@pytest.mark.parametrize("headers", [("Valor", "Valor líquido"), ("Valor bruto", "Valor líquido")])
def test_of_two_amounts_neither_is_paid_until_the_job_says_which(tmp_path, headers):
    write(tmp_path, "p.xlsx", {"A": [(*WHO, *headers), (*MARIA, "100,00", "90,00")]})
    issue, suggested = refused(tmp_path, "sources: [{files: p.xlsx, layout: payments}]\n")
    assert issue.code is IssueCode.COLUMN_DUPLICATE
    assert f"E1 ({headers[0]}), F1 ({headers[1]})" in render(issue.message, "pt-BR")
    for found in suggested:
        declared = f"sources:\n  - files: p.xlsx\n    layout: payments\n    {found[1]}\n"
        assert paid(take_in(tmp_path, declared)) == [9000]


def test_a_header_nobody_knows_is_the_column_that_the_job_says(tmp_path):
    write(tmp_path, "p.xlsx", {"A": [(*WHO, "Valr"), (*MARIA, "100,00")]})
    issue, suggested = refused(tmp_path, "sources: [{files: p.xlsx, layout: payments}]\n")
    assert issue.code is IssueCode.COLUMN_MISSING
    for found in suggested:
        declared = f"sources:\n  - files: p.xlsx\n    layout: payments\n    {found[1]}\n"
        assert paid(take_in(tmp_path, declared)) == [10000]


ROYALTIES = [("Faixa", "ISRC", "Loja", "Período", "Valor"), ("Um", "BRABC2600001", "Deezer", "2026-09", "1,50")]


def currencies(intake):
    return set(intake.inputs.statements[0].totals.currencies)


@pytest.mark.parametrize("said", ["USD", "EUR"])
@pytest.mark.parametrize("layout", ["royalties", "auto"])
def test_the_currency_of_lines_that_say_none_is_the_one_the_source_says(tmp_path, said, layout):
    write(tmp_path, "r.xlsx", {"A": ROYALTIES})
    exchange = f'{{{said}: {{rate: "5.00", date: 2026-10-30, source: PTAX}}}}'
    declared = f"sources: [{{files: r.xlsx, layout: {layout}, currency: {said}, exchange: {exchange}}}]\n"
    assert currencies(take_in(tmp_path, declared)) == {said}


def test_lines_that_say_their_currency_keep_it(tmp_path):
    rows = [(*row, text) for row, text in zip([*ROYALTIES, ROYALTIES[1]], ("Moeda", "EUR", ""), strict=True)]
    write(tmp_path, "r.xlsx", {"A": rows})
    rates = ", ".join(f'{name}: {{rate: "5.00", date: 2026-10-30, source: PTAX}}' for name in ("EUR", "USD"))
    declared = f"sources: [{{files: r.xlsx, layout: royalties, currency: USD, exchange: {{{rates}}}}}]\n"
    assert currencies(take_in(tmp_path, declared)) == {"EUR", "USD"}


def test_payments_are_in_the_currency_that_the_job_pays_in(tmp_path):
    write(tmp_path, "p.xlsx", {"A": [(*WHO, "Valor"), (*MARIA, "100,00")]})
    with pytest.raises(ConfigurationError, match="USD"):
        take_in(tmp_path, "sources: [{files: p.xlsx, layout: payments, currency: USD}]\n")
    with pytest.raises(UnreadableFile):
        take_in(tmp_path, "sources: [{files: p.xlsx, layout: auto, currency: USD}]\n")
    assert paid(take_in(tmp_path, "sources: [{files: p.xlsx, layout: payments, currency: BRL}]\n")) == [10000]


@pytest.mark.parametrize("layout", ["payments", "auto"])
def test_what_the_job_says_goes_before_what_the_layout_knows(tmp_path, layout):
    write(tmp_path, "p.xlsx", {"A": [(*WHO, "Valor", "Cachê"), (*MARIA, "100,00", "90,00")]})
    source = f"{{files: p.xlsx, layout: {layout}, columns: {{Cachê: amount, Valor: reference}}}}"
    assert paid(take_in(tmp_path, f"sources: [{source}]\n")) == [9000]


@pytest.mark.long
@pytest.mark.parametrize(
    ("table", "rows", "column"),
    [
        ("payees", [("Nome", "Dcumento fiscal n", "PIX", "Tipo chave Pix"), MARIA], "tax_id"),
        ("shares", [("CPF", "Fatia do bolo"), ("529.982.247-25", "50%")], "share"),
        ("advances", [("CPF", "Vale"), ("529.982.247-25", "10,00")], "amount"),
    ],
)
def test_tables_beside_the_sources_have_columns_of_the_job_too(tmp_path, table, rows, column):
    write(tmp_path, "t.xlsx", {"A": rows})
    write(tmp_path, "p.xlsx", {"A": [(*WHO, "Valor"), (*MARIA, "100,00")]})
    source = "sources: [{files: p.xlsx, layout: payments}]\n"
    issue, suggested = refused(tmp_path, f"{source}{table}: t.xlsx\n")
    assert issue.code is IssueCode.COLUMN_MISSING
    for found in suggested:
        intake = take_in(tmp_path, f"{source}{found[1].replace('...', 't.xlsx')}\n")
        assert len(getattr(intake.inputs, table)) == 1
    assert f": {column}}}" in found[1]


def test_of_several_sheets_the_job_says_which(tmp_path):
    sheet = [(*WHO, "Valor"), (*MARIA, "100,00")]
    write(tmp_path, "p.xlsx", {"Setembro": sheet, "Outubro": [sheet[0], (*MARIA, "90,00")]})
    issue, _ = refused(tmp_path, "sources: [{files: p.xlsx, layout: payments}]\n")
    assert "`sheet:`" in render(issue.message, "en")
    declared = "sources: [{files: p.xlsx, layout: payments, sheet: Outubro}]\n"
    assert paid(take_in(tmp_path, declared)) == [9000]


def test_a_statement_of_a_known_sender_takes_columns_and_a_sheet_of_the_job(tmp_path):
    rows = [("Sale Month", "Store", "Artist", "Title", "ISRC", "Quantity", "What we owe"),
            ("2026-09", "Spotify", "Ana", "Um", "BRABC2600001", "10", "5.00")]  # fmt: skip
    write(tmp_path, "s.xlsx", {"Capa": [("nada",)], "Dados": rows})
    rate = "exchange: {USD: {rate: '5', date: 2026-10-31, source: PTAX}}"
    source = f"{{files: s.xlsx, layout: distrokid, sheet: Dados, columns: {{What we owe: amount}}, {rate}}}"
    shares = "shares: sh.xlsx\npayees: pa.xlsx\n"
    write(tmp_path, "sh.xlsx", {"A": [("CPF", "%"), ("529.982.247-25", "50%")]})
    write(tmp_path, "pa.xlsx", {"A": [WHO, MARIA]})
    intake = take_in(tmp_path, f"sources: [{source}]\n{shares}")
    assert intake.inputs.rows["disposition"].tolist() == ["used"] * len(intake.inputs.rows)
    assert intake.inputs.statements[0].totals.currencies == {"USD"}


def test_a_column_that_no_table_has_is_a_fault_of_the_job(tmp_path):
    write(tmp_path, "p.xlsx", {"A": [(*WHO, "Valor"), (*MARIA, "100,00")]})
    with pytest.raises(ConfigurationError, match="amount_cents"):
        take_in(tmp_path, "sources: [{files: p.xlsx, layout: payments, columns: {Valor: amount_cents}}]\n")


@pytest.mark.parametrize("header", ["Valor (USD)", "Valor US$", "Valor ($)", "Amount (EUR)"])
def test_an_amount_whose_header_names_another_currency_than_the_job_s_is_refused(tmp_path, header):
    write(tmp_path, "p.xlsx", {"A": [(*WHO, header), (*MARIA, "100,00")]})
    issue, _ = refused(tmp_path, "sources: [{files: p.xlsx, layout: payments}]\n")
    assert (issue.code, issue.cell) == (IssueCode.AMOUNT_CURRENCY, "E1")
    assert "BRL" in render(issue.message, "en")


def test_a_job_in_another_currency_reads_amounts_in_it(tmp_path):
    head = HEAD + "currency: USD\nforeign_currency: {rate: '5.4312'}\n"
    write(tmp_path, "p.xlsx", {"A": [(*WHO, "Valor (USD)"), (*MARIA, "US$ 100,00")]})
    assert paid(take_in(tmp_path, "sources: [{files: p.xlsx, layout: payments}]\n", head)) == [10000]
    write(tmp_path, "p.xlsx", {"A": [(*WHO, "Valor (R$)"), (*MARIA, "100,00")]})
    issue, _ = refused(tmp_path, "sources: [{files: p.xlsx, layout: payments}]\n", head)
    assert issue.code is IssueCode.AMOUNT_CURRENCY


@pytest.mark.parametrize(
    "rows",
    [
        [
            (*MARIA, "Corrente", "100,00"),
            ("Bia Souza", "101.000.002-07", "bia@example.com", "E-mail", "Corrente", "50,00"),
        ],
        [(*MARIA, "CPF", "x"), ("Bia Souza", "101.000.002-07", "bia@example.com", "E-mail", "CPF", "y")],
    ],
)
def test_a_sheet_without_a_header_is_refused_and_nobody_in_it_is_named(tmp_path, rows):
    write(tmp_path, "p.xlsx", {"A": rows})
    with pytest.raises(UnreadableFile) as refusal:
        take_in(tmp_path, "sources: [{files: p.xlsx, layout: payments}]\n")
    told = str(refusal.value) + "".join(
        render(text, language)
        for issue in refusal.value.issues
        for text in (issue.message, issue.accepts)
        for language in ("en", "pt-BR")
    )
    for personal in ("Maria", "529.982", "maria@", "Bia"):
        assert personal not in told


def test_the_schema_of_a_job_tells_editors_of_both():
    defined = job_schema()["$defs"]
    for model in ("Source", "TableFiles"):
        assert {"sheet", "columns"} <= defined[model]["properties"].keys()
    assert {"string", "array"} <= {kind.get("type") for kind in job_schema()["properties"]["payees"]["anyOf"]}


def test_a_header_with_marks_of_yaml_in_it_is_quoted_where_it_is_suggested():
    assert YAML(typ="safe").load(f"columns: {{{yaml_scalar('Valor: R$, #1')}: amount}}") == {
        "columns": {"Valor: R$, #1": "amount"}
    }


def test_a_corrected_sheet_keeps_the_columns_of_the_job_and_a_header_in_two_rows(tmp_path):
    rows = [("Nome", "CPF", "Pix", None, "Acerto"), (None, None, "Tipo", "Chave", None),
            ("Maria Silva", "529.982.247-26", "E-mail", "maria@example.com", "100,00")]  # fmt: skip
    write(tmp_path, "p.xlsx", {"A": rows})
    path = tmp_path / "job.yaml"
    path.write_text(HEAD + "sources: [{files: p.xlsx, layout: payments, columns: {Acerto: amount}}]\n", "utf-8")
    with opened_offline(read_run_request(path), QuietProgress()) as run:
        corrections = write_check(run, judge_inputs(run, read(run))).corrections
    book = load_workbook(corrections)
    (cell,) = [cell for row in book.worksheets[0] for cell in row if cell.value == "529.982.247-26"]
    cell.value = "529.982.247-25"
    book.save(corrections)
    request = read_run_request(path, RunOptions(files=[str(corrections)]))
    with opened_offline(request, QuietProgress()) as run:
        assert paid(read(run)) == [10000]
