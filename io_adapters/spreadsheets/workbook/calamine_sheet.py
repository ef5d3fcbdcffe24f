"""What calamine read of a sheet, in any format, as rows from A1, with the cells it gets wrong put right."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from python_calamine import CalamineSheet

from io_adapters.spreadsheets.limits import MOST_SHEET_CELLS
from io_adapters.spreadsheets.workbook.sheets import CellValue, ExactCell, Refused, Sheet
from schemas.sheet_cells import NO_ODDITIES, Oddities

# A merged cell of a table covers a few others; a workbook of a kilobyte can say that one covers them all.
_MOST_COVERED_CELLS: Final = 1_000_000

Place = tuple[int, int]


def sheet_of(
    cells: CalamineSheet, exact: Mapping[Place, ExactCell] | None = None, oddities: Oddities = NO_ODDITIES
) -> Sheet:
    """Lay exact cells over what calamine read.

    Args:
        cells: As calamine loaded them.
        exact: (row, column), both from 0 -> what stands there instead; also beyond calamine's last row and column,
            since it takes errors and formulas without a value for empty.
        oddities: Of the sheet; where calamine knows of merged cells, it says which are covered.

    Raises:
        Refused: with the exact cells, the sheet extends beyond the limits.
    """
    exact = exact or {}
    last_row, last_column = cells.end or (-1, -1)
    height = 1 + max([last_row, *(row for row, _ in exact)])
    width = 1 + max([last_column, *(column for _, column in exact)])
    check_extent(cells.name, height, width)
    if cells.merged_cell_ranges:
        merged = ((top, left, down + 1, right + 1) for (top, left), (down, right) in cells.merged_cell_ranges)
        oddities = replace(oddities, merged=_covered_cells(cells.name, merged, height, width))
    rows = _rows(cells, width)
    return Sheet(_overlaid(rows, exact, height, width) if exact else rows, height, width, oddities)


def check_extent(sheet: str, rows: int, columns: int) -> None:
    """Refuse a sheet whose rectangle, from A1 to its last row and column, no reader could hold.

    Raises:
        Refused: FILE_EXTENT.
    """
    if rows * columns > MOST_SHEET_CELLS:
        raise Refused("FILE_EXTENT", sheet=sheet, rows=rows, columns=columns, limit=MOST_SHEET_CELLS)


def _covered_cells(
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


def _rows(cells: CalamineSheet, width: int) -> Iterator[list[CellValue]]:
    if cells.start is None or cells.end is None:
        return iter(())
    # calamine fills up the empty rows above the first cell, but not the empty columns beside it.
    rows: Iterator[list[Any]] = iter(cells.iter_rows())
    left, right = [""] * cells.start[1], [""] * (width - cells.end[1] - 1)
    return (left + row + right for row in rows) if left or right else rows


def _overlaid(
    rows: Iterator[list[CellValue]], exact: Mapping[Place, ExactCell], height: int, width: int
) -> Iterator[list[CellValue]]:
    by_row: dict[int, list[tuple[int, ExactCell]]] = {}
    for (row, column), cell in exact.items():
        by_row.setdefault(row, []).append((column, cell))
    # The last rows may hold nothing but cells that calamine takes for empty.
    blanks = ([""] * width for _ in itertools.count())
    everything: Iterator[list[Any]] = itertools.islice(itertools.chain(rows, blanks), height)
    for number, cells in enumerate(everything):
        for column, cell in by_row.get(number, ()):
            cells[column] = cell
        yield cells
