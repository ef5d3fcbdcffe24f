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
