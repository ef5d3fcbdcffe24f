"""Allocation loses nothing and depends on nothing but what came in, whatever the lines and shares."""

from decimal import Decimal
from fractions import Fraction

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.intake.rules.inputs import sum_lines
from flows.royalties.rules.allocation import allocate, exact_cents_by, round_earnings
from flows.royalties.rules.deals import Deals
from schemas.values.money import round_half_even_cents
from tests.property.months import RATES, shuffled, some_lines, some_shares

WORTH = {currency: Decimal(rate) for currency, rate in RATES.items()} | {"BRL": Decimal(1)}
SOME = settings(max_examples=settings.default.max_examples // 4)
RANDOM = st.randoms(use_true_random=False)


def allocated(lines, shares):
    return allocate(sum_lines(lines), Deals(shares), rates=WORTH, first_day="2026-10-01")


def earnings(lines, shares):
    return allocated(lines, shares).earnings


def exact_cents(lines):
    return sum(
        (Fraction(a) * Fraction(WORTH[c]) * 100 for a, c in zip(lines["amount"], lines["currency"], strict=True)),
        Fraction(0),
    )


@SOME
@given(some_lines(), some_shares(), st.booleans())
def test_parts_add_up_to_what_came_in_to_the_centavo(lines, shares, to_owner):
    rounded = round_earnings(earnings(lines, shares), unmatched_to_owner=to_owner)
    parts = [*rounded.payees.values(), rounded.owner_cents, rounded.unmatched_cents]
    assert sum(parts) == round_half_even_cents(exact_cents(lines))
    assert not (to_owner and rounded.unmatched_cents)


@SOME
@given(some_lines(at_least=1), some_shares())
def test_nobody_is_a_centavo_or_more_away_from_the_exact_part(lines, shares):
    found = earnings(lines, shares)
    rounded = round_earnings(found)
    for (tax_id, kind), exact in exact_cents_by(found, ["tax_id", "role_kind"]).items():
        if kind == "payee":
            assert abs(rounded.payees[tax_id] - exact) < 1


@SOME
@given(some_lines(at_least=2), some_shares(), RANDOM)
def test_the_order_of_lines_and_shares_does_not_matter(lines, shares, random):
    again = earnings(shuffled(lines, random), shuffled(shares, random))
    pd.testing.assert_frame_equal(again, earnings(lines, shares))


@SOME
@given(some_lines(at_least=2), some_shares(), st.data())
def test_a_statement_cut_in_pieces_pays_the_same(lines, shares, data):
    at = data.draw(st.integers(1, len(lines) - 1))
    pieces = [earnings(piece.reset_index(drop=True), shares) for piece in (lines.iloc[:at], lines.iloc[at:])]
    assert round_earnings(pd.concat(pieces, ignore_index=True)) == round_earnings(earnings(lines, shares))


@SOME
@given(some_lines(at_least=1), some_shares())
def test_a_sale_and_its_return_leave_nothing(lines, shares):
    returned = lines.assign(amount=-lines["amount"])
    returned["amount"] = returned["amount"].astype(lines["amount"].dtype)
    rounded = round_earnings(earnings(pd.concat([lines, returned], ignore_index=True), shares))
    assert {*rounded.payees.values(), rounded.owner_cents, rounded.unmatched_cents} <= {0}
