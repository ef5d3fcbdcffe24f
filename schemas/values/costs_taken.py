"""Costs that were taken off a line before it was shared out: their names, and how much of what was left each took.

Tables keep them as one text, in the order in which they were taken: "administração=100000|Ecad=150000", in millionths.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Final

from schemas.values.millionths import WHOLE, Millionths, plain, read_millionths

_MARKS: Final = str.maketrans("|=", "  ")


def keep_costs(costs: Iterable[tuple[str, Millionths]]) -> str:
    """Write costs as tables keep them: the name of each, and its part of what was left."""
    return "|".join(f"{' '.join(name.translate(_MARKS).split())}={part_ppm}" for name, part_ppm in costs)


@cache
def left_of(text: str) -> Fraction:
    """Return how much of a line is left after costs.

    >>> left_of("administração=100000|Ecad=500000"), left_of("")
    (Fraction(9, 20), Fraction(1, 1))
    """
    left = Fraction(1)
    for _, part_ppm in read_costs(text):
        left *= 1 - Fraction(part_ppm) / WHOLE
    return left


def part_after(text: str, share_ppm: Millionths) -> Millionths:
    """Return a share of what is left after costs as a part of the whole."""
    return plain(Fraction(share_ppm) * left_of(text)) if text else share_ppm


def read_costs(text: str) -> list[tuple[str, Millionths]]:
    """Read what tables keep: the name of each cost, and its part of what was left."""
    pairs = (part.rpartition("=") for part in text.split("|") if part)
    return [(name, read_millionths(part_ppm)) for name, _, part_ppm in pairs]
