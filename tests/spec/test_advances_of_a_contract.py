"""What an advance is recouped from: a contract, a release, an artist, a recording, a part of it.

Varied: what scopes name and how they overlap, the order of advances, what is earned elsewhere, and that something was
lost there. Held constant: one payee, one month, nothing paid before (tests/flows/test_deals.py goes through months).
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.spec.office import Office, inputs, statement
from tests.spec.tables import CPF, advances, lines, payees, shares

ANA = CPF["ana"]
TWO_CONTRACTS = """
    | payee | artist | share | contract |
    | ana   | Lua    | 100   | 1        |
    | ana   | Sol    | 100   | 2        |
"""


def recouped(came_in, advances_drawn, shares_drawn=TWO_CONTRACTS):
    payables = Office().under(minimum_payout="0").compute_payables(
        inputs(
            [statement(lines(came_in))], payees=payees("ana"), shares=shares(shares_drawn),
            advances=advances(advances_drawn),
        )
    )  # fmt: skip
    assert {payee for payee, _ in payables.royalties.recouped} <= {ANA}
    (payable,) = payables.balances["payable_cents"]
    return {name: cents for (_, name), cents in payables.royalties.recouped.items()}, payable


LUA_AND_SOL = "| recording | artist | release | amount |\n| samba | Lua | Dia | 20.00 |\n| valsa | Sol | Dia | 220.00 |"


def test_each_contract_pays_its_own_advance_back_and_no_other():
    drawn = "| payee | amount | contract |\n| ana | 200.00 | 1 |\n| ana | 200.00 | 2 |"
    assert recouped(LUA_AND_SOL, drawn) == ({"|contract=1": 2000, "|contract=2": 20_000}, 2000)


def test_without_a_contract_both_are_recouped_from_everything():
    drawn = "| payee | amount | reference |\n| ana | 200.00 | a |\n| ana | 200.00 | b |"
    assert recouped(LUA_AND_SOL, drawn) == ({"a": 20_000, "b": 4000}, 0)


@pytest.mark.parametrize(
    ("named", "taken"),
    [
        ("| artist |\n| LUA |", 2000), ("| release |\n| dia |", 24_000), ("| artist | contract |\n| Sol | 2 |", 22_000),
        ("| artist | contract |\n| Sol | 1 |", 0), ("| recording | release |\n| valsa | Dia |", 22_000),
        ("| recording | release |\n| valsa | Noite |", 0),
    ],
)  # fmt: skip
def test_what_a_scope_names_must_all_be_the_lines_own(named, taken):
    header, row = named.split("\n")
    found, _ = recouped(LUA_AND_SOL, f"| payee | amount {header}\n| ana | 999.00 {row}")
    assert sum(found.values()) == taken


def test_a_part_of_what_was_earned_is_taken_for_each_advance_and_the_rest_is_paid():
    drawn = "| payee | amount | part | contract |\n| ana | 200.00 | 50 | 2 |\n| ana | 200.00 | 1/3 | 1 |"
    assert recouped(LUA_AND_SOL, drawn) == ({"|contract=1": 666, "|contract=2": 11_000}, 24_000 - 11_666)
    assert recouped(LUA_AND_SOL, "| payee | amount | part |\n| ana | 200.00 | 50 |") == ({"": 12_000}, 12_000)


def test_two_advances_of_one_recording_and_of_its_contract_take_the_same_money_once():
    drawn = """
        | payee | amount | date       | recording | contract |
        | ana   | 15.00  | 2026-01-01 | samba     |          |
        | ana   | 100.00 | 2026-02-01 |           | 1        |
    """
    assert recouped(LUA_AND_SOL, drawn)[0] == {"|BRAUR2600001": 1500, "|contract=1": 500}


def test_where_two_scopes_overlap_each_takes_first_where_the_other_may_not():
    drawn = """
        | payee | amount | date       | release | artist |
        | ana   | 220.00 | 2026-01-01 | Dia     |        |
        | ana   | 100.00 | 2026-02-01 |         | Lua    |
    """
    assert recouped(LUA_AND_SOL, drawn)[0] == {"|release=dia": 22_000, "|artist=lua": 2000}


def test_what_was_lost_within_a_contract_pays_nothing_back_and_what_was_lost_elsewhere_leaves_less():
    lost = "| artist | amount |\n| Lua | 50.00 |\n| Sol | -20.00 |"
    drawn = "| payee | amount | contract |\n| ana | 100.00 | 1 |\n| ana | 100.00 | 2 |"
    assert recouped(lost, drawn) == ({"|contract=1": 3000}, 0)


CENTAVOS = st.integers(-5_000, 20_000)


@settings(max_examples=settings.default.max_examples // 4)
@given(st.lists(st.tuples(st.sampled_from(["Lua", "Sol"]), CENTAVOS), min_size=1, max_size=6), st.integers(1, 30_000))
def test_one_contract_for_all_changes_nothing(came_in, advanced):
    drawn = "\n".join(["| artist | amount |", *(f"| {artist} | {cents / 100:.2f} |" for artist, cents in came_in)])
    of_all = f"| payee | amount | reference |\n| ana | {advanced / 100:.2f} | a |"
    of_one = f"| payee | amount | reference | contract |\n| ana | {advanced / 100:.2f} | a | Único |"
    one = "| payee | share | contract |\n| ana | 33.3333 | único |"
    (without, paid), (within, paid_within) = recouped(drawn, of_all, one), recouped(drawn, of_one, one)
    assert (list(without.values()), paid) == (list(within.values()), paid_within)
