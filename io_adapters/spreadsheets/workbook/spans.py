"""The cells that merged ones cover; what lies beyond a sheet's last cell is not told."""

from collections.abc import Iterable
from typing import Final

from io_adapters.spreadsheets.workbook.sheets import Refused

# A merged cell of a table covers a few others; a workbook of a kilobyte can say that one covers them all.
_MOST_COVERED_CELLS: Final = 1_000_000


def covered_cells(
    sheet: str, merged: Iterable[tuple[int, int, int, int]], height: int, width: int
) -> frozenset[tuple[int, int]]:
    """Return the cells that merged ones cover, as `Oddities.merged` has them.

    Args:
        sheet: Its name.
        merged: (first row, first column, row after the last, column after the last), from 0.
        height: Rows of the sheet.
        width: Columns of the sheet.

    Raises:
        Refused: FILE_EXTENT, when they cover more cells than those of any table.
    """
    spans = [
        (top, left, range(top, min(bottom, height)), range(left, min(right, width)))
        for top, left, bottom, right in merged
    ]
    if sum(len(rows) * len(columns) for _, _, rows, columns in spans) > _MOST_COVERED_CELLS:
        raise Refused("FILE_EXTENT", "merged_extent", sheet=sheet, limit=_MOST_COVERED_CELLS)
    return frozenset(
        (row + 1, column)
        for top, left, rows, columns in spans
        for row in rows
        for column in columns
        if (row, column) != (top, left)
    )
