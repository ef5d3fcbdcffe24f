"""Run again: what is claimed by a live report is never paid again; only what is new is."""

import pandas as pd
import pytest

from schemas.submission import SubmissionState
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import CPF, advances, held_rows, lines, payees, payments, same, shares

TWO_ROWS = """
    | payee | reference | amount |
    | ana   |           | 10.00  |
    | bia   | show      | 20.00  |
"""


def test_a_row_that_is_claimed_with_the_same_amount_and_destination_is_a_duplicate_that_names_its_claim():
    office = Office()
    office.send(inputs(payments=payments(TWO_ROWS)), submission="rp-1", run="run-1")
    payables = office.compute_payables(inputs(payments=payments(TWO_ROWS + "| caio | | 30.00 |")))
    assert same(
        payables.obligations,
        """
        | payee | amount | place     | reason          | submission_id | run_id |
        | ana   | 10.00  | duplicate | claimed by rp-1 | rp-1          | run-1  |
        | bia   | 20.00  | duplicate | claimed by rp-1 | rp-1          | run-1  |
        | caio  | 30.00  | planned   |                 |               |        |
        """,
    )
    assert office.plan(payables).total_cents == 3000


@pytest.mark.parametrize(
    "changed",
    [
        "| payee | amount | key              |\n| ana | 10.01 | ana@example.com  |",
        "| payee | amount | key              |\n| ana | 9.99  | ana@example.com  |",
        "| payee | amount | key              |\n| ana | 10.00 | nova@example.com |",
    ],
    ids=["more", "less", "elsewhere"],
)
def test_another_amount_or_destination_than_claimed_is_a_conflict_and_nothing_is_sent(changed):
    office = Office()
    office.send(inputs(payments=payments("| payee | amount |\n| ana | 10.00 |")))
    payables = office.compute_payables(inputs(payments=payments(changed)))
    assert same(payables.obligations, "| place | reason |\n| conflict | another amount or destination than in rp-1 |")
    assert office.plan(payables).batches == ()


def test_a_person_s_name_may_be_spelled_otherwise_without_a_conflict():
    office = Office()
    office.send(inputs(payments=payments("| payee | name | amount |\n| ana | Ana Serra | 10.00 |")))
    payables = office.compute_payables(
        inputs(payments=payments("| payee | name | amount |\n| ana | ANA SERRA | 10.00 |"))
    )
    assert same(payables.obligations, "| place |\n| duplicate |")


def test_a_row_that_is_gone_from_the_file_says_nothing():
    office = Office()
    office.send(inputs(payments=payments(TWO_ROWS)))
    payables = office.compute_payables(inputs(payments=payments("| payee | amount |\n| ana | 10.00 |")))
    assert same(payables.obligations, "| payee | place |\n| ana | duplicate |")


def sent(rows):
    office = Office()
    office.send(inputs(payments=payments(rows)))
    return office


PAID = "| payee | reference | amount |\n| ana | show | 10.00 |\n| bia | show | 20.00 |"


@pytest.mark.parametrize(
    "row",
    ["| ana | disco | 10.00 |", "| ana |  | 10.00 |", "| ana | showing | 10.00 |"],
    ids=["other", "none", "longer"],
)
def test_a_new_row_of_the_amount_of_one_that_is_gone_is_a_conflict_that_names_its_claim(row):
    office = sent(PAID)
    payables = office.compute_payables(inputs(payments=payments("| payee | reference | amount |\n" + row)))
    assert same(payables.obligations, "| payee | place | reason |\n| ana | conflict | renamed from rp-1 |")
    assert office.plan(payables).batches == ()


def test_so_is_one_of_another_payee_at_the_same_account():
    office = sent("| payee | reference | amount |\n| ana | show | 10.00 |")
    moved = payments("| payee | reference | amount | key |\n| bia | show | 10.00 | ana@example.com |")
    assert same(office.compute_payables(inputs(payments=moved)).obligations, "| payee | place |\n| bia | conflict |")


def test_a_row_that_stays_explains_its_claim_and_leaves_an_equal_one_beside_it_alone():
    office = sent(PAID)
    payables = office.compute_payables(inputs(payments=payments(PAID + "\n| ana | disco | 10.00 |")))
    assert same(
        payables.obligations,
        """
        | payee | reference | place     |
        | ana   | show      | duplicate |
        | ana   | disco     | planned   |
        | bia   | show      | duplicate |
        """,
    )


@pytest.mark.parametrize("reference", ["show", " SHOW."])
def test_a_row_with_problems_or_in_a_repeated_file_explains_its_claim_too(reference):
    office = sent(PAID)
    held = held_rows(f"| payee | reference | amount | problem |\n| ana | {reference} | 10.00 | EMAIL_FORMAT |")
    beside = payments("| payee | reference | amount |\n| ana | disco | 10.00 |")
    payables = office.compute_payables(inputs(payments=beside, held_payments=held))
    assert same(payables.obligations, "| payee | place |\n| ana | planned |\n| ana | held |")
    office.repeated = {"old.xlsx": "outro 2026-09"}
    old = payments(PAID, file="old.xlsx")
    payables = office.compute_payables(inputs(payments=pd.concat([beside, old], ignore_index=True)))
    assert same([owed for owed in payables.obligations if owed.reference == "disco"], "| place |\n| planned |")


def test_under_a_corrected_payer_a_row_that_stays_is_asked_about_and_one_that_is_renamed_a_conflict():
    office = sent(PAID)
    office.correct_payer("11222333000181")
    payables = office.compute_payables(
        inputs(payments=payments("| payee | reference | amount |\n| ana | show | 10.00 |\n| bia | disco | 20.00 |"))
    )
    assert same(payables.obligations, "| payee | place |\n| ana | planned |\n| bia | conflict |")


def test_royalties_under_a_corrected_payer_are_owed_whole_and_nobody_owes_the_old_payer_s_back():
    office = Office()
    office.send(earned("20.00"))
    office.correct_payer("11222333000181")
    payables = office.compute_payables(earned("20.00"))
    assert same(payables.obligations[:1], "| payee | place |\n| ana | planned |")


def earned(amount, *, of="ana", **tables):
    """A statement of which half is somebody's, half the owner's."""
    return inputs(
        [statement(lines(f"| recording | amount |\n| samba | {amount} |"))],
        payees=payees("ana", "bia"),
        shares=shares(f"| payee | recording | share |\n| {of} | samba | 50 |"),
        **tables,
    )


def test_royalties_that_grew_pay_the_difference_under_a_reference_of_its_own():
    office = Office()
    office.send(earned("20.00"), submission="rp-1", run="run-1")
    payables = office.compute_payables(earned("26.00"))
    assert same(
        payables.obligations,
        """
        | payee | reference   | amount | place     | submission_id |
        | ana   | royalties   | 10.00  | duplicate | rp-1          |
        | ana   | royalties/2 | 3.00   | planned   |               |
        | owner | owner       | 10.00  | duplicate | rp-1          |
        | owner | owner/2     | 3.00   | planned   |               |
        """,
    )


def test_a_third_run_pays_the_third_difference_and_a_fourth_nothing():
    office = Office()
    for number, amount in enumerate(("20.00", "26.00", "26.02"), start=1):
        office.send(earned(amount), submission=f"rp-{number}", run=f"run-{number}")
    payables = office.compute_payables(earned("26.02"))
    assert same(
        payables.obligations,
        """
        | payee | reference   | amount | place     | submission_id |
        | ana   | royalties   | 10.00  | duplicate | rp-1          |
        | ana   | royalties/2 | 3.00   | duplicate | rp-2          |
        | ana   | royalties/3 | 0.01   | duplicate | rp-3          |
        | owner | owner       | 10.00  | duplicate | rp-1          |
        | owner | owner/2     | 3.00   | duplicate | rp-2          |
        | owner | owner/3     | 0.01   | duplicate | rp-3          |
        """,
    )
    assert office.plan(payables).batches == ()


def test_royalties_that_shrank_are_carried_as_owed_back_and_the_owner_s_stay_with_the_owner():
    office = Office()
    office.send(earned("20.00"))
    payables = office.compute_payables(earned("14.00"))
    assert same(
        payables.obligations,
        """
        | payee | kind    | amount | place     |
        | ana   | royalty | 10.00  | duplicate |
        | ana   | carried | -3.00  | carried   |
        | owner | owner   | 10.00  | duplicate |
        | owner | owner   | -3.00  | owner     |
        """,
    )
    assert office.plan(payables).batches == ()


def test_royalties_that_vanished_from_the_statement_are_owed_back_whole():
    office = Office()
    office.send(earned("20.00"))
    payables = office.compute_payables(earned("20.00", of="bia"))
    assert same(
        payables.obligations,
        """
        | payee | kind    | amount | place     |
        | ana   | royalty | 10.00  | duplicate |
        | ana   | carried | -10.00 | carried   |
        | bia   | royalty | 10.00  | planned   |
        | owner | owner   | 10.00  | duplicate |
        """,
    )


def test_an_owner_s_part_that_vanished_is_taken_back_from_the_owner():
    office = Office()
    office.send(earned("20.00"))
    everything = shares("| payee | recording | share |\n| ana | samba | 100 |")
    payables = office.compute_payables(
        inputs([statement(lines("| recording | amount |\n| samba | 20.00 |"))], payees=payees("ana"), shares=everything)
    )
    assert same(
        payables.obligations,
        """
        | payee | reference   | kind    | amount | place     |
        | ana   | royalties   | royalty | 10.00  | duplicate |
        | ana   | royalties/2 | royalty | 10.00  | planned   |
        | owner | owner       | owner   | 10.00  | duplicate |
        | owner |             | owner   | -10.00 | owner     |
        """,
    )


def test_royalties_that_fell_below_zero_after_they_were_paid_carry_all_of_it():
    office = Office()
    office.send(earned("20.00"))
    payables = office.compute_payables(earned("-4.00"))
    assert same(
        payables.obligations,
        """
        | payee | kind    | amount | place     |
        | ana   | royalty | 10.00  | duplicate |
        | ana   | carried | -12.00 | carried   |
        | owner | owner   | 10.00  | duplicate |
        | owner | owner   | -12.00 | owner     |
        """,
    )


def test_a_claimed_payee_who_has_problems_now_keeps_the_claim_and_only_the_difference_is_held():
    office = Office()
    office.send(earned("20.00"))
    payables = office.compute_payables(earned("26.00", payee_problems={CPF["ana"]: "PIX_CPF"}))
    assert same(
        [owed for owed in payables.obligations if owed.kind == "royalty"],
        """
        | reference   | amount | place     | reason          |
        | royalties   | 10.00  | duplicate | claimed by rp-1 |
        | royalties/2 | 3.00   | held      | PIX_CPF         |
        """,
    )


def test_what_was_recouped_in_the_period_stays_so_when_it_is_run_again():
    tables = {"advances": advances("| payee | reference | amount |\n| ana | disco | 4.00 |")}
    office = Office()
    office.send(earned("20.00", **tables))
    payables = office.compute_payables(earned("20.00", **tables))
    assert office.plan(payables).batches == ()
    assert payables.royalties.recouped == {(CPF["ana"], "disco"): 400}
    assert payables.entries == ()


@pytest.mark.parametrize("state", [SubmissionState.IN_DOUBT, SubmissionState.PARTIAL, SubmissionState.EXCLUDED])
def test_claims_hold_whatever_became_of_the_report_that_makes_them(state):
    office = Office()
    office.send(inputs(payments=payments(TWO_ROWS)), state=state)
    assert office.plan(office.compute_payables(inputs(payments=payments(TWO_ROWS)))).batches == ()
