"""What a file shows before it is read: the first rows of each sheet, or of a text under each delimiter."""

from dataclasses import dataclass
from typing import Final

# How far down a header is looked for when the layout does not say where it is, and how many rows a view shows.
HEAD_ROWS: Final = 60


@dataclass(frozen=True, slots=True)
class HeadRow:
    """One of the first rows.

    Attributes:
        row: Physical row, 1-based.
        texts: Its cells from column A, as `RawTable.cells` writes them.
    """

    row: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """One way to see a table in a file.

    Attributes:
        sheet: Sheet name; None for text.
        delimiter: Between the fields of a text; None for a sheet.
        visible: Whether the sheet is shown to people.
        head: The first rows that hold anything, up to `HEAD_ROWS`.
        rows: How many rows a sheet has; of a larger one than `head` shows, blank ones among them count.
    """

    sheet: str | None
    delimiter: str | None
    visible: bool
    head: tuple[HeadRow, ...]
    rows: int = 0
