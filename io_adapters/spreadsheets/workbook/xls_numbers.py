"""Numbers of Excel's binary formats as a person sees them: percentages, dates, times of day and durations.

Both .xls and .xlsb keep a number and the code of its format apart; .xlsx is read the same way by calamine, and a test
holds the two together.
"""

import datetime as dt
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum, auto
from typing import Final

from io_adapters.spreadsheets.workbook.sheets import CellValue, ExactCell
from schemas.sheet_cells import CellKind

# Format codes that files refer to by number without writing them down (ECMA-376 part 1, 18.8.30).
BUILT_IN_CODES: Final[Mapping[int, str]] = {
    9: "0%",
    10: "0.00%",
    **dict.fromkeys(range(14, 18), "dd/mm/yyyy"),
    **dict.fromkeys(range(18, 22), "hh:mm"),
    22: "dd/mm/yyyy hh:mm",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
}
# Quoted text, an escaped character, a blank as wide as a character, a character that fills the cell.
_LITERALS: Final = re.compile(r'"[^"]*"?|[\\_*].')
_DURATION: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_BRACKETS: Final = re.compile(r"\[[^\]]*\]?")
_MOMENT: Final = re.compile(r"[dmhys]|a/p", re.IGNORECASE)
# Day 0 of the 1900 system, which has a 29 February 1900; the 1904 system begins so much later.
_EPOCH: Final = dt.datetime.fromisoformat("1899-12-30")
_FIRST_DAY_AFTER_FALSE_LEAP_DAY: Final = 60
_DAYS_1904: Final = 1462
_DAY_MS: Final = 86_400_000


class Shown(Enum):
    """As what a number format shows a number."""

    NUMBER = auto()
    PERCENTAGE = auto()
    MOMENT = auto()
    DURATION = auto()


def shown_as(format_code: str) -> Shown:
    r"""Tell what a number format makes of a number.

    >>> shown_as('0.00" %"'), shown_as("[$-416]d \\d\\e mmm"), shown_as("[h]:mm")
    (<Shown.NUMBER: 1>, <Shown.MOMENT: 3>, <Shown.DURATION: 4>)
    """
    code = _LITERALS.sub("", format_code)
    if "%" in code:
        return Shown.PERCENTAGE
    # The sections after the first are for negative numbers, zero and text.
    code = code.partition(";")[0]
    if _DURATION.search(code):
        return Shown.DURATION
    return Shown.MOMENT if _MOMENT.search(_BRACKETS.sub("", code)) else Shown.NUMBER


def number_value(number: float, shown: Shown, *, date_1904: bool) -> CellValue:
    """Return a number as what its format shows; one that no calendar has a date for stays a number."""
    if not math.isfinite(number):
        return ExactCell("#NUM!", CellKind.ERROR)
    if shown is Shown.NUMBER:
        return number
    if shown is Shown.PERCENTAGE:
        return percentage(number)
    if number < 0:
        return number
    try:
        return (
            dt.timedelta(milliseconds=round(number * _DAY_MS))
            if shown is Shown.DURATION
            else _moment(number, date_1904)
        )
    except (OverflowError, ValueError):
        return number


def percentage(number: float) -> ExactCell:
    """Write a number that is shown as a percentage as it is shown, with all its digits.

    >>> percentage(0.3333).text, percentage(1.5).text
    ('33.33%', '150%')
    """
    shown = Decimal(repr(number)) * 100
    return ExactCell(format(shown.normalize() + 0, "f") + "%", CellKind.NUMBER)


def _moment(number: float, date_1904: bool) -> dt.date | dt.time:
    days = number + _DAYS_1904 if date_1904 else number
    if days < _FIRST_DAY_AFTER_FALSE_LEAP_DAY:
        days += 1
    moment = _EPOCH + dt.timedelta(milliseconds=round(days * _DAY_MS))
    if number < 1:
        return moment.time()
    return moment.date() if number == int(number) else moment
