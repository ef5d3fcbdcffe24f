"""How far rows of deals have come over all periods of a job, from what is posted and what the rows say."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Final

from flows.royalties.rules.reserves import given_back
from schemas.deal_standing import DealStanding, TermKind, TermOfJob
from schemas.deal_sums import DealSum, DealSumKind, DealSums, joined_sums
from schemas.job import labelled_period
from schemas.journal import Series
from schemas.messages import Listed, Money
from schemas.values.money import round_half_even_cents
from schemas.values.tier_bounds import TierBound, read_bound

_SUM_OF: Final = {
    TermKind.COST: DealSumKind.TAKEN,
    TermKind.TIER: DealSumKind.MONEY,
    TermKind.CAP: DealSumKind.GIVEN,
    TermKind.GUARANTEE: DealSumKind.EARNED,
}


def standings(
    series: Series, terms: Sequence[TermOfJob], periods: Mapping[str, DealSums], names: Mapping[str, str]
) -> Iterator[DealStanding]:
    """Tell the standing of each row of one job, rows of one sum together; and then what is in reserve.

    Args:
        terms: As the last run has read them; none of a job that has no such rows any more.
        periods: Label of a period of which something is posted -> what it came to.
        names: Of payees, by tax id.
    """
    total: DealSums = reduce(joined_sums, periods.values(), {})
    rows = defaultdict[DealSum, list[TermOfJob]](list)
    for term in terms:
        if term.kind in _SUM_OF:
            payee = "" if term.kind is TermKind.COST else term.payee
            rows[DealSum(_SUM_OF[term.kind], payee, term.row)].append(term)
    for name, of_row in rows.items():
        yield _standing(name, of_row, total)
    for (payee, day), cents in sorted(_reserves(periods).items()):
        yield DealStanding(
            series.job,
            series.currency,
            TermKind.RESERVE,
            names.get(payee, ""),
            what="",
            about=Listed(()),
            agreed=None,
            so_far=None,
            left=Money(cents, series.currency),
            day=day.isoformat(),
        )


def _standing(name: DealSum, rows: Sequence[TermOfJob], total: DealSums) -> DealStanding:
    first = rows[0]
    bounds = [read_bound(bound) for row in rows for bound in row.bounds.split("|")]
    in_units = any(bound.in_units for bound in bounds)
    name = name._replace(kind=DealSumKind.UNITS) if in_units else name
    so_far, agreed = total.get(name, Fraction(0)), sum((bound.value for bound in bounds), Fraction(0))
    if first.kind is TermKind.TIER:
        agreed = _next_bound(bounds, so_far)
    left = max(Fraction(0), agreed - so_far)
    if first.kind is TermKind.GUARANTEE and total.get(name._replace(kind=DealSumKind.OWED)):
        left = Fraction(0)

    def told(quantity: Fraction) -> Money | int:
        return int(quantity) if in_units else Money(round_half_even_cents(quantity * 100), first.currency)

    is_open = first.kind is TermKind.TIER and not agreed
    return DealStanding(
        first.job,
        first.currency,
        first.kind,
        first.name,
        first.what,
        first.about,
        agreed=None if is_open else told(agreed),
        so_far=told(so_far),
        left=None if is_open else told(left),
        day=first.day,
    )


def _next_bound(bounds: Sequence[TierBound], so_far: Fraction) -> Fraction:
    """Return where the next tier begins; 0 in the last one, which has no end."""
    return min((bound.value for bound in bounds if bound.value > so_far), default=Fraction(0))


def _reserves(periods: Mapping[str, DealSums]) -> dict[tuple[str, dt.date], int]:
    """Sum what payees have in reserve by when it is due: what is due by the last period that is posted is given."""
    found = defaultdict[tuple[str, dt.date], int](int)
    until = max((labelled_period(label).end for label in periods), default=dt.date.min)
    for label, sums in periods.items():
        for name, kept in sums.items():
            if name.kind is DealSumKind.KEPT:
                for day, cents in given_back(kept, name.row, labelled_period(label)):
                    found[name.payee, day] += cents if day > until else 0
    return {about: cents for about, cents in found.items() if cents}
