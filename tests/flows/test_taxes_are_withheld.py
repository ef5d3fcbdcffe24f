"""Taxes the accountant gives: what the service receives, and what is told of gross, withheld and net."""

import datetime as dt
import json
from collections import Counter

import pytest
from openpyxl import load_workbook

from sample_data.making.people import masked
from schemas.job import BRASILIA
from tests.flows.jobs import PAYER, line, payee, payment, people, share

ANA, BIA = people(2)
pytestmark = pytest.mark.long


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


NOW = dt.datetime.now(tz=BRASILIA)
MONTHS = {f"{day:%Y-%m}" for day in (NOW, NOW + dt.timedelta(days=1))}


def sheet_of(label, *words):
    """The file of `taxes`, as rows by header; nothing personal is told beside it."""
    path = label.folder / "contador.xlsx"
    said = label.say("taxes", *words, "--out", path).output + json.dumps(label.ask("taxes", *words, "--out", path))
    assert not [secret for who in (ANA, BIA) for secret in (who.tax_id, masked(who.tax_id), who.name) if secret in said]
    assert path.stat().st_mode & 0o777 == 0o600
    title, headers, *rows = load_workbook(path).active.iter_rows(values_only=True)
    assert "não é orientação" in title[0]
    return [dict(zip(headers, row, strict=True)) for row in rows]


def paid_this_month(label):
    return [row for month in sorted(MONTHS) for row in sheet_of(label, "--month", month)]


def test_the_month_lists_each_payment_to_a_person_with_gross_withheld_and_net(halves, service):
    run(halves, "2026-07", "200,00", ("IRRF", "27,5", ""), ("ISS", "", "5,00"))
    rows = {row["CPF/CNPJ"]: row for row in paid_this_month(halves)}
    assert set(rows) == {ANA.tax_id, BIA.tax_id}
    of_ana = rows[ANA.tax_id]
    assert [of_ana[name] for name in ("Valor bruto", "IRRF", "ISS", "Valor líquido")] == [100, 27.5, 5, 67.5]
    assert (of_ana["Favorecido"], of_ana["CPF/CNPJ do pagador"], of_ana["Rendimento tributável"]) == (
        ANA.name,
        PAYER,
        None,
    )
    assert rows[BIA.tax_id]["IRRF"] == 0


def test_the_year_sums_by_payee_and_month(halves, service):
    run(halves, "2026-07", "200,00", ("IRRF", "27,5", ""))
    run(halves, "2026-08", "100,00", ("IRRF", "27,5", ""))
    years = [row for year in sorted({month[:4] for month in MONTHS}) for row in sheet_of(halves, "--year", year)]
    of_years = [row for row in years if row["CPF/CNPJ"] == ANA.tax_id]
    assert {len(row["Pago em"]) for row in years} == {4}  # no month stands among the years: each sheet adds up
    (_, headers, *by_month) = load_workbook(halves.folder / "contador.xlsx").worksheets[1].iter_rows(values_only=True)
    assert {len(row[headers.index("Pago em")]) for row in by_month} == {7}
    gross, whose = headers.index("Valor bruto"), headers.index("CPF/CNPJ")
    assert sum(row[gross] for row in by_month if row[whose] == ANA.tax_id) == 150
    sums = [sum(row[name] for row in of_years) for name in ("Valor bruto", "IRRF", "Valor líquido")]
    assert sums == [150, 41.25, 108.75]


def test_nothing_paid_is_an_empty_sheet_and_a_month_or_a_year_is_asked_for(halves):
    assert sheet_of(halves, "--month", "2020-01") == []
    for words in ([], ["--month", "2026-13"], ["--month", "previous_month"], ["--month", "2026-01", "--year", "2026"]):
        halves.say("taxes", *words, code=10)


def test_a_payment_whose_row_has_gone_since_is_listed_all_the_same(label, service):
    label.payments(payment(ANA, "12,00", "show"))
    label.run()
    label.payments(payment(BIA, "5,00"))
    label.run()
    rows = {row["CPF/CNPJ"]: (row["Favorecido"], row["Valor bruto"]) for row in paid_this_month(label)}
    assert rows == {ANA.tax_id: (ANA.name, 12), BIA.tax_id: (BIA.name, 5)}


@pytest.mark.parametrize("tells_how_much", [True, False])
def test_what_is_paid_of_a_report_that_went_back_is_listed_and_what_came_back_is_below_zero(
    halves, service, tells_how_much
):
    run(halves, "2026-07", "200,00", ("IRRF", "27,5", ""))
    listed = {row["CPF/CNPJ"]: (row["Valor bruto"], row["IRRF"]) for row in paid_this_month(halves)}
    assert listed == {ANA.tax_id: (100, 27.5), BIA.tax_id: (100, 0)}
    one_of_two = {"donePayments": 1, "pendingPayments": 1, "paidAmount": 172.50 - 100}
    figures = one_of_two if tells_how_much else dict.fromkeys(one_of_two)
    service.force(**figures | {"status": "ERROR", "withholdPayments": 0, "withholdAmount": 0})
    halves.say("settle", code=40)
    keys = {entry["final_amount_cents"]: entry["extPaymentId"] for entry in service.reports[0]["payments"]}
    for word, key in () if tells_how_much else (("paid", keys[7250]), ("pay", keys[10000])):
        halves.say("decide", key, f"--{word}", "--by", "bia", "--evidence", "the bank's list")
    sums = Counter()
    for row in paid_this_month(halves):
        sums[row["CPF/CNPJ"]] += row["Valor bruto"]
    assert sums == {ANA.tax_id: 100, BIA.tax_id: 0}
