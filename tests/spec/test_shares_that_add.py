"""Shares that are added to others, names that must agree, and what a person is told of shares that shut others out."""

from decimal import Decimal
from fractions import Fraction

import pytest

from flows.intake.rules.inputs import sum_lines
from flows.payables.rules.cross_check import cross_check
from flows.royalties.rules.allocation import allocate, round_earnings
from flows.royalties.rules.deals import Deals
from schemas.errors import UnsoundPlan
from schemas.job import resolve_period
from schemas.messages import render
from schemas.parsing.row_rules import _base_of
from tests.spec.office import inputs, job, statement
from tests.spec.tables import CPF, lines, payees, same, shares

OCTOBER = "2026-10-01"
DEAL = """
    | payee | recording | artist | role    | share | base          |
    | ana   |           | Lua    | artista | 40    |               |
    | bia   |           | Lua    | artista | 20    |               |
    | caio  |           | Lua    | editora | 10    |               |
"""


def share_out(lines_drawn, shares_drawn):
    totals = sum_lines(lines(lines_drawn))
    return allocate(totals, Deals(shares(shares_drawn)), rates={"BRL": Decimal(1)}, first_day=OCTOBER).earnings


def of_samba(*more):
    """What 100 reais of samba, by Lua, come to with the deal and some more rows."""
    drawn = "| recording | artist | amount |\n| samba | Lua | 100.00 |"
    return share_out(drawn, "\n".join([DEAL.rstrip(), *more]))


def test_without_a_base_a_share_of_one_recording_takes_the_artists_deal_away():
    found = of_samba("| davi | samba | | produtor | 3 | |")
    assert same(found, "| payee | role | earned |\n| davi | produtor | 3 |\n| | owner | 97 |")


def test_on_top_a_share_is_added_to_the_group_that_covers_the_line_and_the_owner_has_less():
    found = of_samba("| davi | samba | | produtor | 3 | on top |")
    assert same(
        found,
        """
        | payee | role     | earned |
        | ana   | artista  | 40     |
        | bia   | artista  | 20     |
        | caio  | editora  | 10     |
        | davi  | produtor | 3      |
        |       | owner    | 27     |
        """,
    )


def test_out_of_a_role_a_share_takes_its_points_from_those_who_have_it_in_proportion():
    found = of_samba("| davi | samba | | produtor | 3 | artista |")
    assert same(
        found,
        """
        | payee | role     | earned |
        | ana   | artista  | 38     |
        | bia   | artista  | 19     |
        | caio  | editora  | 10     |
        | davi  | produtor | 3      |
        |       | owner    | 30     |
        """,
    )


def test_a_base_counts_for_every_line_its_row_names_and_for_those_alone():
    more = "| davi | samba | | produtor | 3 | on top |"
    drawn = "| recording | artist | amount |\n| valsa | Lua | 100.00 |"
    found = share_out(drawn, f"{DEAL.rstrip()}\n{more}")
    assert "produtor" not in set(found["role"])
    of_all = of_samba("| davi | | | empresário | 5 | on top |", "| edu | samba | | produtor | 3 | on top |")
    assert same(
        of_all[of_all["role"].isin(["empresário", "produtor", "owner"])],
        "| payee | role | earned |\n| davi | empresário | 5 |\n| edu | produtor | 3 |\n| | owner | 22 |",
    )


def test_thirds_of_a_role_give_up_points_to_the_last_millionth():
    deal = """
        | payee | recording | artist | role    | share   | base    |
        | ana   |           | Lua    | artista | 33.3333 |         |
        | bia   |           | Lua    | artista | 33.3333 |         |
        | caio  |           | Lua    | artista | 33.3334 |         |
        | davi  | samba     |        | mix     | 1       | artista |
    """
    found = share_out("| recording | artist | amount |\n| samba | Lua | 100.00 |", deal)
    assert sum(map(int, found["share_ppm"])) == 1_000_000
    assert set(found.loc[found["role"] == "artista", "share_ppm"]) <= {"329999", "330000", "330001"}


def test_on_top_of_everything_there_is_no_plan():
    whole = "| payee | artist | share | base |\n| ana | Lua | 100 | |\n| bia | Lua | 1 | on top |"
    with pytest.raises(UnsoundPlan, match="101"):
        share_out("| artist | amount |\n| Lua | 1.00 |", whole)


def test_a_share_on_top_of_nothing_covers_nothing():
    alone = "| payee | recording | share | base |\n| davi | samba | 3 | on top |"
    found = share_out("| recording | amount |\n| samba | 10.00 |", alone)
    assert same(found, "| payee | role | earned |\n| | unmatched | 10 |")


@pytest.mark.parametrize("role", ["intérprete", "editora"])
def test_points_out_of_a_role_that_nobody_has_or_that_has_less_hold_the_line(role):
    found = of_samba(f"| davi | samba | | produtor | 12 | {role} |")
    assert same(found, "| payee | role | earned |\n| | in question | 100 |")


NAMESAKES = """
    | payee | release | artist | share |
    | ana   | Ao Vivo | Lua    | 50    |
    | bia   | Ao Vivo | Sol    | 50    |
    | caio  |         |        | 10    |
"""


@pytest.mark.parametrize(
    ("release", "artist", "paid"),
    [
        ("Ao Vivo", "Lua", "| ana | 50 |\n| | 50 |"),
        ("ao vivo", "SOL", "| bia | 50 |\n| | 50 |"),
        ("Ao Vivo", "Mar", "| caio | 10 |\n| | 90 |"),  # neither of them: the catalogue's share
        ("Ao Vivo", "", "| | 100 |"),  # whose, the line does not say: held
        ("Ontem", "Lua", "| caio | 10 |\n| | 90 |"),
    ],
)
def test_everybody_has_a_live_album_release_and_artist_must_both_agree(release, artist, paid):
    drawn = f"| release | artist | amount |\n| {release} | {artist} | 100.00 |"
    assert same(share_out(drawn, NAMESAKES), f"| payee | earned |\n{paid}")


def test_a_line_that_names_no_artist_is_paid_where_only_one_artist_has_the_release():
    alone = "| payee | release | artist | share |\n| ana | Ao Vivo | Lua | 100 |"
    found = share_out("| release | amount |\n| Ao Vivo | 10.00 |", alone)
    assert same(found, "| payee | earned |\n| ana | 10 |")


def test_a_recording_on_two_products_is_shared_by_the_product_where_rows_name_both():
    two = """
        | payee | recording | product | share |
        | ana   | samba     | single  | 100   |
        | bia   | samba     | album   | 100   |
    """
    drawn = "| recording | product | amount |\n| samba | album | 10.00 |"
    assert same(share_out(drawn, two), "| payee | earned |\n| bia | 10 |")


def test_an_artist_written_beside_a_code_is_for_the_eye_and_takes_nothing_from_anybody():
    beside = "| payee | recording | artist | share |\n| ana | samba | Lua | 100 |"
    drawn = "| recording | artist | amount |\n| samba | Lua feat. Sol | 10.00 |"
    assert same(share_out(drawn, beside), "| payee | earned |\n| ana | 10 |")


@pytest.mark.parametrize(
    ("written", "base"),
    [
        ("", ""),
        ("Por fora", "on top"),
        ("a mais", "on top"),
        ("On top", "on top"),
        ("da parte do Artista", "artista"),
        ("da parte de  Intérprete  Principal", "intérprete principal"),
        ("out of artist", "artist"),
        ("sobre o líquido", None),
    ],
)
def test_the_base_is_read_as_people_write_it(written, base):
    assert _base_of(written) == base


def told(shares_drawn, lines_drawn):
    """What a person is told of the shares: code, row, and what it says, in English."""
    came_in = inputs(
        [statement(lines(lines_drawn))],
        shares=shares(shares_drawn),
        payees=payees("ana", "bia", "caio", "davi", "edu"),
    )
    found = cross_check(came_in, job(), resolve_period("2026-10", None)).issues
    return [(issue.code.value, issue.row, render(issue.message, "en")) for issue in found]


SAMBA_AND_VALSA = "| recording | artist | amount |\n| samba | Lua | 1.00 |\n| valsa | Lua | 1.00 |"


def test_a_share_that_a_narrower_one_shuts_out_is_told_once_with_what_it_loses():
    narrower = DEAL.rstrip() + "\n| ana | samba | | produtor | 3 | |\n| ana | valsa | | produtor | 3 | |"
    found = told(narrower, SAMBA_AND_VALSA)
    assert [(code, row) for code, row, _ in found] == [("SHARE_SHUT_OUT", 3), ("SHARE_SHUT_OUT", 4)]
    assert "BRAUR2600001, BRAUR2600002" in found[0][2]


def test_nobody_is_told_of_shares_on_top_or_of_payees_who_have_a_part_all_the_same():
    assert told(DEAL.rstrip() + "\n| davi | samba | | produtor | 3 | on top |", SAMBA_AND_VALSA) == []


def test_thirds_that_miss_the_whole_by_a_hair_are_told_with_their_sum():
    thirds = "\n".join(
        ["| payee | recording | share |", *(f"| {name} | samba | 33.33 |" for name in ("ana", "bia", "caio"))]
    )
    found = told(thirds, "| recording | amount |\n| samba | 1.00 |")
    assert [(code, row) for code, row, _ in found] == [("SHARE_NEARLY_WHOLE", 2)]
    assert "99.9900 %" in found[0][2]


def test_a_role_that_nobody_has_is_told_as_a_problem():
    found = told(DEAL.rstrip() + "\n| davi | samba | | produtor | 3 | intérprete |", SAMBA_AND_VALSA)
    assert [code for code, _, _ in found] == ["SHARE_ROLE"]
    assert "intérprete" in found[0][2]


@pytest.mark.parametrize("share", ["1/3", "2/3", "1/7", "139/1000"])
def test_a_share_may_be_a_fraction_and_the_parts_of_what_is_parted_wholly_are_the_whole(share):
    left = str(1 - Fraction(share))
    found = share_out("| amount |\n| 100.00 |\n| 0.01 |", f"| payee | share |\n| ana | {share} |\n| bia | {left} |")
    rounded = round_earnings(found)
    assert sum(rounded.payees.values()) == 10_001
    assert rounded.owner_cents == 0
    assert abs(rounded.payees[CPF["ana"]] - 10_001 * Fraction(share)) < 1


def test_three_thirds_leave_nothing_and_nobody_is_warned():
    thirds = "\n".join(
        ["| payee | recording | share |", *(f"| {name} | samba | 1/3 |" for name in ("ana", "bia", "caio"))]
    )
    assert told(thirds, "| recording | amount |\n| samba | 1.00 |") == []
    found = share_out("| recording | amount |\n| samba | 1.00 |", thirds)
    assert round_earnings(found).payees == {CPF["ana"]: 34, CPF["bia"]: 33, CPF["caio"]: 33}


def test_of_the_part_of_a_role_a_share_is_of_what_that_role_gets_and_comes_out_of_it():
    found = of_samba("| davi | samba | | empresário | 20 | % artista |")
    assert same(
        found,
        """
        | payee | role       | earned |
        | ana   | artista    | 32     |
        | bia   | artista    | 16     |
        | caio  | editora    | 10     |
        | davi  | empresário | 12     |
        |       | owner      | 30     |
        """,
    )


def test_two_shares_of_one_part_are_taken_one_after_the_other_in_the_order_of_the_table():
    found = of_samba("| davi | samba | | empresário | 50 | % artista |", "| edu | samba | | agente | 50 | % artista |")
    assert same(
        found[found["role"].isin(["empresário", "agente"])],
        "| payee | role | earned |\n| davi | empresário | 30 |\n| edu | agente | 15 |",
    )
    found = of_samba("| edu | samba | | agente | 50 | % artista |", "| davi | samba | | empresário | 50 | % artista |")
    assert same(found[found["role"] == "agente"], "| payee | role | earned |\n| edu | agente | 30 |")


def test_what_is_out_of_a_role_goes_before_what_is_of_its_part():
    found = of_samba("| davi | samba | | produtor | 20 | artista |", "| edu | samba | | agente | 50 | % artista |")
    assert same(
        found[found["role"].isin(["produtor", "agente"])],
        "| payee | role | earned |\n| davi | produtor | 20 |\n| edu | agente | 20 |",
    )


def test_of_the_part_of_a_role_that_nobody_has_the_line_is_held():
    found = of_samba("| davi | samba | | empresário | 20 | % intérprete |")
    assert set(found["role"]) == {"in question"}
