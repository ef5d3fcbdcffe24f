"""A person with a sheet and no job: `new` makes one, asking what it cannot tell; `check` says what a sheet would be."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from typer.testing import CliRunner

from flows.cli import app
from flows.intake.read import read
from flows.run import QuietProgress, opened_offline
from flows.run_request import read_run_request
from io_adapters.outputs.models import MODELS, model_file, model_xlsx
from schemas.messages import catalogue_in
from tests.flows.imports import NEVER, imported_by

SAMPLES = Path(__file__).parents[2] / "sample_data"
TUNECORE = SAMPLES / "statements" / "tunecore-2026-10.csv"
WHO = ("Beneficiário", "CPF ou CNPJ", "PIX", "Tipo de chave")
MARIA = ("Maria Silva", "529.982.247-25", "maria@example.com", "E-mail")
pytestmark = pytest.mark.usefixtures("home")
PAYER = ("--payer-tax-id", "12.ABC.345/01DE-35", "--payer-name", "Selo Aurora", "--period", "2026-10")


def write(path, *rows, **sheets):
    book = Workbook()
    book.active.title = "Folha"
    for row in rows:
        book.active.append(row)
    for title, others in sheets.items():
        for row in others:
            (book[title] if title in book.sheetnames else book.create_sheet(title)).append(row)
    book.save(path)
    return path


def repasse(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def taken_in(job):
    with opened_offline(read_run_request(job), QuietProgress()) as run:
        return read(run)


def test_a_job_is_made_of_a_sheet_of_payments_and_is_checked(tmp_path):
    sheet = write(tmp_path / "cachês outubro 2026-10.xlsx", (*WHO, "Vlr. líquido (R$)"), (*MARIA, "100,00"))
    made = repasse("new", sheet, *PAYER)
    assert made.exit_code == 0, made.output
    job = tmp_path / "job.yaml"
    assert f"repasse check {job}" in made.output
    text = job.read_text("utf-8")
    assert len(text.splitlines()) <= 24, "one screen"
    assert "job: caches" in text
    assert "files: " in text
    assert str(tmp_path) not in text, "relative paths"
    assert taken_in(job).inputs.payments["amount_cents"].tolist() == [10000]
    assert repasse("check", job).exit_code == 0


def test_what_the_sheet_does_not_tell_is_asked_by_the_name_of_its_option(tmp_path):
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Valor bruto", "Valor líquido"), (*MARIA, "110,00", "100,00"))
    asked = repasse("new", sheet)
    assert asked.exit_code == 10
    assert not (tmp_path / "job.yaml").exists()
    for option in ("--payer-tax-id", "--payer-name", "--period", "--column 'Valor líquido=amount'"):
        assert option in asked.output
    made = repasse("new", sheet, *PAYER, "--column", "Valor líquido=amount")
    assert made.exit_code == 0, made.output
    assert taken_in(tmp_path / "job.yaml").inputs.payments["amount_cents"].tolist() == [10000]


def test_a_column_that_may_bear_on_payments_is_named_and_the_job_says_what_it_means(tmp_path):
    ana = ("Ana Lima", "111.444.777-35", "ana@example.com", "E-mail")
    head = (*WHO, "Valor", "Situação", "Vencimento")
    sheet = write(tmp_path / "p.xlsx", head, (*MARIA, "100,00", "Pago", "10/01/2027"), (*ana, "7,00", "Pendente", ""))
    plain = repasse("new", sheet, *PAYER)
    assert "columns: {Situação: {only: [Pendente]}}" in plain.output
    assert "columns: {Vencimento: {ignored: date}}" in plain.output
    assert len(taken_in(tmp_path / "job.yaml").inputs.payments) == 0
    (tmp_path / "job.yaml").unlink()
    made = repasse("new", sheet, *PAYER, "--only", "Situação=Pendente", "--column", "Vencimento=ignored")
    assert "only:" not in made.output
    text = (tmp_path / "job.yaml").read_text("utf-8")
    assert "columns: {Situação: {only: [Pendente]}, Vencimento: {ignored: date}}" in text
    assert taken_in(tmp_path / "job.yaml").inputs.payments["amount_cents"].tolist() == [700]


def test_a_header_nobody_knows_over_amounts_is_asked_about(tmp_path):
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Acerto"), (*MARIA, "100,00"))
    assert "--column 'Acerto=amount'" in repasse("new", sheet, *PAYER).output
    assert repasse("new", sheet, *PAYER, "--column", "Acerto=amount").exit_code == 0
    assert taken_in(tmp_path / "job.yaml").inputs.payments["amount_cents"].tolist() == [10000]


def test_of_several_sheets_one_is_named(tmp_path):
    rows = [(*WHO, "Valor"), (*MARIA, "90,00")]
    sheet = write(tmp_path / "p.xlsx", *rows, Outubro=[rows[0], (*MARIA, "100,00")])
    assert "--sheet 'p.xlsx=Folha'" in repasse("new", sheet, *PAYER).output
    assert repasse("new", sheet, *PAYER, "--sheet", "Outubro").exit_code == 0
    assert taken_in(tmp_path / "job.yaml").inputs.payments["amount_cents"].tolist() == [10000]


def test_a_workbook_of_several_tables_is_all_of_them(tmp_path):
    sheet = write(tmp_path / "tudo.xlsx", ("CPF", "Referência", "Valor"), (MARIA[1], "NF 1", "100,00"),
                  Favorecidos=[WHO, MARIA], Adiantamentos=[("CPF", "Adiantamento"), (MARIA[1], "10,00")])  # fmt: skip
    document = json.loads(repasse("check", sheet, "--json").stdout)
    assert [table["layout"] for table in document["tables"]] == ["payments", "payees", "advances"]
    sheet = write(tmp_path / "tudo.xlsx", (*WHO, "Valor"), (*MARIA, "100,00"), Favorecidos=[WHO, MARIA])
    made = repasse("new", sheet, *PAYER)
    assert made.exit_code == 0, made.output
    intake = taken_in(tmp_path / "job.yaml")
    assert (len(intake.inputs.payments), len(intake.inputs.payees)) == (1, 1)


def test_a_table_that_could_be_payments_or_advances_is_asked_about(tmp_path):
    sheet = write(tmp_path / "x.xlsx", ("CPF", "Valor"), (MARIA[1], "100,00"))
    assert "--as x.xlsx=payments" in repasse("new", sheet, *PAYER).output
    payees = write(tmp_path / "quem.xlsx", WHO, MARIA)
    made = repasse("new", sheet, payees, *PAYER, "--as", "x.xlsx=payments", "--language", "en")
    assert made.exit_code == 0, made.output
    text = (tmp_path / "job.yaml").read_text("utf-8")
    assert "payees: quem.xlsx" in text
    assert "language: en" in text
    assert len(taken_in(tmp_path / "job.yaml").inputs.payments) == 1


def test_a_job_of_statements_and_the_tables_beside_them(tmp_path):
    folder = SAMPLES / "royalties"
    names = ("distrokid-2026-10.tsv", "payees.xlsx", "shares.xlsx", "advances.csv")
    made = repasse("new", *(folder / name for name in names), *PAYER, "--as", "advances.csv=advances",
                   "--job", tmp_path / "job.yaml", "--json")  # fmt: skip
    assert made.exit_code == 0, made.output
    document = json.loads(made.stdout)
    tables = ["royalty_lines", "payees", "shares", "advances"]
    assert list(document["files"].values()) == [[table] for table in tables]
    text = (tmp_path / "job.yaml").read_text("utf-8")
    assert "layout: distrokid" in text
    assert "# exchange: {USD:" in text
    intake = taken_in(tmp_path / "job.yaml")
    assert (len(intake.inputs.payees), len(intake.inputs.shares), len(intake.inputs.advances)) == (43, 155, 6)


def test_a_statement_of_nobody_known_is_drafted_beside_the_job(tmp_path):
    sheet = write(
        tmp_path / "selo-x 2026-09.xlsx",
        ("Mes de la venta", "Negocio", "Código ISRC", "Obra musical", "Regalías netas"),
        *((f"2026-0{month}", "Spotify", f"BRABC260000{month}", "Um", f"1.5{month}") for month in range(1, 6)),
    )
    made = repasse("new", sheet, *PAYER)
    assert made.exit_code == 0, made.output
    assert (tmp_path / "selo-x.layout.yaml").is_file()
    assert "layout: ./selo-x.layout.yaml" in (tmp_path / "job.yaml").read_text("utf-8")
    assert "repasse new --models ." in made.output


def variant(folder):
    """A statement of TuneCore with its money under a new name, and a column that it never had."""
    (line, *rows) = (TUNECORE).read_text("utf-8-sig").splitlines()
    path = folder / "tunecore.csv"
    head = line.replace("Total Earned", "Total Earned by You")
    path.write_text("\n".join([f"{head},Region Code", *(f"{row},LATAM" for row in rows)]), "utf-8")
    return path


def test_a_variant_of_a_known_sender_is_offered_under_its_name(tmp_path):
    asked = repasse("new", variant(tmp_path), *PAYER)
    assert asked.exit_code == 10
    assert "--as tunecore.csv=tunecore" in asked.output.replace("\n", "")
    assert not (tmp_path / "job.yaml").exists()


def test_a_variant_that_a_person_confirms_is_read_as_the_sender_s(tmp_path):
    answers = ("--as", "tunecore.csv=tunecore", "--column", "Total Earned by You=amount", "--as-proposed")
    made = repasse("new", variant(tmp_path), *PAYER, *answers)
    assert made.exit_code == 0, made.output
    assert "layout: tunecore" in (tmp_path / "job.yaml").read_text("utf-8")
    known = TUNECORE
    (tmp_path / "known").mkdir()
    repasse("new", known, *PAYER, "--job", tmp_path / "known" / "job.yaml")
    totals = [taken_in(tmp_path / name).inputs.statements[0].totals for name in ("job.yaml", "known/job.yaml")]
    assert totals[0].by_territory["amount"].tolist() == totals[1].by_territory["amount"].tolist()


def test_a_variant_may_be_a_layout_of_its_own(tmp_path):
    made = repasse("new", variant(tmp_path), *PAYER, "--as", "draft")
    assert made.exit_code == 0, made.output
    assert "layout: ./tunecore.layout.yaml" in (tmp_path / "job.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "declared"),
    [
        ((), '# received: {USD: "0.00"}'),
        (("--received", "1.234,56"), 'received: {USD: "1234.56"}'),
        (("--received", "tunecore-2026-10.csv=USD 12.50"), 'received: {USD: "12.5"}'),
        (("--received", "-"), '# received: {USD: "0.00"}'),
    ],
)
def test_what_the_bank_got_for_a_statement_is_written_where_it_is_said(tmp_path, options, declared):
    made = repasse("new", TUNECORE, *PAYER, "--job", tmp_path / "job.yaml", *options)
    assert made.exit_code == 0, made.output
    assert f"    {declared}" in (tmp_path / "job.yaml").read_text("utf-8")


@pytest.mark.parametrize("typed", ["1.234", "EUR 12,50", "doze", "-12,50", "USD 1,00; USD 2,00", ""])
def test_what_no_bank_gets_is_refused(tmp_path, typed):
    words = ("new", TUNECORE, *PAYER, "--job", tmp_path / "job.yaml")
    refused = repasse(*words, "--received", f"tunecore-2026-10.csv={typed}")
    assert (refused.exit_code == 10) == bool(typed)
    assert (tmp_path / "job.yaml").exists() == (not typed)


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("--as", "outro.xlsx=payments"),
        ("--sheet", "outro.xlsx=Folha"),
        ("--sheet", "p.xlsx=Novembro"),
        ("--sheet", "Novembro"),
        ("--received", "outro.xlsx=12,50"),
        ("--received", "12,50"),
        ("--column", "Valor bruto=amount"),
        ("--only", "Situação=Pendente"),
        ("--column", "Vencimento=ignored"),
    ],
)
def test_an_option_that_names_nothing_of_what_was_given_is_told_and_nothing_is_written(tmp_path, option, named):
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Valor", "Obs"), (*MARIA, "100,00", ""))
    refused = repasse("new", sheet, *PAYER, option, named, "--column", "Obs=remark")
    assert refused.exit_code == 10
    assert f"{option} {named}" in refused.output
    assert all(name in refused.output for name in ("p.xlsx", "Folha", "Valor"))
    assert not (tmp_path / "job.yaml").exists()


@pytest.mark.parametrize("option", [("--column", "Valor=amount"), ()])
@pytest.mark.parametrize("last", ["529.982.247-25", "maria@example.com", "100"])
def test_a_first_row_that_is_somebodys_data_is_not_repeated(tmp_path, option, last):
    rows = [("Maria Silva", "529.982.247-25", "maria@example.com", last), ("Ana", "1", "ana@example.com", "2")]
    sheet = write(tmp_path / "p.xlsx", *rows)
    refused = repasse("new", sheet, *PAYER, "--as", "payments", *option)
    assert refused.exit_code == 10
    assert not any(text in refused.output for text in ("Maria", "529", "982", "maria@"))


def test_a_job_that_is_there_is_left_alone(tmp_path):
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Valor"), (*MARIA, "100,00"))
    (tmp_path / "job.yaml").write_text("mine")
    assert repasse("new", sheet, *PAYER).exit_code == 10
    assert (tmp_path / "job.yaml").read_text() == "mine"
    assert repasse("new", sheet, *PAYER, "--job", tmp_path / "other.yaml").exit_code == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--payer-tax-id", "529.982.247-26", *PAYER[2:]), "--payer-tax-id"),
        ((*PAYER[:4], "--period", "outubre"), "--period"),
        ((*PAYER, "--as", "nota"), "p.xlsx"),
    ],
)
def test_a_wrong_answer_is_refused_by_its_option(tmp_path, options, told):
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Valor"), (*MARIA, "100,00"))
    refused = repasse("new", sheet, *options)
    assert refused.exit_code == 10
    assert told in refused.output
    assert "529.982.247-26" not in refused.output


@pytest.mark.long
def test_a_person_at_the_terminal_is_asked(tmp_path):
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Valor bruto", "Valor líquido"), (*MARIA, "110,00", "100,00"))
    ours, theirs = pty.openpty()
    os.write(ours, b"2\n529.982.247-26\n12.ABC.345/01DE-35\nSelo Aurora\n2026-10\n")
    command = [sys.executable, "-c", "from flows.cli import main; main()", "new", str(sheet)]
    done = subprocess.run(command, stdin=theirs, capture_output=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr.decode()
    assert "1 Valor bruto, 2 Valor líquido" in done.stdout.decode()
    assert taken_in(tmp_path / "job.yaml").inputs.payments["amount_cents"].tolist() == [10000]


FILLED = {
    "en": {"name": "Maria Silva", "tax_id": "529.982.247-25", "amount": 1200.5, "email": "maria@example.com",
           "pix_key_type": "Email", "account_type": "Checking", "share": 50, "role": "Producer",
           "tier_from": "R$ 1,000.50", "tier_to": "R$ 5,000.00", "advance_kind": "guarantee"},
    "pt-BR": {"name": "Maria Silva", "tax_id": "529.982.247-25", "amount": 1200.5, "email": "maria@example.com",
              "pix_key_type": "E-mail", "account_type": "Corrente", "share": 50, "role": "Produtor",
              "tier_from": "R$ 1.000,50", "tier_to": "R$ 5.000,00", "advance_kind": "garantia"},
}  # fmt: skip
PIX = {"pix_key": "maria@example.com"}
ACCOUNT = {"bank_code": "341", "psp_id": "60701190", "agency": "4313", "account": "43129-0"}
REST = {"reference": "NF 12", "artist_name": "Maria", "isrc": "BRABC2600001", "upc": "789000000001", "release": "Um",
        "artist": "Maria", "valid_from": "2026-01-31", "valid_to": "2026-12-31", "date": "2026-01-31",
        "order": 1, "cost": "estúdio", "part": 10, "cap": 8000, "cost_date": "2026-01-31", "reserve": 20,
        "given_back": "50%, 50%"}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("language", ["pt-BR", "en"])
def test_models_filled_in_as_their_notes_say_read_without_a_word(tmp_path, language):
    assert repasse("new", "--models", tmp_path, "--language", language).exit_code == 0
    made = FILLED[language]
    for table, columns in MODELS.items():
        path = tmp_path / model_file(table, language)
        book = load_workbook(path)
        ways = [PIX | {"pix_key_type": made["pix_key_type"]}, ACCOUNT | {"account_type": made["account_type"]}]
        for row, way in enumerate(ways if table in {"payments", "payees"} else ways[:1], start=2):
            values = {**made, **REST, "pix_key_type": None, "account_type": None, **way}
            if row == 3:  # another payee, whose note says that a company's is a document too
                values |= {"name": "Selo Aurora", "tax_id": "12.ABC.345/01DE-35", "reference": None}
            for at, column in enumerate(columns, start=1):
                book.active.cell(row, at).value = values.get(column)
        book.save(path)
        told = json.loads(repasse("check", path, "--json").stdout)
        assert (told["exit_code"], told["issues"], told["tables"][0]["layout"]) == (0, [], table)
        assert told["tables"][0]["not_read"] == []
    names = [tmp_path / model_file(table, language) for table in ("payments", "payees", "shares")]
    assert repasse("new", *names, *PAYER).exit_code == 0
    assert len(taken_in(tmp_path / "job.yaml").inputs.payments) == 2


@pytest.mark.parametrize("table", MODELS)
def test_a_model_keeps_zeros_offers_lists_and_says_how_in_notes(table, tmp_path):
    path = tmp_path / "m.xlsx"
    path.write_bytes(model_xlsx(table, "pt-BR"))
    sheet = load_workbook(path).active
    labels = catalogue_in("pt-BR")
    assert sheet.max_row == 1, "no row that could be taken for a payment"
    for cell, column in zip(sheet[1], MODELS[table], strict=True):
        assert cell.value == labels(f"model.column.{column}")
        assert cell.comment.text.strip() == labels(f"model.note.{column}")
        if column in {"tax_id", "pix_key", "bank_code", "agency", "account", "isrc"}:
            (spread,) = [d for d in sheet.column_dimensions.values() if d.min <= cell.column <= d.max]
            assert spread.number_format == "@"
    offered = {str(rule.sqref).split(":")[0].rstrip("0123456789") for rule in sheet.data_validations.dataValidation}
    listed = {"pix_key_type", "account_type", "role", "frequency", "language", "hold", "recoup_from"}
    assert len(offered) == len(listed & set(MODELS[table]))


def test_models_replace_nothing(tmp_path):
    (tmp_path / model_file("payees", "pt-BR")).write_text("mine")
    assert repasse("new", "--models", tmp_path).exit_code == 10
    assert (tmp_path / model_file("payees", "pt-BR")).read_text() == "mine"


def test_a_sheet_alone_is_told_what_it_would_be_and_what_is_wrong_in_it(tmp_path):
    wrong = ("Ana Souza", "101.000.001-27", "ana@example.com", "E-mail")
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Valor", "Obs."), (*MARIA, "100,00", "x"), (*wrong, "50,00", ""))
    told = repasse("check", sheet)
    assert told.exit_code == 12
    for words in ("pagamentos", "B1 CPF ou CNPJ = tax_id", "F1 Obs.", "R$ 100,00", "TAXID_CHECK", "B3", "repasse new"):
        assert words in told.output
    document = json.loads(repasse("check", sheet, "--json").stdout)
    assert document["tables"][0]["columns"] == {
        "A1": "name", "B1": "tax_id", "C1": "pix_key", "D1": "pix_key_type", "E1": "amount",
    }  # fmt: skip
    assert document["tables"][0]["sums"] == {"BRL": "100"}


def test_a_sheet_alone_in_which_two_columns_could_be_the_amount_is_told_as_payments_all_the_same(tmp_path):
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Valor bruto", "Valor líquido"), (*MARIA, "110,00", "100,00"))
    told = repasse("check", sheet)
    assert told.exit_code == 11
    for words in ("p.xlsx: pagamentos", "COLUMN_DUPLICATE", "(Valor bruto)", "columns:"):
        assert words in told.output


def test_a_statement_alone_is_told_with_its_sums(tmp_path):
    document = json.loads(repasse("check", SAMPLES / "statements" / "bandcamp-2026-10.csv", "--json").stdout)
    assert (document["exit_code"], document["tables"][0]["could_be"]) == (0, ["bandcamp"])
    assert document["tables"][0]["sums"] == {"EUR": "18.93", "GBP": "97.5", "USD": "69.96"}


def test_a_sheet_that_is_nothing_known_is_refused_with_what_is_nearest(tmp_path):
    sheet = write(tmp_path / "x.xlsx", ("Coisa", "Outra"), ("a", "b"))
    assert repasse("check", sheet).exit_code == 11
    assert repasse("new", sheet, *PAYER).exit_code == 10


@pytest.mark.long
def test_looking_at_a_sheet_imports_nothing_that_pays(tmp_path):
    sheet = write(tmp_path / "p.xlsx", (*WHO, "Valor"), (*MARIA, "100,00"))
    assert not imported_by("check", str(sheet)) & {*NEVER, "xlsxwriter", "duckdb"}
    assert not imported_by("new", str(sheet), *PAYER) & {*NEVER, "xlsxwriter", "duckdb"}


def test_keys_that_show_their_type_are_asked_about_once_and_the_job_says_the_answer(tmp_path):
    head = ("Nome", "CPF", "PIX", "Valor")
    sheet = write(
        tmp_path / "p.xlsx", head, ("Ana Lima", "111.444.777-35", "11 98765-4321", "10,00"),
        ("Maria Silva", "529.982.247-25", "o mesmo CPF", "20,00"),
    )  # fmt: skip
    plain = repasse("new", sheet, *PAYER)
    assert "2 chaves Pix" in plain.output
    assert "--key-types" in plain.output
    checked = repasse("check", str(tmp_path / "job.yaml"))
    assert "2 chaves Pix mostram o tipo" in checked.output
    assert "--key-types" in "".join(checked.output.splitlines()[-4:])
    (tmp_path / "job.yaml").unlink()
    made = repasse("new", sheet, *PAYER, "--key-types")
    assert "--key-types" not in made.output
    assert "pix_key_types: as_shown" in (tmp_path / "job.yaml").read_text("utf-8")
    assert taken_in(tmp_path / "job.yaml").inputs.payments["pix_key"].tolist() == ["+5511987654321", "52998224725"]


STRANGE = """Abrechnung;;;;;;;;
Zeitraum;2026-04;;;;;;;
Titel;Kennung;Stück;Preis;Umsatz;Abzug;Rest;seit Januar;Vorgang
Samba;BRAUR2600001;3;1,25;3,75;0,75;3,00;9,10;Verkauf
Choro;BRAUR2600002;10;1,20;12,00;2,40;9,60;19,99;Verkauf
Frevo;BRAUR2600003;2;1,10;2,20;0,44;1,76;3,33;Storno
Summe;;15;;17,95;3,59;14,36;32,42;
"""


def strange(folder, how="csv"):
    """Write a statement in a language that no layout knows."""
    path = folder / f"abrechnung.{how}"
    if how == "csv":
        path.write_text(STRANGE, "utf-8")
        return path
    book = Workbook()
    for line in STRANGE.splitlines():
        cells = [text.replace(",", ".") for text in line.split(";")]
        book.active.append([float(text) if text.replace(".", "").isdecimal() else text or None for text in cells])
    book.save(path)
    return path


@pytest.mark.long
@pytest.mark.parametrize("how", ["csv", "xlsx"])
def test_what_came_in_says_which_column_of_a_strange_statement_is_the_money(tmp_path, how):
    made = repasse("new", strange(tmp_path, how), *PAYER, "--received", "EUR 14,36")
    assert made.exit_code == 0, made.output
    assert "amount: [Rest]" in (tmp_path / "abrechnung.layout.yaml").read_text("utf-8")
    job = tmp_path / "job.yaml"
    assert 'received: {EUR: "14.36"}' in job.read_text("utf-8")
    checked = json.loads(repasse("check", job, "--json").stdout)
    (asked,) = [issue for issue in checked["issues"] if issue["code"] == "COLUMN_UNANSWERED"]
    written = asked["accepts"].split("`")[1]
    job.write_text(job.read_text("utf-8").replace("    received:", f"    {written}\n    received:"), "utf-8")
    totals = taken_in(job).inputs.statements[0].totals
    assert str(totals.by_territory["amount"].sum().normalize()) == "14.36", "the row of the total is none of the lines"


@pytest.mark.parametrize(("received", "says"), [("EUR 14,00", "Rest"), ("EUR 3,00", "Umsatz 17,95"), ("14,36", "USD")])
def test_what_is_the_sum_of_no_column_is_said_and_nothing_is_written(tmp_path, received, says):
    asked = repasse("new", strange(tmp_path), *PAYER, "--received", received)
    assert asked.exit_code == 10
    assert says in asked.output or "--column" in asked.output
    assert not (tmp_path / "job.yaml").exists()
    made = repasse("new", strange(tmp_path), *PAYER, "--received", "EUR 14,00", "--column", "Rest=amount")
    assert made.exit_code == 0, made.output
    assert "amount: [Rest]" in (tmp_path / "abrechnung.layout.yaml").read_text("utf-8")
    assert '# received: {EUR: "0.00"}' in (tmp_path / "job.yaml").read_text("utf-8"), "or all its lines would be held"


def test_what_the_bank_has_exchanged_is_asked_about_with_the_rate_of_each_column(tmp_path):
    """The statement is in euros, and the bank got reais: which column it was, a person says, by the rate of the day."""
    asked = repasse("new", strange(tmp_path), *PAYER, "--received", "BRL 78,40")
    assert asked.exit_code == 10
    drafted = repasse("layouts", "new", strange(tmp_path), "--received", "BRL 78,40", "--language", "en")
    assert "Rest 14.36 (at a rate of 5.4596 it would be what came in in R$)" in drafted.output
    made = repasse("new", strange(tmp_path), *PAYER, "--received", "BRL 78,40", "--column", "Rest=amount")
    assert made.exit_code == 0, made.output
    layout = (tmp_path / "abrechnung.layout.yaml").read_text("utf-8")
    assert "amount: [Rest]" in layout
    assert "\ncurrency: BRL" not in layout, "they may be euros"
    assert "78.40" not in (tmp_path / "job.yaml").read_text("utf-8"), "its lines add up to no reais"


def test_what_a_person_says_of_a_strange_statement_is_kept_or_refused_and_never_passed_over(tmp_path):
    for wrong in ("Titel=amount", "Umsatz=title", "Nada=amount"):
        refused = repasse("new", strange(tmp_path), *PAYER, "--received", "EUR 14,36", "--column", wrong)
        assert refused.exit_code == 10, wrong
        assert wrong in refused.output
    made = repasse("new", strange(tmp_path), *PAYER, "--received", "EUR 14,36", "--column", "rest=amount")
    assert made.exit_code == 0, made.output
    assert 'received: {EUR: "14.36"}' in (tmp_path / "job.yaml").read_text("utf-8"), "named and received are one"


@pytest.mark.parametrize(("language", "says"), [("pt-BR", "Rest soma EUR 14,36"), ("en", "Rest adds up to EUR 14.36")])
def test_a_draft_speaks_the_language_asked_for_and_says_what_the_bank_may_have_kept(tmp_path, language, says):
    drafted = repasse("layouts", "new", strange(tmp_path), "--received", "EUR 14,00", "--language", language)
    assert drafted.exit_code == 0
    assert says in drafted.output
    read = json.loads(repasse("layouts", "new", strange(tmp_path), "--received", "EUR 14,36", "--json").stdout)
    assert read["amount"] == "Rest"


def test_a_month_above_the_lines_that_reads_two_ways_is_asked_about_and_nothing_breaks(tmp_path):
    path = strange(tmp_path)
    path.write_text(STRANGE.replace("2026-04", "01.04.2026"), "utf-8")
    assert repasse("new", path, *PAYER, "--received", "EUR 14,36").exit_code == 0
    checked = json.loads(repasse("check", tmp_path / "job.yaml", "--json").stdout)
    assert "DATE_AMBIGUOUS" in {issue["code"] for issue in checked["issues"]}


def test_of_sheets_that_are_alike_all_may_be_meant_and_each_row_is_paid_once(tmp_path):
    """One sheet for each band, a new one next month: the job names those of now."""
    other = ("Ana Lima", "111.444.777-35", "ana@example.com", "E-mail")
    head = (*WHO, "Valor")
    bands = {"Banda B": (head, (*other, "20,00"))}
    sheet = write(tmp_path / "bandas.xlsx", head, (*MARIA, "10,00"), **bands)
    asked = repasse("new", sheet, *PAYER)
    assert "--sheet" in asked.output
    assert "*" in asked.output
    made = repasse("new", sheet, *PAYER, "--sheet", "*")
    assert made.exit_code == 0, made.output
    assert "sheet: [Folha, Banda B]" in (tmp_path / "job.yaml").read_text("utf-8")
    found = taken_in(tmp_path / "job.yaml").inputs.payments
    assert sorted(found["amount_cents"].tolist()) == [1000, 2000]
    checked = json.loads(repasse("check", tmp_path / "job.yaml", "--json").stdout)
    assert [issue["code"] for issue in checked["issues"]] == []
