"""Deals with everything at once, over months in any order and again, come to what the obvious way comes to.

After every run of a month what everybody has, what is held and what is kept in reserve is compared, exactly. Varied:
what rows are of, bases, tiers of money and units, retroactive ones, caps, reserves, costs of amounts, percentages with
caps and days, prices, lines of less than nothing and of nobody, months that come late, run again or bring something
else. Held constant: one series, one currency, no advances and guarantees.
"""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.intake.rules.inputs import sum_lines
from flows.royalties.rules.allocation import allocate, exact_cents_by
from flows.royalties.rules.deals import Deals
from flows.royalties.rules.deals_over_periods import settle_deals
from schemas.deal_sums import DealsBefore, DealSumKind, joined_sums
from schemas.job import resolve_period
from schemas.tables.royalties import asked_about
from tests.property.months import drawn
from tests.property.plain_deals import ASKED, NAMED
from tests.property.plain_months import PlainMonths
from tests.property.test_deals_line_by_line import mostly
from tests.spec.tables import CPF, costs, lines, shares

pytestmark = pytest.mark.long
BLANK = dict.fromkeys((*NAMED, *ASKED), "")
PAYEES = st.sampled_from(["ana", "bia", "caio"])
SELDOM = st.integers(0, 2).map(lambda drawn: drawn == 0)
PERCENT = st.sampled_from(["5", "10", "12.5", "1/7"])
MONEY = st.integers(1, 300).map(lambda reais: reais * 100)
OF = {
    "recording": mostly("", "samba"),
    "artist": mostly("", "Lua"),
    "territory": mostly("", "BR"),
}


EDGES = st.just([]) | st.lists(st.integers(1, 300), min_size=1, max_size=2, unique=True).map(sorted)
CAP, AMOUNT = st.just("") | MONEY, MONEY
LINE = st.fixed_dictionaries(
    {
        "recording": mostly("samba", "valsa"),
        "release": st.just(""),
        "artist": mostly("Lua", "Sol"),
        "territory": mostly("BR", "PT", ""),
        "income": st.just(""),
        "service": st.just(""),
        "format": st.just(""),
        "cents": st.integers(-5_000, 20_000),
        "units": st.integers(-20, 300),
        "price": mostly("20", "1.5", "0", ""),
    }
)
# A month and what it brings; the same month may come again, with the same or something else.
RUNS = st.lists(st.tuples(st.integers(1, 8), st.lists(LINE, min_size=1, max_size=3)), min_size=1, max_size=8)


def told(cents):
    """Centavos as sheets have them; "" for none."""
    return "" if cents == "" else f"{Decimal(cents).scaleb(-2)}"


@st.composite
def share_rows(draw):
    """The rows of one share: one without tiers, or those of a ladder."""
    of = {name: draw(values) for name, values in OF.items()}
    by_unit = draw(SELDOM)
    base = draw(mostly("", "on top")) if by_unit else draw(mostly("", "on top", "artista", "% artista"))
    row = (
        BLANK
        | of
        | {"payee": draw(PAYEES), "base": base, "role": "empresário" if base else draw(mostly("artista", ""))}
    )
    edges, in_units = draw(EDGES), draw(st.booleans())
    is_retroactive = bool(edges) and draw(SELDOM)
    if is_retroactive:  # what is owed of everything so far is of what the tier is of
        edges, in_units = edges[:1], by_unit
    bounds = ["", *(edge if in_units else edge * 100 for edge in edges), ""]
    tiers = list(pairwise(bounds))[1 if is_retroactive else 0 :]
    rates = st.sampled_from(["0.10/un", "1/un", "10/price"]) if by_unit else PERCENT
    measure = "un" if edges and in_units else ""
    return [
        row
        | {"share": draw(rates), "above": low, "below": high, "measure": measure, "retroactive": is_retroactive}
        | {"cap": draw(CAP), "reserve": draw(mostly("", "20"))}
        for low, high in tiers
    ]


def what_tells_ladders_apart(rows):
    """What the rows of two shares must not agree in: such rows are held, as written twice."""
    return tuple(rows[0][name] for name in ("payee", "role", "base", *OF))


def numbered(rows):
    return [row | {"row": number} for number, row in enumerate(rows, start=2)]


SHARES = st.lists(share_rows(), min_size=1, max_size=4, unique_by=what_tells_ladders_apart).map(
    lambda shares: numbered([row for rows in shares for row in rows])
)


@st.composite
def cost_rows(draw):
    rows = []
    for name in draw(st.lists(st.sampled_from("abc"), max_size=3, unique=True)):
        is_amount = draw(st.booleans())
        rows.append(
            BLANK
            | {column: draw(values) for column, values in OF.items()}
            | {"name": name, "order": draw(st.integers(0, 2)), "payee": draw(st.sampled_from(["", "davi"]))}
            | {"share": "" if is_amount else draw(PERCENT), "amount": draw(MONEY) if is_amount else ""}
            | {"cap": "" if is_amount else draw(CAP), "date": draw(mostly("", "2026-03-10"))}
        )
    return numbered(rows)


def sheet_of(rows, *columns, **written):
    header = "| " + " | ".join((*columns, *written)) + " |"
    return drawn(header, [(*(row[name] for name in columns), *(of(row) for of in written.values())) for row in rows])


def shares_of(rows):
    def bound(name, row):
        stated = row[name]
        text = "" if stated == "" else f"{stated} un" if row["measure"] else told(stated)
        return f"{text} retroactive" if row["retroactive"] and text and name == "above" else text

    return shares(
        sheet_of(
            [{"contract": ""} | row for row in rows], "payee", "share", "role", "base", *OF, "reserve", "contract",
            above=lambda row: bound("above", row), below=lambda row: bound("below", row),
            cap=lambda row: told(row["cap"]), given_back=lambda row: "1000000" if row["reserve"] else "",
        )
    )  # fmt: skip


def costs_of(rows):
    amounts = {name: (lambda row, name=name: told(row[name])) for name in ("amount", "cap")}
    return costs(sheet_of(rows, "name", "order", "payee", "share", "date", *OF, **amounts))


class ProgramMonths:
    """The same months through the program's rules, whose sums of each month are what it posts."""

    def __init__(self, of_shares, of_costs):
        self.shares, self.costs, self.posted = shares_of(of_shares), costs_of(of_costs), {}

    def run(self, month, came_in):
        period = resolve_period(f"2026-{month:02}", None)
        first_day, last_day = period.start.isoformat(), period.end.isoformat()
        frame = lines(
            sheet_of(
                came_in, "recording", "artist", "territory", "units", "price", amount=lambda row: told(row["cents"])
            )
        )
        totals = sum_lines(frame, asked_about([self.shares, self.costs]))
        deals = Deals(self.shares, self.costs)
        settled = settle_deals(
            [(totals, RATES)], deals,
            first_day=first_day, last_day=last_day, before=self._before(month),
        )  # fmt: skip
        earnings = allocate(totals, deals, rates=RATES, first_day=first_day, settled=settled).earnings
        found = {}
        for (tax_id, role), cents in exact_cents_by(earnings, ["tax_id", "role"]).items():
            whose = PEOPLE.get(tax_id) or {"unmatched": "held", "in question": "held"}.get(role, "owner")
            found[whose] = found.get(whose, Fraction(0)) + cents
        self.posted[month] = settled.sums
        return {name: cents for name, cents in found.items() if cents}

    def kept(self, month):
        """Payee -> what is kept in reserve of a month, in centavos."""
        sums = self.posted[month].items()
        return {PEOPLE[name.payee]: kept * 100 for name, kept in sums if name.kind is DealSumKind.KEPT and kept}

    def _before(self, month):
        earlier, others = {}, {}
        for other, sums in self.posted.items():
            others = joined_sums(others, sums) if other != month else others
            earlier = joined_sums(earlier, sums) if other < month else earlier
        return DealsBefore(earlier, others)


RATES, PEOPLE = {"BRL": Decimal(1)}, {cpf: name for name, cpf in CPF.items()}


@settings(max_examples=settings.default.max_examples * 4)
@given(SHARES, cost_rows(), RUNS)
def test_any_deal_over_months_comes_to_what_the_obvious_way_comes_to(of_shares, of_costs, runs):
    plain, program = PlainMonths(of_shares, of_costs), ProgramMonths(of_shares, of_costs)
    for month, came_in in runs:
        assert program.run(month, came_in) == plain.run(month, came_in)
        kept = {name[1]: cents for name, cents in plain.sums[month].items() if name[0] == "kept"}
        assert program.kept(month) == kept


@given(SHARES, cost_rows(), RUNS)
def test_a_month_run_again_comes_to_the_same_whatever_ran_between_its_own_two_runs_and_nothing_is_lost(
    of_shares, of_costs, runs
):
    program = ProgramMonths(of_shares, of_costs)
    for month, came_in in runs:
        found = program.run(month, came_in)
        assert sum(found.values()) == sum(line["cents"] for line in came_in)
        assert program.run(month, came_in) == found
