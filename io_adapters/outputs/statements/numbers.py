"""Numbers and days as the reader of a statement writes them: 1.234,56 and 31/10/2026, or 1,234.56 and 31 Oct 2026."""

import datetime as dt
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

# Quantizing an exact sum must not fail for want of digits.
_EXACT: Final = Context(prec=200, rounding=ROUND_HALF_EVEN)
_FEWEST, _USUAL, _MOST = 2, 6, 12
_MINUS: Final = "−"
_MONTHS: Final = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Numbers:
    """Writes numbers in one language.

    >>> Numbers("pt-BR").cents(-123456), Numbers("en").cents(123456)
    ('−1.234,56', '1,234.56')
    """

    def __init__(self, language: str) -> None:
        self._brazilian = language == "pt-BR"

    def cents(self, cents: int) -> str:
        """Write centavos with two decimals."""
        return self.decimal(Decimal(cents).scaleb(-2, _EXACT), 2)

    def whole(self, number: int) -> str:
        """Write a whole number."""
        return self.decimal(Decimal(number), 0)

    def exact(self, value: Decimal) -> str:
        """Write all digits a value has, at least two decimals."""
        return self.decimal(value, max(_FEWEST, _decimals_of(value)))

    def percent(self, share_ppm: int) -> str:
        """Write millionths as percent with as many decimals as there are.

        >>> Numbers("pt-BR").percent(333_333), Numbers("en").percent(500_000)
        ('33,3333 %', '50 %')
        """
        value = Decimal(share_ppm).scaleb(-4, _EXACT)
        return f"{self.decimal(value, _decimals_of(value))} %"

    def decimal(self, value: Decimal, decimals: int) -> str:
        """Write a value with so many decimals, what is beyond them rounded half to even."""
        rounded = value.quantize(Decimal(1).scaleb(-decimals), context=_EXACT)
        written = f"{_MINUS if rounded < 0 else ''}{rounded.copy_abs():,f}"
        return written.translate(str.maketrans(",.", ".,")) if self._brazilian else written

    def day(self, day: dt.date) -> str:
        """Write a day.

        >>> Numbers("pt-BR").day(dt.date(2026, 10, 31)), Numbers("en").day(dt.date(2026, 10, 31))
        ('31/10/2026', '31 Oct 2026')
        """
        return f"{day:%d/%m/%Y}" if self._brazilian else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    def month(self, text: str) -> str:
        """Write a period of sales; what is not an ISO month or day is shown as it is.

        >>> Numbers("pt-BR").month("2026-10"), Numbers("en").month("2026-10"), Numbers("en").month("2026-10-05")
        ('10/2026', 'Oct 2026', '5 Oct 2026')
        """
        try:
            if len(text) == len("2026-10"):
                first = dt.date.fromisoformat(f"{text}-01")
                return f"{first:%m/%Y}" if self._brazilian else f"{_MONTHS[first.month - 1]} {first.year}"
            return self.day(dt.date.fromisoformat(text))
        except ValueError:
            return text


def column_decimals(values: Iterable[Decimal]) -> int:
    """Say how many decimals a column shows: what its values have, two to six, and more where a value would vanish.

    >>> column_decimals([Decimal("1.5")]), column_decimals([Decimal("0.123456789"), Decimal("0.00000004")])
    (2, 9)
    """
    values = [value for value in values if value]
    needed = max((_decimals_of(value) for value in values), default=0)
    two_digits_of_smallest = max((1 - value.adjusted() for value in values), default=0)
    return max(_FEWEST, min(needed, max(_USUAL, two_digits_of_smallest), _MOST))


def _decimals_of(value: Decimal) -> int:
    text = f"{value:f}"
    return len(text.partition(".")[2].rstrip("0"))
