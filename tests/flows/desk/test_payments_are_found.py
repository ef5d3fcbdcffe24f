"""Payments of all jobs and months: found by name, document, reference, report, state or month, and added up."""

import csv
import io
import re
import zipfile

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from tests.flows.desk.office import plan_of, prepare, words_of
from tests.flows.jobs import declare, payee, payment, people, share, write_sheet
from tests.flows.jobs import line as royalty_line

ANA, BIA, CAIO = people(3)


def pay_two_months(ana, bia, job, page):
    """October pays ANA 10.00 and BIA 20.00; November plans BIA's 25.00 and holds CAIO's 30.00."""
    write_sheet(job.parent / "payments.xlsx", [payment(ANA, "10,00", "NF 1"), payment(BIA, "20,00", "NF 2")])
    plan = plan_of(bia, prepare(ana, page))
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    held = payment(CAIO, "30,00", "NF 4") | {"E-mail": "no address"}
    write_sheet(job.parent / "payments.xlsx", [payment(BIA, "25,00", "NF 3"), held])
    declare(job, period="2026-11")
    prepare(ana, page)


@pytest.fixture(scope="module")
def reader(lasting_house):
    """Bia, who looks at two months."""
    pay_two_months(lasting_house.ana, lasting_house.bia, lasting_house.job, lasting_house.page)
    assert lasting_house.service.paid == [1000, 2000]
    return lasting_house.bia


def found(who, query: str) -> list[tuple[str, str, str]]:
    """Search, and return payee, state and amount of each row."""
    page = who.get(f"/payments?{query}")
    rows = re.findall(r"<tr>\s*<th scope=\"row\".*?</tr>", page, re.DOTALL)
    cells = [[words_of(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]
    return [(name.split(" ***")[0], state.split("  ")[0], amount) for name, _, state, _, amount in cells]


@pytest.mark.long
def test_all_payments_of_all_months_are_listed_with_their_sum(reader):
    listed = found(reader, "")
    assert sorted(name for name, _, _ in listed) == sorted([ANA.name, BIA.name, BIA.name, CAIO.name])
    assert sorted(amount for _, _, amount in listed) == ["R$ 10,00", "R$ 20,00", "R$ 25,00", "R$ 30,00"]
    assert "4 pagamentos · R$ 85,00" in words_of(reader.get("/payments"))


@pytest.mark.parametrize(
    ("query", "amounts"),
    [
        (f"q={BIA.name.split()[0].lower()}", ["20,00", "25,00"]),
        (f"q={BIA.tax_id}", ["20,00", "25,00"]),
        (f"q={BIA.tax_id[2:8]}", ["20,00", "25,00"]),
        ("q=nf+2", ["20,00"]),
        ("period=2026-10", ["10,00", "20,00"]),
        ("state=paid", ["10,00", "20,00"]),
        ("state=held", ["30,00"]),
        (f"q={BIA.name.split()[0]}&state=planned", ["25,00"]),
        ("job=nowhere", []),
        ("q=nobody+at+all", []),
    ],
)
def test_a_payment_is_found_by_what_somebody_knows_of_it(reader, query, amounts):
    assert sorted(amount.removeprefix("R$ ") for _, _, amount in found(reader, query)) == amounts


def test_a_payment_is_found_by_its_report_and_leads_to_run_plan_and_payee(reader):
    page = reader.get("/payments?state=paid")
    report = re.search(r"rp-[a-z0-9-]+", page)[0]
    assert len(found(reader, f"q={report}")) == 2
    for address in ("/runs/", "/plans/sha256:", "/payees/"):
        (target, *_) = re.findall(rf'href="({address}[^"]+)"', page)
        reader.get(target)


def test_no_document_stands_in_a_page_an_address_or_a_file(reader):
    page, file = reader.get("/payments"), reader.get("/payments.csv")
    payee = reader.get(re.search(r'href="(/payees/[^"]+)"', page)[1])
    for who in (ANA, BIA, CAIO):
        for text in (page, file, payee):
            assert who.tax_id not in text
            assert who.destination.pix_key not in text


def test_what_is_found_can_be_had_as_a_table(reader):
    text = reader.get("/payments.csv?period=2026-10").removeprefix("\ufeff")
    rows = list(csv.reader(io.StringIO(text), delimiter=";"))
    assert rows[0][0] == "Favorecido"
    assert sorted(row[8] for row in rows[1:]) == ["10,00", "20,00"]


def test_a_payees_account_goes_on_from_day_to_day(reader):
    page = reader.get("/payments?q=" + BIA.tax_id)
    words = words_of(reader.get(re.search(r'href="(/payees/[^"]+)"', page)[1]))
    assert BIA.name in words
    assert "outubro de 2026 Valores das folhas 20,00" in words
    assert "novembro de 2026 pagamento NF 3 25,00 Planejado" in words
    reader.get("/payees/000000000000000000000000", code=404)


def test_a_payees_page_tells_where_each_sum_comes_from_and_what_became_of_it(reader):
    words = words_of(reader.get(re.search(r'href="(/payees/[^"]+)"', reader.get("/payments?q=" + BIA.tax_id))[1]))
    for told in ("pagamento", ", linha 3", "preparado por Ana Lima", "aprovação de Bia Reis", "no serviço:", ": pago"):
        assert told in words, told
    assert words.index("novembro de 2026 · ") < words.index("outubro de 2026 · "), "the newest first"
    assert re.search(r"R\$ 25,00 entraram = [^=]*25,00", words), words
    assert "--job-file" not in words


def test_a_name_that_begins_like_a_formula_is_text_in_the_file(ana, bia, job, desk, service):
    (line,) = desk.jobs.list()
    write_sheet(job.parent / "payments.xlsx", [payment(ANA, "10,00"), payment(BIA, "20,00", "=1+1", Nome="=cmd()")])
    prepare(ana, f"/jobs/{line.token}")
    rows = list(csv.reader(io.StringIO(bia.get("/payments.csv").removeprefix("\ufeff")), delimiter=";"))
    assert len(rows) == 3
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]


@pytest.mark.long
def test_the_statements_of_a_run_come_in_one_archive(ana, bia, desk, job, service):
    folder = job.parent
    write_sheet(folder / "royalties.csv", [royalty_line("100,00")])
    write_sheet(folder / "payees.xlsx", [payee(ANA), payee(BIA)])
    write_sheet(folder / "shares.xlsx", [share(ANA, "50"), share(BIA, "30")])
    sources = [{"files": "royalties.csv", "layout": "royalties"}]
    outputs = {"folder": "out", "statements": True, "formats": ["json"]}
    declare(job, sources=sources, payees="payees.xlsx", shares="shares.xlsx", outputs=outputs)
    (line,) = desk.jobs.list()
    look = ana.bring(f"/jobs/{line.token}", [], source="royalties")
    ana.wait_for(look, "O que foi reconhecido")
    nonce = re.search(r'name="launch" value="([^"]+)"', ana.get(look))[1]
    run = ana.follow(ana.post(f"{look}/launch", at=look, launch=nonce))
    plan = plan_of(bia, run)
    total = re.search(r"Total a enviar R\$ ([\d.,]+)", words_of(bia.get(plan)))[1]
    paid = bia.follow(bia.post(f"{plan}/approve", at=plan, total=total))
    page = bia.get(f"{paid}/statements")
    assert "statements.zip" in page
    words = words_of(page)
    assert ANA.name in words
    assert "R$ 50,00" in words
    assert "R$ 30,00" in words
    assert ANA.tax_id not in page
    archive = zipfile.ZipFile(io.BytesIO(bia.http.get(f"{paid}/statements.zip").content))
    assert len([name for name in archive.namelist() if name.endswith(".pdf")]) == 2
    assert archive.testzip() is None


def test_a_month_is_shown_over_all_jobs_and_handed_over_as_a_workbook(reader):
    page = words_of(reader.get("/months/2026-10"))
    assert "outubro de 2026" in page
    assert "aurora outubro de 2026 BRL" in page
    assert "30,00" in page
    assert reader.get("/months", code=303) == ""
    november = words_of(reader.get("/months/2026-11"))
    assert "novembro de 2026" in november
    assert "25,00" in november  # a plan that waits; what is booked once it is approved is not shown before
    reader.get("/months/2020-01", code=404)
    book = load_workbook(io.BytesIO(reader.http.get("/months/2026-11/month.xlsx").content))
    assert 25 in [cell.value for cell in book.worksheets[0][3]]


@pytest.mark.long
def test_a_payment_stays_listed_when_its_row_leaves_the_sheet(ana, bia, job, the_job, service):
    pay_two_months(ana, bia, job, the_job)
    declare(job, period="2026-10")
    write_sheet(job.parent / "payments.xlsx", [payment(BIA, "20,00", "NF 2"), payment(CAIO, "7,00", "NF 5")])
    prepare(ana, the_job)
    assert sorted(amount for _, _, amount in found(bia, "period=2026-10")) == ["R$ 10,00", "R$ 20,00", "R$ 7,00"]


def test_what_the_service_says_was_paid_has_a_receipt_and_nothing_else_has(reader):
    page = reader.get("/payments")
    paths = re.findall(r'href="(/payments/[^"]+/receipt\.pdf)"', page)
    assert len(paths) == 2
    texts = []
    for path in paths:
        answer = reader.http.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
        texts.append("".join(part.extract_text() for part in PdfReader(io.BytesIO(answer.content)).pages))
    assert sorted(re.findall(r"R\$\s*([\d,]+)", text)[0] for text in texts) == ["10,00", "20,00"]
    for text in texts:
        assert "Bia Reis" in text, "whose yes it had"
        assert "outubro de 2026" in text
        assert not [who for who in (ANA, BIA) if who.tax_id in text or who.email in text]
    held = found(reader, "state=held")
    assert held
    reader.get("/payments/no-such-key/receipt.pdf", code=404)
