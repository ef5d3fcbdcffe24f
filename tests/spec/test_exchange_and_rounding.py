"""From other currencies to centavos: nothing is rounded until the very end, and then nothing is lost."""

from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

from flows.intake.rules.inputs import sum_lines
from flows.royalties.rules.allocation import allocate, round_earnings
from flows.royalties.rules.deals import Deals
from schemas.errors import UnsoundPlan
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import CPF, NAMES, held_rows, lines, payees, reais, same, shares, table

RATES = {"BRL": Decimal(1), "USD": Decimal("5.4312")}


def earned(came_in, shared):
    return allocate(sum_lines(came_in), Deals(shared), rates=RATES, first_day="2026-10-01").earnings


def rounded(lines_drawn, shares_drawn, **rules):
    """Earnings after rounding, in the words of the drawn tables."""
    found = round_earnings(earned(lines(lines_drawn), shares(shares_drawn)), **rules)
    parts = {NAMES[tax_id]: cents for tax_id, cents in found.payees.items()}
    parts |= {"owner": found.owner_cents, "held": found.unmatched_cents}
    return [{"payee": name, "cents": str(cents)} for name, cents in parts.items() if cents]


def test_a_line_is_worth_its_amount_times_the_rate_to_the_last_digit():
    found = earned(
        lines(
            """
            | recording | amount         | currency |
            | samba     | 0.000000000001 | USD      |
            | samba     | 0.10           | BRL      |
            """
        ),
        shares("| payee | recording | share |\n| ana | samba | 33.3333 |\n| bia | samba | 66.6667 |"),
    )
    assert same(
        found,
        """
        | payee | currency | source_amount  | rate   | earned                   |
        | ana   | BRL      | 0.1            | 1      | 0.0333333                |
        | bia   | BRL      | 0.1            | 1      | 0.0666667                |
        | ana   | USD      | 0.000000000001 | 5.4312 | 0.0000000000018103981896 |
        | bia   | USD      | 0.000000000001 | 5.4312 | 0.0000000000036208018104 |
        """,
    )


def test_a_currency_without_a_rate_makes_no_plan():
    dollars = inputs([statement(lines("| recording | amount | currency |\n| samba | 1.00 | USD |"))])
    with pytest.raises(UnsoundPlan, match="no exchange rate for USD"):
        Office().compute_payables(dollars)


def test_each_source_has_its_own_rate():
    one_dollar = lines("| recording | amount | currency |\n| samba | 1.00 | USD |")
    payables = Office().compute_payables(
        inputs(
            [statement(one_dollar, rates={"USD": "5.00"}), statement(one_dollar, rates={"USD": "6.00"})],
            payees=payees("ana"),
            shares=shares("| payee | share |\n| ana | 100 |"),
        )
    )
    assert same(payables.obligations, "| payee | amount |\n| ana | 11.00 |")


THIRDS = """
    | payee | recording | share   |
    | bia   | samba     | 33.3333 |
    | ana   | samba     | 33.3333 |
    | caio  | samba     | 33.3333 |
"""


@pytest.mark.parametrize(
    ("came_in", "result", "why"),
    [
        ("0.01", "| payee | cents |\n| ana | 1 |", "equal remainders: the first tax id has it"),
        ("0.02", "| payee | cents |\n| ana | 1 |\n| bia | 1 |", "then the second"),
        ("0.03", "| payee | cents |\n| ana | 1 |\n| bia | 1 |\n| caio | 1 |", "and the third"),
        ("0.10", "| payee | cents |\n| ana | 4 |\n| bia | 3 |\n| caio | 3 |", "three each, one left"),
        (
            "-0.01",
            "| payee | cents |\n| ana | -1 |",
            "of a return too small for all, the first tax id has it, as of a sale",
        ),
        ("-0.03", "| payee | cents |\n| ana | -1 |\n| bia | -1 |\n| caio | -1 |", "returns divide alike"),
    ],
)
def test_centavos_left_by_rounding_go_to_the_largest_remainders_and_ties_to_the_first_tax_id(came_in, result, why):
    assert rounded(f"| recording | amount |\n| samba | {came_in} |", THIRDS) == table(result), why


@pytest.mark.parametrize(
    ("came_in", "result"),
    [
        # 40 % of 0.04 is 1.6 centavos, the owner's 60 % are 2.4: one centavo is missing, and 0.6 is more than 0.4.
        ("0.04", "| payee | cents |\n| ana | 2 |\n| owner | 2 |"),
        ("0.01", "| payee | cents |\n| owner | 1 |"),
        ("-0.04", "| payee | cents |\n| ana | -2 |\n| owner | -2 |"),
        ("-0.01", "| payee | cents |\n| owner | -1 |"),
    ],
)
def test_the_owner_takes_part_in_rounding_and_returns_mirror_sales(came_in, result):
    forty = "| payee | recording | share |\n| ana | samba | 40 |"
    assert rounded(f"| recording | amount |\n| samba | {came_in} |", forty) == table(result)


def test_payees_owner_and_held_lines_are_rounded_together():
    found = rounded(
        """
        | recording | amount |
        | samba     | 0.005  |
        | valsa     | 0.006  |
        """,
        "| payee | recording | share |\n| ana | samba | 60 |",
    )
    # 0.3 centavo ana, 0.2 the owner, 0.6 held: 1.1 centavos are one, and it goes where most of one is missing.
    assert found == table("| payee | cents |\n| held | 1 |")


def test_lines_with_problems_are_rounded_with_the_rest_and_held():
    found = rounded(
        "| recording | amount |\n| samba | 0.004 |",
        "| payee | recording | share |\n| ana | samba | 100 |",
        held_cents=Fraction("0.6"),
    )
    assert found == table("| payee | cents |\n| held | 1 |")


@pytest.mark.parametrize(("exact", "cents"), [("0.005", 0), ("0.015", 2), ("0.025", 2), ("-0.005", 0), ("-0.015", -2)])
def test_half_a_centavo_in_all_is_rounded_to_the_even_one(exact, cents):
    found = rounded(f"| recording | amount |\n| samba | {exact} |", "| payee | share |\n| ana | 100 |")
    assert found == ([{"payee": "ana", "cents": str(cents)}] if cents else [])


def test_a_thousand_tiny_lines_add_up_before_anything_is_rounded():
    one = lines("| recording | amount |\n| samba | 0.00001 |")
    many = pd.concat([one] * 1_000, ignore_index=True)
    found = round_earnings(earned(many, shares("| payee | share |\n| ana | 100 |")))
    assert reais(found.payees[CPF["ana"]]) == "0.01"


def test_held_lines_of_a_statement_are_counted_at_its_rate():
    payables = Office().compute_payables(
        inputs(
            [
                statement(
                    lines("| recording | amount | currency |\n| samba | 10.00 | USD |"),
                    held=held_rows(
                        """
                        | payee | amount | currency | problem     |
                        |       | 1.00   | USD      | ISRC_FORMAT |
                        |       |        | USD      | AMOUNT_FORMAT |
                        |       | 2.00   |          | CURRENCY_UNKNOWN |
                        """
                    ),
                    rates={"USD": "5.00"},
                )
            ],
            payees=payees("ana"),
            shares=shares("| payee | share |\n| ana | 100 |"),
        )
    )
    assert same(
        payables.obligations,
        """
        | payee | kind      | amount | place   |
        | ana   | royalty   | 50.00  | planned |
        |       | unmatched | 5.00   | held    |
        """,
    )
