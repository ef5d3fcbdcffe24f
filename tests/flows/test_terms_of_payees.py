"""Payees with terms of their own, from the sheet to what the service receives and people are told."""

import datetime as dt

import pytest

from schemas.job import BRASILIA
from tests.flows.jobs import line, payee, payment, people, share

ANA, BIA = people(2)
BLANK = {"Mínimo": "", "Periodicidade": "", "Idioma": "", "Bloqueio": "", "Bloqueado até": "", "Recuperar de": ""}
TODAY = dt.datetime.now(tz=BRASILIA).date()
pytestmark = pytest.mark.long


@pytest.fixture
def halves(label, service):
    """Ana and Bia have half of everything each."""
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    return label


def run(label, month, amount=None, *, also=(), **terms):
    """Run a month; terms are Ana's."""
    label.write("payees.xlsx", [payee(ANA) | BLANK | terms, payee(BIA) | BLANK])
    if amount:
        label.write(f"{month}-a.xlsx", [line(amount, f"Faixa {month}")])
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}, *also]
    label.declare(period=month, sources=sources, payees="payees.xlsx", shares="shares.xlsx")
    return label.run()


def paid(service):
    return [sorted(entry["final_amount_cents"] for entry in report["payments"]) for report in service.reports]


def codes(report):
    return [(issue.code.value, issue.row) for issue in report.issues]


@pytest.mark.long
@pytest.mark.journey
def test_a_payee_paid_by_the_quarter_gets_three_months_at_once(halves, service):
    for month in ("2026-07", "2026-08", "2026-09"):
        run(halves, month, "20,00", Periodicidade="Trimestral")
    assert paid(service) == [[1000], [1000], [1000, 3000]]
    told = halves.say("explain", ANA.tax_id, "--period", "2026-07").output
    assert "10,00: Levado ao próximo período (só devido no fim do trimestre ou semestre)" in told


def test_whoever_is_on_hold_is_paid_nothing_and_all_of_it_once_the_hold_is_over(halves, service):
    rows = {"files": "payments.xlsx", "layout": "payments"}
    halves.payments(payment(ANA, "7,00"), payment(BIA, "8,00"))
    report = run(halves, "2026-07", "20,00", also=[rows], Bloqueio="Ordem judicial")
    assert (paid(service), codes(report)) == ([[800, 1000]], [("HOLD_COURT_ORDER", 2)])
    assert report.summary.totals_cents.held == 1700
    report = run(halves, "2026-08", "2,00", Bloqueio="")  # the payments sheet was July's
    assert paid(service)[1:] == [[100, 1100]]  # Ana's 10.00 of July with it: one balance
    report = run(halves, "2026-07", also=[rows])
    assert (paid(service)[2:], codes(report)) == ([[700]], [])


@pytest.mark.parametrize(("until", "held"), [(TODAY - dt.timedelta(days=2), 0), (TODAY + dt.timedelta(days=2), 1000)])
def test_a_hold_ends_by_itself_after_its_last_day(halves, service, until, held):
    report = run(halves, "2026-07", "20,00", Bloqueio="disputa", **{"Bloqueado até": f"{until:%Y-%m-%d}"})
    assert report.summary.totals_cents.held == held
