"""The sample data is what its README says: made again byte for byte, of nobody real, and adding up."""

import csv
import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from openpyxl import load_workbook
from stdnum.br import cnpj, cpf

from schemas.issues import IssueCode
from schemas.job import Job

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_data"
WORKBOOKS_OF_PAYEES = (
    "payments/payments.xlsx",
    "royalties/payees.xlsx",
    "royalties/shares.xlsx",
    "catalogue/shares.xlsx",
)


def rows_of(workbook):
    page = load_workbook(SAMPLES / workbook).worksheets[0]
    headers, *rows = page.iter_rows(values_only=True)
    return [dict(zip(headers, row, strict=True)) for row in rows]


def expected(name):
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


def is_document(text):
    bare = re.sub(r"[./-]", "", text)
    return cpf.is_valid(bare) if len(bare) == 11 else cnpj.is_valid(bare)


@pytest.mark.parametrize("workbook", WORKBOOKS_OF_PAYEES)
def test_every_document_has_right_check_digits_by_another_library(workbook):
    documents = [row["CPF/CNPJ"] for row in rows_of(workbook)]
    assert documents
    assert [text for text in documents if not is_document(text)] == []


@pytest.mark.parametrize("workbook", ["payments/payments.xlsx", "royalties/payees.xlsx", "broken/payments-broken.xlsx"])
def test_no_email_can_reach_anybody(workbook):
    found = [value for row in rows_of(workbook) for value in row.values() if isinstance(value, str) and "@" in value]
    assert found
    assert [text for text in found if not re.search(r"@(example\.com|[a-z0-9-]+\.example)$", text)] == []


def test_payments_show_every_kind_of_document_and_destination():
    rows = rows_of("payments/payments.xlsx")
    bare = [re.sub(r"[./-]", "", row["CPF/CNPJ"]) for row in rows]
    assert len(rows) == 64
    assert len(set(bare)) == 63
    assert {"CPF", "CNPJ", "Celular", "E-mail", "Aleatória"} <= {row["Tipo da chave"] for row in rows}
    assert {"Corrente", "Poupança", "Pagamento", "Salário"} <= {row["Tipo de conta"] for row in rows}
    assert Counter("cpf" if len(b) == 11 else "digits" if b.isdecimal() else "letters" for b in bare).keys() == {
        "cpf",
        "digits",
        "letters",
    }
    assert [row["Adiantamento"] for row in rows].count("sim") == 1
    assert [row["Reter"] for row in rows].count("sim") == 1


def test_the_expected_payments_are_the_sheet_s():
    known = expected("expected/payments.json")
    written = [round(row["Valor"] * 100) for row in rows_of("payments/payments.xlsx")]
    totals = known["totals_cents"]
    assert [payment["amount_cents"] for payment in known["payments"]] == written
    assert totals["in"] == sum(written) == totals["paid"] + totals["withheld"]
    assert max(written) < 5_000_000


@pytest.mark.parametrize("name", ["expected/royalties.json", "expected/catalogue.json"])
def test_every_centavo_of_the_expected_royalties_has_one_place(name):
    known = expected(name)
    totals = known["totals_cents"]
    assert totals["in"] == sum(cents for place, cents in totals.items() if place != "in")
    for payee in known["payees"]:
        assert payee["earned_cents"] == sum(payee[k] for k in ("recouped_cents", "carried_out_cents", "payable_cents"))
        assert payee["payable_cents"] == 0 or payee["payable_cents"] >= 2_000
    earned = sum(payee["earned_cents"] for payee in known["payees"])
    assert totals["in"] == earned + totals["owner"] + totals["held"]


def test_royalties_come_in_thousands_of_lines_with_their_traps():
    with (SAMPLES / "royalties/distrokid-2026-10.tsv").open(encoding="utf-8", newline="") as text:
        dollars = list(csv.DictReader(text, delimiter="\t"))
    reais = rows_of("royalties/distribuidora-2026-10.xlsx")
    read = {file["file"]: file["read"] for file in expected("expected/royalties.json")["lines"]}
    assert read == {"distrokid-2026-10.tsv": len(dollars), "distribuidora-2026-10.xlsx": len(reais)}
    assert len(dollars) + len(reais) >= 2_000
    assert [row["Country of Sale"] for row in dollars].count("NA") == 1
    assert any(row["Artist"] == "NULL" for row in dollars)
    assert any(row["Earnings (USD)"].startswith("-") for row in dollars)
    assert all(re.fullmatch(r"-?[0-9]+\.[0-9]{12}", row["Earnings (USD)"]) for row in dollars)


def test_what_came_in_is_the_sum_of_the_statements_at_the_rate_of_the_job():
    with (SAMPLES / "royalties/distrokid-2026-10.tsv").open(encoding="utf-8", newline="") as text:
        dollars = sum(Fraction(row["Earnings (USD)"]) for row in csv.DictReader(text, delimiter="\t"))
    # A sheet holds binary numbers; their shortest form is what was written.
    reais = sum(Fraction(repr(row["Valor"])) for row in rows_of("royalties/distribuidora-2026-10.xlsx"))
    assert expected("expected/royalties.json")["totals_cents"]["in"] == round(
        (dollars * Fraction("5.4312") + reais) * 100
    )


def test_royalties_show_what_is_held_carried_recouped_and_rounded():
    known = expected("expected/royalties.json")
    totals, payees = known["totals_cents"], known["payees"]
    assert len(payees) >= 40
    assert min(totals.values()) > 0
    assert any(0 < payee["carried_out_cents"] < 2_000 for payee in payees)
    assert any(payee["earned_cents"] < 0 and payee["carried_out_cents"] < 0 for payee in payees)
    assert any(
        advance["isrc"] and 0 < advance["recouped_cents"] < advance["amount_cents"] for advance in known["advances"]
    )
    assert any(payee["recouped_cents"] == payee["earned_cents"] > 0 for payee in payees)
    assert any(payee["recouped_cents"] and payee["payable_cents"] for payee in payees)
    assert all(payee["payable_cents"] for payee in expected("expected/catalogue.json")["payees"])


def test_no_shares_of_one_thing_exceed_the_whole():
    for workbook in ("royalties/shares.xlsx", "catalogue/shares.xlsx"):
        for month in ("2026-06-01", "2026-07-01", "2026-08-01", "2026-09-01"):
            whole = Counter()
            for row in rows_of(workbook):
                begins, ends = row["valid_from"], row["valid_to"]
                if (begins is None or f"{begins:%Y-%m-%d}" <= month) and (ends is None or month <= f"{ends:%Y-%m-%d}"):
                    whole[tuple(row[k] for k in ("ISRC", "UPC", "Álbum", "Artista"))] += row["Participação"]
            assert max(whole.values()) <= 100 + 1e-9


def test_the_broken_sheet_s_list_names_cells_of_that_sheet_and_known_codes():
    known = expected("broken/expected-issues.json")
    page = load_workbook(SAMPLES / "broken" / known["file"])[known["sheet"]]
    headers = [cell.value for cell in page[1]]
    rows = known["rows"]
    assert len({issue["code"] for issue in known["errors"]}) >= 25
    assert rows["read"] == rows["used"] + rows["held"] + rows["duplicate"] + rows["ignored"] == page.max_row - 1
    for issue in known["errors"]:
        assert issue["code"] in {code.value for code in IssueCode}
        if issue["cell"]:
            cell = page[issue["cell"]]
            assert (cell.row, headers[cell.column - 1]) == (issue["row"], issue["column"])
    assert {issue["row"] for issue in known["errors"]}.isdisjoint(known["good_rows"])


@pytest.mark.parametrize("folder", ["payments", "fees", "royalties", "catalogue", "broken"])
def test_every_sample_job_is_a_sound_declaration_whose_files_exist(folder):
    yaml = pytest.importorskip("ruamel.yaml").YAML(typ="safe")
    job = Job.model_validate(yaml.load(SAMPLES / folder / "job.yaml"))
    named = [name for source in job.sources for name in source.files]
    named += [name for table in (job.payees, job.shares, job.advances) if table for name in table.files]
    assert job.job == f"aurora-{folder}"
    assert [n for n in named if not (SAMPLES / folder / n.replace("{period}", str(job.period))).is_file()] == []
