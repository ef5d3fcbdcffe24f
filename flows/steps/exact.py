"""Exact decimals: the digits they need, how they are written, and what a share of one is."""

from decimal import Context, Decimal
from typing import Final

# Exactness needs 18 decimals and 40 digits of a sum, a rate of 20 and six of a share.
EXACT: Final = Context(prec=100)


def plain(value: Decimal) -> str:
    """Write an exact decimal without exponent and without trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def part_of(worth: Decimal, share_ppm: int) -> Decimal:
    """Return so many millionths of an amount, exactly."""
    return EXACT.multiply(worth, Decimal(share_ppm).scaleb(-6))
