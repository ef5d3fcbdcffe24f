"""Percentages by the column: exact, at most four decimals, on a scale of 0 to 100 that the column must prove."""

import re
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Final

from schemas.issues import IssueCode
from schemas.sheet_cells import CellKind
from schemas.tables.cells import ColumnReader
from schemas.values.reading import Reading

_EXACT: Final = Context(prec=60)
_PERCENT: Final = re.compile(r"(-?[0-9]{1,6})(?:[.,]([0-9]{1,25}))? *(%)?")
_STEP: Final = Decimal("0.0001")
_ARTEFACT: Final = Decimal("1e-9")


def shares(distinct: Sequence[tuple[str, CellKind]]) -> ColumnReader:
    """Read shares; values are millionths (integers).

    A column in which nothing is above 1 and nothing bears a % sign may hold fractions of one (a spreadsheet's "50 %"
    is the number 0.5): its cells are refused, since nobody can tell 0.5 % from a half.
    """
    scale_proven = any(_proves_scale(text) for text, _ in distinct)

    def read(text: str, _kind: CellKind) -> Reading[int]:
        percent = _exact_percent(text)
        if percent is None:
            return Reading(None, IssueCode.PERCENT_FORMAT)
        if not 0 < percent <= 100:
            return Reading(None, IssueCode.PERCENT_RANGE)
        if not scale_proven:
            return Reading(None, IssueCode.PERCENT_FORMAT)
        return Reading(int(percent.scaleb(4, _EXACT)))

    return ColumnReader(read)


def percentages(_distinct: Sequence[tuple[str, CellKind]]) -> ColumnReader:
    """Read percentages that only inform; values are exact decimal texts such as "33.3333"."""

    def read(text: str, _kind: CellKind) -> Reading[str]:
        percent = _exact_percent(text)
        if percent is None:
            return Reading(None, IssueCode.PERCENT_FORMAT)
        if not 0 <= percent <= 100:
            return Reading(None, IssueCode.PERCENT_RANGE)
        return Reading(format(percent.normalize(_EXACT), "f"))

    return ColumnReader(read)


def _proves_scale(text: str) -> bool:
    found = _PERCENT.fullmatch(text)
    percent = _exact_percent(text)
    return found is not None and percent is not None and (percent > 1 or found[3] is not None)


def _exact_percent(text: str) -> Decimal | None:
    """Return the percentage, free of a float's own noise; None when it is none or has more than four decimals."""
    found = _PERCENT.fullmatch(text)
    if found is None:
        return None
    percent = Decimal(f"{found[1]}.{found[2] or 0}")
    rounded = percent.quantize(_STEP, context=_EXACT)
    return rounded if abs(percent - rounded) <= _ARTEFACT else None
