"""Laws of deals that rest on several months: however months cut what came in, it comes to what all of it comes to.

Each law is a sentence of the rules page, and holds for drawn months, some of them of less than nothing. Varied: how
the money is cut into months, lines and statements, the order of lines, bounds, rates, measure. Held constant: months
that are settled in their order, one currency.
"""

import datetime as dt
from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.intake.rules.inputs import sum_lines
from flows.royalties.rules.allocation import allocate, exact_cents_by
from flows.royalties.rules.deals import Deals
from flows.royalties.rules.deals_over_periods import settle_deals
from flows.royalties.rules.reserves import reserves_of
from schemas.deal_sums import DealsBefore, DealSum, DealSumKind, joined_sums
from schemas.job import resolve_period
from schemas.parsing.table import empty_of
from schemas.tables.royalties import Costs
from tests.spec.tables import NAMES, costs, lines, shares

pytestmark = pytest.mark.long
CENTAVOS = st.integers(-5_000, 20_000)
# Months of lines; each line is an amount in centavos and its units.
LINES = st.lists(st.tuples(CENTAVOS, st.integers(0, 300)), min_size=1, max_size=3)
MONTHS = st.lists(LINES, min_size=1, max_size=4)
RATES = {"BRL": 1}


def drawn(of_month):
    rows = [f"| samba | {cents / 100:.2f} | {units} |" for cents, units in of_month]
    return lines("\n".join(["| recording | amount | units |", *rows]))


def settled_months(months, shares_drawn, costs_drawn=""):
    """Settle months one after the other; yields what each payee and the owner has of each, and its sums."""
    of_payees = shares(shares_drawn)
    taken = costs(costs_drawn) if costs_drawn else empty_of(Costs)
    before = DealsBefore()
    for number, of_month in enumerate(months, start=1):
        period = resolve_period(f"2026-{number:02}", None)
        statements = of_month if isinstance(of_month[0], list) else [of_month]
        totals = [sum_lines(drawn(statement)) for statement in statements]
        first_day, last_day = period.start.isoformat(), period.end.isoformat()
        deals = Deals(of_payees, taken)
        settled = settle_deals(
            [(total, RATES) for total in totals], deals,
            first_day=first_day, last_day=last_day, before=before,
        )  # fmt: skip
        found = defaultdict(Fraction)
        for total in totals:
            allocated = allocate(total, deals, rates=RATES, first_day=first_day, settled=settled)
            by_role = exact_cents_by(allocated.earnings, ["tax_id", "role"])
            for (tax_id, role), cents in by_role.items():
                found[NAMES[tax_id] or role] += cents
        yield found, settled.sums
        everything = joined_sums(before.others, settled.sums)
        before = DealsBefore(everything, everything, (*before.periods, (period.start, settled.sums)))


def all_months(*tables, **more):
    """What everybody has of all months together, in exact centavos."""
    together = defaultdict(Fraction)
    for found, _ in settled_months(*tables, **more):
        for whose, cents in found.items():
            together[whose] += cents
    return together


def came_in(months):
    return sum(cents for of_month in months for cents, _ in of_month)


BOUNDS = st.lists(st.integers(1, 300), min_size=1, max_size=3, unique=True).map(sorted)


def ladder(bounds, rates, measure=""):
    """Tiers of Ana, one above the other; `measure` stands behind each bound."""
    edges = ["", *(f"{bound}{measure}" for bound in bounds), ""]
    rows = [f"| ana | {rate} | {low} | {high} |" for rate, low, high in zip(rates, edges, edges[1:], strict=False)]
    return "\n".join(["| payee | share | above | below |", *rows])


@given(MONTHS, BOUNDS, st.permutations([5, 10, 20, 50]))
def test_tiers_of_money_come_to_the_same_however_the_money_is_cut_into_months(months, bounds, rates):
    edges = [None, *(bound * 100 for bound in bounds), None]
    total, expected = came_in(months), Fraction(0)
    for rate, low, high in zip(rates, edges, edges[1:], strict=False):
        # From nothing to the total, forwards or backwards: the stretch of the way that lies in the tier.
        first, last = min(0, total), max(0, total)
        stretch = (last if high is None else min(last, high)) - (first if low is None else max(first, low))
        expected += Fraction(rate, 100) * max(0, stretch) * (1 if total >= 0 else -1)
    assert all_months(months, ladder(bounds, rates))["ana"] == expected


@given(MONTHS, BOUNDS, BOUNDS)
def test_the_ladders_of_two_payees_do_not_know_of_each_other(months, of_ana, of_bia):
    alone = [ladder(bounds, [5, 10, 20, 50]) for bounds in (of_ana, of_bia)]
    rows_of_bia = alone[1].replace("| ana |", "| bia |").partition("\n")[2]
    together = all_months(months, f"{alone[0]}\n{rows_of_bia}")
    assert [together["ana"], together["bia"]] == [all_months(months, table)["ana"] for table in alone]


@given(MONTHS, st.integers(1, 300), st.integers(1, 100))
def test_a_retroactive_tier_gives_its_part_of_everything_once_it_is_reached_and_nothing_before(months, bound, rate):
    table = f"| payee | share | above |\n| ana | {rate} | {bound} retroactive |"
    total = came_in(months)
    assert all_months(months, table)["ana"] == (Fraction(rate, 100) * total if total >= bound * 100 else 0)


@given(MONTHS, BOUNDS)
def test_money_a_unit_in_tiers_of_units_comes_to_the_same_however_units_are_cut_into_months(months, bounds):
    units = sum(count for of_month in months for _, count in of_month)
    edges = [0, *bounds, 10**9]
    table = ladder(bounds, ["0.10/un", "0.30/un", "0.07/un", "1/un"], " un")
    paid = zip([10, 30, 7, 100], edges, edges[1:], strict=False)
    expected = sum(cents * max(0, min(units, high) - low) for cents, low, high in paid)
    assert all_months(months, table)["ana"] == expected


@given(MONTHS, st.integers(1, 99), st.integers(1, 200))
def test_a_cap_is_never_passed_and_the_owner_has_what_is_beyond(months, rate, cap):
    given_so_far = Fraction(0)
    for found, _ in settled_months(months, f"| payee | share | cap |\n| ana | {rate} | {cap} |"):
        given_so_far += found["ana"]
        assert given_so_far <= cap * 100
    together = all_months(months, f"| payee | share | cap |\n| ana | {rate} | {cap} |")
    assert together["ana"] + together["owner"] == came_in(months)
    if all(sum(cents for cents, _ in of_month) >= 0 for of_month in months):
        assert together["ana"] == min(Fraction(rate, 100) * came_in(months), cap * 100)


@given(MONTHS, st.integers(1, 300), st.integers(1, 300), st.integers(1, 100))
def test_costs_of_an_amount_are_recovered_once_in_order_and_never_more_than_there_is(months, first, second, rate):
    of_costs = f"| order | name | amount | payee |\n| 1 | a | {first} | bia |\n| 2 | b | {second} | caio |"
    together = all_months(months, f"| payee | share |\n| ana | {rate} |", of_costs)
    assert together["bia"] <= first * 100
    assert together["caio"] <= second * 100
    assert sum(together.values()) == came_in(months)
    if all(sum(cents for cents, _ in of_month) >= 0 for of_month in months):
        total = came_in(months)
        left = max(0, total - first * 100)
        if len(months) == 1:
            assert (together["bia"], together["caio"]) == (min(total, first * 100), min(left, second * 100))
            rest = total - together["bia"] - together["caio"]
            assert together["ana"] == rest * Fraction(rate, 100)
        assert together["bia"] == min(total, first * 100)


@given(MONTHS, st.integers(1, 100), st.integers(1, 100))
def test_two_rows_of_one_cost_are_recovered_as_one_and_no_row_twice(months, first, second):
    shares_drawn = "| payee | share |\n| ana | 50 |"
    apart = f"| name | amount |\n| studio | {first} |\n| studio | {second} |"
    together = f"| name | amount |\n| studio | {first + second} |"
    assert all_months(months, shares_drawn, apart) == all_months(months, shares_drawn, together)


DEAL = (
    "| payee | share | above | below | cap | role |\n| ana | 20 |  | 60 |  | banda |\n| ana | 40 | 60 |  |  | banda |\n"
    "| bia | 10 |  |  | 9 | |\n| caio | 0.05/un | 100 un |  |  | |\n| davi | 5 | 20 |  |  | banda |"
)
OF_COSTS = "| order | name | share | amount | cap |\n| 1 | a | 10 |  | 7 |\n| 2 | b |  | 25 |  |\n| 3 | c | 1/3 |  |  |"


def exactly(months, *tables):
    return [(dict(found), dict(sums)) for found, sums in settled_months(months, *tables)]


@given(MONTHS, st.randoms(use_true_random=False))
def test_no_order_of_lines_and_no_cut_into_lines_or_statements_changes_anything(months, draw):
    as_drawn = exactly(months, DEAL, OF_COSTS)
    assert exactly([draw.sample(of_month, len(of_month)) for of_month in months], DEAL, OF_COSTS) == as_drawn
    cut = [[part for cents, units in of_month for part in ((cents - 7, units), (7, 0))] for of_month in months]
    assert exactly(cut, DEAL, OF_COSTS) == as_drawn
    apart = [[[line] for line in of_month] for of_month in months]
    assert exactly(apart, DEAL, OF_COSTS) == as_drawn


@given(MONTHS)
def test_nothing_is_lost_between_costs_parts_and_owner(months):
    for (found, _), of_month in zip(settled_months(months, DEAL, OF_COSTS), months, strict=True):
        assert sum(found.values()) == came_in([of_month])


@given(MONTHS)
def test_what_bounds_nothing_changes_nothing(months):
    plain = all_months(months, "| payee | share |\n| ana | 30 |")
    for columns, cells in (("above", "0"), ("below", "99999999"), ("cap", "99999999"), ("above", "0 un")):
        assert all_months(months, f"| payee | share | {columns} |\n| ana | 30 | {cells} |") == plain
    not_yet = "| name | amount | date |\n| a | 50 | 2027-01-01 |"
    assert all_months(months, "| payee | share |\n| ana | 30 |", not_yet) == plain


RELEASES = st.sampled_from(["1000000", "500000,500000", "333333,333333,333334", "0,1000000", "250000,0,750000"])


@given(st.lists(st.integers(0, 100_00), min_size=1, max_size=6), RELEASES)
def test_a_reserve_is_given_back_whole_and_nothing_is_given_that_was_not_kept(kept, release):
    name = DealSum(DealSumKind.KEPT, "ana", release)
    sums = [{name: Fraction(cents, 300)} for cents in kept]
    given_back, in_reserve = 0, 0
    for number in range(len(kept) + 4):
        period = resolve_period(f"2026-{number + 1:02}", None)
        earlier = tuple((dt.date(2026, month, 1), of_month) for month, of_month in enumerate(sums[:number], start=1))
        here = sums[number] if number < len(sums) else {}
        reserve = reserves_of(DealsBefore({}, {}, earlier), here, period).get("ana")
        if reserve is not None:
            given_back, in_reserve = given_back + reserve.due_cents, in_reserve + reserve.kept_cents
            assert reserve.open_cents == in_reserve - given_back >= 0
    assert given_back == in_reserve == sum(round(Fraction(cents, 3)) for cents in kept)
