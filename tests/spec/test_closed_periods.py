"""A period run again after a later one: the same again, what stands stands, and what changed reaches the later."""

import pandas as pd

from tests.spec.tables import CPF

ANA = CPF["ana"]
DISCO = "| payee | reference | date | amount |\n| ana | disco | 2026-01-01 | 60.00 |"


def after(year, *months, advances="", **rules):
    """A year in which Ana earned R$ 100.00 in each of some months."""
    year.paid_ahead, year.rules = advances, rules
    for month in months:
        year.run(month, year.came_in(month, {"samba": "100.00"}))
    return year


def test_a_period_run_again_finds_what_it_found_and_not_what_later_ones_recouped(year):
    after(year, advances="| payee | reference | amount |\n| ana | disco | 250.00 |")
    assert year.plays(
        """
        | month   | samba  | recouped | paid before | paid now |
        | 2026-01 | 100.00 | 100.00   | 0.00        | 0.00     |
        | 2026-02 | 100.00 | 100.00   | 0.00        | 0.00     |
        | 2026-03 | 100.00 | 50.00    | 0.00        | 50.00    |
        | 2026-02 | 100.00 | 100.00   | 0.00        | 0.00     |
        | 2026-01 | 100.00 | 100.00   | 0.00        | 0.00     |
        | 2026-03 | 100.00 | 50.00    | 50.00       | 0.00     |
        """
    )


def test_the_same_files_give_the_same_tables_to_the_byte_before_and_after_the_period_is_closed(year):
    year.paid_ahead, year.rules = DISCO, {"minimum_payout": "20.00"}
    first = {"samba": "70.00", "valsa": "-5.00"}
    year.run("2026-01", year.came_in("2026-01", first))
    still_open = year.run("2026-01", year.came_in("2026-01", first))
    after(year, "2026-02", "2026-03", advances=DISCO, minimum_payout="20.00")
    closed = year.run("2026-01", year.came_in("2026-01", first))
    assert closed.obligations == still_open.obligations
    for name in ("balances", "earnings"):
        pd.testing.assert_frame_equal(getattr(closed, name), getattr(still_open, name))
        assert getattr(closed, name).to_json() == getattr(still_open, name).to_json()
    assert still_open.entries == closed.entries == ()  # nothing is to be posted


def test_a_later_minimum_does_not_reopen_what_was_paid(year):
    after(year, "2026-01", "2026-02")
    year.rules = {"minimum_payout": "500.00"}
    assert year.plays(
        """
        | month   | samba  | carried out | paid before | paid now |
        | 2026-01 | 100.00 | 0.00        | 100.00      | 0.00     |
        """
    )


def test_an_advance_added_since_takes_nothing_out_of_what_was_paid(year):
    after(year, "2026-01", "2026-02")
    year.paid_ahead = DISCO
    assert year.plays(
        """
        | month   | samba  | recouped | carried out | paid before | paid now |
        | 2026-01 | 100.00 | 0.00     | 0.00        | 100.00      | 0.00     |
        | 2026-03 | 100.00 | 60.00    | 0.00        | 0.00        | 40.00    |
        """
    )


def test_an_advance_taken_out_of_the_sheet_stays_recouped_where_it_was(year):
    after(year, "2026-01", "2026-02", advances=DISCO)
    year.paid_ahead = ""
    assert year.plays(
        """
        | month   | samba  | recouped | paid before | paid now |
        | 2026-01 | 100.00 | 60.00    | 40.00       | 0.00     |
        """
    )


def test_a_late_statement_of_a_closed_period_pays_the_difference_in_its_name(year):
    after(year, "2026-01", "2026-02")
    assert year.plays(
        """
        | month   | samba  | paid before | paid now |
        | 2026-01 | 130.00 | 100.00      | 30.00    |
        | 2026-01 | 130.00 | 130.00      | 0.00     |
        """
    )


def test_a_late_difference_has_the_advance_taken_out_that_is_outstanding_today(year):
    after(year, "2026-01", "2026-02")
    year.paid_ahead = "| payee | reference | amount |\n| ana | clipe | 50.00 |"
    assert year.plays(
        """
        | month   | samba  | recouped | carried in | paid before | paid now |
        | 2026-01 | 130.00 | 30.00    | 0.00       | 100.00      | 0.00     |
        | 2026-01 | 130.00 | 30.00    | 0.00       | 100.00      | 0.00     |
        | 2026-03 | 100.00 | 20.00    | 0.00       | 0.00        | 80.00    |
        """
    )


def test_an_advance_that_a_later_period_recouped_is_not_taken_again_from_a_late_difference(year):
    year.paid_ahead = DISCO
    assert year.plays(
        """
        | month   | samba  | recouped | paid before | paid now |
        | 2026-01 | 40.00  | 40.00    | 0.00        | 0.00     |
        | 2026-02 | 100.00 | 20.00    | 0.00        | 80.00    |
        | 2026-01 | 90.00  | 40.00    | 0.00        | 50.00    |
        | 2026-02 | 100.00 | 20.00    | 80.00       | 0.00     |
        """
    )


def test_a_linked_advance_takes_of_a_late_difference_only_what_its_recording_earned(year):
    year.paid_ahead = "| payee | reference | recording | amount |\n| ana | disco | samba | 500.00 |"
    assert year.plays(
        """
        | month   | samba | valsa | recouped | paid before | paid now |
        | 2026-01 | 10.00 | 30.00 | 10.00    | 0.00        | 30.00    |
        | 2026-02 | 10.00 |       | 10.00    | 0.00        | 0.00     |
        | 2026-01 | 14.00 | 36.00 | 14.00    | 30.00       | 6.00     |
        | 2026-03 | 10.00 |       | 10.00    | 0.00        | 0.00     |
        """
    )
    assert sum(year.history("2026-04").recouped.values()) == 1000 + 1000 + 400 + 1000


def test_a_late_difference_waits_in_the_balance_until_that_reaches_the_minimum(year):
    """Before there was one balance, R$ 3.00 were paid at once because the period as a whole was above the minimum."""
    after(year, "2026-01", "2026-02", minimum_payout="20.00")
    assert year.plays(
        """
        | month   | samba  | carried out | paid before | paid now |
        | 2026-02 | 103.00 | 3.00        | 100.00      | 0.00     |
        | 2026-01 | 118.00 | -3.00       | 100.00      | 21.00    |
        """
    )


def test_a_late_difference_below_the_minimum_waits_for_the_period_after_the_latest(year):
    year.rules = {"minimum_payout": "20.00"}
    assert year.plays(
        """
        | month   | samba  | carried in | carried out | paid before | paid now |
        | 2026-01 | 15.00  | 0.00       | 15.00       | 0.00        | 0.00     |
        | 2026-02 | 50.00  | 15.00      | 0.00        | 0.00        | 65.00    |
        | 2026-01 | 25.00  | 0.00       | 25.00       | 0.00        | 0.00     |
        | 2026-01 | 25.00  | 0.00       | 25.00       | 0.00        | 0.00     |
        | 2026-02 | 50.00  | 25.00      | 10.00       | 65.00       | 0.00     |
        | 2026-03 | 50.00  | 10.00      | 0.00        | 0.00        | 60.00    |
        """
    )


def test_what_a_closed_period_gave_too_much_is_taken_back_once_in_the_period_after_the_latest(year):
    after(year, "2026-01", "2026-02")
    assert year.plays(
        """
        | month   | samba  | carried in | carried out | paid before | paid now |
        | 2026-01 | 70.00  | 0.00       | -30.00      | 100.00      | 0.00     |
        | 2026-01 | 70.00  | 0.00       | -30.00      | 100.00      | 0.00     |
        | 2026-02 | 100.00 | -30.00     | -30.00      | 100.00      | 0.00     |
        | 2026-03 | 50.00  | -30.00     | 0.00        | 0.00        | 20.00    |
        | 2026-04 | 50.00  | 0.00       | 0.00        | 0.00        | 50.00    |
        """
    )


def test_a_correction_corrected_back_leaves_nothing_behind(year):
    after(year, "2026-01", "2026-02")
    assert year.plays(
        """
        | month   | samba  | carried in | carried out | paid before | paid now |
        | 2026-01 | 70.00  | 0.00       | -30.00      | 100.00      | 0.00     |
        | 2026-03 | 50.00  | -30.00     | 0.00        | 0.00        | 20.00    |
        | 2026-01 | 100.00 | 0.00       | -30.00      | 100.00      | 30.00    |
        | 2026-04 | 50.00  | 0.00       | 0.00        | 0.00        | 50.00    |
        """
    )
    assert year.paid(ANA) == 10000 + 10000 + 5000 + 5000


def test_what_was_carried_out_of_a_closed_period_is_not_paid_there_again(year):
    year.rules = {"minimum_payout": "50.00"}
    assert year.plays(
        """
        | month   | samba | carried in | carried out | paid before | paid now |
        | 2026-01 | 30.00 | 0.00       | 30.00       | 0.00        | 0.00     |
        | 2026-02 | 30.00 | 30.00      | 0.00        | 0.00        | 60.00    |
        | 2026-01 | 90.00 | 0.00       | 30.00       | 0.00        | 60.00    |
        """
    )


def test_a_payment_that_failed_after_its_period_was_closed_is_paid_as_it_was_planned(year):
    after(year, "2026-01", "2026-02", advances=DISCO)
    year.fail("2026-01")
    assert year.plays(
        """
        | month   | samba  | recouped | paid before | paid now |
        | 2026-01 | 100.00 | 60.00    | 0.00        | 40.00    |
        """
    )


def test_somebody_held_is_paid_all_that_waits_by_the_next_run_of_whichever_period(year):
    """Before there was one balance, each period paid what it had held itself."""
    year.known = ("bia",)
    after(year, "2026-01", "2026-02")
    year.known = ("ana", "bia")
    assert year.plays(
        """
        | month   | samba  | carried in | held | paid now |
        | 2026-01 | 100.00 | 0.00       | 0.00 | 200.00   |
        | 2026-02 | 100.00 | -100.00    | 0.00 | 0.00     |
        | 2026-03 | 5.00   | 0.00       | 0.00 | 5.00     |
        """
    )


def test_advances_are_taken_out_of_what_is_held_so_that_whichever_period_pays_it_pays_the_rest(year):
    """Before there was one balance, a held period recouped only when it was run again."""
    year.known = ("bia",)
    after(year, "2026-01", advances=DISCO)
    year.known = ("ana", "bia")
    assert year.plays(
        """
        | month   | samba  | recouped | held | paid before | paid now |
        | 2026-02 | 45.00  | 0.00     | 0.00 | 0.00        | 85.00    |
        | 2026-01 | 100.00 | 60.00    | 0.00 | 0.00        | 0.00     |
        | 2026-03 | 10.00  | 0.00     | 0.00 | 0.00        | 10.00    |
        """
    )


def test_a_late_difference_of_somebody_who_cannot_be_paid_is_held_in_their_balance(year):
    after(year, "2026-01", "2026-02", advances=DISCO)
    year.known = ("bia",)
    assert year.plays(
        """
        | month   | samba  | recouped | held  | paid before | paid now |
        | 2026-01 | 130.00 | 60.00    | 30.00 | 40.00       | 0.00     |
        """
    )
    assert year.history("2026-03").carried_in == {ANA: 3000}


def test_a_period_left_out_and_run_after_a_later_one_does_not_pay_what_that_one_paid(year):
    year.rules = {"minimum_payout": "50.00"}
    assert year.plays(
        """
        | month   | samba | carried in | carried out | paid now |
        | 2026-01 | 30.00 | 0.00       | 30.00       | 0.00     |
        | 2026-03 | 30.00 | 30.00      | 0.00        | 60.00    |
        | 2026-02 | 30.00 | 30.00      | 60.00       | 0.00     |
        | 2026-02 | 30.00 | 30.00      | 60.00       | 0.00     |
        | 2026-04 | 20.00 | 30.00      | 0.00        | 50.00    |
        """
    )


def test_the_latest_period_does_not_take_what_a_late_difference_has_taken_already(year):
    after(year, "2026-01")
    year.paid_ahead = DISCO
    assert year.plays(
        """
        | month   | samba  | recouped | paid before | paid now |
        | 2026-02 | 20.00  | 20.00    | 0.00        | 0.00     |
        | 2026-01 | 130.00 | 30.00    | 100.00      | 0.00     |
        | 2026-02 | 70.00  | 30.00    | 0.00        | 40.00    |
        | 2026-03 | 70.00  | 0.00     | 0.00        | 70.00    |
        """
    )


def test_only_what_changes_is_booked_beside_what_stands(year):
    after(year, "2026-01", "2026-02", minimum_payout="20.00")
    for amount, posted in (("93.00", [700]), ("91.00", [200]), ("91.00", [])):
        entries = year.run("2026-01", year.came_in("2026-01", {"samba": amount})).entries
        taken = [
            posting.amount_cents for entry in entries for posting in entry.postings if posting.account.payee == ANA
        ]
        assert taken == posted


def test_the_owners_too_much_stays_with_the_owner_who_is_the_payer_and_is_not_carried(year):
    """The payer funds Ana's R$ 30.00 with the R$ 30.00 that the owner, who is the payer, got too much."""
    half = year.came_in("2026-01", {"samba": "100.00"})
    half.shares["share_ppm"] = "500000"
    year.run("2026-01", half)
    after(year, "2026-02")
    more = year.came_in("2026-01", {"samba": "100.00"})
    more.shares["share_ppm"] = "800000"
    payables = year.run("2026-01", more)
    own = [owed for owed in payables.obligations if owed.kind == "owner"]
    assert [(owed.place, owed.amount_cents, owed.reason) for owed in own] == [
        ("duplicate", 5000, own[0].reason),
        ("owner", -3000, "difference"),
    ]
    assert year.paid(ANA) == 5000 + 10000 + 3000
    assert year.history("2026-03").carried_in == {}


def test_what_was_stated_too_much_as_the_owners_lowers_what_the_next_report_states(year):
    """January stated R$ 50.00 as the owner's, and it was R$ 20.00: February states R$ 30.00 less, once."""
    stated = {}
    for month, share in (("2026-01", 500_000), ("2026-01", 800_000), ("2026-02", 500_000), ("2026-03", 500_000)):
        came_in = year.came_in(month, {"samba": "100.00"})
        came_in.shares["share_ppm"] = str(share)
        payables = year.run(month, came_in)
        planned = [owed for owed in payables.obligations if (owed.kind, owed.place) == ("owner", "planned")]
        stated[month, share] = sum(owed.amount_cents for owed in planned)
    assert list(stated.values()) == [5000, 0, 2000, 5000]
    again = year.came_in("2026-02", {"samba": "100.00"})
    again.shares["share_ppm"] = "500000"
    assert [owed.place for owed in year.run("2026-02", again).obligations if owed.kind == "owner"] == [
        "duplicate",
        "owner",
    ]


def test_an_earlier_month_run_later_pays_what_a_later_one_left_to_who_earned_nothing_in_it(year):
    """Ana, whom no table knew in February, is in it when January is run: her balance is payable now."""
    year.known = ("bia",)
    year.run("2026-02", year.came_in("2026-02", {"samba": "100.00"}))
    assert year.paid(ANA) == 0
    year.known = ("ana", "bia")
    year.run("2026-01", year.came_in("2026-01", {"valsa": "30.00"}, of="bia"))
    assert (year.paid(ANA), year.paid(CPF["bia"])) == (10000, 3000)
    year.run("2026-02", year.came_in("2026-02", {"samba": "100.00"}))
    assert year.paid(ANA) == 10000
