"""Dates and periods by the column: its unambiguous cells decide whether the day or the month comes first."""

import datetime as dt
import re
from collections.abc import Sequence
from typing import Final

from schemas.issues import IssueCode
from schemas.reading import Reading
from schemas.sheet_cells import CellKind
from schemas.tables.cells import CellReader

_TIME: Final = re.compile(r"[T ] ?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[AaPp][Mm])?Z?$")
_YEAR_FIRST: Final = re.compile(r"([0-9]{4})([-/.]?)([0-9]{2})\2([0-9]{2})")
_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})")
_MONTH_YEAR_FIRST: Final = re.compile(r"([0-9]{4})[-/M.]?([0-9]{2})|([0-9]{4})[-/M.]([0-9])")
_MONTH_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})[-/.]([0-9]{4})")
_SERIAL: Final = re.compile(r"[2-7][0-9]{4}(?:\.0+)?")  # 1954 to 2118, counted in days
_DAY_ZERO: Final = dt.date(1899, 12, 30)
_BAD: Final[Reading[str]] = Reading(None, IssueCode.DATE_FORMAT)


def dates(distinct: Sequence[tuple[str, CellKind]]) -> CellReader:
    """Read days; values are ISO texts. A spreadsheet's day number is read with a note (1900 system)."""
    day_first = _day_first(distinct)

    def read(text: str, _kind: CellKind) -> Reading[str]:
        text = _TIME.sub("", text)
        if found := _YEAR_FIRST.fullmatch(text):
            return _day(found[1], found[3], found[4])
        if _SERIAL.fullmatch(text):
            day = _DAY_ZERO + dt.timedelta(days=int(text[:5]))
            return Reading(day.isoformat(), IssueCode.VALUE_NORMALISED)
        if found := _YEAR_LAST.fullmatch(text):
            if found[1] == found[3]:
                return _day(found[4], found[1], found[3])
            if day_first is not None:
                return _day(found[4], found[3], found[1]) if day_first else _day(found[4], found[1], found[3])
        return _BAD

    return read


def periods(distinct: Sequence[tuple[str, CellKind]]) -> CellReader:
    """Read months ("2026-10", "2026/10", "2017M10", "10/2026") and days; values are "YYYY-MM" or "YYYY-MM-DD"."""
    read_day = dates(distinct)

    def read(text: str, kind: CellKind) -> Reading[str]:
        if found := _MONTH_YEAR_FIRST.fullmatch(text):
            return _month(found[1] or found[3], found[2] or found[4])
        if found := _MONTH_YEAR_LAST.fullmatch(text):
            return _month(found[2], found[1])
        return read_day(text, kind)

    return read


def _day_first(distinct: Sequence[tuple[str, CellKind]]) -> bool | None:
    """Tell how the column writes days, from cells where one of the two numbers is above twelve."""
    proven = set()
    for text, _ in distinct:
        if found := _YEAR_LAST.fullmatch(_TIME.sub("", text)):
            first, second = int(found[1]), int(found[3])
            if max(first, second) > 12:
                proven.add(first > second)
    return proven.pop() if len(proven) == 1 else None


def _day(year: str, month: str, day: str) -> Reading[str]:
    try:
        return Reading(dt.date(int(year), int(month), int(day)).isoformat())
    except ValueError:
        return _BAD


def _month(year: str, month: str) -> Reading[str]:
    return Reading(f"{int(year):04d}-{int(month):02d}") if 1 <= int(month) <= 12 else _BAD
