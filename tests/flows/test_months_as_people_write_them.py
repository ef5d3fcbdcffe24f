"""A month is understood wherever it is asked for in the terminal, however people write it."""

import json

import pytest

from tests.flows.jobs import line, payee, payment, people, share

(ANA,) = people(1)
WRITTEN = ["2026-03", "03/2026", "3/2026", "mar/26", "março de 2026", "March 2026", "MARÇO/2026"]
pytestmark = pytest.mark.long


@pytest.mark.parametrize("month", WRITTEN)
def test_a_run_for_another_month_takes_it_as_it_is_written(label, service, month):
    label.write("payees.csv", [payee(ANA)])
    label.write("shares.csv", [share(ANA, "100")])
    label.write("2026-03.csv", [line("100,00", "Samba")])
    sources = [{"files": "{period}.csv", "layout": "royalties"}]
    label.declare(period="previous_month", sources=sources, payees="payees.csv", shares="shares.csv")
    assert label.ask("run", label.job, "--yes", "--period", month)["period"] == "2026-03"
    assert label.ask("month", month)["month"] == "2026-03"
    assert "2026-03" in json.dumps(label.ask("explain", ANA.tax_id, "--period", month))


@pytest.mark.parametrize("month", WRITTEN)
def test_a_new_job_takes_it_as_it_is_written(label, month):
    sheet = label.write("list.xlsx", [payment(ANA, "10,00", "show")])
    job = label.folder / "new.yaml"
    payer = ("--payer-tax-id", "11222333000181", "--payer-name", "Selo")
    label.say("new", sheet, "--period", month, "--job", job, *payer)
    assert "period: 2026-03" in job.read_text(encoding="utf-8")


def test_what_is_no_month_is_refused_as_before(label):
    assert json.loads(label.type("month", "logo mais", "--json").stdout)["exit_code"] != 0
