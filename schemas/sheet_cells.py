"""What a sheet's cells are, and what it holds beside their values; known before any table is made of them."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class CellKind(IntEnum):
    """What a cell held before it became text; a CSV holds TEXT and EMPTY only."""

    EMPTY = 0
    TEXT = 1
    NUMBER = 2
    DATE = 3
    BOOL = 4
    ERROR = 5
    FORMULA_WITHOUT_VALUE = 6


@dataclass(frozen=True, slots=True)
class Oddities:
    """What a sheet holds beside its values. Rows are physical, positions count from 0 at column A.

    Attributes:
        hidden_rows: Rows below the header that the sheet does not show, by hand or by a filter.
        hidden_columns: Columns that it does not show.
        merged: (row, position) of cells that a merged one covers; its top left cell, which has the value, is not one.
        external: (row, position) of formulas that take their value from another workbook.
        formulas: (row, position) of all formulas that have a value.
        stale: Whether the workbook asks to be calculated again before its values are believed.
        values_only: Whether none of this was looked for, since its format is read for its values alone.
    """

    hidden_rows: tuple[int, ...] = ()
    hidden_columns: tuple[int, ...] = ()
    merged: frozenset[tuple[int, int]] = frozenset()
    external: frozenset[tuple[int, int]] = frozenset()
    formulas: frozenset[tuple[int, int]] = frozenset()
    stale: bool = False
    values_only: bool = False


NO_ODDITIES: Final = Oddities()
