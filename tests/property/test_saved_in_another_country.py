"""Lines of a statement that was saved again with the other decimal mark pay what they say, or wait."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.values.money import exact_text
from tests.schemas.sheets import codes, parse

LINE = {"isrc": "BRAUR2600001", "units": "1", "currency": "USD"}
THOUSANDTHS = st.integers(-9_999_999, 9_999_999).map(lambda number: Decimal(number).scaleb(-3))
AMOUNTS = st.lists(THOUSANDTHS | st.integers(-9, 2_000).map(Decimal), min_size=1, max_size=6)
OTHER = {".": ",", ",": "."}


def written(amount, mark, *, thousands):
    """Write an amount as a spreadsheet does that marks decimals so; with thousands marked, all decimals are shown."""
    text = f"{amount:,.3f}" if thousands else f"{amount:f}"
    return text if mark == "." else text.translate(str.maketrans(",.", ".,"))


@pytest.mark.parametrize("declared", [".", ","])
@given(amounts=AMOUNTS, thousands=st.booleans())
def test_each_line_pays_what_it_says_or_waits(declared, amounts, thousands):
    texts = [written(amount, OTHER[declared], thousands=thousands) for amount in amounts]
    parsed = parse("royalty_lines", *({**LINE, "amount": text} for text in texts), decimal=declared)
    used = dict(zip(parsed.frame["row"], parsed.frame["amount"], strict=True))
    said = dict(enumerate(amounts, start=2))
    assert {row: exact_text(amount) for row, amount in used.items()} == {row: exact_text(said[row]) for row in used}
    assert len(used) + len(parsed.held) == len(amounts)


@pytest.mark.parametrize("declared", [".", ","])
@given(amounts=AMOUNTS)
def test_what_any_of_them_proves_all_are_read_by(declared, amounts):
    texts = [written(amount, OTHER[declared], thousands=False) for amount in [*amounts, Decimal("0.25")]]
    parsed = parse("royalty_lines", *({**LINE, "amount": text} for text in texts), decimal=declared)
    assert [exact_text(amount) for amount in parsed.frame["amount"]] == [
        exact_text(amount) for amount in [*amounts, Decimal("0.25")]
    ]


@pytest.mark.parametrize("declared", [".", ","])
@given(amounts=AMOUNTS)
def test_where_one_column_bears_both_marks_nothing_of_it_is_read_and_that_is_said_once(declared, amounts):
    quarters = [written(Decimal("0.25"), mark, thousands=False) for mark in OTHER]
    texts = [*(written(amount, declared, thousands=False) for amount in amounts), *quarters]
    parsed = parse("royalty_lines", *({**LINE, "amount": text} for text in texts), decimal=declared)
    assert parsed.frame.empty
    assert [code for code in codes(parsed) if code != "VALUE_NORMALISED"] == ["AMOUNT_MARKS"]
    assert str(len(texts)) in str(parsed.issues[0].message)


def test_dates_are_left_open_in_a_file_whose_amounts_show_that_it_was_saved_again():
    rows = [{**LINE, "period": "05/04/2026", "amount": amount} for amount in ("0,25", "0.25")]
    again, as_sent = (parse("royalty_lines", row, decimal=".", dates="month_first") for row in rows)
    assert codes(again) == ["DATE_AMBIGUOUS"]
    assert as_sent.frame["period"].tolist() == ["2026-05-04"]
