"""Reading .xlsx: calamine for speed, the sheet's XML for what calamine leaves out."""

import io
import itertools
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError

import pandas as pd
from defusedxml import DefusedXmlException
from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    SheetTypeEnum,
    SheetVisibleEnum,
    load_workbook,
)

from io_adapters.spreadsheets.cell_reader import ExactCell
from io_adapters.spreadsheets.columns import CellValue, ColumnBuilder, cell_text
from io_adapters.spreadsheets.packages import check_size, has_macros, percent_styles, sheet_parts
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.sheet_xml import exact_cells, scan_sheet
from io_adapters.spreadsheets.words import say
from schemas.file_view import HEAD_ROWS as HEADER_SEARCH_ROWS
from schemas.issues import IssueCode
from schemas.layouts.headers import fold, match_headers
from schemas.layouts.layout import Layout
from schemas.raw_table import FileIdentity, RawTable

_BLOCK_ROWS: Final = 16_384
# calamine reserves memory for the whole rectangle between a sheet's corners, and aborts when it gets none.
_MOST_CELLS: Final = 40_000_000
# What the libraries raise for archives and XML that are not sound; RuntimeError is zipfile's word for a password.
_DAMAGE: Final = (
    CalamineError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    ParseError,
    ExpatError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet in memory, not yet turned into columns."""

    name: str
    cells: CalamineSheet
    exact: dict[tuple[int, int], ExactCell]
    height: int
    width: int
    hidden_lines: bool


def read_workbook(identity: FileIdentity, content: bytes, layout: Layout, language: str) -> RawTable:
    """Read the one sheet of a workbook that a layout means.

    Args:
        identity: Of the file.
        content: Its bytes, known to be a ZIP archive with a workbook.
        layout: Says which sheet, where the header is, which columns are required.
        language: Of decisions and messages.

    Raises:
        UnreadableFile: damaged, unsafe to open, no sheet fits or several do, no rows.
    """
    place = Place(identity.name, language)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_size(archive, place)
            with load_workbook(io.BytesIO(content)) as workbook:
                sheet, decisions = _choose(_Opened(archive, workbook, layout, place))
                return _table(identity, sheet, layout, place, decisions)
    except DefusedXmlException:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason="DOCTYPE") from None
    except ValueError:  # a number that is none; the exception's text would repeat the cell
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason="XML") from None
    except _DAMAGE as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"{type(error).__name__}: {error}") from error


class _Opened:
    """An open workbook and what is asked of it."""

    def __init__(self, archive: zipfile.ZipFile, workbook: CalamineWorkbook, layout: Layout, place: Place) -> None:
        self.archive = archive
        self.workbook = workbook
        self.layout = layout
        self.place = place
        self.parts = sheet_parts(archive)
        self.percent = percent_styles(archive)
        self.sheets = [meta for meta in workbook.sheets_metadata if meta.typ == SheetTypeEnum.WorkSheet]

    def load(self, name: str) -> _Sheet:
        """Bring one sheet into memory, if that is safe."""
        scan = scan_sheet(self.archive, self.parts[name], self.percent)
        rows, columns, exact = scan.rows, scan.columns, {}
        if scan.look_closer or rows * columns > _MOST_CELLS:
            looked = exact_cells(self.archive, self.parts[name], self.percent)
            rows, columns, exact = looked.rows, looked.columns, looked.cells
        if rows * columns > _MOST_CELLS:
            raise refusal(IssueCode.FILE_CORRUPT, self.place, "extent", sheet=name, rows=rows, columns=columns)
        cells = self.workbook.get_sheet_by_name(name)
        last_row, last_column = cells.end or (-1, -1)
        height = 1 + max([last_row, *(row for row, _ in exact)])
        width = 1 + max([last_column, *(column for _, column in exact)])
        return _Sheet(name, cells, exact, height, width, scan.hidden_lines)


def _choose(opened: _Opened) -> tuple[_Sheet, list[str]]:
    language = opened.place.language
    visible = [meta.name for meta in opened.sheets if meta.visible == SheetVisibleEnum.Visible]
    hidden = [meta.name for meta in opened.sheets if meta.visible != SheetVisibleEnum.Visible]
    sheet = _named(opened) if opened.layout.sheets else _only_fitting(opened, visible)
    decisions = [say("sheet", language, sheet=sheet.name)]
    if unread := [name for name in hidden if name != sheet.name]:
        decisions.append(say("hidden_sheets", language, sheets=", ".join(unread)))
    if sheet.hidden_lines:
        decisions.append(say("hidden_lines", language))
    if has_macros(opened.archive):
        decisions.append(say("active", language))
    return sheet, decisions


def _named(opened: _Opened) -> _Sheet:
    names = [meta.name for meta in opened.sheets]
    wanted = opened.layout.sheets[0]
    found = [name for name in names if name == wanted] or [name for name in names if fold(name) == fold(wanted)]
    if len(found) != 1:
        raise refusal(IssueCode.SHEET_MISSING, opened.place, "no_such_sheet", sheet=wanted, sheets=", ".join(names))
    return opened.load(found[0])


def _only_fitting(opened: _Opened, visible: list[str]) -> _Sheet:
    if not visible:
        raise refusal(IssueCode.SHEET_MISSING, opened.place, "no_visible_sheet")
    if len(visible) == 1:
        return opened.load(visible[0])
    fitting = [sheet for sheet in map(opened.load, visible) if _header_row(sheet, opened.layout) is not None]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise refusal(IssueCode.SHEET_AMBIGUOUS, opened.place, "which_sheet", sheets=", ".join(s.name for s in fitting))
    required = ", ".join(opened.layout.columns[column][0] for column in opened.layout.required)
    raise refusal(IssueCode.SHEET_AMBIGUOUS, opened.place, "no_sheet_fits", sheets=", ".join(visible), columns=required)


def _header_row(sheet: _Sheet, layout: Layout) -> int | None:
    """First row, 1-based, that has every required header; None when there is none."""
    first = layout.header_row or 1
    last = layout.header_row or HEADER_SEARCH_ROWS
    for number, row in enumerate(itertools.islice(_rows(sheet), first - 1, last), first):
        if not match_headers(list(map(cell_text, row)), layout).missing:
            return number
    return None


def _table(identity: FileIdentity, sheet: _Sheet, layout: Layout, place: Place, decisions: list[str]) -> RawTable:
    header_row = _header_row(sheet, layout) or layout.header_row or 1
    rows = itertools.islice(_rows(sheet), header_row - 1, None)
    headers = tuple(map(cell_text, next(rows, [])))
    builder = ColumnBuilder(sheet.width)
    while block := list(itertools.islice(rows, _BLOCK_ROWS)):
        builder.add(block)
    if builder.last_row < 0 and not any(headers):
        raise refusal(IssueCode.FILE_EMPTY, place, "empty", sheet=sheet.name)
    if builder.last_row < 0:
        raise refusal(IssueCode.FILE_NO_ROWS, place, "no_rows", sheet=sheet.name, row=header_row)
    used = max((position + 1 for position, header in enumerate(headers) if header), default=0)
    index = pd.RangeIndex(header_row + 1, header_row + 2 + builder.last_row)
    cells, kinds = builder.finish(index, used)
    decided = (*decisions, say("header", place.language, row=header_row))
    return RawTable(identity, sheet.name, header_row, headers[: cells.shape[1]], cells, kinds, decided)


def _rows(sheet: _Sheet) -> Iterator[list[CellValue]]:
    """Yield every physical row from the first, each `width` cells from column A."""
    rows: Iterator[list[Any]] = iter(sheet.cells.iter_rows() if sheet.cells.start else ())
    left = [""] * (sheet.cells.start[1] if sheet.cells.start else 0)
    right = [""] * (sheet.width - (sheet.cells.end[1] + 1 if sheet.cells.end else 0))
    if left or right:
        rows = (left + row + right for row in rows)
    return _overlaid(rows, sheet) if sheet.exact else rows


def _overlaid(rows: Iterator[list[Any]], sheet: _Sheet) -> Iterator[list[CellValue]]:
    by_row: dict[int, list[tuple[int, ExactCell]]] = {}
    for (row, column), cell in sheet.exact.items():
        by_row.setdefault(row, []).append((column, cell))
    # The last rows may hold nothing but errors, which calamine takes for empty.
    blanks = ([""] * sheet.width for _ in itertools.count())
    for number, cells in enumerate(itertools.islice(itertools.chain(rows, blanks), sheet.height)):
        for column, cell in by_row.get(number, ()):
            cells[column] = cell
        yield cells
