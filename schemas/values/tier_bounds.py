"""Bounds of tiers, as tables keep them: "100000.50", "5000 un", either perhaps with " retroactive" behind it."""

from fractions import Fraction
from typing import Final, NamedTuple

# Behind a number of a tier: it is of units; and the row has its part of everything so far, once the tier is reached.
IN_UNITS: Final = " un"
RETROACTIVE: Final = " retroactive"


class TierBound(NamedTuple):
    """From or to where a tier goes; nothing written is nothing, in no measure of its own."""

    value: Fraction
    in_units: bool
    is_retroactive: bool = False


def read_bound(text: str) -> TierBound:
    """Read a bound.

    >>> read_bound("5000 un"), read_bound("")
    (TierBound(value=Fraction(5000, 1), in_units=True, is_retroactive=False), TierBound(value=Fraction(0, 1), \
in_units=False, is_retroactive=False))
    """
    alone = text.removesuffix(RETROACTIVE)
    number = alone.removesuffix(IN_UNITS)
    return TierBound(Fraction(number or 0), number != alone, alone != text)
