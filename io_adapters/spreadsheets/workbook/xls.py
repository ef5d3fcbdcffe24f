"""Reading .xls, which Excel wrote until 2003: xlrd for the cells, the stream's records for the formulas.

xlrd alone reads the values, since it knows what calamine does not: errors, hidden rows, number formats. Such a sheet
has 65,536 rows at most, so that its speed suffices.
"""

import io
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from xlrd import Book, error_text_from_code, open_workbook
from xlrd.biffh import XLRDError
from xlrd.compdoc import CompDoc, CompDocError
from xlrd.sheet import Sheet as XlrdSheet

from io_adapters.spreadsheets.workbook.sheets import CellValue, ExactCell, Refused, Sheet, SheetName, Traits
from io_adapters.spreadsheets.workbook.spans import covered_cells
from io_adapters.spreadsheets.workbook.xls_numbers import Shown, number_value, shown_as
from io_adapters.spreadsheets.workbook.xls_records import Formulas, read_formulas, read_globals
from schemas.sheet_cells import CellKind, Oddities

# What xlrd raises on damaged files: it follows lengths, offsets and indices wherever they lead.
_DAMAGE: Final = (
    XLRDError,
    CompDocError,
    struct.error,
    AssertionError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)
_MACROS: Final = frozenset({"_vba_project_cur", "_vba_project"})
_LOCKED: Final = "encryptedpackage"
_EMPTY, _TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR, _BLANK = range(7)
_VACANT: Final = frozenset({_EMPTY, _BLANK})


def open_xls(content: bytes) -> "XlsWorkbook":
    """Open an .xls.

    Raises:
        Refused: FILE_ENCRYPTED; FILE_CORRUPT, also when it is older than Excel 97.
    """
    with _damage_refused():
        return XlsWorkbook(content)


class XlsWorkbook:
    """An .xls, open.

    Attributes:
        sheets: Its worksheets, in order.
        traits: What is to be said of it as a whole.
    """

    def __init__(self, content: bytes) -> None:
        """Read what comes before the sheets, and the formulas of them all."""
        quiet = _Nowhere()
        document = CompDoc(content, logfile=quiet)
        names = {entry.name.lower() for entry in document.dirlist}
        stream = document.get_named_stream("Workbook")
        if stream is None:
            raise Refused("FILE_ENCRYPTED" if _LOCKED in names else "FILE_CORRUPT")
        told = read_globals(stream)
        self._book: Book = open_workbook(
            file_contents=stream, logfile=quiet, formatting_info=True, on_demand=True, ragged_rows=True
        )
        sheet_names: list[str] = self._book.sheet_names()
        if len(set(sheet_names)) < len(sheet_names):
            raise Refused("FILE_CORRUPT")
        self.sheets: Sequence[SheetName] = tuple(
            SheetName(name, sheet.visible) for name, sheet in zip(sheet_names, told.worksheets, strict=True)
        )
        self.traits = Traits(told.macro_sheets or not _MACROS.isdisjoint(names), self._book.datemode == 1)
        formulas = [read_formulas(stream, sheet.offset, told.external) for sheet in told.worksheets]
        self._formulas = dict(zip(sheet_names, formulas, strict=True))
        # Programs that write formulas and cannot calculate leave all of them vacant; in a workbook that Excel has
        # calculated, a formula may well give an empty text, but then others do not.
        self._calculated = any(sheet.vacant < sheet.places for sheet in formulas)

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory.

        Raises:
            Refused: FILE_CORRUPT.
        """
        with _damage_refused():
            sheet: XlrdSheet = self._book.sheet_by_name(name)
            self._book.unload_sheet(name)
            formulas = self._formulas[name]
            vacant = frozenset[tuple[int, int]]() if self._calculated else frozenset(formulas.vacant)
            widths = [_used_width(sheet, row, vacant) for row in range(sheet.nrows)]
            height = max((row + 1 for row, width in enumerate(widths) if width), default=0)
            width = max(widths, default=0)
            shown = [shown_as(self._book.format_map[style.format_key].format_str) for style in self._book.xf_list]
            cells = _Cells(sheet, shown, date_1904=self.traits.date_1904)
            rows = (cells.row(row, width, vacant) for row in range(height))
            return Sheet(rows, height, width, _oddities(sheet, formulas, vacant, height, width))


class _Nowhere(io.TextIOBase):
    """Where xlrd writes its warnings, which quote the file."""

    def write(self, text: str) -> int:
        return len(text)


class _Cells:
    """The cells of a sheet, one row at a time."""

    def __init__(self, sheet: XlrdSheet, shown: list[Shown], *, date_1904: bool) -> None:
        self._sheet = sheet
        self._shown = shown
        self._date_1904 = date_1904

    def row(self, row: int, width: int, vacant: frozenset[tuple[int, int]]) -> list[CellValue]:
        """Return the cells of a row, `width` of them."""
        values: list[Any] = list(self._sheet.row_values(row, 0, width))
        for column, kind in enumerate(self._sheet.row_types(row, 0, width)):
            if kind in (_NUMBER, _DATE):
                shown = self._shown[self._sheet.cell_xf_index(row, column)]
                if shown is not Shown.NUMBER:
                    values[column] = number_value(values[column], shown, date_1904=self._date_1904)
            elif kind == _BOOLEAN:
                values[column] = bool(values[column])
            elif kind == _ERROR:
                values[column] = ExactCell(error_text_from_code.get(values[column], "#ERROR!"), CellKind.ERROR)
        if vacant:
            for column in range(len(values)):
                if (row, column) in vacant:
                    values[column] = ExactCell("", CellKind.FORMULA_WITHOUT_VALUE)
        return values + [""] * (width - len(values))


def _used_width(sheet: XlrdSheet, row: int, vacant: frozenset[tuple[int, int]]) -> int:
    """Columns of a row up to the last with anything in it."""
    kinds = sheet.row_types(row)
    for column in range(len(kinds) - 1, -1, -1):
        empty = kinds[column] in _VACANT or (kinds[column] == _TEXT and not sheet.cell_value(row, column))
        if not empty or (row, column) in vacant:
            return column + 1
    return 0


def _oddities(
    sheet: XlrdSheet, formulas: Formulas, vacant: frozenset[tuple[int, int]], height: int, width: int
) -> Oddities:
    hidden = [
        row
        for row in range(height)
        if (sheet.rowinfo_map[row].hidden if row in sheet.rowinfo_map else sheet.default_row_hidden)
    ]
    return Oddities(
        hidden_rows=tuple(row + 1 for row in hidden),
        hidden_columns=tuple(
            column for column in range(width) if column in sheet.colinfo_map and sheet.colinfo_map[column].hidden
        ),
        merged=covered_cells(
            sheet.name, ((top, left, bottom, right) for top, bottom, left, right in sheet.merged_cells), height, width
        ),
        external=frozenset((row + 1, column) for row, column in formulas.external),
        formulas=frozenset((row + 1, column) for row, column in formulas.places - vacant),
        stale=formulas.stale and bool(formulas.places),
    )


@contextmanager
def _damage_refused() -> Iterator[None]:
    try:
        yield
    except _DAMAGE:
        # Without its cause, whose text may repeat a cell.
        raise Refused("FILE_CORRUPT") from None
