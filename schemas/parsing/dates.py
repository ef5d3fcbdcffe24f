"""Columns of dates and periods: whether the day or the month comes first, by layout and by cells that prove it."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from schemas.issues import IssueCode
from schemas.parsing.cells import CellReader, ColumnReader, DecidingCells, ParsingDecision
from schemas.sheet_cells import CellKind
from schemas.values.reading import MONTHS, Reading, fold_word

DateStyle = Literal["auto", "home", "day_first", "month_first"]

_TIME: Final = re.compile(
    r"[T ] ?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[AaPp][Mm])?(?:Z|[+-][0-9]{2}:?[0-9]{2})?$"
)
_YEAR_FIRST: Final = re.compile(r"([0-9]{4})([-/.]?)([0-9]{2})\2([0-9]{2})")
_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_DAY_OF_NAMED_MONTH: Final = re.compile(
    r"(?P<d>[0-9]{1,2})(?: de |[-/. ])(?P<m>[^\W\d_]{3,})\.?(?: de |[-/. ])(?P<y>[0-9]{4})"
)
_NAMED_MONTH_DAY: Final = re.compile(r"(?P<m>[^\W\d_]{3,})\.? (?P<d>[0-9]{1,2}),? (?P<y>[0-9]{4})")
_NAMED_MONTH: Final = re.compile(r"([^\W\d_]{3,})\.?(?: de | ?[-/.] ?| )([0-9]{4}|[0-9]{2})")
_MONTH_YEAR_FIRST: Final = re.compile(r"([0-9]{4})[-/M._]?([0-9]{2})|([0-9]{4})[-/M._]([0-9])")
_MONTH_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})[-/.]([0-9]{4})")
_SERIAL: Final = re.compile(r"([2-7][0-9]{4})(?:\.[0-9]+)?")  # 1954 to 2118, counted in days; the fraction is the time
_DAY_ZERO: Final = dt.date(1899, 12, 30)
_BAD: Final[Reading[str]] = Reading(None, IssueCode.DATE_FORMAT)
_OPEN: Final[Reading[str]] = Reading(None, IssueCode.DATE_AMBIGUOUS)
_ENGLISH: Final = re.compile(
    r"\b(?:date|day|month|period|sales?|from|to|since|until|start|end|effective|valid|paid|payment|usage|transaction)\b",
    re.IGNORECASE,
)


def is_english(header: str) -> bool:
    """Tell whether a header of dates is English, of which nobody knows whether the day or the month comes first."""
    return _ENGLISH.search(header.replace("_", " ")) is not None


def dates(distinct: Sequence[tuple[str, CellKind]], style: DateStyle) -> ColumnReader:
    """Read days; values are ISO texts. A spreadsheet's day number is read with a note (1900 system)."""
    styles = _Styles(distinct, style)
    return ColumnReader(_day_reader(styles), styles.decision, styles.deciding)


def periods(distinct: Sequence[tuple[str, CellKind]], style: DateStyle) -> ColumnReader:
    """Read months ("2026-10", "2017M10", "10/2026", "out/2026", "Oct-26") and days; values are "YYYY-MM" or ISO days.

    A month's name and two digits are read as month and year of this century, with a note.
    """
    styles = _Styles(distinct, style)
    read_day = _day_reader(styles)

    def read(text: str, kind: CellKind) -> Reading[str]:
        if found := _MONTH_YEAR_FIRST.fullmatch(text):
            return _month(found[1] or found[3], int(found[2] or found[4]))
        if found := _MONTH_YEAR_LAST.fullmatch(text):
            return _month(found[2], int(found[1]))
        if found := _NAMED_MONTH.fullmatch(text):
            return _month(found[2], MONTHS.get(fold_word(found[1]), 0))
        return read_day(text, kind)

    return ColumnReader(read, styles.decision, styles.deciding)


class _Styles:
    """Whether a column writes the day or the month first."""

    def __init__(self, distinct: Sequence[tuple[str, CellKind]], style: DateStyle) -> None:
        self.two_digits = style != "auto"
        deciding: dict[bool, tuple[str, CellKind]] = {}
        left_open = False
        for text, kind in distinct:
            if found := _YEAR_LAST.fullmatch(_TIME.sub("", text)):
                first, second = int(found[1]), int(found[3])
                if (first > 12) != (second > 12):
                    deciding.setdefault(first > 12, (text, kind))
                left_open |= first != second and max(first, second) <= 12
        self.deciding: DecidingCells = tuple(deciding.values())
        proven = set(deciding) or ({style != "month_first"} if style != "auto" else set())
        self.day_first = proven.pop() if len(proven) == 1 else None
        decided = left_open and self.day_first is not None
        self.decision = (
            (ParsingDecision.DAY_FIRST if self.day_first else ParsingDecision.MONTH_FIRST) if decided else None
        )

    def is_day_first(self, first: int, second: int) -> bool | None:
        """Tell it of one cell; None when that cannot be known."""
        return first > 12 if (first > 12) != (second > 12) or first == second else self.day_first


def _day_reader(styles: _Styles) -> CellReader:
    def read(text: str, _kind: CellKind) -> Reading[str]:
        text = _TIME.sub("", text)
        if found := _YEAR_FIRST.fullmatch(text):
            return _day(found[1], int(found[3]), found[4])
        if found := _SERIAL.fullmatch(text):
            day = _DAY_ZERO + dt.timedelta(days=int(found[1]))
            return Reading(day.isoformat(), IssueCode.VALUE_NORMALISED)
        if found := _DAY_OF_NAMED_MONTH.fullmatch(text) or _NAMED_MONTH_DAY.fullmatch(text):
            return _day(found["y"], MONTHS.get(fold_word(found["m"]), 0), found["d"])
        if (found := _YEAR_LAST.fullmatch(text)) and (styles.two_digits or len(found[4]) == 4):
            day_first = styles.is_day_first(int(found[1]), int(found[3]))
            if day_first is None:
                return _OPEN
            month, day_ = (found[3], found[1]) if day_first else (found[1], found[3])
            return _day(_year(found[4]), int(month), day_)
        return _BAD

    return read


def _day(year: str, month: int, day: str) -> Reading[str]:
    try:
        return Reading(dt.date(int(year), month, int(day)).isoformat())
    except ValueError:
        return _BAD


def _month(year: str, month: int) -> Reading[str]:
    if not 1 <= month <= 12:
        return _BAD
    return Reading(f"{_year(year)}-{month:02d}", IssueCode.VALUE_NORMALISED if len(year) == 2 else None)


def _year(written: str) -> str:
    return written if len(written) == 4 else f"20{written}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Cells of a file that decide how all cells of their columns are read: its decimal mark, its order of dates.

    Attributes:
        cells: Canonical column -> at most one cell for each thing proved, found in any block; none of a column of which
            nothing is proved.
    """

    cells: Mapping[str, DecidingCells] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", {column: deciding for column, deciding in self.cells.items() if deciding})

    def of(self, column: str) -> DecidingCells:
        return self.cells.get(column, ())


NO_EVIDENCE: Final = Evidence()
