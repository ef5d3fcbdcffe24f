"""What was decided while a file was parsed, for people."""

from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum

from schemas.messages import render


class Decision(StrEnum):
    """What the cells of a column left open, and the layout or the other cells decided."""

    DECIMAL_COMMA = "decimal_comma"
    DECIMAL_POINT = "decimal_point"
    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"


def decisions_of(decided: Iterable[Decision], left_out: int, language: str) -> list[str]:
    """Say what was decided for columns, each thing once, and how many rows the layout left out."""
    told = [render(f"table.{decision}", language) for decision in dict.fromkeys(decided)]
    return [*told, render("table.left_out", language, count=left_out)] if left_out else told


def tell_amount(value: Decimal, decimals: int, language: str) -> str:
    """Write an amount with separators, rounded to some decimals.

    >>> tell_amount(Decimal("1234.5"), 2, "pt-BR"), tell_amount(Decimal("-0.0000001"), 7, "en")
    ('1.234,50', '-0.0000001')
    """
    written = f"{value:,.{decimals}f}"
    return written.translate(str.maketrans(",.", ".,")) if language == "pt-BR" else written
