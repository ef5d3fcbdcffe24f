"""Properties of a sheet's cells beside their values: kinds, hidden rows and columns, formulas, number formats."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

# Begins what Repasse writes into the comment of a cell, below what the person had written there.
NOTE_MARK: Final = "— Repasse —"
# How far down a header is looked for when the layout does not say where it is, and how many rows a view shows.
HEAD_ROWS: Final = 60


class CellKind(IntEnum):
    """What a cell held before it became text; a CSV holds TEXT and EMPTY only."""

    EMPTY = 0
    TEXT = 1
    NUMBER = 2
    DATE = 3
    BOOL = 4
    ERROR = 5
    FORMULA_WITHOUT_VALUE = 6


class Look(StrEnum):
    """What a sheet shows that is no value of its cells."""

    FORMAT = "format"  # words that a number format writes beside the number
    COLOUR = "colour"  # of the cells of a row
    UNSEEN = "unseen"  # text in the colour of its cell
    BOX = "box"
    PICTURE = "picture"


OVER_THE_SHEET: Final = frozenset({Look.BOX, Look.PICTURE})  # and of none of its rows
# Row, position, what it is, and the words or colours.
SeenBeside = tuple[int, int, Look, str]


@dataclass(frozen=True, slots=True)
class Oddities:
    """What a sheet holds beside its values. Rows are physical, positions count from 0 at column A.

    Attributes:
        values_only: Whether none of this was looked for, since its format is read for its values alone.
    """

    hidden_rows: tuple[int, ...] = ()
    hidden_columns: tuple[int, ...] = ()
    merged: frozenset[tuple[int, int]] = frozenset()
    external: frozenset[tuple[int, int]] = frozenset()
    formulas: frozenset[tuple[int, int]] = frozenset()
    zeros: frozenset[tuple[int, int, int]] = frozenset()
    shown_otherwise: frozenset[tuple[int, int]] = frozenset()
    struck: frozenset[tuple[int, int]] = frozenset()
    comments: tuple[tuple[int, int, str], ...] = ()
    looks: tuple[SeenBeside, ...] = ()
    stale: bool = False
    values_only: bool = False


NO_ODDITIES: Final = Oddities()


@dataclass(frozen=True, slots=True)
class HeadRow:
    """One of the first rows.

    Attributes:
        row: Physical row, 1-based.
    """

    row: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """One way to see a table in a file.

    Attributes:
        sheet: Sheet name; None for text.
        delimiter: Between the fields of a text; None for a sheet.
    """

    sheet: str | None
    delimiter: str | None
    visible: bool
    head: tuple[HeadRow, ...]
    rows: int = 0
