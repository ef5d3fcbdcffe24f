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


def test_once_the_invoice_stands_in_the_table_the_period_run_again_pays_it(halves, service):
    run(halves, "2026-07", "200,00")
    report = run(halves, "2026-07", None, ("12", "2026-08-03", "100,00", "2026-07"))
    assert (paid(service), told(report)) == ([[10000], [10000]], [])


def test_the_same_number_twice_counts_for_nothing_and_names_both_rows(halves, service):
    nota = ("12", "2026-08-03", "50,00", "2026-07")
    report = run(halves, "2026-07", "200,00", nota, nota)
    assert paid(service) == [[10000]]
    assert sorted(code for code, _, _ in told(report)) == ["INVOICE_MISSING", "ROW_DUPLICATE", "ROW_DUPLICATE"]


@pytest.mark.parametrize("is_old_row_there", [True, False])
@pytest.mark.parametrize("number", ["17", "NF 017", "nf-e 17", "Nota Fiscal nº 17"])
def test_an_invoice_that_counted_does_not_count_for_the_next_month_however_it_is_written(
    halves, service, number, is_old_row_there
):
    old = [("17", "2026-08-03", "100,00", "2026-07")]
    run(halves, "2026-07", "200,00", *old)
    there = old if is_old_row_there else []
    report = run(halves, "2026-08", "200,02", *there, (number, "2026-08-03", "100,01", "2026-08"))
    assert paid(service) == [[10000, 10000], [10001]]  # Bia's
    assert {"ROW_DUPLICATE" if there else "INVOICE_USED", "INVOICE_MISSING"} <= {code for code, _, _ in told(report)}
    report = run(halves, "2026-08", None, *there, ("18", "2026-09-02", "100,01", "2026-08"))
    assert (paid(service), told(report)) == ([[10000, 10000], [10001], [10001]], [])


def test_one_invoice_in_two_spellings_counts_for_nothing_as_in_one(halves, service):
    notas = [(number, "2026-08-03", "50,00", "2026-07") for number in ("17", "NF 017")]
    report = run(halves, "2026-07", "200,00", *notas)
    assert paid(service) == [[10000]]
    assert sorted(code for code, _, _ in told(report)) == ["INVOICE_MISSING", "ROW_DUPLICATE", "ROW_DUPLICATE"]


def test_numbers_that_begin_again_each_year_are_other_invoices(halves, service):
    run(halves, "2026-11", "200,00", ("5", "2026-12-02", "100,00", "2026-11"))
    old = ("5", "2026-12-02", "100,00", "2026-11")
    report = run(halves, "2026-12", "200,02", old, ("5", "2027-01-04", "100,01", "2026-12"))
    assert told(report) == []
    assert paid(service) == [[10000, 10000], [10001, 10001]]


def test_an_invoice_that_waited_with_its_royalties_may_count_for_the_month_that_pays_them(halves, service):
    run(halves, "2026-07", "200,00", ("17", "2026-08-03", "300,00", "2026-07"))  # more than there is
    report = run(halves, "2026-08", "400,00", ("17", "2026-08-03", "300,00", "2026-08"))
    assert (paid(service), told(report)) == ([[10000], [20000, 30000]], [])


def test_an_invoice_that_another_job_has_counted_counts_there_alone(halves, service):
    nota = ("17", "2026-08-03", "100,00", "2026-07")
    run(halves, "2026-07", "200,00", nota)
    halves.write("outro-2026-07.xlsx", [line("200,00", "De outro catálogo")])
    sources = [{"files": "outro-{period}.xlsx", "layout": "royalties"}]
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "invoices": "notas.csv"}
    halves.declare(job="outro", period="2026-07", sources=sources, **tables)
    codes = {code for code, _, _ in told(halves.run())}
    assert {"INVOICE_USED", "INVOICE_MISSING"} <= codes
    assert paid(service) == [[10000, 10000], [10000]]
