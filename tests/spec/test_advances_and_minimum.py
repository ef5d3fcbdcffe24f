"""From earned to payable: advances oldest first, what was carried in, the minimum, and what is carried on."""

import pytest

from flows.royalties.rules.balances import History
from flows.royalties.rules.recoupment import advance_reference
from tests.spec.office import NOTHING_BEFORE, Office, inputs, statement
from tests.spec.tables import CPF, RECORDINGS, advances, lines, payees, same, shares

ANA = CPF["ana"]


def of_ana(*, earned, advances_drawn="", minimum="0", carried_in=None, recouped=None, **rules):
    """Work out a month in which all that came in is Ana's."""
    tables = {"advances": advances(advances_drawn)} if advances_drawn else {}
    history = History({ANA: carried_in} if carried_in else {}, recouped or {})
    office = Office(history=history).under(minimum_payout=minimum, **rules)
    return office.compute_payables(
        inputs(
            [statement(lines(f"| recording | amount |\n{earned}"))],
            payees=payees("ana"),
            shares=shares("| payee | share |\n| ana | 100 |"),
            **tables,
        )
    )


BALANCE = "| payee | earned | recouped | carried in | carried out | held | payable |"


def test_advances_are_recouped_oldest_first_however_they_are_listed():
    payables = of_ana(
        earned="| samba | 100.00 |",
        advances_drawn="""
            | payee | reference | date       | amount |
            | ana   | clipe     | 2026-03-01 | 50.00  |
            | ana   | disco     | 2025-12-31 | 70.00  |
            | ana   | turne     |            | 10.00  |
            | bia   | outra     | 2020-01-01 | 90.00  |
        """,
    )
    assert same(payables.balances, f"{BALANCE}\n| ana | 100.00 | 100.00 | 0.00 | 0.00 | 0.00 | 0.00 |")
    # One without a date is the oldest; the last one gets what is left.
    assert payables.royalties.recouped == {(ANA, "clipe"): 2000, (ANA, "disco"): 7000, (ANA, "turne"): 1000}


def test_what_other_periods_recouped_is_not_taken_again():
    payables = of_ana(
        earned="| samba | 100.00 |",
        advances_drawn="| payee | reference | amount |\n| ana | disco | 70.00 |",
        recouped={(ANA, "disco"): 6000},
    )
    assert same(
        payables.obligations,
        """
        | payee | kind     | amount | place    |
        | ana   | recouped | 10.00  | recouped |
        | ana   | royalty  | 90.00  | planned  |
        """,
    )


def test_an_advance_listed_in_two_rows_is_one_advance():
    payables = of_ana(
        earned="| samba | 100.00 |",
        advances_drawn="""
            | payee | reference | amount |
            | ana   | disco     | 20.00  |
            | ana   | disco     | 30.00  |
        """,
        recouped={(ANA, "disco"): 2000},
    )
    assert payables.royalties.recouped == {(ANA, "disco"): 3000}


def test_an_advance_of_one_recording_takes_only_what_that_recording_earned_in_whole_centavos():
    payables = of_ana(
        earned="| samba | 10.009 |\n| valsa | 90.00 |",
        advances_drawn="""
            | payee | reference | recording | amount |
            | ana   | disco     | samba     | 50.00  |
        """,
    )
    assert same(payables.balances, f"{BALANCE}\n| ana | 100.01 | 10.00 | 0.00 | 0.00 | 0.00 | 90.01 |")
    assert payables.royalties.recouped == {(ANA, advance_reference("disco", RECORDINGS["samba"])): 1000}


def test_two_advances_of_one_recording_share_what_it_earned():
    payables = of_ana(
        earned="| samba | 10.00 |\n| valsa | 90.00 |",
        advances_drawn="""
            | payee | reference | recording | date       | amount |
            | ana   | disco     | samba     | 2026-01-01 | 6.00   |
            | ana   | clipe     | samba     | 2026-02-01 | 50.00  |
        """,
    )
    amounts = {name.split("|")[0]: cents for (_, name), cents in payables.royalties.recouped.items()}
    assert amounts == {"disco": 600, "clipe": 400}


def test_an_advance_of_a_recording_of_which_more_was_returned_than_sold_takes_nothing():
    payables = of_ana(
        earned="| samba | -5.00 |\n| valsa | 90.00 |",
        advances_drawn="| payee | recording | amount |\n| ana | samba | 50.00 |",
    )
    assert same(payables.balances, f"{BALANCE}\n| ana | 85.00 | 0.00 | 0.00 | 0.00 | 0.00 | 85.00 |")


def test_recoupment_can_be_switched_off():
    payables = of_ana(
        earned="| samba | 10.00 |",
        advances_drawn="| payee | amount |\n| ana | 50.00 |",
        recoup_advances=False,
    )
    assert same(payables.obligations, "| payee | kind | amount | place |\n| ana | royalty | 10.00 | planned |")


@pytest.mark.parametrize(
    ("earned", "minimum", "result"),
    [
        ("20.00", "20.00", "| royalty | 20.00 | planned |"),
        ("19.99", "20.00", "| carried | 19.99 | carried |"),
        ("0.01", "0", "| royalty | 0.01 | planned |"),
        ("-3.00", "0", "| carried | -3.00 | carried |"),
    ],
)
def test_royalties_below_the_minimum_and_negative_ones_are_carried(earned, minimum, result):
    payables = of_ana(earned=f"| samba | {earned} |", minimum=minimum)
    assert same(payables.obligations, f"| kind | amount | place |\n{result}")


@pytest.mark.parametrize(
    ("carried_in", "balance"),
    [
        # earned, recouped, carried in, carried out, held, payable
        (1999, "| ana | 10.00 | 4.00 | 19.99 | 0.00 | 0.00 | 25.99 |"),
        (-300, "| ana | 10.00 | 4.00 | -3.00 | 3.00 | 0.00 | 0.00 |"),
        (-900, "| ana | 10.00 | 4.00 | -9.00 | -3.00 | 0.00 | 0.00 |"),
    ],
)
def test_what_was_carried_in_is_added_after_recoupment_and_before_the_minimum(carried_in, balance):
    payables = of_ana(
        earned="| samba | 10.00 |",
        advances_drawn="| payee | amount |\n| ana | 4.00 |",
        minimum="20.00",
        carried_in=carried_in,
    )
    assert same(payables.balances, f"{BALANCE}\n{balance}")


def test_somebody_with_nothing_but_a_carry_over_is_paid_when_it_reaches_the_minimum():
    office = Office(history=History({ANA: 2500}, {})).under(minimum_payout="20.00")
    payables = office.compute_payables(inputs([statement(lines("| amount |"))], payees=payees("ana")))
    assert same(payables.obligations, "| payee | kind | amount | place |\n| ana | royalty | 25.00 | planned |")


def test_a_payee_nobody_knows_is_held_after_recoupment_and_nothing_is_carried():
    office = Office(history=History({CPF["bia"]: 500}, {})).under(minimum_payout="20.00")
    payables = office.compute_payables(
        inputs(
            [statement(lines("| recording | amount |\n| samba | 10.00 |"))],
            payees=payees("ana"),
            shares=shares("| payee | share |\n| bia | 100 |"),
            advances=advances("| payee | amount |\n| bia | 4.00 |"),
        )
    )
    assert same(
        payables.obligations,
        """
        | payee | kind     | amount | place    | reason              |
        | bia   | royalty  | 11.00  | held     | TAXID_UNKNOWN_PAYEE |
        | bia   | recouped | 4.00   | recouped | advance             |
        """,
    )
    assert payables.royalties.recouped == {(CPF["bia"], ""): 400}


def test_a_payee_whose_row_has_problems_is_held_for_those_problems():
    payables = Office(history=NOTHING_BEFORE).compute_payables(
        inputs(
            [statement(lines("| recording | amount |\n| samba | 10.00 |"))],
            payees=payees("ana"),
            payee_problems={CPF["bia"]: "PIX_CPF"},
            shares=shares("| payee | share |\n| ana | 50 |\n| bia | 50 |"),
        )
    )
    assert same(
        payables.obligations,
        """
        | payee | amount | place   | reason  |
        | ana   | 5.00   | planned |         |
        | bia   | 5.00   | held    | PIX_CPF |
        """,
    )
