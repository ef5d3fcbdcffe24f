"""Costs off the top: taken from lines before they are shared out, row after row, for the owner or for a payee.

Varied: order, scope, conditions, whose a cost is, what is read badly. Held constant: percentages, one currency.
"""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.intake.rules.inputs import in_question, sum_lines
from flows.payables.rules.cross_check import cross_check
from flows.royalties.rules.allocation import allocate, exact_cents_by, round_earnings
from flows.royalties.rules.deals import Deals
from schemas.issues import Severity
from schemas.job import resolve_period
from schemas.tables.royalties import asked_about
from tests.schemas.sheets import codes, parse
from tests.spec.office import inputs, job, statement
from tests.spec.tables import CPF, costs, lines, payees, shares

OCTOBER = "2026-10-01"
HALVES = "| payee | share |\n| ana | 75 |\n| bia | 25 |"


def share_out(lines_drawn, costs_drawn, shares_drawn=HALVES, held=None):
    of_payees, taken = shares(shares_drawn), costs(costs_drawn)
    totals = sum_lines(lines(lines_drawn), asked_about([of_payees, taken]))
    deals = Deals(of_payees, taken, costs_in_question=held)
    return allocate(totals, deals, rates={"BRL": Decimal(1)}, first_day=OCTOBER).earnings


def cents(earnings):
    """What everybody has: names of payees, "owner", "held"; in exact centavos, as text."""
    names = {cpf: name for name, cpf in CPF.items()}
    kinds = {"owner": "owner", "unmatched": "held", "in question": "held"}
    found = exact_cents_by(earnings, ["tax_id", "role_kind"])
    return {names.get(tax_id) or kinds[kind]: str(sum_) for (tax_id, kind), sum_ in found.items()}


HUNDRED = "| recording | artist | territory | amount |\n| samba | Lua | BR | 60.00 |\n| valsa | Sol | US | 40.00 |"


def test_the_owner_keeps_a_percentage_and_the_rest_is_shared_out():
    found = cents(share_out(HUNDRED, "| name | share |\n| administração | 10 |"))
    assert found == {"owner": "1000", "ana": "6750", "bia": "2250"}


def test_what_a_cost_takes_for_a_payee_is_theirs_beside_their_share():
    found = share_out(HUNDRED, "| name | share | payee |\n| estúdio | 10 | bia |")
    assert cents(found) == {"ana": "6750", "bia": "3250"}
    assert set(found[found["tax_id"] == CPF["bia"]]["role"]) == {"estúdio", ""}


@pytest.mark.parametrize(
    ("order", "owner"),
    [
        ("| 1 | a | 50 |\n| 2 | b | 10 |", "5500"),
        ("| 2 | a | 50 |\n| 1 | b | 10 |", "5500"),
        ("| 0 | a | 50 |\n| 0 | b | 10 |\n| 0 | c | 1/3 |", "7000"),
    ],
)
def test_each_cost_takes_of_what_those_before_have_left(order, owner):
    assert cents(share_out(HUNDRED, f"| order | name | share |\n{order}"))["owner"] == owner


def test_the_first_in_order_is_taken_first_whatever_row_it_stands_in():
    drawn = "| order | name | share | payee |\n| 2 | a | 50 | ana |\n| 1 | b | 10 | bia |"
    found = cents(share_out(HUNDRED, drawn, "| payee | share |\n| caio | 100 |"))
    assert found == {"bia": "1000", "ana": "4500", "caio": "4500"}


@pytest.mark.parametrize(
    ("named", "owner"),
    [
        ("| recording |\n| samba |", "600"), ("| artist |\n| sol |", "400"),
        ("| territory |\n| except Brasil |", "400"),
        ("| artist | territory |\n| Lua | US |", "0"), ("| artist | territory |\n| Lua | br |", "600"),
        ("| recording | artist |\n| samba | Sol |", "600"),  # beside a code an artist is for the eye, as in shares
    ],
)  # fmt: skip
def test_a_cost_is_of_the_lines_alone_that_its_names_and_conditions_are_of(named, owner):
    header, row = named.split("\n")
    found = cents(share_out(HUNDRED, f"| name | share {header}\n| custo | 10 {row}"))
    assert found.get("owner", "0") == owner
    assert sum(Fraction(sum_) for sum_ in found.values()) == 10_000


def test_what_the_owner_has_by_a_cost_is_told_apart_from_the_rest_that_no_share_claims():
    found = share_out(HUNDRED, "| name | share |\n| administração | 10 |", "| payee | share |\n| ana | 50 |")
    assert {role: str(sum_.normalize()) for role, sum_ in found.groupby("role")["earned"].sum().items()} == {
        "": "45", "owner": "45", "owner: administração": "1E+1",
    }  # fmt: skip


def test_lines_of_nobody_pay_no_costs():
    found = share_out(HUNDRED, "| name | share |\n| custo | 10 |", "| payee | artist | share |\n| ana | Lua | 100 |")
    assert cents(found) == {"owner": "600", "ana": "5400", "held": "4000"}


def test_a_line_that_is_silent_on_what_a_cost_asks_is_held():
    silent = HUNDRED.replace("| BR |", "| |")
    found = share_out(silent, "| name | share | territory |\n| custo | 10 | US |")
    assert cents(found) == {"owner": "400", "ana": "2700", "bia": "900", "held": "6000"}


def test_while_a_cost_is_in_question_its_lines_are_held_and_no_others():
    held = in_question([costs("| name | share | artist |\n| custo | 10 | Lua |").assign(asset_read=True)])
    found = share_out(HUNDRED, "| name | share |\n| administração | 10 |", held=held)
    assert cents(found) == {"owner": "400", "ana": "2700", "bia": "900", "held": "6000"}


def test_a_cost_written_twice_holds_its_lines_and_is_told_and_so_is_a_payee_nobody_knows():
    twice = costs("| name | share | artist | payee |\n| custo | 10 | Lua | caio |\n| custo | 10 | Lua | caio |")
    came_in = inputs([statement(lines(HUNDRED))], shares=shares(HALVES), costs=twice, payees=payees("ana", "bia"))
    checked = cross_check(came_in, job(), resolve_period("2026-10", None))
    assert {(issue.code.value, issue.row) for issue in checked.issues} == {
        ("ROW_DUPLICATE", 3), ("TAXID_UNKNOWN_PAYEE", 2),
    }  # fmt: skip
    assert len(checked.costs) == 1
    assert checked.costs_in_question["artist"].tolist() == ["Lua"]


PARTS = st.sampled_from(["0", "10", "33.3333", "1/3", "1/7", "50", "100"])
CENTAVOS = st.lists(st.integers(-9_000, 9_000), min_size=1, max_size=5)


def of(amounts):
    return "\n".join(["| amount |", *(f"| {sum_ / 100:.2f} |" for sum_ in amounts)])


@given(CENTAVOS, st.lists(st.tuples(st.integers(0, 2), PARTS, st.sampled_from(["", "ana", "caio"])), max_size=4))
def test_parts_and_costs_and_the_owners_are_exactly_what_came_in(amounts, rows):
    drawn = [f"| {order} | c{number} | {part} | {payee} |" for number, (order, part, payee) in enumerate(rows)]
    found = share_out(
        of(amounts), "\n".join(["| order | name | share | payee |", *drawn]), "| payee | share |\n| bia | 1/3 |"
    )
    exact = {name: Fraction(sum_) for name, sum_ in cents(found).items()}
    assert sum(exact.values()) == sum(amounts)
    left = Fraction(1)
    for _, part, _ in sorted(rows, key=lambda row: row[0]):
        left *= 1 - Fraction(part) / (1 if "/" in part else 100)
    assert exact.get("bia", 0) == sum(amounts) * left / 3
    rounded = round_earnings(found)
    assert sum(rounded.payees.values()) + rounded.owner_cents + rounded.unmatched_cents == sum(amounts)


@settings(max_examples=settings.default.max_examples // 4)
@given(CENTAVOS)
def test_a_cost_of_nothing_changes_nothing(amounts):
    assert cents(share_out(of(amounts), "| name | share |\n| nada | 0 |")) | {"owner": "0"} == cents(
        share_out(of(amounts), "| name | share |")
    ) | {"owner": "0"}


COPIES = "| recording | units | amount |\n| samba | 100 | 500.00 |\n| samba | -10 | -50.00 |"


def test_money_a_unit_is_paid_for_each_unit_out_of_what_the_owner_has_left():
    found = share_out(COPIES, "| name | share |", "| payee | share |\n| ana | 0.10/un |\n| bia | 50 |")
    assert cents(found) == {"ana": "900", "bia": "22500", "owner": "21600"}


def test_units_pay_no_costs_and_may_cost_the_owner_more_than_came_in():
    found = share_out(COPIES, "| name | share |\n| custo | 10 |", "| payee | share |\n| ana | 6/un |")
    assert cents(found) == {"ana": "54000", "owner": "-9000"}
    beside = share_out(COPIES, "| name | share |", "| payee | share | base |\n| ana | 1/un | on top |\n| bia | 100 | |")
    assert cents(beside) == {"ana": "9000", "bia": "45000", "owner": "-9000"}


def test_who_has_a_part_and_money_a_unit_has_their_lines_once_by_territory():
    came_in = sum_lines(lines(COPIES))
    both = shares("| payee | role | share |\n| ana | autor | 10 |\n| ana | intérprete | 0.10/un |")
    found = allocate(came_in, Deals(both), rates={"BRL": Decimal(1)}, first_day=OCTOBER)
    (row,) = found.territories.to_dict("records")
    assert (row["units"], str(row["earned"].normalize())) == (90, "54")
    assert cents(found.earnings)["ana"] == "5400"


def test_lines_of_money_without_units_are_told_where_shares_have_money_a_unit():
    def told(shares_drawn):
        silent = lines(
            "| recording | units | amount |\n| samba | 0 | 5.00 |\n| valsa | 3 | 5.00 |\n| choro | 0 | 0.00 |"
        )
        came_in = inputs([statement(silent)], shares=shares(shares_drawn), payees=payees("ana"))
        found = cross_check(came_in, job(), resolve_period("2026-10", None)).issues
        return [(issue.code.value, issue.file) for issue in found if issue.code == "SHARE_WITHOUT_UNITS"]

    assert told("| payee | share |\n| ana | 0.10/un |") == [("SHARE_WITHOUT_UNITS", "statement.tsv")]
    assert told("| payee | recording | share |\n| ana | valsa | 0.10/un |") == []
    assert told("| payee | share |\n| ana | 10 |") == []


@pytest.mark.parametrize("header", ["Valor", "Teto", "Data", "Comissão"])
def test_what_a_table_of_costs_cannot_say_yet_holds_it(header):
    cells = {"cost": "estúdio", "share": "10%"}
    assert set(codes(parse("costs", cells))) == set()
    held = parse("costs", cells | {header: "500,00"})
    assert held.frame.empty
    assert {issue.severity for issue in held.issues} >= {Severity.ERROR}
