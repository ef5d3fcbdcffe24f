"""Another number of the payer, another currency, a new name: what was owed before goes on, or people are asked."""

import datetime as dt
from dataclasses import replace

import pytest

from schemas.errors import ExitCode
from schemas.job import BRASILIA
from schemas.journal import AccountKind
from tests.flows.jobs import PAYER, advance, line, payee, payment, people, share

ANA, BIA = people(2)
OTHER = "11222333000181"
pytestmark = pytest.mark.long


@pytest.fixture
def halves(label, service):
    """Ana and Bia have half of everything each; less than 20.00 stays; Ana has an advance of 30.00."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    label.write("advances.csv", [advance(ANA, "30,00")])
    return label


def run(label, month, amount=None, *, tax_id=PAYER, before=None, **changes):
    if amount:
        label.write(
            f"{month}-{len(list(label.folder.glob(f'{month}-*')))}.xlsx", [line(amount, f"Faixa {amount}", month)]
        )
    payer = {"tax_id": tax_id, "name": "Selo Aurora"} | ({"previous_tax_id": before} if before else {})
    sources = changes.pop("sources", [{"files": "{period}-*.xlsx", "layout": "royalties"}])
    label.declare(
        payer=payer, period=month, sources=sources, payees="payees.xlsx", shares="shares.xlsx", advances="advances.csv",
        rules={"minimum_payout": "20.00"}, **changes,
    )  # fmt: skip
    return label.run()


def paid(service):
    return [sorted(entry["final_amount_cents"] for entry in report["payments"]) for report in service.reports]


def owed(label):
    """What is owed now: (payer, currency, payee) -> centavos."""
    with label.ledger() as ledger:
        found = ledger.journal.balances()
    names = {ANA.tax_id: "ana", BIA.tax_id: "bia"}
    return {
        (account.payer, account.currency, names[account.payee]): -cents
        for account, cents in found.items()
        if account.kind is AccountKind.PAYEE
    }


def test_what_was_owed_and_recouped_under_the_number_before_goes_on_under_the_new_one(halves, service):
    run(halves, "2026-07", "30,00")  # Ana: 15.00 recouped; Bia: 15.00 owed
    assert owed(halves) == {(PAYER, "BRL", "bia"): 1500}
    for _ in range(2):
        run(halves, "2026-08", None if service.reports else "100,00", tax_id=OTHER, before=PAYER)
    # Ana: 50 less the 15 left of the advance; Bia: 50 and the 15 from before.
    assert paid(service) == [[3500, 6500]]
    assert owed(halves) == {}


def test_a_month_paid_under_the_number_before_is_not_paid_again_under_the_new_one(halves, service):
    run(halves, "2026-07", "100,00")
    run(halves, "2026-07", tax_id=OTHER, before=PAYER)
    assert paid(service) == [[2000, 5000]]
    report = run(halves, "2026-07", "60,00", tax_id=OTHER, before=PAYER)
    assert paid(service)[1:] == [[3000, 3000]]
    assert report.exit_code == ExitCode.DONE


def test_without_the_number_before_a_person_is_asked_and_told_what_waits_there(halves, service):
    run(halves, "2026-07", "30,00")
    report = run(halves, "2026-08", "100,00", tax_id=OTHER)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    (told,) = [words for words in report.messages if "previous_tax_id" in words]
    assert "15,00" in told
    assert PAYER not in told
    assert paid(service) == []


def test_a_job_under_a_new_name_that_does_not_name_the_old_one_is_asked_about(halves, service):
    run(halves, "2026-07", "30,00")
    report = run(halves, "2026-08", "100,00", job="selo-novo")
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert any("continues: aurora" in words for words in report.messages)


def test_what_was_owed_in_another_currency_goes_on_at_the_rate_that_the_job_states(halves, service):
    rate = {"BRL": {"rate": "0.2", "date": "2026-07-31", "source": "PTAX"}}
    exchange = [{"files": "{period}-*.xlsx", "layout": "royalties", "exchange": rate}]
    dollars = {"currency": "USD", "foreign_currency": {"rate": "5.00"}, "sources": exchange}
    run(halves, "2026-07", "75,00", **dollars)  # USD 7.50 each: Ana's is recouped
    assert owed(halves) == {(PAYER, "USD", "bia"): 750}
    was = {"currency_was": {"currency": "USD", "rate": "5.4312"}}
    report = run(halves, "2026-07", **was)
    assert (report.exit_code, paid(service)) == (13, [])
    run(halves, "2026-08", "100,00", **was)
    assert paid(service) == [[2000, 5000 + 4073]]  # 7.50 x 5.4312 = 40.734; of Ana's advance in reais 30.00 is taken
    assert owed(halves) == {}


def test_who_has_moved_is_not_paid_again_under_another_number_of_the_payer(halves, service):
    run(halves, "2026-07", "100,00")  # Ana: 50 less 30; Bia: 50
    firma = replace(ANA, tax_id="11444777000161")
    before = {"CPF anterior": payee(ANA)["CPF"]}
    halves.write("payees.xlsx", [payee(firma) | before, payee(BIA) | {"CPF anterior": ""}])
    halves.write("shares.xlsx", [share(firma, "50"), share(BIA, "50")])
    for number in ({}, {"tax_id": OTHER, "before": PAYER}):
        run(halves, "2026-07", **number)
    assert paid(service) == [[2000, 5000]]
    run(halves, "2026-08", "60,00", tax_id=OTHER, before=PAYER)
    assert paid(service)[1:] == [[3000, 3000]]
    assert owed(halves) == {}


def test_an_advance_that_jobs_share_moves_once_with_its_payee_and_its_payer(halves, service):
    run(halves, "2026-07", "40,00")  # Ana: 20.00 recouped, 10.00 left
    firma = replace(ANA, tax_id="11444777000161")
    halves.write("payees.xlsx", [payee(firma) | {"CPF anterior": payee(ANA)["CPF"]}, payee(BIA) | {"CPF anterior": ""}])
    halves.write("shares.xlsx", [share(firma, "50"), share(BIA, "50")])
    run(halves, "2026-08", "2,00", job="selo-novo", continues="aurora")
    run(halves, "2026-09", "4,00", job="selo-novo", tax_id=OTHER, before=PAYER)
    with halves.ledger() as ledger:
        balances = ledger.journal.balances()
    left = {(a.payer, a.payee): cents for a, cents in balances.items() if a.kind is AccountKind.ADVANCE}
    assert left == {(OTHER, firma.tax_id): 700}


def test_a_row_paid_under_the_number_before_leaves_nothing_open_under_the_new_one(label, service):
    label.payments(payment(ANA, "10,00", "show"))
    label.declare()
    label.run()
    label.declare(payer={"tax_id": OTHER, "name": "Selo Aurora", "previous_tax_id": PAYER})
    label.run()
    tomorrow = dt.datetime.now(tz=BRASILIA).date() + dt.timedelta(days=1)
    assert (service.paid, label.ask("owed", "--at", tomorrow)["owed"]) == ([1000], [])


def test_people_can_have_the_difference_paid_of_a_row_that_was_paid_under_the_number_before(label, service):
    label.payments(payment(ANA, "10,00", "show"))
    label.run()
    label.declare(payer={"tax_id": OTHER, "name": "Selo Aurora", "previous_tax_id": PAYER})
    label.payments(payment(ANA, "12,00", "show"))
    label.run()
    tomorrow = dt.datetime.now(tz=BRASILIA).date() + dt.timedelta(days=1)
    (due,) = label.ask("owed", "--at", tomorrow)["owed"]
    assert (due["place"], due["amount_cents"], due["obligation_cents"]) == ("conflict", 200, 1200)
    label.say("decide", due["key"], "--difference", "--by", "bia", "--evidence", "the new invoice")
    label.run()
    assert service.paid == [200, 1000]


def test_a_row_that_failed_under_the_number_before_was_paid_under_the_new_one_and_is_gone_stays_paid(label, service):
    label.payments(payment(ANA, "10,00", "show"), payment(BIA, "20,00", "clipe"))
    service.behave(failing_payees=[ANA.tax_id, BIA.tax_id])
    label.run()
    service.behave(failing_payees=[])
    label.declare(payer={"tax_id": OTHER, "name": "Selo Aurora", "previous_tax_id": PAYER})
    label.approve(label.run().summary.plan_digest, "30,00", "bia")
    label.run(yes=False)
    label.payments(payment(BIA, "20,00", "clipe"))
    label.run()
    tomorrow = dt.datetime.now(tz=BRASILIA).date() + dt.timedelta(days=1)
    assert (service.posts, label.ask("owed", "--at", tomorrow)["owed"]) == (2, [])


@pytest.mark.parametrize("change", [{"tax_id": OTHER}, {"job": "selo-novo"}], ids=["payer", "name"])
def test_a_debt_under_another_number_or_name_is_not_forgiven_without_a_persons_word(halves, service, change):
    run(halves, "2026-07", "100,00")
    halves.write("2026-07-0.xlsx", [line("80,00", "Faixa 100,00", "2026-07")])
    run(halves, "2026-07")
    assert owed(halves) == {(PAYER, "BRL", "ana"): -1000, (PAYER, "BRL", "bia"): -1000}
    report = run(halves, "2026-08", "60,00", **change)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert any("devem" in words and "20,00" in words for words in report.messages)
    assert len(service.reports) == 1
