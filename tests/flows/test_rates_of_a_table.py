"""Exchange rates kept in a table: what is paid, what is told, and what every bad row of it does."""

import pytest

from schemas.messages import render
from tests.flows.jobs import line, payee, people, share

(ANA,) = people(1)
pytestmark = pytest.mark.long


@pytest.fixture
def dollars(label, service):
    """Ana has everything of a statement in dollars."""
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "100")])
    label.write("2026-10-a.xlsx", [line("10,00") | {"Moeda": "USD"}])
    return label


def run(label, rows, **changes):
    written = "\n".join(["Moeda;Data;Cotação;Fonte", *rows])
    (label.folder / "cotacoes.csv").write_text(written, encoding="utf-8")
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"} | changes.pop("source", {})]
    label.declare(
        period="2026-10", sources=sources, payees="payees.xlsx", shares="shares.xlsx", rates="cotacoes.csv", **changes
    )
    return label.run()


def paid(service):
    return [entry["final_amount_cents"] for report in service.reports for entry in report["payments"]]


def codes(report):
    return [(issue.code.value, issue.file, issue.row) for issue in report.issues]


def test_a_sources_own_rate_goes_before_the_table(dollars, service):
    own = {"exchange": {"USD": {"rate": "5.00", "date": "2026-10-31", "source": "contrato"}}}
    run(dollars, ["USD;30/10/2026;5,4312;PTAX"], source=own)
    assert paid(service) == [5000]


def test_a_rate_of_a_day_outside_the_period_is_a_question_before_anything_is_paid_at_it(dollars, service):
    report = run(dollars, ["USD;30/09/2026;5,30;PTAX"])
    assert (paid(service), codes(report)) == ([], [("RATE_OUTSIDE_PERIOD", "2026-10-a.xlsx", None)])
    (told,) = report.issues
    assert "a cotação de USD, 5,3, é de 30/09/2026" in render(told.message, "pt-BR")


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["USD;13/11/2026;5,99;PTAX"], []),
        (["USD;30/10/2026;0;PTAX"], [("AMOUNT_NOT_POSITIVE", 2)]),
        (["USD;30/10/2026;cinco;PTAX"], [("AMOUNT_FORMAT", 2)]),
        (["USD;30/10/2026;5,43;PTAX", "USD;30/10/2026;5,44;Banco"], [("RATE_CONFLICT", 2), ("RATE_CONFLICT", 3)]),
        (["USD;30/10/2026;5,4312;PTAX", "USD;31/10/2026;;PTAX"], [("CELL_REQUIRED", 3)]),
    ],
)
def test_without_a_sound_rate_in_time_there_is_no_plan_and_each_row_at_fault_is_named(dollars, service, rows, told):
    report = run(dollars, rows)
    assert service.posts == 0
    of_table = [(code, row) for code, file, row in codes(report) if file == "cotacoes.csv"]
    assert of_table == told
    assert "CURRENCY_NO_RATE" in {code for code, _, _ in codes(report)}
