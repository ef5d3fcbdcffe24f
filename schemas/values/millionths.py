"""Parts of a whole, exact: millionths, which may be a fraction of one where a deal says a third.

Tables keep them as text: "333333", or "1000000/3".
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Final

Millionths = int | Fraction
WHOLE: Final = 1_000_000
# Before millionths: of the price of one unit.
OF_PRICE: Final = "%"
# A sum of lines has 18 decimals, a rate up to twelve, a share six: what a share in whole millionths earns is exact in
# so many; of any other it is shown so far, while sums that are rounded to centavos rest on the fraction itself.
EARNED_DECIMALS: Final = 36
_EXACT: Final = Context(prec=100)


def plain(part: Millionths) -> Millionths:
    """Return a fraction that is whole as the integer it is."""
    return part.numerator if part.denominator == 1 else part


@cache
def read_millionths(text: str) -> Millionths:
    """Read what a table keeps."""
    return plain(Fraction(text)) if "/" in text else int(text)


def part_of(worth: Decimal, share_ppm: Millionths) -> Decimal:
    """Return so many millionths of an amount: exact, or half to even at `EARNED_DECIMALS` where no decimal is.

    >>> part_of(Decimal("0.10"), 250_000), str(part_of(Decimal(1), Fraction(1_000_000, 3)))[:9]
    (Decimal('0.02500000'), '0.3333333')
    """
    parts = _EXACT.multiply(worth, Decimal(share_ppm.numerator))
    if share_ppm.denominator == 1:
        return _EXACT.scaleb(parts, -6)
    found = Fraction(parts) / (share_ppm.denominator * WHOLE)
    return Decimal(round(found * 10**EARNED_DECIMALS)).scaleb(-EARNED_DECIMALS, _EXACT)


def percent_of(share_ppm: Millionths) -> Decimal | None:
    """Return a part in percent; None where no decimal says it exactly.

    >>> percent_of(333_333), percent_of(Fraction(1_000_000, 3))
    (Decimal('33.3333'), None)
    """
    return decimal_of(Fraction(share_ppm) / 10_000)


def decimal_of(number: Fraction) -> Decimal | None:
    """Return a fraction as a decimal; None where none says it exactly."""
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return None if rest != 1 else _EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))


def number_text(number: Fraction) -> str:
    """Write a number as tables keep it: as a decimal where one says it exactly, else as a fraction.

    >>> number_text(Fraction(1, 4)), number_text(Fraction(1, 3))
    ('0.25', '1/3')
    """
    found = decimal_of(number)
    return str(number) if found is None else f"{found.normalize():f}"


def fraction_text(share_ppm: Millionths) -> str:
    """Write a part as a fraction of the whole.

    >>> fraction_text(Fraction(1_000_000, 3))
    '1/3'
    """
    return str(Fraction(share_ppm) / WHOLE)
