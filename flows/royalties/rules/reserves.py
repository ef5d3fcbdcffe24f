"""Reserves of shares: kept back of what a period gives, and given in the periods after it."""

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import pandas as pd

from schemas.deal_sums import DealsBefore, DealSumKind, DealSums
from schemas.job import Period
from schemas.values.money import allocate, round_half_even_cents


class Reserve(NamedTuple):
    """What a payee has in reserve, in centavos.

    Attributes:
        kept_cents: Of this period.
        due_cents: Given in this period, of periods before.
        open_cents: Kept, and not due by this period.
    """

    kept_cents: int = 0
    due_cents: int = 0
    open_cents: int = 0

    def added(self, other: "Reserve") -> "Reserve":
        return Reserve(*(own + more for own, more in zip(self, other, strict=True)))


NO_RESERVE = Reserve()


def reserves_of(before: DealsBefore, here: DealSums, period: Period) -> Mapping[str, Reserve]:
    """Say what each payee has in reserve.

    What a period keeps is rounded to centavos once and parted by largest remainder, so that it is given back whole.

    Args:
        here: What this period comes to; `before` tells of the others.
    """
    found = defaultdict[str, Reserve](Reserve)
    for start, sums in (*before.periods, (period.start, here)):
        later = steps_between(start, period)
        for name, kept in sums.items():
            if name.kind is DealSumKind.KEPT:
                own = _reserve(kept, [int(part) for part in name.row.split(",")], later)
                found[name.payee] = found[name.payee].added(own)
    return found


def _reserve(kept: Fraction, release: Sequence[int], later: int) -> Reserve:
    cents = round_half_even_cents(kept * 100)
    parts = (0, *allocate(cents, release))
    if later < 0:  # what a later period keeps is not this one's to give
        return Reserve(open_cents=cents)
    return Reserve(cents if later == 0 else 0, parts[later] if later < len(parts) else 0, sum(parts[later + 1 :]))


def given_back(kept: Fraction, release: str, period: Period) -> list[tuple[dt.date, int]]:
    """Say when what a period kept is given, by the first day of each later period, and how many centavos.

    >>> from schemas.job import resolve_period
    >>> given_back(Fraction(5), "500000,500000", resolve_period("2026-11", None))
    [(datetime.date(2026, 12, 1), 250), (datetime.date(2027, 1, 1), 250)]
    """
    parts = allocate(round_half_even_cents(kept * 100), [int(part) for part in release.split(",")])
    return [(_day_after(period, steps), cents) for steps, cents in enumerate(parts, start=1)]


def _day_after(period: Period, steps: int) -> dt.date:
    """Return the first day of the period so many after another, which `steps_between` counts."""
    after = period.end + dt.timedelta(days=1)
    months = _months(after) - _months(period.start)
    if months and after.day == period.start.day:
        return (pd.Timestamp(period.start) + pd.DateOffset(months=months * steps)).date()
    return period.start + (after - period.start) * steps


def steps_between(start: dt.date, period: Period) -> int:
    """Count the periods from one that begins on a day to another, as long as the other one is.

    >>> from schemas.job import resolve_period
    >>> steps_between(dt.date(2025, 11, 1), resolve_period("2026-02", None))
    3
    """
    after = period.end + dt.timedelta(days=1)
    months = _months(after) - _months(period.start)
    if months and after.day == period.start.day:
        return (_months(period.start) - _months(start)) // months
    return (period.start - start).days // (after - period.start).days


def _months(day: dt.date) -> int:
    return day.year * 12 + day.month
