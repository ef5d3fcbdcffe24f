"""Starting in the middle of a year: what was carried, what was left of advances, what was paid outside."""

import pytest

from flows.intake.rules.inputs import OTHER_PERIOD, of_other_periods
from flows.royalties.rules.balances import History
from flows.royalties.rules.opening_balances import hold_contradictions
from schemas.approval import DecisionKind
from schemas.errors import UnsoundPlan
from schemas.job import resolve_period
from schemas.journal import JournalState
from schemas.parsing.row_accounting import runs_frame
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import CPF, lines, opening, payees, payments, same, shares

HALVES = "| payee | share |\n| ana | 50 |\n| bia | 50 |"


@pytest.mark.parametrize(
    ("amount", "results"),
    [
        ("40.00", "| 2026-07 | 100.00 | 40.00  | 0.00   | 140.00 |\n| 2026-08 | 10.00 | 0.00   | 0.00   | 10.00 |"),
        ("-40.00", "| 2026-07 | 100.00 | -40.00 | 0.00   | 60.00  |\n| 2026-08 | 10.00 | 0.00   | 0.00   | 10.00 |"),
        ("-130.00", "| 2026-07 | 100.00 | -130.00 | -30.00 | 0.00   |\n| 2026-08 | 40.00 | -30.00 | 0.00 | 10.00 |"),
    ],
)
def test_a_balance_is_carried_into_the_period_it_names_and_into_no_other(year, amount, results):
    year.balances = f"| payee | kind | month | amount |\n| ana | carried | 2026-07 | {amount} |"
    assert year.plays(f"| month | samba | carried in | carried out | paid now |\n{results}")


def test_the_same_file_beside_every_month_counts_nothing_twice(year):
    year.balances = """
        | payee | kind      | month   | reference | amount |
        | ana   | carried   | 2026-07 |           | 15.00  |
        | ana   | to recoup | 2026-07 | disco     | 50.00  |
        | ana   | paid      | 2026-08 | royalties | 10.00  |
    """
    assert year.plays(
        """
        | month   | samba | recouped | carried in | paid before | paid now |
        | 2026-07 | 30.00 | 30.00    | 15.00      | 0.00        | 15.00    |
        | 2026-07 | 30.00 | 30.00    | 15.00      | 15.00       | 0.00     |
        | 2026-08 | 45.00 | 20.00    | 0.00       | 10.00       | 15.00    |
        | 2026-08 | 45.00 | 20.00    | 0.00       | 25.00       | 0.00     |
        | 2026-09 | 45.00 | 0.00     | 0.00       | 0.00        | 45.00    |
        | 2026-07 | 30.00 | 30.00    | 15.00      | 15.00       | 0.00     |
        """
    )


def test_a_balance_reaches_somebody_of_whom_nothing_came_in(year):
    year.balances = "| payee | kind | month | amount |\n| bia | carried | 2026-07 | 25.00 |"
    payables = year.run("2026-07", year.came_in("2026-07", {"samba": "10.00"}))
    assert same(
        payables.obligations, "| payee | amount | place |\n| ana | 10.00 | planned |\n| bia | 25.00 | planned |"
    )


def test_a_period_may_be_named_by_any_of_its_days(year):
    year.balances = "| payee | kind | month | amount |\n| ana | carried | 2026-07-31 | 5.00 |"
    assert year.plays("| month | samba | carried in | paid now |\n| 2026-07 | 10.00 | 5.00 | 15.00 |")


def test_what_is_left_of_an_advance_stands_in_the_place_of_the_advance(year):
    year.paid_ahead = "| payee | reference | date | amount |\n| ana | disco | 2024-01-10 | 1000.00 |"
    year.balances = "| payee | kind | month | reference | amount |\n| ana | to recoup | 2026-07 | disco | 50.00 |"
    assert year.plays(
        """
        | month   | samba | recouped | paid now |
        | 2026-07 | 30.00 | 30.00    | 0.00     |
        | 2026-08 | 30.00 | 20.00    | 10.00    |
        | 2026-09 | 30.00 | 0.00     | 30.00    |
        """
    )


def test_what_is_left_of_an_advance_is_as_old_as_its_date_and_as_narrow_as_its_recording(year):
    year.paid_ahead = "| payee | reference | date | amount |\n| ana | clipe | 2026-01-10 | 100.00 |"
    year.balances = """
        | payee | kind      | month   | reference | date       | recording | amount |
        | ana   | to recoup | 2026-07 | disco     | 2024-01-10 | samba     | 50.00  |
    """
    assert year.plays(
        """
        | month   | samba | valsa | recouped | paid now |
        | 2026-07 | 30.00 | 5.00  | 35.00    | 0.00     |
        | 2026-08 | 30.00 | 80.00 | 110.00   | 0.00     |
        | 2026-09 | 30.00 |       | 5.00     | 25.00    |
        """
    )


def test_before_the_period_it_names_an_advance_stands_as_the_advances_say(year):
    year.paid_ahead = "| payee | reference | amount |\n| ana | disco | 20.00 |"
    year.balances = "| payee | kind | month | reference | amount |\n| ana | to recoup | 2026-08 | disco | 5.00 |"
    assert year.plays("| month | samba | recouped |\n| 2026-07 | 12.00 | 12.00 |")


def test_royalties_paid_outside_count_as_claimed(year):
    year.balances = "| payee | kind | month | amount |\n| ana | paid | 2026-07 | 60.00 |"
    payables = year.run("2026-07", year.came_in("2026-07", {"samba": "100.00"}))
    assert same(
        payables.obligations,
        """
        | payee | kind    | reference | amount | place     | reason       |
        | ana   | royalty | royalties | 60.00  | duplicate | paid_outside |
        | ana   | royalty | royalties | 40.00  | planned   | difference   |
        """,
    )


def test_two_payments_outside_on_two_days_are_two(year):
    year.balances = """
        | payee | kind | month   | date       | amount |
        | ana   | paid | 2026-07 | 2026-08-05 | 60.00  |
        | ana   | paid | 2026-07 | 2026-08-15 | 25.00  |
    """
    assert year.plays("| month | samba | paid before | paid now |\n| 2026-07 | 100.00 | 85.00 | 15.00 |")


def test_more_paid_outside_than_was_owed_is_carried_as_owed_back(year):
    year.balances = "| payee | kind | month | amount |\n| ana | paid | 2026-07 | 130.00 |"
    assert year.plays(
        """
        | month   | samba  | carried in | carried out | paid before | paid now |
        | 2026-07 | 100.00 | 0.00       | -30.00      | 130.00      | 0.00     |
        | 2026-08 | 100.00 | -30.00     | 0.00        | 0.00        | 70.00    |
        """
    )


def test_royalties_paid_outside_to_somebody_of_whom_nothing_came_in_are_owed_back(year):
    year.balances = "| payee | kind | month | amount |\n| bia | paid | 2026-07 | 30.00 |"
    payables = year.run("2026-07", year.came_in("2026-07", {"samba": "10.00"}))
    assert same(
        payables.obligations,
        """
        | payee | amount | place     |
        | ana   | 10.00  | planned   |
        | bia   | 30.00  | duplicate |
        | bia   | -30.00 | carried   |
        """,
    )


def test_royalties_that_were_below_the_minimum_and_paid_outside_all_the_same_are_not_carried(year):
    year.rules = {"minimum_payout": "50.00"}
    year.balances = "| payee | kind | month | amount |\n| ana | paid | 2026-07 | 30.00 |"
    assert year.plays(
        """
        | month   | samba | carried in | carried out | paid before | paid now |
        | 2026-07 | 30.00 | 0.00       | 0.00        | 30.00       | 0.00     |
        | 2026-08 | 60.00 | 0.00       | 0.00        | 0.00        | 60.00    |
        """
    )


def test_what_was_paid_outside_after_all_is_taken_back_when_the_service_paid_it_too(year):
    year.run("2026-07", year.came_in("2026-07", {"samba": "100.00"}))
    year.balances = "| payee | kind | month | amount |\n| ana | paid | 2026-07 | 40.00 |"
    assert year.plays(
        """
        | month   | samba  | carried in | carried out | paid before | paid now |
        | 2026-07 | 100.00 | 0.00       | -40.00      | 140.00      | 0.00     |
        | 2026-08 | 100.00 | -40.00     | 0.00        | 0.00        | 60.00    |
        """
    )


THREE_ROWS = """
    | payee | reference | amount |
    | ana   | show      | 10.00  |
    | ana   | clipe     | 15.00  |
    | bia   |           | 20.00  |
"""


def paid(rows, given=THREE_ROWS, **tables):
    came_in = inputs(
        payments=payments(given), opening=opening(f"| payee | kind | month | reference | amount |\n{rows}")
    )
    return Office(), came_in


def test_payments_rows_paid_outside_are_told_so_in_bulk_by_their_references():
    office, came_in = paid("| ana | paid | 2026-10 | show | 10.00 |\n| bia | paid | 2026-10 | | 20.00 |")
    payables = office.compute_payables(came_in)
    assert same(
        payables.obligations,
        """
        | payee | reference | amount | place     | reason       |
        | ana   | show      | 10.00  | duplicate | paid_outside |
        | ana   | clipe     | 15.00  | planned   |              |
        | bia   |           | 20.00  | duplicate | paid_outside |
        """,
    )
    assert office.plan(payables).total_cents == 1500


def test_another_amount_than_was_paid_outside_is_a_conflict_for_people():
    office, came_in = paid("| ana | paid | 2026-10 | show | 9.00 |")
    assert same(
        office.compute_payables(came_in).obligations,
        """
        | payee | reference | place    | reason                              |
        | ana   | show      | conflict | another amount than was paid outside |
        | ana   | clipe     | planned  |                                     |
        | bia   |           | planned  |                                     |
        """,
    )


def test_nobody_s_word_to_pay_overrules_that_a_row_was_paid_outside():
    office, came_in = paid("| ana | paid | 2026-10 | show | 9.00 |")
    office.decide(DecisionKind.PAY, came_in)
    _, corrected = paid("| ana | paid | 2026-10 | show | 10.00 |")
    assert same(
        office.compute_payables(corrected).obligations,
        "| payee | place |\n| ana | duplicate |\n| ana | planned |\n| bia | planned |",
    )


def test_without_a_reference_it_is_royalties_unless_the_payee_has_a_payments_row_without_one():
    came_in = inputs(
        [statement(lines("| recording | amount |\n| samba | 60.00 |"))],
        payees=payees("ana", "bia"),
        shares=shares(HALVES),
        payments=payments("| payee | amount |\n| bia | 20.00 |"),
        opening=opening(
            "| payee | kind | month | amount |\n| ana | paid | 2026-10 | 30.00 |\n| bia | paid | 2026-10 | 20.00 |"
        ),
    )
    assert same(
        Office().compute_payables(came_in).obligations,
        """
        | payee | kind    | amount | place     |
        | ana   | royalty | 30.00  | duplicate |
        | bia   | royalty | 30.00  | planned   |
        | bia   | payment | 20.00  | duplicate |
        """,
    )


def test_a_reference_that_no_payments_row_has_holds_everything_of_its_payee():
    office, came_in = paid("| ana | paid | 2026-10 | shows | 10.00 |")
    payables = office.compute_payables(came_in)
    assert same(
        payables.obligations,
        """
        | payee | reference | place   | reason          |
        | ana   | show      | held    | OPENING_PAYMENT |
        | ana   | clipe     | held    | OPENING_PAYMENT |
        | bia   |           | planned |                 |
        """,
    )
    (found,) = office.opened.contradictions
    assert (found.code, found.file, found.row, found.column) == ("OPENING_PAYMENT", "opening.xlsx", 2, "reference")


def test_a_row_that_a_report_has_paid_was_not_paid_outside():
    office, came_in = paid("| ana | paid | 2026-10 | show | 10.00 |")
    office.send(inputs(payments=payments(THREE_ROWS)), submission="rp-1")
    payables = office.compute_payables(came_in)
    assert same(payables.obligations, "| place |\n| duplicate |\n| duplicate |\n| duplicate |")
    (found,) = office.opened.contradictions
    assert (found.code, found.column, found.found) == ("OPENING_LEDGER", "reference", "rp-1")


def test_a_balance_carried_into_a_period_that_has_an_earlier_one_in_the_ledger_contradicts_it(year):
    year.run("2026-06", year.came_in("2026-06", {"samba": "-20.00"}))
    year.balances = "| payee | kind | month | amount |\n| ana | carried | 2026-07 | 500.00 |"
    assert year.plays(
        """
        | month   | samba | carried in | held  | paid now | question       |
        | 2026-07 | 50.00 | -20.00     | 30.00 | 0.00     | OPENING_LEDGER |
        """
    )
    (found,) = year.office.opened.contradictions
    assert (found.column, found.found) == ("period", "2026-06")


def test_a_balance_carried_into_a_period_that_was_never_run_reaches_none(year):
    year.balances = "| payee | kind | month | amount |\n| ana | carried | 2026-06 | 500.00 |"
    assert year.plays(
        """
        | month   | samba | carried in | held  | paid now | question       |
        | 2026-07 | 50.00 | 0.00       | 50.00 | 0.00     | OPENING_PERIOD |
        """
    )
    assert year.office.opened.contradictions[0].found == "2026-07"


def test_an_advance_the_ledger_has_recouped_of_before_contradicts_what_is_said_to_be_left(year):
    year.paid_ahead = "| payee | reference | amount |\n| ana | disco | 60.00 |"
    year.run("2026-06", year.came_in("2026-06", {"samba": "10.00"}))
    year.balances = "| payee | kind | month | reference | amount |\n| ana | to recoup | 2026-07 | disco | 40.00 |"
    assert year.plays(
        """
        | month   | samba | recouped | held  | question       |
        | 2026-07 | 50.00 | 0.00     | 50.00 | OPENING_LEDGER |
        """
    )


def test_somebody_of_whom_a_row_cannot_be_read_is_held_and_the_others_are_paid():
    came_in = inputs(
        [statement(lines("| recording | amount |\n| samba | 60.00 |"))],
        payees=payees("ana", "bia"),
        shares=shares(HALVES),
        opening_problems={payees("ana")["tax_id"].iloc[0]: "AMOUNT_FORMAT"},
    )
    assert same(
        Office().compute_payables(came_in).obligations,
        "| payee | amount | place | reason |\n| ana | 30.00 | held | AMOUNT_FORMAT |\n| bia | 30.00 | planned | |",
    )


def test_a_row_that_cannot_be_read_and_does_not_say_whose_it_is_stops_the_plan():
    with pytest.raises(UnsoundPlan, match="does not say whose it is"):
        Office().compute_payables(inputs(opening_problems={"": "TAXID_CHECK"}))


def test_rows_of_other_periods_are_ignored_and_contradicting_ones_are_held():
    declared = opening(
        """
        | payee | kind      | month   | reference | amount |
        | ana   | carried   | 2026-07 |           | 1.00   |
        | ana   | to recoup | 2026-07 | disco     | 1.00   |
        | ana   | paid      | 2026-09 |           | 1.00   |
        | bia   | carried   | 2026-08 |           | 1.00   |
        | ana   | to recoup | 2026-09 | clipe     | 1.00   |
        """
    )
    rows = runs_frame([("opening.xlsx", "", 2, 6, 5, "used", "")])
    told = of_other_periods(rows, declared, resolve_period("2026-08", None))
    ignored = told[told["disposition"] == "ignored"]
    assert same(ignored, "| first_row | reason |" + "".join(f"\n| {row} | {OTHER_PERIOD} |" for row in (2, 4, 6)))
    office = Office()
    posted = JournalState(periods=((resolve_period("2026-07", None).start, "2026-07"),))
    office.history = History({}, {}, journal=posted)
    office.job = office.job.model_copy(update={"period": "2026-08"})
    office.stand(inputs(opening=declared))
    held = hold_contradictions(told, office.opened.contradictions)
    assert sorted(held["disposition"]) == ["held", "ignored", "ignored", "ignored", "used"]
    assert held["rows"].sum() == 5


@pytest.mark.parametrize(
    ("earned", "carried"), [("100.00", 0), ("100.00", 700), (None, 700)], ids=["earned", "both", "carried alone"]
)
def test_royalties_that_an_opening_balance_said_were_paid_are_held_when_its_row_is_gone_wherever_they_come_from(
    earned, carried
):
    office = Office(history=History(carried_in={CPF["ana"]: carried} if carried else {}, recouped={}))
    office.opening_gone = frozenset({office.identity.royalty_key(CPF["ana"])})
    earnings = [statement(lines(f"| recording | amount |\n| samba | {earned} |"))] if earned else []
    split = {"shares": shares("| payee | share |\n| ana | 100 |")} if earned else {}
    payables = office.compute_payables(inputs(earnings, payees=payees("ana", "bia"), **split))
    assert {(owed.place, owed.code) for owed in payables.obligations} == {("held", "OPENING_GONE")}
