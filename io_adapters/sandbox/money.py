"""Reading the money of a request."""

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

CENTAVO: Final = Decimal("0.01")


def cents_of(amount: Decimal) -> int:
    """Return money in centavos, rounded half to even where the sandbox lets fractions in."""
    return int(amount.quantize(CENTAVO, ROUND_HALF_EVEN).scaleb(2))
