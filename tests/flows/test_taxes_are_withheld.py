"""Taxes the accountant gives: what the service receives, and what is told of gross, withheld and net."""

import pytest
from pypdf import PdfReader

from sample_data.making.people import masked
from tests.flows.jobs import line, payee, people, share

ANA, BIA = people(2)


@pytest.fixture
def halves(label, service):
    """Ana and Bia have half of everything each."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    return label


def run(label, month, amount, *rows):
    """Run a month with a table of taxes: kind, percentage and amount of Ana's."""
    label.write(f"{month}-a.xlsx", [line(amount, f"Faixa {month}")])
    header = ["CPF", "Imposto", "Alíquota", "Valor"]
    label.write("impostos.csv", [dict(zip(header, (masked(ANA.tax_id), *row), strict=True)) for row in rows])
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
    label.declare(
        period=month, sources=sources, payees="payees.xlsx", shares="shares.xlsx", taxes="impostos.csv",
        outputs={"folder": "out", "statements": True},
    )  # fmt: skip
    return label.run()


def paid(service):
    return [sorted(entry["final_amount_cents"] for entry in report["payments"]) for report in service.reports]


def test_the_net_is_sent_and_the_rest_has_a_place_of_its_own(halves, service):
    report = run(halves, "2026-07", "200,00", ("IRRF", "27,5", ""), ("ISS", "", "5,00"))
    assert paid(service) == [[6750, 10000]]
    assert (report.summary.totals_cents.tax, report.exit_code) == (3250, 0)
    told = halves.say("explain", ANA.tax_id).output
    assert "27,50: Imposto retido" in told
    assert "67,50: Pago" in told
    (account,) = halves.ask("account", ANA.tax_id)["accounts"]
    assert account["periods"][0]["groups_cents"] == {"tax": 3250, "paid": 6750}


def test_the_statement_shows_gross_withheld_and_net(halves, service):
    report = run(halves, "2026-07", "200,00", ("IRRF", "27,5", ""))
    pages = [
        " ".join(page.extract_text() for page in PdfReader(path).pages)
        for path in sorted((report.outputs[0].parent).rglob("statement-*.pdf"))
    ]
    (of_ana,) = [text for text in pages if "IRRF" in text]
    for words in ("Valor bruto a pagar", "100,00", "Imposto retido: IRRF", "−27,50", "72,50"):
        assert words in of_ana


def test_a_month_run_again_withholds_nothing_twice(halves, service):
    for _ in range(2):
        run(halves, "2026-07", "200,00", ("irrf", "27,5", ""))
    assert paid(service) == [[7250, 10000]]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (("IRRF", "27,5", "5,00"), "TAX_RATE"),
        (("IRRF", "", ""), "TAX_RATE"),
        (("IRRF", "muito", ""), "PERCENT_FORMAT"),
        (("", "27,5", ""), "CELL_REQUIRED"),
    ],
)
def test_a_payee_whose_tax_is_not_known_is_held_and_the_cell_is_named(halves, service, row, code):
    report = run(halves, "2026-07", "200,00", row)
    assert paid(service) == [[10000]]
    assert [(issue.code.value, issue.file, issue.row) for issue in report.issues] == [(code, "impostos.csv", 2)]


def test_two_rows_of_one_tax_at_one_time_are_both_held(halves, service):
    report = run(halves, "2026-07", "200,00", ("IRRF", "27,5", ""), ("IRRF", "15", ""))
    assert paid(service) == [[10000]]
    assert [issue.code.value for issue in report.issues] == ["ROW_DUPLICATE"] * 2
