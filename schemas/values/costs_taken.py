"""Costs that were taken off a line before it was shared out: their names, and how much of what was left each took.

Tables keep them as one text, in the order in which they were taken: "administração=100000|estúdio=$250000", in
millionths; behind "$" what an amount came to in a period.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple

from schemas.values.millionths import WHOLE, Millionths, plain, read_millionths

_MARKS: Final = str.maketrans("|=", "  ")


class CostTaken(NamedTuple):
    """A cost, its part of what those before had left, and whether it is an amount or a percentage that is stated."""

    name: str
    part_ppm: Millionths
    is_amount: bool = False


def keep_costs(costs: Iterable[CostTaken]) -> str:
    """Write costs as tables keep them."""
    return "|".join(
        f"{' '.join(name.translate(_MARKS).split())}={_AMOUNT if is_amount else ''}{part_ppm}"
        for name, part_ppm, is_amount in costs
    )


_AMOUNT: Final = "$"


@cache
def left_of(text: str) -> Fraction:
    """Return how much of a line is left after costs.

    >>> left_of("administração=100000|Ecad=500000"), left_of("")
    (Fraction(9, 20), Fraction(1, 1))
    """
    left = Fraction(1)
    for cost in read_costs(text):
        left *= 1 - Fraction(cost.part_ppm) / WHOLE
    return left


def part_after(text: str, share_ppm: Millionths) -> Millionths:
    """Return a share of what is left after costs as a part of the whole."""
    return plain(Fraction(share_ppm) * left_of(text)) if text else share_ppm


def read_costs(text: str) -> list[CostTaken]:
    """Read what tables keep."""
    pairs = (part.rpartition("=") for part in text.split("|") if part)
    return [
        CostTaken(name, read_millionths(part.removeprefix(_AMOUNT)), part.startswith(_AMOUNT))
        for name, _, part in pairs
    ]


def stated_costs(text: str) -> str:
    """Return costs without what amounts came to, which is another part each period."""
    return keep_costs(cost._replace(part_ppm=0) if cost.is_amount else cost for cost in read_costs(text))
