"""A line that is missing from a statement, or has another sum, is seen by the balances; a sound statement says nothing.

Held constant: balances behind lines. Varied: whether lines stand downwards or upwards, whether each has its own balance
or that of its day, which balances are left out, what is wrong, and which files of an account were read in which order.
"""

import datetime as dt
from itertools import accumulate

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from flows.bank.rules.balances import covered_until, follow, gaps_of
from schemas.bank import BankGap, KnownStatement

FIRST = dt.date(2026, 10, 1)
OPENING = 100_000


def day(number):
    return FIRST + dt.timedelta(number - 1)


lines = st.lists(st.tuples(st.integers(1, 9), st.integers(-90_000, 90_000).filter(bool)), min_size=3, max_size=9).map(
    sorted
)


def behind(rows, *, of_days):
    """The balance behind each line, or that of its whole day behind all of its lines."""
    found = list(accumulate((cents for _, cents in rows), initial=OPENING))[1:]
    ends = {number: balance for (number, _), balance in zip(rows, found, strict=True)}
    return [ends[number] for number, _ in rows] if of_days else found


def followed(rows, balances, *, upwards):
    columns = [[day(number) for number, _ in rows], [cents for _, cents in rows], balances]
    return follow(*(column[::-1] if upwards else column for column in columns))


@given(lines, st.booleans(), st.booleans(), st.sets(st.integers(0, 8)))
def test_the_balances_of_a_sound_statement_lead_from_its_opening_to_its_closing(rows, upwards, of_days, silent):
    balances = behind(rows, of_days=of_days)
    balances = balances if of_days else [None if at in silent else told for at, told in enumerate(balances)]
    found = followed(rows, balances, upwards=upwards)
    assert found.breaks == ()
    if len({number for number, _ in rows}) > 1 and any(balances):  # of one day nobody knows which line was first
        assert (found.opening_cents, found.closing_cents) == (OPENING, OPENING + sum(cents for _, cents in rows))


@given(lines, st.booleans(), st.data())
def test_a_line_that_is_left_out_is_seen_by_its_sum(rows, upwards, data):
    balances = behind(rows, of_days=False)
    at = data.draw(st.integers(1, len(rows) - 2))
    left = [(row, balance) for number, (row, balance) in enumerate(zip(rows, balances, strict=True)) if number != at]
    assume(len({number for (number, _), _ in left}) > 1)
    found = followed([row for row, _ in left], [balance for _, balance in left], upwards=upwards)
    assert [abs(cents) for _, cents in found.breaks] == [abs(rows[at][1])]


@given(lines, st.booleans(), st.booleans(), st.integers(1, 500), st.data())
def test_a_line_with_another_sum_is_seen_by_the_difference(rows, upwards, of_days, off_cents, data):
    balances = behind(rows, of_days=of_days)
    later = [at for at in range(len(rows)) if rows[at][0] > rows[0][0]]
    assume(later)
    at = data.draw(st.sampled_from(later))
    changed = [(number, cents + off_cents * (place == at)) for place, (number, cents) in enumerate(rows)]
    assert sum(abs(cents) for _, cents in followed(changed, balances, upwards=upwards).breaks) == off_cents


def test_a_statement_without_balances_says_none():
    assert follow([FIRST], [100], [None]) == (None, None, ())
    assert follow([], [], []) == (None, None, ())


def known(first, last, opening=None, closing=None, *, gap=0, account="itau"):
    return KnownStatement(account, day(first), day(last), opening, closing, gap)


def gap(first, last, cents, account="itau"):
    return BankGap(account, day(first), day(last), cents)


@pytest.mark.parametrize(
    ("statements", "until"),
    [
        ([], None),
        ([known(1, 31)], 31),
        ([known(3, 29)], 29),
        ([known(3, 29), known(34, 58)], 58),  # sheets of two months, neither with a line on the last day of the first
        ([known(1, 31), known(1, 20, account="nubank")], 20),
        ([known(1, 31), known(-40, -30, account="nubank")], 31),  # an account that is not used any more
        ([known(34, 58)], None),
    ],
)
def test_a_month_is_covered_once_each_of_its_accounts_has_statements_to_its_end(statements, until):
    assert covered_until(statements, day(1), day(31)) == (None if until is None else day(until))


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        ([known(1, 10, 0, 500), known(11, 20, 500, 700)], []),
        ([known(1, 10, 0, 500), known(11, 20, 499, 700)], [gap(10, 11, 1)]),
        ([known(11, 20, 499, 700), known(1, 10, 0, 500)], [gap(10, 11, 1)]),
        ([known(1, 10, 0, 500), known(21, 30, 400, 700)], [gap(10, 21, 100)]),
        ([known(1, 10, 0, 500), known(21, 30, 400, 700), known(8, 25, 1, 2)], []),  # the days between were read
        ([known(1, 10, 0, 500), known(10, 20, 400, 700)], []),  # of a day in both nobody knows what came between
        ([known(1, 10, 0, 500), known(21, 30, None, None)], []),
        ([known(1, 10, 0, 500), known(11, 20, 499, 700, account="nubank")], []),
        ([known(1, 10, 0, 500, gap=7)], [gap(1, 10, 7)]),
        ([known(1, 10, 0, 500, gap=7), known(1, 10, 0, 500)], []),  # a whole one puts a broken one right
        ([known(1, 10, 0, 500), known(1, 10, 0, 500, gap=7)], []),  # and stays so
        ([known(1, 30, 0, 500), known(5, 10, 0, 500, gap=7)], []),
        ([known(5, 10, 0, 500), known(1, 30, 0, 500, gap=7)], [gap(1, 30, 7)]),
        ([known(1, 10, 0, 400), known(1, 10, 0, 500), known(11, 20, 500, 700)], []),  # of two whole ones the later one
        ([known(1, 10, 0, 500), known(1, 10, 0, 400), known(11, 20, 500, 700)], [gap(10, 11, 100)]),
        ([known(1, 10, 0, 500)] * 2, []),
        ([known(1, 10, 0, 500, gap=7), known(2, 9, 0, 500)], [gap(1, 10, 7)]),
        ([known(1, 10, 0, 500, gap=7), known(1, 10, 0, 500, account="nubank")], [gap(1, 10, 7)]),
        ([known(1, 30, 0, 900), known(5, 5, 3, 4), known(31, 40, 900, 1)], []),
    ],
)
def test_each_gap_between_balances_is_told_once_with_its_days_and_sum(statements, found):
    assert gaps_of(statements) == found
