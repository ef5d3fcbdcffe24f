"""An open workbook, which keeps the sheets that were loaded last."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from io_adapters.spreadsheets.limits import MOST_SHEET_CELLS
from io_adapters.spreadsheets.workbook.sheets import CellValue, Sheet, Workbook, WorkbookRefused, cell_text
from schemas.sheet_cells import HEAD_ROWS

# Sheets are kept between the look at their first rows and the reading of one, as long as they are not too many.
_MOST_KEPT_CELLS: Final = MOST_SHEET_CELLS // 2
# What fits a processor's cache is turned into columns twice as fast.
_BLOCK_ROWS: Final = 4096

Head = list[tuple[int, list[str]]]


@dataclass
class _Loaded:
    """A sheet and those of its rows that were looked at already."""

    sheet: Sheet
    seen: list[list[CellValue]] = field(default_factory=list)

    def head(self) -> Head:
        """Return the first rows that hold anything: their numbers and texts, empty cells at the end left out."""
        head: Head = []
        for row in self.sheet.rows:
            self.seen.append(row)
            texts = list(map(cell_text, row))
            while texts and not texts[-1]:
                texts.pop()
            if texts:
                head.append((len(self.seen), texts))
            if len(head) == HEAD_ROWS:
                break
        return head

    def rows(self) -> Iterator[list[CellValue]]:
        return itertools.chain(self.seen, self.sheet.rows)


class OpenWorkbook:
    """A workbook, open."""

    def __init__(self, workbook: Workbook) -> None:
        self.workbook = workbook
        self._loaded: dict[str, _Loaded] = {}

    def heads(self) -> list[tuple[str, bool, Head, int]]:
        """Return name, visibility, first rows and how many rows there are of each sheet.

        Raises:
            Refused: a visible sheet cannot be read. A hidden one that cannot shows nothing.
        """
        heads = []
        for name, visible in self.workbook.sheets:
            try:
                loaded = self._load(name)
                head = loaded.head()
                rows = len(head) if len(head) < HEAD_ROWS else loaded.sheet.height
            except WorkbookRefused:
                if visible:
                    raise
                head, rows = [], 0
            heads.append((name, visible, head, rows))
        return heads

    def table(self, name: str, header_row: int) -> tuple[list[str], Iterator[list[list[CellValue]]], Sheet]:
        """Return a sheet's header texts, the rows below in blocks, and the sheet; row 0 stands for no header.

        Raises:
            Refused: it cannot be read.
        """
        loaded = self._loaded.pop(name, None) or self._reloaded(name)
        rows = itertools.islice(loaded.rows(), max(header_row - 1, 0), None)
        headers = list(map(cell_text, next(rows, ()))) if header_row else []
        return headers, _blocks(rows), loaded.sheet

    def _load(self, name: str) -> _Loaded:
        loaded = self._loaded[name] = self._reloaded(name)
        while len(self._loaded) > 1 and sum(map(_cells, self._loaded.values())) > _MOST_KEPT_CELLS:
            del self._loaded[next(iter(self._loaded))]
        return loaded

    def _reloaded(self, name: str) -> _Loaded:
        return _Loaded(self.workbook.load(name))


def _cells(loaded: _Loaded) -> int:
    return loaded.sheet.height * loaded.sheet.width


def _blocks(rows: Iterator[list[CellValue]]) -> Iterator[list[list[CellValue]]]:
    while block := list(itertools.islice(rows, _BLOCK_ROWS)):
        yield block
