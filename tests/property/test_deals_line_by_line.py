"""Deals of any form come to what the obvious way comes to, line by line; and laws that hold whatever the deal is.

Varied: what lines say and are silent on, levels, conditions, bases, fractions, costs, their order. Held constant: one
month, one currency, days without limits.
"""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.intake.rules.inputs import sum_lines
from flows.royalties.rules.allocation import allocate, exact_cents_by
from flows.royalties.rules.deals import Deals
from schemas.errors import UnsoundPlan
from schemas.tables.royalties import asked_about
from tests.property.months import drawn
from tests.property.plain_deals import NoPlan, work_out
from tests.spec.tables import CPF, costs, lines, shares

MANY = settings(max_examples=settings.default.max_examples * 4)


def mostly(usual, *others):
    """A value that is mostly the usual one, so that rows of a deal meet each other on a line."""
    return st.sampled_from([usual] * 2 * len(others) + list(others))


ASKED = {
    "territory": mostly("", "BR", "Brasil or PT", "except BR"),
    "income": mostly("", "sync", "except sync or mecânico"),
    "service": mostly("", "Onda"),
    "format": mostly("", "except LP"),
}
SAID = {
    "territory": mostly("BR", "", "Brazil", "Portugal", "US"),
    "income": mostly("sync", "Mecânico", "outro", ""),
    "service": st.sampled_from(["Onda", "Praia"]),
    "format": st.sampled_from(["LP", "stream"]),
}
NAMES = {
    "recording": mostly("", "samba"),
    "release": mostly("", "Dia"),
    "artist": mostly("", "Lua", "Sol"),
}
CENTS = {"cents": st.integers(-5_000, 50_000)}
SHARE = {
    "payee": st.sampled_from(["ana", "bia", "caio"]),
    "share": st.sampled_from(["10", "20", "33.3333", "1/3", "1/7", "0.0001"]),
    "role": mostly("artista", ""),
    "base": mostly("", "on top", "artista", "% artista"),
}
COST = {
    "order": st.integers(0, 2), "payee": st.sampled_from(["", "davi", "edu"]), "share": SHARE["share"],
    "name": st.sampled_from(["estúdio", "Ecad"]),
}  # fmt: skip


def rows_of(*parts, least=1, most=5):
    """Rows of a table, numbered as it has them; each once, since a row written twice is held."""
    row = st.fixed_dictionaries({name: values for part in parts for name, values in part.items()})
    unique = st.lists(row, min_size=least, max_size=most, unique_by=lambda row: tuple(row.values()))
    return unique.map(lambda rows: [row | {"row": number} for number, row in enumerate(rows, start=2)])


def table_of(rows, *parts):
    columns = [name for part in parts for name in part]
    header = "| " + " | ".join("amount" if name == "cents" else name for name in columns) + " |"

    def cell(row, name):
        return f"{Decimal(row[name]).scaleb(-2)}" if name == "cents" else str(row[name])

    return drawn(header, [tuple(cell(row, name) for name in columns) for row in rows])


def worked_out(came_in, of_shares, of_costs):
    """What the program comes to, as the obvious way tells it."""
    named = {name: ("store" if name == "service" else name) for name in SAID}
    said = [{named.get(name, name): value for name, value in line.items()} for line in came_in]
    columns = ({named[name]: None for name in SAID}, NAMES, CENTS)
    shared, taken = shares(table_of(of_shares, SHARE, NAMES, ASKED)), costs(table_of(of_costs, COST, NAMES, ASKED))
    totals = sum_lines(lines(table_of(said, *columns)), asked_about([shared, taken]))
    found = allocate(totals, Deals(shared, taken), rates={"BRL": Decimal(1)}, first_day="2026-10-01").earnings
    people = {cpf: name for name, cpf in CPF.items()}
    kinds = {"owner": "owner", "unmatched": "held", "in question": "held"}
    sums = dict[str, Fraction]()
    for (tax_id, kind), cents in exact_cents_by(found, ["tax_id", "role_kind"]).items():
        whose = people.get(tax_id) or kinds[kind]
        sums[whose] = sums.get(whose, Fraction(0)) + cents
    return {name: cents for name, cents in sums.items() if cents}


LINES, SHARES = rows_of(SAID, NAMES, CENTS, most=4), rows_of(SHARE, NAMES, ASKED)
COSTS = rows_of(COST, NAMES, ASKED, least=0, most=3)
# Rows of all lines: each meets each, so that orders, bases and costs have what to take from.
OF_ALL = dict.fromkeys([*NAMES, *ASKED], st.just(""))
HALF = dict.fromkeys([*NAMES, *ASKED, "base"], "") | {"payee": "flora", "share": "50", "role": "artista", "row": 1}
SHARES_OF_ALL = rows_of(SHARE, OF_ALL, least=0, most=3).map(lambda rows: [HALF, *rows])
COSTS_OF_ALL = rows_of(COST, OF_ALL, least=2, most=4)


@MANY
@given(LINES, SHARES, COSTS)
def test_any_deal_comes_to_what_the_obvious_way_comes_to(came_in, of_shares, of_costs):
    assert_same(came_in, of_shares, of_costs)


@given(LINES, SHARES_OF_ALL, COSTS_OF_ALL)
def test_rows_that_all_meet_come_to_what_the_obvious_way_comes_to(came_in, of_shares, of_costs):
    assert_same(came_in, of_shares, of_costs)


def assert_same(came_in, of_shares, of_costs):
    try:
        expected = work_out(came_in, of_shares, of_costs)
    except NoPlan:
        expected = "no plan"
    try:
        found = worked_out(came_in, of_shares, of_costs)
    except UnsoundPlan:
        found = "no plan"
    if isinstance(found, str) or isinstance(expected, str):
        assert found == expected
        return
    # A share out of a role is parted among those who have it to the millionth, any other exactly.
    parted = sum(abs(line["cents"]) for line in came_in) if any(row["base"] == "artista" for row in of_shares) else 0
    for name in found.keys() | expected.keys():
        assert abs(found.get(name, 0) - expected.get(name, 0)) <= Fraction(parted, 1_000_000)


@pytest.mark.long
@given(LINES, SHARES, COSTS)
def test_all_is_given_to_somebody_exactly(came_in, of_shares, of_costs):
    try:
        found = worked_out(came_in, of_shares, of_costs)
    except UnsoundPlan:
        return
    assert sum(found.values()) == sum(line["cents"] for line in came_in)


@pytest.mark.long
@given(LINES, SHARES, COSTS, st.integers(0, 3), st.integers(-9_000, 9_000))
def test_cutting_a_line_in_two_changes_nothing(came_in, of_shares, of_costs, at, cents):
    line = came_in[at % len(came_in)]
    halves = [line | {"cents": cents}, line | {"cents": line["cents"] - cents}]
    cut = [other for other in came_in if other is not line] + halves
    assert or_none(came_in, of_shares, of_costs) == or_none(cut, of_shares, of_costs)


@pytest.mark.long
@given(LINES, SHARES, COSTS, st.randoms(use_true_random=False))
def test_the_order_of_lines_changes_nothing(came_in, of_shares, of_costs, random):
    shuffled = list(came_in)
    random.shuffle(shuffled)
    assert or_none(came_in, of_shares, of_costs) == or_none(shuffled, of_shares, of_costs)


def or_none(*deal):
    try:
        return worked_out(*deal)
    except UnsoundPlan:
        return None
