"""A sheet of an OpenDocument workbook as it is written, with whatever is repeated kept once."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from io_adapters.spreadsheets.workbook.sheets import CellValue

# First row, first column, row after the last, column after the last; from 0.
Span = tuple[int, int, int, int]


@dataclass(slots=True)
class Table:
    """A sheet.

    Attributes:
        name: Its name.
        visible: Whether it is shown.
        rows: (first row, from 0; how often it is repeated; its cells up to the last with anything in it).
        height: Rows up to the last one with anything in it.
        width: Columns likewise.
        hidden_rows: (first, after last) of rows that are not shown, from 0.
        hidden_columns: Likewise.
        merged: Of merged cells.
        formulas: Of formulas that have a value.
        external: Of formulas that take their value from another document.
    """

    name: str
    visible: bool
    rows: list[tuple[int, int, list[CellValue]]] = field(default_factory=list)
    height: int = 0
    width: int = 0
    hidden_rows: list[tuple[int, int]] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    merged: list[Span] = field(default_factory=list)
    formulas: list[Span] = field(default_factory=list)
    external: list[Span] = field(default_factory=list)

    def written_out(self) -> Iterator[list[CellValue]]:
        """Yield every row from the first, each `width` cells long."""
        blank: list[CellValue] = [""] * self.width
        following = 0
        for first, times, cells in self.rows:
            yield from (blank.copy() for _ in range(first - following))
            whole = cells + blank[len(cells) :]
            yield from (whole.copy() for _ in range(times))
            following = first + times
