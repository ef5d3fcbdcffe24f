"""What a payment bears beside who is paid, how much and where to: the service receives it, and the plan shows it.

Varied: payments of royalties and of rows; each thing that a sheet can set, and what a job declares of the lists; what
`amount` is taken to hold. Constant: SQLite, one run. Judged by the bytes that reach the service.
"""

from decimal import Decimal

import pytest

from sample_data.making.people import masked
from tests.flows.every_view import look_through
from tests.flows.jobs import advance, line, payee, payment, people, share
from tests.flows.label import run_month
from tests.flows.proxy import standing_before

ANA, BIA = people(2)
pytestmark = pytest.mark.long


@pytest.fixture
def received(service, monkeypatch, label):
    """What the service was asked for: each payment of the last report, by document."""
    with standing_before(service.url) as proxy:
        monkeypatch.setenv("REPASSE_API_URL", proxy.url)
        yield lambda: {entry["taxId"]: entry for entry in proxy.asked[-1]["payments"]}


def a_month(label, amount="200,00", of_ana=None, run=run_month, **changes):
    """Half of a line of Samba for each; what `of_ana` says stands in Ana's row of the payees."""
    month = "2026-10"
    extra = of_ana or {}
    label.write("payees.xlsx", [payee(ANA) | extra, payee(BIA) | dict.fromkeys(extra, "")])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    label.write(f"{month}-a.xlsx", [line(amount, f"Samba {month}", month)])
    sources = [{"files": "2026-10-a.xlsx", "layout": "royalties"}]
    return run(label, month, sources=sources, **{"advances": None} | changes)


def plan_of_month(label, month, **changes):
    label.declare(period=month, payees="payees.xlsx", shares="shares.xlsx", **changes)
    return label.say("plan", label.job).output


@pytest.mark.parametrize(
    ("header", "cell", "name", "value", "shown"),
    [
        ("Royalties são antecipação", "sim", "advance", True, "Adiantamento"),
        ("royalty_advance", "x", "advance", True, "Adiantamento"),
        ("Reter royalties no serviço", "sim", "isWithhold", True, "Reter no serviço"),
        ("Percentual dos royalties", "33,3333", "percentage", Decimal("33.3333"), "33.3333"),
        ("anticipation_id", "an-17", "anticipationId", "an-17", "an-17"),
    ],
)
def test_payments_of_royalties_bear_what_the_payees_row_says(label, received, header, cell, name, value, shown):
    assert shown in a_month(label, of_ana={header: cell}, run=plan_of_month)
    report = a_month(label, of_ana={header: cell})
    assert received()[ANA.tax_id][name] == value
    assert received()[BIA.tax_id].get(name, False) is False
    assert report.exit_code == 0
    look_through(label.job)


def test_an_advance_in_a_table_of_payees_is_no_wish_of_the_payment(label, received):
    a_month(label, of_ana={"Adiantamento": "300,00"})
    assert label.ledger().submissions.list(run_id=None, bodies=False) == []


ROW = {"details": {"by": "row", "fields": {"descricao": "reference", "artista": "artist_name", "valor": "amount"}}}


def test_a_row_of_a_sheet_is_one_element_of_the_lists_a_job_declares_for_rows(label, received):
    label.declare(breakdown=ROW | {"products": {"by": "recording", "fields": {"isrc": "isrc"}}})
    label.payments(
        payment(ANA, "100,00", "Show de maio") | {"Nome artístico": "Ana E."},
        payment(BIA, "20,00") | {"Nome artístico": ""},
    )
    assert label.run().exit_code == 0
    ana, bia = (received()[who.tax_id] for who in (ANA, BIA))
    assert ana["details"] == [{"descricao": "Show de maio", "artista": "Ana E.", "valor": Decimal("100.00")}]
    assert bia["details"] == [{"descricao": "", "artista": "", "valor": Decimal("20.00")}]
    assert not ana.get("products")


@pytest.mark.parametrize(("holds", "amount"), [("paid", "45.00"), ("earned", "100.00")])
def test_amount_is_apart_from_the_final_one_where_that_is_assumed(label, received, monkeypatch, service, holds, amount):
    monkeypatch.setenv("REPASSE_ASSUME_AMOUNT_HOLDS", holds)
    label.write("advances.csv", [advance(ANA, "40,00")])
    tax = [{"CPF": masked(ANA.tax_id), "Imposto": "IRRF", "Alíquota": "25", "Valor": ""}]
    label.write("impostos.csv", tax)
    a_month(label, advances="advances.csv", taxes="impostos.csv")
    ana, bia = (received()[who.tax_id] for who in (ANA, BIA))
    assert (ana["amount"], ana["finalAmount"]) == (Decimal(amount), Decimal("45.00"))
    assert (bia["amount"], bia["finalAmount"]) == (Decimal("100.00"), Decimal("100.00"))
    assert service.paid == [4500, 10000]
    look_through(label.job)


def test_a_second_payment_of_a_period_tells_nothing_of_what_the_first_has_told(label, received, monkeypatch, service):
    monkeypatch.setenv("REPASSE_ASSUME_AMOUNT_HOLDS", "earned")
    label.write("advances.csv", [advance(ANA, "40,00")])
    a_month(label, advances="advances.csv")
    a_month(label, amount="260,00", advances="advances.csv")
    ana = received()[ANA.tax_id]
    assert (ana["amount"], ana["finalAmount"]) == (Decimal("30.00"), Decimal("30.00"))
    assert service.paid == [3000, 3000, 6000, 10000]
