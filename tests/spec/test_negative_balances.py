"""Returns above earnings: carried until they are earned back, never recouped from, never forgotten."""

import pytest

from tests.spec.office import Office, inputs, statement
from tests.spec.tables import CPF, lines, payees, payments, same, shares

ANA = CPF["ana"]


def test_a_debt_is_carried_over_months_until_it_is_earned_back(year):
    assert year.plays(
        """
        | month   | samba  | carried in | carried out | paid now |
        | 2026-01 | -50.00 | 0.00       | -50.00      | 0.00     |
        | 2026-02 | -10.00 | -50.00     | -60.00      | 0.00     |
        | 2026-03 | 25.00  | -60.00     | -35.00      | 0.00     |
        | 2026-04 |        | -35.00     | -35.00      | 0.00     |
        | 2026-05 | 45.00  | -35.00     | 0.00        | 10.00    |
        """
    )


def test_a_debt_leaves_no_payment_below_the_minimum(year):
    year.rules = {"minimum_payout": "20.00"}
    assert year.plays(
        """
        | month   | samba | carried in | carried out | paid now |
        | 2026-01 | -8.00 | 0.00       | -8.00       | 0.00     |
        | 2026-02 | 27.99 | -8.00      | 19.99       | 0.00     |
        | 2026-03 | 0.01  | 19.99      | 0.00        | 20.00    |
        """
    )


def test_nothing_is_recouped_from_returns_and_a_debt_does_not_stand_before_an_advance(year):
    year.paid_ahead = "| payee | reference | amount |\n| ana | disco | 30.00 |"
    assert year.plays(
        """
        | month   | samba  | recouped | carried in | carried out | paid now |
        | 2026-01 | -20.00 | 0.00     | 0.00       | -20.00      | 0.00     |
        | 2026-02 | 25.00  | 25.00    | -20.00     | -20.00      | 0.00     |
        | 2026-03 | 35.00  | 5.00     | -20.00     | 0.00        | 10.00    |
        """
    )


def test_a_recording_with_returns_is_not_recouped_from_while_the_others_earn(year):
    year.paid_ahead = "| payee | reference | recording | amount |\n| ana | disco | samba | 30.00 |"
    assert year.plays(
        """
        | month   | samba  | valsa | recouped | carried out | paid now |
        | 2026-01 | -20.00 | 50.00 | 0.00     | 0.00        | 30.00    |
        | 2026-02 | 20.00  | 50.00 | 20.00    | 0.00        | 50.00    |
        """
    )


def test_of_a_recording_that_earned_more_than_all_together_only_what_is_left_is_recouped(year):
    year.paid_ahead = "| payee | reference | recording | amount |\n| ana | disco | samba | 30.00 |"
    assert year.plays(
        """
        | month   | samba | valsa  | recouped | paid now |
        | 2026-01 | 20.00 | -15.00 | 5.00     | 0.00     |
        """
    )


def test_the_debt_of_somebody_who_left_the_payees_table_is_not_forgotten(year):
    assert year.plays(
        "| month | samba | carried in | carried out | held |\n| 2026-01 | -30.00 | 0.00 | -30.00 | 0.00 |"
    )
    year.known = ("bia",)
    assert year.plays(
        """
        | month   | samba  | carried in | carried out | held |
        | 2026-02 | -5.00  | -30.00     | -35.00      | 0.00 |
        | 2026-03 | 20.00  | -35.00     | -15.00      | 0.00 |
        | 2026-04 | 20.00  | -15.00     | 0.00        | 5.00 |
        """
    )
    year.known = ("ana", "bia")
    assert year.plays("| month | samba | carried in | paid now |\n| 2026-04 | 20.00 | -15.00 | 5.00 |")


@pytest.mark.parametrize("code", ["PIX_CPF", "ACCOUNT_FORMAT"])
def test_somebody_who_owes_is_carried_whatever_is_wrong_with_their_account(code):
    came_in = inputs(
        [statement(lines("| recording | amount |\n| samba | -9.00 |"))],
        payees=payees("bia"),
        payee_problems={ANA: code},
        shares=shares("| payee | share |\n| ana | 100 |"),
    )
    payables = Office().compute_payables(came_in)
    assert same(payables.obligations, "| payee | amount | place |\n| ana | -9.00 | carried |")


def test_a_correction_below_what_was_paid_and_returns_after_it_add_up(year):
    assert year.plays(
        """
        | month   | samba  | carried in | carried out | paid before | paid now |
        | 2026-01 | 100.00 | 0.00       | 0.00        | 0.00        | 100.00   |
        | 2026-01 | 60.00  | 0.00       | -40.00      | 100.00      | 0.00     |
        | 2026-02 | -15.00 | -40.00     | -55.00      | 0.00        | 0.00     |
        | 2026-03 | 80.00  | -55.00     | 0.00        | 0.00        | 25.00    |
        """
    )


def test_a_debt_is_not_taken_from_payments_rows(year):
    year.run("2026-01", year.came_in("2026-01", {"samba": "-50.00"}))
    came_in = year.came_in("2026-02", {"samba": "5.00"})
    payables = year.run(
        "2026-02", year.opened("2026-02", came_in, payments=payments("| payee | amount |\n| ana | 12.00 |"))
    )
    assert same(
        payables.obligations,
        """
        | payee | kind    | amount | place   |
        | ana   | payment | 12.00  | planned |
        | ana   | carried | -45.00 | carried |
        """,
    )


@pytest.mark.parametrize(
    ("amount", "each"),
    [("0.01", ["0.01", "0.00", "0.00"]), ("-0.01", ["-0.01", "0.00", "0.00"]), ("-0.02", ["-0.01", "-0.01", "0.00"])],
)
def test_a_tie_goes_to_the_first_tax_id_of_what_is_owed_and_of_what_is_owed_back(amount, each):
    thirds = shares("| payee | share |\n| ana | 33.3333 |\n| bia | 33.3333 |\n| caio | 33.3333 |")
    thirds["share_ppm"] = ["333333", "333333", "333333"]
    rows = f"| recording | amount |\n| samba | {amount} |"
    payables = Office().compute_payables(
        inputs([statement(lines(rows))], payees=payees("ana", "bia", "caio"), shares=thirds)
    )
    drawn = "\n".join(f"| {name} | {cents} |" for name, cents in zip(("ana", "bia", "caio"), each, strict=True))
    assert same(payables.balances, f"| payee | earned |\n{drawn}")


def test_an_advance_listed_after_it_was_recouped_or_listed_again_counts_once(year):
    disco = "| payee | reference | amount |\n| ana | disco | 50.00 |"
    year.paid_ahead = disco
    assert year.plays("| month | samba | recouped |\n| 2026-01 | 30.00 | 30.00 |")
    year.paid_ahead = ""
    assert year.plays("| month | samba | recouped | paid now |\n| 2026-02 | 30.00 | 0.00 | 30.00 |")
    year.paid_ahead = disco
    assert year.plays("| month | samba | recouped | paid now |\n| 2026-03 | 30.00 | 20.00 | 10.00 |")


def test_an_advance_that_shrank_below_what_was_recouped_gives_nothing_back_and_takes_nothing_more(year):
    year.paid_ahead = "| payee | reference | amount |\n| ana | disco | 50.00 |"
    assert year.plays("| month | samba | recouped |\n| 2026-01 | 30.00 | 30.00 |")
    year.paid_ahead = "| payee | reference | amount |\n| ana | disco | 20.00 |"
    assert year.plays("| month | samba | recouped | paid now |\n| 2026-02 | 30.00 | 0.00 | 30.00 |")


def test_an_advance_taken_out_of_the_sheet_stays_recouped_and_nothing_of_it_is_paid_back(year):
    """Whoever clears the sheet of what is recouped pays nobody by it; one that was none is listed with less."""
    year.paid_ahead = "| payee | reference | amount |\n| ana | disco | 50.00 |"
    assert year.plays("| month | samba | recouped | paid now |\n| 2026-01 | 80.00 | 50.00 | 30.00 |")
    year.paid_ahead = ""
    assert year.plays(
        "| month | samba | recouped | paid before | paid now |\n| 2026-01 | 80.00 | 50.00 | 30.00 | 0.00 |"
    )


def test_an_advance_added_to_a_period_that_is_paid_is_taken_from_the_next(year):
    """Nothing is taken out of what was paid: before, the payee owed it back."""
    assert year.plays("| month | samba | paid now |\n| 2026-01 | 80.00 | 80.00 |")
    year.paid_ahead = "| payee | reference | amount |\n| ana | disco | 50.00 |"
    assert year.plays(
        """
        | month   | samba | recouped | carried in | carried out | paid before | paid now |
        | 2026-01 | 80.00 | 0.00     | 0.00       | 0.00        | 80.00       | 0.00     |
        | 2026-02 | 80.00 | 50.00    | 0.00       | 0.00        | 0.00        | 30.00    |
        """
    )


def test_advances_are_recouped_oldest_first_over_months(year):
    year.paid_ahead = """
        | payee | reference | date       | amount |
        | ana   | clipe     | 2026-02-01 | 30.00  |
        | ana   | disco     | 2025-06-01 | 40.00  |
    """
    for month, earned, after in (
        ("2026-01", "25.00", {"disco": 2500}),
        ("2026-02", "25.00", {"disco": 4000, "clipe": 1000}),
        ("2026-03", "25.00", {"disco": 4000, "clipe": 3000}),
    ):
        year.run(month, year.came_in(month, {"samba": earned}))
        found = year.history("2026-04").recouped
        assert {reference: cents for (_, reference), cents in found.items()} == after


def test_an_advance_paid_as_a_payments_row_is_a_payment_that_says_so_and_recoups_nothing():
    rows = payments("| payee | amount |\n| ana | 500.00 |")
    rows["advance"], rows["anticipation_id"] = True, "ant-7"
    office = Office()
    payables = office.compute_payables(
        inputs(
            [statement(lines("| recording | amount |\n| samba | 10.00 |"))],
            payees=payees("ana"),
            shares=shares("| payee | share |\n| ana | 100 |"),
            payments=rows,
        )
    )
    assert payables.royalties.recouped == {}
    (batch,) = office.plan(payables).batches
    assert b'"advance":true' in batch.content
    assert b'"anticipationId":"ant-7"' in batch.content
    assert batch.amount_cents == 51000
