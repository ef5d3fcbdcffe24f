"""Payments rows: one row, one payment, to the destination the row or else the payees table names."""

import json

from tests.spec.office import Office, inputs
from tests.spec.tables import CPF, destination_of_mail, held_rows, payees, payments, same


def test_a_row_s_own_destination_goes_before_the_payees_table():
    payables = Office().compute_payables(
        inputs(
            payments=payments(
                """
                | payee | name      | key             | amount |
                | ana   | Ana Serra | ana@example.com | 10.00  |
                | bia   |           |                 | 20.00  |
                | caio  | Caio      |                 | 30.00  |
                | davi  |           | davi@example.com | 40.00  |
                """
            ),
            payees=payees("ana", "bia"),
        )
    )
    assert same(
        payables.obligations,
        f"""
        | payee | name      | pix_key          | pix_key_type | amount | place   | reason              |
        | ana   | Ana Serra | ana@example.com  | email        | 10.00  | planned |                     |
        | bia   | Bia       | {CPF["bia"]}     | cpf          | 20.00  | planned |                     |
        | caio  | Caio      |                  |              | 30.00  | held    | DESTINATION_MISSING |
        | davi  |           | davi@example.com | email        | 40.00  | held    | NAME_REQUIRED       |
        """,
    )


def test_the_problems_of_a_payee_hold_only_rows_that_need_his_data():
    payables = Office().compute_payables(
        inputs(
            payments=payments(
                """
                | payee | reference | key             | amount |
                | ana   | show      | ana@example.com | 10.00  |
                | ana   | disco     |                 | 20.00  |
                """
            ),
            payee_problems={CPF["ana"]: "PIX_CPF,EMAIL_FORMAT"},
        )
    )
    assert same(
        payables.obligations,
        """
        | reference | place   | reason               |
        | show      | planned |                      |
        | disco     | held    | PIX_CPF,EMAIL_FORMAT |
        """,
    )


def test_two_references_are_two_payments_to_one_payee():
    office = Office()
    payables = office.compute_payables(
        inputs(
            payments=payments(
                """
                | payee | reference | amount |
                | ana   | show      | 10.00  |
                | ana   | disco     | 20.00  |
                """
            )
        )
    )
    (batch,) = office.plan(payables).batches
    assert [(p.reference, p.amount_cents) for p in batch.payments] == [("disco", 2000), ("show", 1000)]
    assert len({p.obligation_key for p in batch.payments}) == 2


def test_what_rows_reserve_to_the_owner_is_one_part_of_the_first_report():
    office = Office()
    payables = office.compute_payables(
        inputs(
            payments=payments(
                """
                | payee | amount | owner |
                | ana   | 10.00  | 1.50  |
                | bia   | 20.00  | 2.25  |
                """
            )
        )
    )
    assert same(
        payables.obligations,
        """
        | payee | kind    | amount |
        | ana   | payment | 10.00  |
        | bia   | payment | 20.00  |
        | owner | owner   | 3.75   |
        """,
    )
    (batch,) = office.plan(payables).batches
    assert (batch.amount_cents, batch.owner_cents) == (3375, 375)


def test_a_row_to_be_withheld_is_sent_with_that_wish_and_its_full_amount():
    office = Office()
    payables = office.compute_payables(
        inputs(payments=payments("| payee | amount | withhold |\n| ana | 10.00 | yes |\n| bia | 20.00 | |"))
    )
    (batch,) = office.plan(payables).batches
    entries = json.loads(batch.content)["payments"]
    assert [(e["name"], e["finalAmount"], e["isWithhold"]) for e in entries] == [
        ("Ana", 10.0, True),
        ("Bia", 20, False),
    ]


def test_rows_with_problems_are_held_for_what_can_be_read_of_their_amount():
    payables = Office().compute_payables(
        inputs(
            held_payments=held_rows(
                """
                | payee | amount | problem             |
                | ana   | 10.00  | PIX_CPF             |
                |       | 12.345 | AMOUNT_DECIMALS     |
                | bia   | -5.00  | AMOUNT_NOT_POSITIVE |
                | caio  |        | AMOUNT_FORMAT       |
                """
            )
        )
    )
    assert same(
        payables.obligations,
        """
        | payee | kind    | amount | place | reason              | row |
        | ana   | payment | 10.00  | held  | PIX_CPF             | 2   |
        |       | payment | 12.34  | held  | AMOUNT_DECIMALS     | 3   |
        | bia   | payment | 0.00   | held  | AMOUNT_NOT_POSITIVE | 4   |
        | caio  | payment | 0.00   | held  | AMOUNT_FORMAT       | 5   |
        """,
    )


def test_minimum_and_advances_never_touch_payments_rows():
    payables = (
        Office()
        .under(minimum_payout="500.00")
        .compute_payables(inputs(payments=payments("| payee | amount |\n| ana | 1.00 |")))
    )
    assert same(payables.obligations, "| payee | amount | place |\n| ana | 1.00 | planned |")


def test_the_fingerprint_of_a_destination_does_not_show_it():
    payables = Office().compute_payables(inputs(payments=payments("| payee | amount |\n| ana | 1.00 |")))
    (owed,) = payables.obligations
    assert owed.destination == destination_of_mail("ana@example.com")
    assert "ana" not in owed.destination
