"""Who shares a line: the most specific share wins, on the day of the line, and the rest is the owner's."""

from decimal import Decimal

import pytest

from flows.intake.rules.inputs import sum_lines
from flows.royalties.rules.allocation import allocate
from flows.royalties.rules.deals import Deals
from flows.royalties.rules.deals_over_periods import settle_deals
from schemas.deal_sums import DealsBefore
from schemas.errors import UnsoundPlan
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import lines, payees, same, shares

OCTOBER = "2026-10-01"


def share_out(lines_drawn, shares_drawn):
    totals = sum_lines(lines(lines_drawn))
    return allocate(totals, Deals(shares(shares_drawn)), rates={"BRL": Decimal(1)}, first_day=OCTOBER).earnings


EVERYTHING_SHARED = """
    | payee | recording | product | release   | artist | share |
    | ana   | samba     |         |           |        | 100   |
    | bia   |           | album   |           |        | 100   |
    | caio  |           |         | Dia Claro |        | 100   |
    | davi  |           |         |           | Lua    | 100   |
    | edu   |           |         |           |        | 100   |
"""


@pytest.mark.parametrize(
    ("line", "winner"),
    [
        ("| samba | album  | Dia Claro | Lua |", "ana"),
        ("| valsa | album  | Dia Claro | Lua |", "bia"),
        ("| valsa | single | Dia Claro | Lua |", "caio"),
        ("| valsa | single | Ontem     | Lua |", "davi"),
        ("| valsa | single | Ontem     | Sol |", "edu"),
        ("|       |        |           |     |", "edu"),
    ],
)
def test_the_most_specific_share_wins_and_wider_ones_do_not_count(line, winner):
    header = "| recording | product | release | artist | amount |"
    assert same(
        share_out(f"{header}\n{line} 10.00 |", EVERYTHING_SHARED),
        f"""
        | payee    | earned |
        | {winner} | 10     |
        """,
    )


@pytest.mark.parametrize("written", ["dia claro", "DIA CLARO", "Dia  Claro"])
def test_releases_and_artists_match_whatever_their_case_and_blanks(written):
    found = share_out(f"| release | amount |\n| {written} | 4.00 |", EVERYTHING_SHARED)
    assert same(found, "| payee | earned |\n| caio | 4 |")


CONTRACTS = """
    | payee | recording | share | from       | to         |
    | ana   | samba     | 100   |            | 2026-07-31 |
    | bia   | samba     | 100   | 2026-08-01 | 2026-09-01 |
    | caio  | samba     | 100   | 2026-09-02 |            |
"""


@pytest.mark.parametrize(
    ("month", "holder", "why"),
    [
        ("2026-07", "ana", "the first of July is before her last day"),
        ("2026-08", "bia", "her first day is the month's first"),
        ("2026-09", "bia", "her last day is the month's first; the rest of the month does not matter"),
        ("2026-09-02", "caio", "a line that says its own day is held against that day"),
        ("2026-10", "caio", "for ever"),
        ("", "caio", "a line without a month is of the job's first day"),
    ],
)
def test_contracts_hold_by_the_first_day_of_the_line_s_month(month, holder, why):
    found = share_out(f"| recording | month | amount |\n| samba | {month} | 9.00 |", CONTRACTS)
    assert same(found, f"| payee | earned |\n| {holder} | 9 |"), why


def test_a_narrow_share_that_has_ended_makes_room_for_a_wider_one():
    found = share_out(
        """
        | recording | artist | month   | amount |
        | samba     | Lua    | 2026-10 | 8.00   |
        """,
        """
        | payee | recording | artist | share | to         |
        | ana   | samba     |        | 100   | 2026-09-30 |
        | bia   |           | Lua    | 50    |            |
        """,
    )
    assert same(
        found,
        """
        | payee | role  | earned |
        | bia   |       | 4      |
        |       | owner | 4      |
        """,
    )


def test_what_no_share_claims_is_the_owner_s():
    found = share_out(
        """
        | recording | store   | amount |
        | samba     | Spotify | 10.00  |
        | samba     | Deezer  | 1.00   |
        """,
        """
        | payee | recording | role       | share   |
        | ana   | samba     | compositor | 33.3333 |
        | ana   | samba     | voz        | 16.6667 |
        | bia   | samba     |            | 20      |
        """,
    )
    assert same(
        found,
        """
        | payee | role       | platform | earned   |
        | ana   | compositor | Spotify  | 3.33333  |
        | ana   | voz        | Spotify  | 1.66667  |
        | bia   |            | Spotify  | 2        |
        |       | owner      | Spotify  | 3        |
        | ana   | compositor | Deezer   | 0.333333 |
        | ana   | voz        | Deezer   | 0.166667 |
        | bia   |            | Deezer   | 0.2      |
        |       | owner      | Deezer   | 0.3      |
        """,
    )


def test_one_payee_with_many_times_the_whole_is_refused_like_any_other():
    whole = "\n".join(f"| ana | samba | 100 | papel {number} |" for number in range(12))
    with pytest.raises(UnsoundPlan, match=r"1200\.0000 %"):
        share_out("| recording | amount |\n| samba | 1.00 |", f"| payee | recording | share | role |\n{whole}")


def test_shares_above_the_whole_are_refused_and_every_such_asset_is_named():
    with pytest.raises(UnsoundPlan) as refused:
        share_out(
            """
            | recording | artist | amount |
            | samba     |        | 1.00   |
            | valsa     |        | 1.00   |
            |           | Lua    | 1.00   |
            """,
            """
            | payee | recording | artist | share   |
            | ana   | samba     |        | 60      |
            | bia   | samba     |        | 40.0001 |
            | ana   | valsa     |        | 60      |
            | bia   | valsa     |        | 40      |
            | caio  |           | Lua    | 100     |
            | davi  |           | Lua    | 1       |
            """,
        )
    message = str(refused.value)
    assert "isrc BRAUR2600001 (2026-10-01): 100.0001 %" in message
    assert "artist Lua (2026-10-01): 101.0000 %" in message
    assert "BRAUR2600002" not in message


# What another recording's row has, that rests on all lines of a period.
OVER_PERIODS = {"nothing": "", "a cap": "0.50 | |", "a tier": "| 0.10 |", "a cap that is not reached": "9.00 | |"}


@pytest.mark.parametrize("elsewhere", OVER_PERIODS)
@pytest.mark.parametrize("day", ["", "2026-01-01"])
@pytest.mark.parametrize("more", ["valsa | 70 | ", "valsa | 50 | on top"])
def test_shares_above_the_whole_are_refused_whatever_another_row_rests_on(elsewhere, day, more):
    drawn = f"""
        | payee | recording | share | base | from  | cap | above |
        | ana   | valsa     | 60    |      | {day} |     |       |
        | bia   | {more}           | {day} |     |       |
        | ana   | samba     | 50    |      |       | {OVER_PERIODS[elsewhere] or "| |"}
    """
    came_in, of_payees = sum_lines(lines("| recording | amount |\n| samba | 2.00 |\n| valsa | 2.00 |")), shares(drawn)
    rates, deals = {"BRL": Decimal(1)}, Deals(of_payees)
    settled = settle_deals([(came_in, rates)], deals, first_day=OCTOBER, last_day="2026-10-31", before=DealsBefore())
    assert bool(settled.tiers or settled.caps) is (elsewhere != "nothing"), "the row is one that rests on a period"
    with pytest.raises(UnsoundPlan, match=r"BRAUR2600002 \(2026-10-01\): 1[13]0\.0000 %"):
        allocate(came_in, deals, rates=rates, first_day=OCTOBER, settled=settled)


def test_contracts_that_follow_each_other_do_not_add_up_to_more_than_the_whole():
    found = share_out(
        """
        | recording | month   | amount |
        | samba     | 2026-06 | 1.00   |
        | samba     | 2026-10 | 2.00   |
        """,
        CONTRACTS,
    )
    assert same(found, "| payee | earned |\n| ana | 1 |\n| caio | 2 |")


HALF_OF_IT = inputs(
    [statement(lines("| recording | amount |\n| samba | 10.00 |\n| valsa | 3.00 |"))],
    payees=payees("ana"),
    shares=shares("| payee | recording | share |\n| ana | samba | 50 |"),
)


@pytest.mark.parametrize(
    ("rule", "result"),
    [
        (
            "hold",
            """
            | payee | kind      | amount | place   |
            | ana   | royalty   | 5.00   | planned |
            | owner | owner     | 5.00   | planned |
            |       | unmatched | 3.00   | held    |
            """,
        ),
        (
            "owner",
            """
            | payee | kind    | amount | place   |
            | ana   | royalty | 5.00   | planned |
            | owner | owner   | 8.00   | planned |
            """,
        ),
    ],
)
def test_lines_without_a_share_are_held_or_the_owner_s_as_the_job_says(rule, result):
    assert same(Office().under(unmatched=rule).compute_payables(HALF_OF_IT).obligations, result)


@pytest.mark.parametrize("rule", ["hold", "owner", "error"])
def test_a_line_silent_on_the_artist_of_a_release_that_several_share_out_is_held_whatever_the_job_says(rule):
    came = inputs(
        [statement(lines("| release | artist | amount |\n| Dia Claro |  | 10.00 |\n| Dia Claro | Lua | 4.00 |"))],
        payees=payees("ana", "bia"),
        shares=shares(
            """
            | payee | release   | artist | share |
            | ana   | Dia Claro | Lua    | 50    |
            | bia   | Dia Claro | Sol    | 50    |
            """
        ),
    )
    assert same(
        Office().under(unmatched=rule).compute_payables(came).obligations,
        """
        | payee | kind      | amount | place   |
        | ana   | royalty   | 2.00   | planned |
        | owner | owner     | 2.00   | planned |
        |       | unmatched | 10.00  | held    |
        """,
    )


def test_lines_without_a_share_may_be_an_error_that_names_them():
    with pytest.raises(UnsoundPlan, match="no share covers BRAUR2600002"):
        Office().under(unmatched="error").compute_payables(HALF_OF_IT)


def test_a_remainder_may_be_an_error_that_names_its_recording():
    with pytest.raises(UnsoundPlan, match="the shares leave a remainder in BRAUR2600001"):
        Office().under(owner="error").compute_payables(HALF_OF_IT)


def test_the_owner_s_part_of_returns_stays_with_the_owner_and_is_never_sent():
    office = Office()
    payables = office.compute_payables(
        inputs(
            [statement(lines("| recording | amount |\n| samba | 10.00 |\n| valsa | -3.00 |"))],
            payees=payees("ana"),
            shares=shares("| payee | recording | share |\n| ana | samba | 100 |\n| ana | valsa | 50 |"),
        )
    )
    assert same(
        payables.obligations,
        """
        | payee | kind    | amount | place   |
        | ana   | royalty | 8.50   | planned |
        | owner | owner   | -1.50  | owner   |
        """,
    )
    (batch,) = office.plan(payables).batches
    assert (batch.amount_cents, batch.owner_cents) == (850, 0)
