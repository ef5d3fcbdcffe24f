"""Rows and cells of a piece of a report, cut all at once: a row per line, cells between tabs."""

from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Positions = npt.NDArray[np.int64]

_TAB: Final = 0x09
_LINE_FEED: Final = 0x0A
_CARRIAGE_RETURN: Final = 0x0D
_BACKSLASH: Final = 0x5C


class Grid:
    """The cells of some whole lines of text. Rows and cells count from 0.

    A tab is part of a cell when it is escaped by a backslash, which is not itself escaped (by two more); there are no
    quotes (DSR Part 1, "Communicating delimiters").

    Attributes:
        data: The lines, each with its line feed; UTF-8.
        widths: Number of cells of each row.
        escaped_rows: Rows with an escaped tab.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        marks = np.frombuffer(data, np.uint8)
        bounds = np.flatnonzero((marks == _TAB) | (marks == _LINE_FEED)).astype(np.int64)
        escaped = _escaped(marks, bounds) if b"\\\t" in data else np.zeros(len(bounds), bool)
        line_ends = bounds[marks[bounds] == _LINE_FEED]
        self.escaped_rows = np.unique(np.searchsorted(line_ends, bounds[escaped]))
        bounds = bounds[~escaped]
        ends_line = marks[bounds] == _LINE_FEED
        last = np.flatnonzero(ends_line)
        self._bounds, self._last = bounds, last
        self._first = np.concatenate([[0], last[:-1] + 1]).astype(np.int64)
        self.widths: Positions = last - self._first + 1
        starts = np.concatenate([[0], bounds[:-1] + 1]).astype(np.int64)
        returned = ends_line & (bounds > starts) & (marks[np.maximum(bounds - 1, 0)] == _CARRIAGE_RETURN)
        self._starts, self._ends = starts, bounds - returned

    def __len__(self) -> int:
        return len(self.widths)

    @cached_property
    def _texts(self) -> pa.Array:
        """Every cell and, between two cells, what delimits them; over the same bytes, nothing is copied."""
        offsets = np.empty(2 * len(self._bounds) + 1, np.int64)
        offsets[0:-1:2], offsets[1::2], offsets[-1] = self._starts, self._ends, len(self.data)
        return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(self.data))

    def cells(self, rows: Positions, positions: Positions | int) -> pa.Array:
        """Return one cell of each of some rows; "" where a row or a position is -1, or the row is shorter."""
        absent = (rows < 0) | (np.asarray(positions) < 0) | (positions >= self.widths[rows])
        where = np.where(absent, 0, 2 * (self._first[rows] + positions))
        if not absent.any():
            return self._texts.take(pa.array(where))
        return pc.fill_null(self._texts.take(pa.array(where, mask=absent)), "")

    def row_start(self, row: int) -> int:
        """Return the byte at which a row begins."""
        return int(self._starts[self._first[row]])

    def filled_beyond(self, rows: Positions, widths: Positions) -> npt.NDArray[np.bool_]:
        """Tell which rows have more cells than a width, and anything in these."""
        extra = self.widths[rows] - widths
        within = np.where(extra > 0, self._first[rows] + widths - 1, self._last[rows])
        told = self._ends[self._last[rows]] - self._ends[within] > extra
        return np.asarray((extra > 0) & told)


def _escaped(marks: npt.NDArray[np.uint8], bounds: Positions) -> npt.NDArray[np.bool_]:
    """Tell which bounds are tabs that belong to their cell: one backslash more than whole escaped ones, of three."""
    others = np.where(marks != _BACKSLASH, np.arange(len(marks)), -1)
    before = np.maximum(bounds - 1, 0)
    run = before - np.maximum.accumulate(others)[before]
    return np.asarray((marks[bounds] == _TAB) & (bounds > 0) & (run % 3 == 1))
