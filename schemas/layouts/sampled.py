"""What the texts below a header show of their column: numbers, money, a decimal mark, an order of dates."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from schemas.amount_text import read_amount_text

_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})[-/.]([0-9]{1,2})[-/.](?:[0-9]{4}|[0-9]{2})(?:[T ].*)?")
_CODE_DIGITS: Final = 8
_MONTHS: Final = 12


def is_number(text: str) -> bool:
    """Tell whether a text is an amount, a count or a percentage."""
    return read_amount_text(text.removesuffix("%")) is not None


def is_money(texts: Sequence[str]) -> bool:
    """Tell whether a column holds amounts: numbers alone, and not codes or counts that are all whole and long."""
    return (
        bool(texts)
        and all(map(is_number, texts))
        and not all(text.isdecimal() and len(text) >= _CODE_DIGITS for text in texts)
    )


def decimal_mark(texts: Iterable[str]) -> Literal[",", "."] | None:
    """Return the decimal mark that amounts prove; None for none, or both."""
    marks = {amount.mark for text in texts if (amount := read_amount_text(text)) and amount.mark}
    return marks.pop() if len(marks) == 1 else None


def date_order(texts: Iterable[str]) -> Literal["day_first", "month_first"] | None:
    """Tell what dates with the year last prove of their order; None for nothing, or both."""
    proven: set[Literal["day_first", "month_first"]] = set()
    for text in texts:
        if found := _YEAR_LAST.fullmatch(text):
            first, second = int(found[1]), int(found[2])
            if max(first, second) > _MONTHS:
                proven.add("day_first" if first > second else "month_first")
    return proven.pop() if len(proven) == 1 else None


def has_open_dates(texts: Iterable[str]) -> bool:
    """Tell whether there are dates with the year last."""
    return any(_YEAR_LAST.fullmatch(text) for text in texts)
