"""Batches: the same obligations always make the same reports, and any change of what is sent makes another plan."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from flows.payables.rules.plan_batches import entry_digest, plan_batches
from schemas.plan import Place
from tests.obligations import flat, obligation
from tests.spec.office import Office, inputs, job, statement
from tests.spec.tables import CPF, NAMES, lines, payees, payments, same, shares

FIVE = """
    | payee | reference | amount | owner |
    | edu   |           | 1.00   | 7.00  |
    | caio  |           | 2.00   |       |
    | ana   | show      | 3.00   |       |
    | bia   |           | 4.00   |       |
    | ana   | disco     | 5.00   |       |
"""


def came_in(drawn=FIVE):
    return inputs(payments=payments(drawn))


@pytest.fixture(scope="module")
def payables():
    return Office().compute_payables(came_in())


def plan_of(obligations, *, size=500):
    office = Office()
    return plan_batches(obligations, office.identity, office.period, max_payments=size)


def told(plan):
    return [[(NAMES[p.payee], p.reference, p.amount_cents) for p in batch.payments] for batch in plan.batches]


def test_payments_are_cut_in_order_of_payee_and_reference_and_the_owner_goes_with_the_first(payables):
    assert told(plan_of(payables.obligations, size=2)) == [
        [("ana", "disco", 500), ("ana", "show", 300), ("owner", "owner", 700)],
        [("bia", "", 400), ("caio", "", 200)],
        [("edu", "", 100)],
    ]


@pytest.mark.parametrize(("size", "batches"), [(1, 5), (2, 3), (4, 2), (5, 1), (500, 1)])
def test_a_report_has_at_most_so_many_payments_and_the_owner_is_not_one(payables, size, batches):
    plan = plan_of(payables.obligations, size=size)
    assert len(plan.batches) == batches
    assert max(batch.payees for batch in plan.batches) <= size
    assert (plan.payees, plan.total_cents, plan.largest_cents) == (5, 2200, 500)


def test_the_body_says_what_each_is_paid_where_and_under_which_name(payables):
    (batch,) = plan_of(payables.obligations).batches
    body = json.loads(batch.content, parse_float=Decimal)
    entry = body["payments"][0]
    assert (body["taxId"], body["amount"], body["ownerAmount"]) == ("12ABC34501DE35", Decimal("22.00"), Decimal("7.00"))
    assert (body["dateStart"], body["dateEnd"], body["currency"]) == ("2026-10-01", "2026-10-31", "BRL")
    assert entry == {
        "taxId": CPF["ana"],
        "name": "Ana",
        "amount": Decimal("5.00"),
        "finalAmount": Decimal("5.00"),
        "bankAccount": {"pixKey": "ana@example.com", "pixKeyType": "email"},
        "advance": False,
        "isWithhold": False,
        "extPaymentId": batch.payments[0].obligation_key,
    }


def test_the_digest_is_the_same_whatever_the_order_of_rows(payables):
    upside_down = payables.obligations[::-1]
    assert plan_of(upside_down, size=2).digest == plan_of(payables.obligations, size=2).digest


@pytest.mark.parametrize(
    "change",
    [
        {"amount_cents": 301},
        {"pix_key": "nova@example.com"},
        {"withhold": True},
        {"name": "Ana Outra"},
        {"key": "ob-other"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_change_of_amount_destination_or_any_word_sent_is_another_plan(payables, change):
    changed = [*payables.obligations]
    changed[2] = obligation(**flat(changed[2]) | change)
    assert plan_of(changed).digest != plan_of(payables.obligations).digest


def test_what_is_held_or_claimed_changes_neither_batches_nor_digest():
    office = Office()
    both = office.compute_payables(came_in(FIVE + "| flora | | 9.00 | |"))
    held = [replace(owed, place=Place.HELD) if owed.payee.tax_id == CPF["flora"] else owed for owed in both.obligations]
    assert (
        office.plan(both).digest
        != plan_of(held).digest
        == plan_of(office.compute_payables(came_in()).obligations).digest
    )


def test_a_changed_rate_is_another_plan():
    def at(rate):
        office = Office()
        dollars = statement(lines("| recording | amount | currency |\n| samba | 10.00 | USD |"), rates={"USD": rate})
        everything = shares("| payee | share |\n| ana | 100 |")
        return office.plan(office.compute_payables(inputs([dollars], payees=payees("ana"), shares=everything)))

    assert at("5.4312").digest == at("5.43120").digest != at("5.4412").digest


def test_the_period_s_days_and_the_currency_are_part_of_the_plan(payables):
    november = Office(job=job(period="2026-11"))
    assert november.plan(november.compute_payables(came_in())).digest != plan_of(payables.obligations).digest


def test_an_owner_s_part_alone_makes_no_report():
    office = Office().under(unmatched="owner")
    payables = office.compute_payables(inputs([statement(lines("| recording | amount |\n| samba | 10.00 |"))]))
    assert same(payables.obligations, "| payee | amount | place |\n| owner | 10.00 | planned |")
    assert office.plan(payables).batches == ()


def test_an_empty_plan_has_a_digest_of_its_own_and_pays_nothing():
    office = Office()
    plan = office.plan(office.compute_payables(inputs()))
    assert (plan.batches, plan.total_cents, plan.largest_cents) == ((), 0, 0)


def test_a_payment_the_service_has_refused_is_held_until_it_is_corrected(payables):
    refused = frozenset(entry_digest(owed) for owed in payables.obligations if owed.payee.tax_id == CPF["bia"])
    office = Office(refused=refused)
    assert same(
        office.compute_payables(came_in("| payee | amount |\n| bia | 4.00 |\n| caio | 2.00 |")).obligations,
        """
        | payee | place   | reason             |
        | bia   | held    | REFUSED_BY_SERVICE |
        | caio  | planned |                    |
        """,
    )
    corrected = office.compute_payables(came_in("| payee | amount | key |\n| bia | 4.00 | bia2@example.com |"))
    assert same(corrected.obligations, "| payee | place |\n| bia | planned |")
