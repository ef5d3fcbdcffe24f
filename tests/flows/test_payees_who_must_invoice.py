"""Payees who must send an invoice are paid when number, date and amount of it stand in a table."""

import pytest

from sample_data.making.people import masked
from tests.flows.jobs import line, payee, people, share

ANA, BIA = people(2)
HEADER = ("CPF", "Número", "Data", "Valor", "Período")
pytestmark = pytest.mark.long


@pytest.fixture
def halves(label, service):
    """Ana and Bia have half of everything each; Ana must send an invoice."""
    label.write("payees.xlsx", [payee(ANA) | {"Exige nota fiscal": "sim"}, payee(BIA) | {"Exige nota fiscal": "não"}])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    return label


def run(label, month, amount=None, *notas, taxed=""):
    if amount:
        label.write(f"{month}-{len(list(label.folder.glob(f'{month}-*')))}.xlsx", [line(amount, f"Faixa {amount}")])
    rows = [dict(zip(HEADER, (masked(ANA.tax_id), *nota), strict=True)) for nota in notas]
    before = dict(zip(HEADER, (masked(ANA.tax_id), "1", "2026-02-02", "1,00", "2026-01"), strict=True))
    label.write("notas.csv", [before, *rows])
    label.write("impostos.csv", [{"CPF": masked(ANA.tax_id), "Imposto": "IRRF", "Alíquota": taxed or "1"}])
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "invoices": "notas.csv"}
    label.declare(period=month, sources=sources, **tables, **({"taxes": "impostos.csv"} if taxed else {}))
    return label.run()


def paid(service):
    return [sorted(entry["final_amount_cents"] for entry in report["payments"]) for report in service.reports]


def told(report):
    return [(issue.code.value, issue.file, str(issue.accepts)) for issue in report.issues]


@pytest.mark.journey
def test_without_an_invoice_the_payment_is_held_and_the_amount_to_be_invoiced_is_told(halves, service):
    report = run(halves, "2026-07", "200,00")
    assert paid(service) == [[10000]]
    ((code, file, accepts),) = told(report)
    assert (code, file) == ("INVOICE_MISSING", "payees.xlsx")
    assert "100.00" in accepts
    assert report.summary.totals_cents.held == 10000


def test_once_the_invoice_stands_in_the_table_the_period_run_again_pays_it(halves, service):
    run(halves, "2026-07", "200,00")
    report = run(halves, "2026-07", None, ("12", "2026-08-03", "100,00", "2026-07"))
    assert (paid(service), told(report)) == ([[10000], [10000]], [])


def test_invoices_of_more_than_the_balance_are_not_paid_and_both_amounts_are_told(halves, service):
    notas = [("12", "2026-08-03", "60,00", "2026-07"), ("13", "2026-08-03", "60,00", "2026-07")]
    report = run(halves, "2026-07", "200,00", *notas)
    assert paid(service) == [[10000]]
    assert [code for code, _, _ in told(report)] == ["INVOICE_AMOUNT"]


def test_an_invoice_of_less_is_paid_and_the_rest_waits_for_another_one(halves, service):
    report = run(halves, "2026-07", "200,00", ("12", "2026-08-03", "99,00", "2026-07"))
    assert paid(service) == [[9900, 10000]]
    assert [code for code, _, _ in told(report)] == ["INVOICE_MISSING"]
    assert report.summary.totals_cents.held == 100


def test_an_invoice_that_was_asked_for_is_paid_although_the_next_month_has_recouped_since(halves, service):
    run(halves, "2026-07", "200,00")
    run(halves, "2026-08", "60,00")
    report = run(halves, "2026-07", None, ("12", "2026-08-03", "100,00", "2026-07"))
    assert paid(service) == [[10000], [3000], [10000]]
    assert [code for code, _, _ in told(report)] == ["INVOICE_MISSING"]  # of August's 30.00


def test_several_invoices_count_together_and_those_of_other_months_do_not(halves, service):
    notas = [("12", "2026-08-03", "60,00", "2026-07"), ("13", "2026-08-04", "40,00", "2026-07-15")]
    run(halves, "2026-07", "200,00", *notas, ("11", "2026-07-03", "55,00", "2026-06"))
    assert paid(service) == [[10000, 10000]]


def test_the_invoice_is_of_the_gross_amount_and_the_net_is_paid(halves, service):
    run(halves, "2026-07", "200,00", ("12", "2026-08-03", "100,00", "2026-07"), taxed="1,5")
    assert paid(service) == [[9850, 10000]]


def test_a_difference_waits_for_its_own_invoice_and_what_was_paid_stays_paid(halves, service):
    first = ("12", "2026-08-03", "100,00", "2026-07")
    run(halves, "2026-07", "200,00", first)
    report = run(halves, "2026-07", "20,00", first)
    assert paid(service) == [[10000, 10000], [1000]]
    assert report.summary.totals_cents.held == 1000
    run(halves, "2026-07", None, first, ("14", "2026-09-01", "10,00", "2026-07"))
    assert paid(service) == [[10000, 10000], [1000], [1000]]


def test_the_same_number_twice_counts_for_nothing_and_names_both_rows(halves, service):
    nota = ("12", "2026-08-03", "50,00", "2026-07")
    report = run(halves, "2026-07", "200,00", nota, nota)
    assert paid(service) == [[10000]]
    assert sorted(code for code, _, _ in told(report)) == ["INVOICE_MISSING", "ROW_DUPLICATE", "ROW_DUPLICATE"]
