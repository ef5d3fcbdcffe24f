"""What was paid is not paid again by `--yes`: as rows of a list, under another job, document, month or order number.

Held constant: CSV, one payer, SQLite, nobody approves anything. `test_an_honest_year` counts what honest lists ask.
"""

import pytest

from schemas.errors import ExitCode
from tests.flows.jobs import line, payee, payment, people, share

ANA, BIA, CAIO = people(3)
TEAM = people(6)
pytestmark = pytest.mark.long
LIST = {"payees": None, "shares": None, "sources": [{"files": "list.csv", "layout": "payments"}]}
ROYALTIES = {
    "payees": "payees.csv",
    "shares": "shares.csv",
    "sources": [{"files": "{period}.csv", "layout": "royalties"}],
    "period": "2026-10",
}


def run(label, rows, period="2026-10", job="lista", code=None):
    label.write("list.csv", rows)
    label.declare(**LIST, period=period, job=job)
    report = label.run()
    assert code is None or report.exit_code == code
    return {issue.code.value for issue in report.issues}


@pytest.mark.parametrize("period", ["2026-10", "2026-11", "2027-03"])
@pytest.mark.parametrize("taxes", [None, "taxes.csv"])
def test_what_was_paid_as_royalties_is_a_question_as_rows_of_a_list(label, service, period, taxes):
    label.write("payees.csv", [payee(ANA)])
    label.write("shares.csv", [share(ANA, "100")])
    label.write("taxes.csv", [{"CPF": payee(ANA)["CPF"], "Imposto": "IRRF", "Alíquota": "10"}])
    label.write("2026-10.csv", [line("1365,85")])
    label.declare(**ROYALTIES, **({"taxes": taxes} if taxes else {}))
    label.run()
    paid = list(service.paid)
    assert paid == [122927 if taxes else 136585]
    for amount in {"1365,85", "1229,27" if taxes else "1365,85"}:
        assert "ROW_PAID_BEFORE" in run(label, [payment(ANA, amount, "repasse")], period, code=ExitCode.APPROVAL_WANTED)
    assert service.paid == paid


def test_one_key_and_amount_under_two_documents_of_one_sheet_are_a_question(label, service):
    mei = {**payment(BIA, "700,00", "mei"), "Chave Pix": payment(ANA, "1,00")["Chave Pix"]}
    codes = run(label, [payment(ANA, "700,00", "cpf"), mei, payment(CAIO, "20,00")], code=ExitCode.APPROVAL_WANTED)
    assert "ROW_TWICE" in codes
    assert service.paid == []


@pytest.mark.parametrize("amount", ["700,00", "700,01", "699,98"])
def test_a_paid_row_that_moves_to_another_job_is_a_question_whatever_its_centavos(label, service, amount):
    run(label, [payment(ANA, "700,00", "show"), payment(BIA, "20,00")], job="um")
    assert "ROW_PAID_BEFORE" in run(label, [payment(ANA, amount, "cachê")], job="dois", code=ExitCode.APPROVAL_WANTED)
    assert len(service.paid) == 2


@pytest.mark.parametrize("order", [lambda rows: rows, lambda rows: sorted(rows, key=lambda row: row["Nome"])])
def test_a_list_that_stands_twice_under_order_numbers_is_a_question(label, service, order):
    once = [payment(who, f"{100 * n + 150},00") for n, who in enumerate(TEAM)]
    numbers = (f"PED-{1000 + 37 * n % 91}" for n in range(99))
    rows = [row | {"Referência": next(numbers)} for row in order(once * 2)]
    assert "ROW_TWICE" in run(label, rows, code=ExitCode.APPROVAL_WANTED)
    assert service.paid == []


def test_a_row_that_another_file_of_the_month_has_is_a_question_that_names_the_file(label, service):
    label.write("a.csv", [payment(ANA, "700,00", "show"), payment(BIA, "20,00")])
    label.declare(**LIST | {"sources": [{"files": "?.csv", "layout": "payments"}]}, job="lista")
    label.run()
    label.write("b.csv", [payment(ANA, "700,01", "cachê"), payment(CAIO, "30,00")])
    report = label.run()
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    (issue,) = [issue for issue in report.issues if issue.code == "ROW_TWICE"]
    assert (issue.file, issue.row, issue.message.facts["found"]) == ("b.csv", 2, "2 (a.csv)")
    assert sorted(service.paid) == [2000, 70000]


def recurring(who, amount, reference):
    return payment(who, amount, reference) | {"Recorrente": "sim"}


@pytest.mark.parametrize("old", ["outubro", "Aluguel out/26", "10/2026", "diária de 12/10"])
def test_a_recurring_row_that_names_a_month_that_was_paid_is_a_question(label, service, old):
    run(label, [recurring(ANA, "350,00", old)])
    rows = [recurring(ANA, "350,00", old), recurring(ANA, "350,00", "novembro")]
    assert "ROW_PAID_BEFORE" in run(label, rows, "2026-11", code=ExitCode.APPROVAL_WANTED)
    assert service.paid == [35000]


@pytest.mark.parametrize("reference", ["Mensalidade", "Aluguel", "", "setembro"])
def test_any_other_recurring_row_is_new_in_each_month(label, service, reference):
    run(label, [recurring(ANA, "350,00", reference)])
    run(label, [recurring(ANA, "350,00", reference)], "2026-11", code=ExitCode.DONE)
    assert service.paid == [35000, 35000]


def test_one_musician_with_three_shows_of_one_fee_is_no_question(label, service):
    rows = [payment(ANA, "500,00", f"show {n}") for n in ("sexta", "sábado", "domingo")]
    run(label, [*rows, payment(BIA, "20,00")], code=ExitCode.DONE)
    assert service.paid == [2000, 50000, 50000, 50000]


def test_round_fees_of_months_apart_are_no_question_and_others_are(label, service):
    run(label, [payment(ANA, "500,00", "show A"), payment(BIA, "123,45", "extra A")])
    run(label, [payment(ANA, "500,00", "show B")], "2027-01", code=ExitCode.DONE)
    assert "ROW_PAID_BEFORE" in run(label, [payment(BIA, "123,45", "extra B")], "2027-02")
    assert sorted(service.paid) == [12345, 50000, 50000]


def test_a_fee_that_people_have_let_through_in_two_months_recurs(label, service):
    fixed = [payment(ANA, "1500,00", "fixo")]
    run(label, fixed, "2026-09")
    run(label, fixed, "2026-10", code=ExitCode.APPROVAL_WANTED)
    label.approve(label.ask("run", label.job, code=14)["plan_digest"], "1500,00", "bia")
    label.run()
    for month in ("2026-11", "2026-12"):
        run(label, fixed, month, code=ExitCode.DONE)
    assert service.paid == [150000] * 4
