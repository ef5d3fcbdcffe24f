"""The cells of an .xlsb's sheet, in one pass over its records.

calamine is not used for these: it takes dates that are whole numbers for numbers, knows neither errors nor rich text
within a cell, and panics where a text is missing.
"""

import itertools
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from io_adapters.spreadsheets.workbook.calamine_sheet import check_extent
from io_adapters.spreadsheets.workbook.sheets import CellValue, ExactCell, Sheet
from io_adapters.spreadsheets.workbook.spans import covered_cells, places_within
from io_adapters.spreadsheets.workbook.xls_numbers import Shown, number_value
from io_adapters.spreadsheets.workbook.xlsb_records import records, rk_number, wide_text
from schemas.sheet_cells import CellKind, Oddities

_ROW: Final = 0
_BLANK: Final = 1
_RK, _ERROR, _BOOL, _REAL, _TEXT, _SHARED_TEXT = range(2, 8)
_FORMULA_TEXT, _FORMULA_REAL, _FORMULA_BOOL, _FORMULA_ERROR = range(8, 12)
_COLUMNS: Final = 60
_RICH_TEXT: Final = 62
_BEGIN_CELLS: Final = 145
_END_CELLS: Final = 146
_MERGED: Final = 176
_ARRAY: Final = 426
_SHEET_CALCULATION: Final = 663
_CELLS: Final = frozenset({*range(_RK, _FORMULA_ERROR + 1), _RICH_TEXT})
_MOST_ROWS: Final = 1_048_576
_MOST_COLUMNS: Final = 16_384
_PLACE: Final = struct.Struct("<II")
_REAL_VALUE: Final = struct.Struct("<d")
_RANGE: Final = struct.Struct("<IIII")
# [MS-XLSB] 2.5.98.2
_ERRORS: Final = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}


@dataclass(frozen=True, slots=True)
class BookContext:
    """What cells refer to.

    Attributes:
        texts: The workbook's shared texts.
        shown: As what each cell style shows a number.
        date_1904: It counts days from 1904.
        stale: It asks to be calculated again.
        external: Finds a reference to another workbook in a parsed formula; None when there can be none.
    """

    texts: Sequence[str]
    shown: Sequence[Shown]
    date_1904: bool
    stale: bool
    external: re.Pattern[bytes] | None


class SheetReader:
    """Reads one sheet; there are millions of cells, so each costs as little as it can."""

    def __init__(self, name: str, book: BookContext) -> None:
        self._name = name
        self._book = book
        self._rows: list[tuple[int, list[CellValue]]] = []
        self._row = -1
        self._cells: list[CellValue] = []
        self._width = 0
        self._hidden_rows: list[tuple[int, int]] = []
        self._hidden_columns: list[tuple[int, int]] = []
        self._merged: list[tuple[int, int, int, int]] = []
        self._formulas: set[tuple[int, int]] = set()
        self._external: set[tuple[int, int]] = set()
        self._stale = book.stale

    def read(self, part: bytes) -> Sheet:
        """Read a sheet's part.

        Raises:
            Refused: FILE_EXTENT.
            struct.error, IndexError, ValueError: the part is damaged.
        """
        within = False
        for kind, body in records(part):
            if within and kind in _CELLS:
                self._add_cell(kind, body)
            elif within and kind == _ROW:
                self._begin_row(body)
            elif kind == _BEGIN_CELLS:
                within = True
            elif kind == _END_CELLS:
                within = False
                self._end_row()
            elif kind != _BLANK:
                self._note(kind, body)
        height = self._rows[-1][0] + 1 if self._rows else 0
        oddities = Oddities(
            hidden_rows=tuple(row + 1 for row in places_within(self._hidden_rows, height)),
            hidden_columns=tuple(places_within(self._hidden_columns, self._width)),
            merged=covered_cells(self._name, self._merged, height, self._width),
            external=frozenset((row + 1, column) for row, column in self._external),
            formulas=frozenset((row + 1, column) for row, column in self._formulas),
            stale=self._stale and bool(self._formulas),
        )
        return Sheet(self._written_out(), height, self._width, oddities)

    def _begin_row(self, body: bytes) -> None:
        self._end_row()
        (row,) = struct.unpack_from("<I", body)
        if not self._row < row < _MOST_ROWS:
            raise ValueError("rows out of order")
        self._row, self._cells = row, []
        if body[11] & 0x10:
            self._hidden_rows.append((row, row + 1))

    def _end_row(self) -> None:
        if self._cells:
            self._width = max(self._width, len(self._cells))
            check_extent(self._name, self._row + 1, self._width)
            self._rows.append((self._row, self._cells))
            self._cells = []

    def _add_cell(self, kind: int, body: bytes) -> None:
        column, style = _PLACE.unpack_from(body)
        value: CellValue
        parsed = 0
        if kind == _SHARED_TEXT:
            value = self._book.texts[struct.unpack_from("<I", body, 8)[0]]
        elif kind == _RK:
            value = self._number(rk_number(body, 8), style)
        elif kind in (_REAL, _FORMULA_REAL):
            value, parsed = self._number(_REAL_VALUE.unpack_from(body, 8)[0], style), 22
        elif kind in (_TEXT, _FORMULA_TEXT):
            value, end = wide_text(body, 8)
            parsed = end + 6
        elif kind == _RICH_TEXT:
            value, _ = wide_text(body, 9)
        elif kind in (_BOOL, _FORMULA_BOOL):
            value, parsed = body[8] != 0, 15
        else:
            value, parsed = ExactCell(_ERRORS.get(body[8], "#ERROR!"), CellKind.ERROR), 15
        if _FORMULA_TEXT <= kind <= _FORMULA_ERROR:
            self._note_formula(column, kind, body, parsed)
        if value != "":
            self._put(column, value)

    def _put(self, column: int, value: CellValue) -> None:
        missing = column - len(self._cells)
        if self._row < 0 or missing < 0 or column >= _MOST_COLUMNS:
            raise ValueError("cells out of order")
        if missing:
            self._cells.extend([""] * missing)
        self._cells.append(value)

    def _number(self, number: float, style: int) -> CellValue:
        # The upper byte of a style holds something else.
        shown = self._book.shown[style & 0xFF_FFFF]
        return number_value(number, shown, date_1904=self._book.date_1904)

    def _note_formula(self, column: int, kind: int, body: bytes, parsed: int) -> None:
        place = self._row, column
        if kind != _FORMULA_ERROR:
            self._formulas.add(place)
        if self._book.external is not None and self._book.external.search(body, parsed):
            self._external.add(place)

    def _note(self, kind: int, body: bytes) -> None:
        if kind == _COLUMNS:
            first, last, _, _, flags = struct.unpack_from("<IIIIH", body)
            if flags & 1:
                self._hidden_columns.append((first, last + 1))
        elif kind == _MERGED:
            top, bottom, left, right = _RANGE.unpack_from(body)
            self._merged.append((top, left, bottom + 1, right + 1))
        elif kind == _ARRAY:
            if self._book.external is not None and self._book.external.search(body, 21):
                top, bottom, left, right = _RANGE.unpack_from(body)
                check_extent(self._name, bottom - top + 1, right - left + 1)
                self._external.update(itertools.product(range(top, bottom + 1), range(left, right + 1)))
        elif kind == _SHEET_CALCULATION:
            self._stale = self._stale or bool(body[0] & 1)

    def _written_out(self) -> Iterator[list[CellValue]]:
        blank: list[CellValue] = [""] * self._width
        following = 0
        for row, cells in self._rows:
            yield from (blank.copy() for _ in range(row - following))
            yield cells + blank[len(cells) :]
            following = row + 1
