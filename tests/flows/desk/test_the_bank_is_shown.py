"""The bank's month at the desk: a statement is brought, what nobody can tell is explained, and the month closes.

Judged by what bank and service say. Varied: who does it, what they bring, and what they say of a line.
"""

import calendar
import io
from datetime import datetime

import pytest
from openpyxl import load_workbook

from schemas.job import BRASILIA
from tests.flows.desk.office import ORIGIN, plan_of, prepare, words_of
from tests.flows.jobs import declare, payment, people, write_sheet

(ANA,) = people(1)
TODAY = datetime.now(BRASILIA).date()
MONTH = f"{TODAY:%Y-%m}"
LAST = TODAY.replace(day=calendar.monthrange(TODAY.year, TODAY.month)[1])
pytestmark = pytest.mark.long


def bring(who, text, name="extrato.ofx", account=""):
    parts = [("token", (None, who.token("/bank"))), ("account", (None, account)), ("file:bank", (name, text.encode()))]
    return who.http.post("/bank/read", files=parts, headers={"Origin": ORIGIN}, follow_redirects=True)


def statement(*rows):
    lines = "".join(
        f"<STMTTRN><DTPOSTED>{TODAY:%Y%m%d}<TRNAMT>{amount}<FITID>{n}<MEMO>{text}</STMTTRN>"
        for n, (amount, text) in enumerate(rows)
    )
    days = f"<DTSTART>{MONTH.replace('-', '')}01<DTEND>{LAST:%Y%m%d}"
    return f"OFXHEADER:100\n\n<OFX><BANKACCTFROM><ACCTID>77<BANKTRANLIST>{days}{lines}</BANKTRANLIST></OFX>"


def test_a_month_goes_from_its_statement_to_its_close(ana, bia, caio, job, the_job, service):
    assert "Nenhum extrato" in words_of(caio.get("/bank"))
    service.behave(funding="balance")
    declare(job, settle={"every_s": "0.1", "for_s": "0.2"})
    write_sheet(job.parent / "payments.xlsx", [payment(ANA, "10,00")])
    plan = plan_of(bia, prepare(ana, the_job))
    bia.post(f"{plan}/approve", at=plan, total="10,00")
    service.fund()
    page = words_of(bring(caio, statement(("-10.00", "PIX"), ("-7.00", "ALUGUEL"))).text)
    assert "O extrato foi lido." in page
    assert "1 lançamento sem explicação." in page
    assert "ALUGUEL" in page
    line = next(word for word in page.split() if word.startswith("bk-"))
    fields = {"line": line, "month": MONTH, "evidence": "contrato de locação"}
    told = caio.post("/bank/explain", code=422, at="/bank", does=False, **fields | {"kind": "checks"})
    assert "não custaram isso" in words_of(told)
    caio.post("/bank/explain", at="/bank", kind="other", **fields)
    caio.post("/settle", at="/")
    page = words_of(bia.get(f"/bank?month={MONTH}"))
    assert "O mês está fechado" in page
    assert service.paid == [1000]
    book = load_workbook(io.BytesIO(bia.http.get(f"/bank/bank.xlsx?month={MONTH}").content))
    assert 10 in {cell.value for row in book.worksheets[0] for cell in row}
    caio.post("/bank/explain", at=f"/bank?month={MONTH}", **fields | {"kind": "open", "evidence": "era outro"})
    page = words_of(bia.get(f"/bank?month={MONTH}"))
    assert "O mês está fechado" not in page
    assert "1 lançamento sem explicação." in page


def test_a_line_that_a_sheet_leaves_out_is_told_by_its_cell_and_keeps_the_month_open(caio):
    sheet = "Data;Valor;Saldo\n01/10/2026;5,00;105,00\n02/10/2026;3,00;110,00\n"
    page = words_of(bring(caio, sheet, "x.csv", "itau").text)
    assert "x.csv, C3: o saldo não segue do anterior: R$ 2,00" in page
    assert "de itau de 01/10/2026 a 02/10/2026" in words_of(caio.get("/bank?month=2026-10"))


@pytest.mark.parametrize(
    ("text", "name", "account", "words"),
    [
        ("nome;valor\nana;3,00\n", "x.csv", "itau", "cabeçalhos conhecidos"),
        ("Data;Valor\n01/10/2026;1,00\n", "x.csv", "", "não diz de que conta"),
        ("Data;Valor\nontem;1,00\n", "x.csv", "itau", "não pode ser lida"),
    ],
)
def test_what_is_no_statement_is_refused_on_the_page(caio, text, name, account, words):
    answer = bring(caio, text, name, account)
    assert answer.status_code == 422
    assert words in words_of(answer.text)
    assert "Nenhum extrato" in words_of(caio.get("/bank"))


def test_a_month_that_is_none_is_not_there(caio):
    caio.get("/bank?month=2026-13", code=404)
