"""A piece of a report: whole lines, what each is, and which block each record is in."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from io_adapters.spreadsheets.records.grid import Grid, Positions
from io_adapters.spreadsheets.records.headings import Headings, names_in
from io_adapters.spreadsheets.records.record_types import RecordType, record_type
from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode

# The widest record of the standard has 59 cells; a line of tabs alone would cost a hundred times its size.
MOST_CELLS: Final = 1_000


class Piece:
    """Some whole lines of a report.

    Attributes:
        grid: Their cells.
        first_row: Physical row of the first line.
        count: How many of its lines are to be dealt with now; the rest will come again.
        types: Record types that occur, in order of appearance.
    """

    def __init__(self, data: bytes, first_row: int, place: Place) -> None:
        self.grid = Grid(data)
        self.first_row = first_row
        self.count = len(self.grid)
        widest = int(self.grid.widths.argmax())
        if self.grid.widths[widest] > MOST_CELLS:
            raise refusal(IssueCode.FILE_CORRUPT, place, "records_damaged", row=first_row + widest)
        self._codes, texts = self._first_cells()
        kinds = [None if _is_nothing(text) else record_type(text) for text in texts]
        self._refuse_damage(texts, kinds, place)
        self.types = tuple(dict.fromkeys(kind for kind in kinds if kind is not None))
        self._kinds = kinds
        self._comments = [code for code, text in enumerate(texts) if text.startswith("#")]

    def rows_of(self, wanted: Callable[[RecordType], bool]) -> Positions:
        """Return the rows, from 0, of the records that are wanted."""
        codes = [code for code, kind in enumerate(self._kinds) if kind is not None and wanted(kind)]
        return self._rows(codes)

    def by_type(self, rows: Positions, value: Callable[[RecordType], int]) -> Positions:
        """Return what holds of the type of each of some records; -1 where a row is -1."""
        values = [-1 if kind is None else value(kind) for kind in self._kinds]
        return np.where(rows < 0, -1, np.array(values, np.int64)[self._codes[rows]])

    def names(self) -> Iterator[tuple[int, RecordType, list[str]]]:
        """Yield the `#` lines that name cells: physical row, record type, names."""
        for row in self._rows(self._comments).tolist():
            start = self.grid.row_start(row)
            line = self.grid.data[start : self.grid.data.index(b"\n", start)].decode().rstrip("\r")
            if found := names_in(line):
                yield self.first_row + row, *found

    def blocks(self, headings: Headings) -> "Blocks":
        """Tell which records are in which block."""
        rows = self.rows_of(headings.is_in_a_block)
        return Blocks(rows, self.grid.cells(rows, 1))

    def _rows(self, codes: list[int]) -> Positions:
        found = np.flatnonzero(np.isin(self._codes, codes)).astype(np.int64)
        return found[found < self.count]

    def _first_cells(self) -> tuple[npt.NDArray[np.int32], list[str]]:
        """Return which distinct first cell each row has, and these."""
        rows = np.arange(len(self.grid), dtype=np.int64)
        coded = self.grid.cells(rows, 0).dictionary_encode()
        return coded.indices.to_numpy(), coded.dictionary.to_pylist()

    def _refuse_damage(self, texts: list[str], kinds: list[RecordType | None], place: Place) -> None:
        """Refuse a line that is neither a record, nor a comment, nor blank: most likely the rest of a broken one."""
        strange = [
            code
            for code, (text, kind) in enumerate(zip(texts, kinds, strict=True))
            if kind is None and not _is_nothing(text)
        ]
        nameless = self._rows([code for code, text in enumerate(texts) if not text.strip()])
        told = nameless[self.grid.filled_beyond(nameless, np.ones(len(nameless), np.int64))]
        if damaged := [*self._rows(strange).tolist(), *told.tolist()]:
            raise refusal(IssueCode.FILE_CORRUPT, place, "records_damaged", row=self.first_row + min(damaged))


class Blocks:
    """Which block each record is in; blocks are counted from 0 in their order.

    Attributes:
        rows: Rows of the records that stand in blocks.
        numbers: Number of each one's block.
        nameless: Rows among them without a block's id.
    """

    def __init__(self, rows: Positions, ids: pa.Array) -> None:
        self.rows = rows
        coded = ids.dictionary_encode()
        codes = coded.indices.to_numpy()
        self._starts = np.flatnonzero(np.diff(codes, prepend=-1))
        self.numbers: Positions = np.searchsorted(self._starts, np.arange(len(rows)), side="right") - 1
        blank = [code for code, text in enumerate(coded.dictionary.to_pylist()) if not text.strip()]
        self.nameless = rows[np.isin(codes, blank)]

    def __len__(self) -> int:
        return len(self._starts)

    @cached_property
    def last_start(self) -> int:
        """Row with which the last block begins."""
        return int(self.rows[self._starts[-1]])

    def of(self, rows: Positions) -> Positions:
        """Return the number of the block of each of some rows; -1 for a row in none."""
        spots = np.minimum(np.searchsorted(self.rows, rows), max(len(self.rows) - 1, 0))
        if not len(self.rows):
            return np.full(len(rows), -1, np.int64)
        return np.where(self.rows[spots] == rows, self.numbers[spots], -1)


def _is_nothing(text: str) -> bool:
    return not text.strip() or text.startswith("#")
