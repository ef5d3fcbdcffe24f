"""Workbooks of old systems that are HTML tables or XML spreadsheets (SpreadsheetML 2003), mostly named .xls."""

import codecs
import datetime as dt
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from html.parser import HTMLParser
from typing import Any, Final
from xml.etree.ElementTree import Element

from defusedxml import ElementTree

from io_adapters.spreadsheets.workbook.archive import local_name, reading
from io_adapters.spreadsheets.workbook.calamine_sheet import check_extent
from io_adapters.spreadsheets.workbook.sheets import CellValue, ExactCell, Sheet, SheetName, Traits, WorkbookRefused
from schemas.sheet_cells import CellKind, Oddities

# As many as Excel has; a cell that spans more columns spans to the last one.
_MOST_ROWS: Final = 1_048_576
_MOST_COLUMNS: Final = 16_384
_SPACE: Final = "{urn:schemas-microsoft-com:office:spreadsheet}"
_VALUES_ONLY: Final = Oddities(values_only=True)


class MarkupWorkbook:
    """A workbook, open: its sheets as rows of cells, some shorter than others."""

    traits = Traits()

    def __init__(self, tables: Sequence[tuple[SheetName, list[list[CellValue]]]]) -> None:
        self.sheets = [name for name, _ in tables]
        self._rows = {name.name: rows for name, rows in tables}
        if len(self._rows) < len(tables):
            raise WorkbookRefused("FILE_CORRUPT")

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory.

        Raises:
            Refused: FILE_EXTENT.
        """
        rows = self._rows[name]
        width = max(map(len, rows), default=0)
        check_extent(name, len(rows), width)
        filled = (row + [""] * (width - len(row)) for row in rows)
        return Sheet(filled, len(rows), width, _VALUES_ONLY)


def open_html(content: bytes) -> MarkupWorkbook:
    """Open a page whose tables are rows of one sheet, one table below the other, as Excel shows them.

    Cells that span others stand in the first of them. All are texts, but where Excel wrote the number (`x:num`).

    Raises:
        Refused: FILE_ENCODING.
    """
    page = _Page()
    page.feed(_html_text(content))
    page.close()
    return MarkupWorkbook([(SheetName("HTML", visible=True), page.rows)])


_CHARSET: Final = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
# A page that says Latin-1 is cp1252 (WHATWG Encoding, section 4.2).
_LATIN_1: Final = frozenset({"iso8859-1", "ascii"})


def _html_text(content: bytes) -> str:
    declared = _CHARSET.search(content[:4096])
    names = ["utf-8-sig", "cp1252"]
    if declared:
        with suppress(LookupError):
            name = codecs.lookup(declared[1].decode("ascii", "replace")).name
            names.insert(0, "cp1252" if name in _LATIN_1 else name)
    for name in names:
        with suppress(UnicodeDecodeError):
            return content.decode(name)
    raise WorkbookRefused("FILE_ENCODING")


_UNSEEN: Final = frozenset({"script", "style", "title", "xml"})
_CELLS: Final = frozenset({"td", "th"})


class _Page(HTMLParser):
    """Collects the rows of all tables of a page; a table within a cell gives its rows before the cell's own row."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[CellValue]] = []
        self._open: list[_MarkupRow] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == "table":
            self._open.append(_MarkupRow())
        elif not self._open:
            return
        elif tag == "tr":
            self._end_row()
        elif tag in _CELLS:
            self._open[-1].begin_cell(dict(attrs))
        elif tag in ("br", "p", "div"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        elif tag == "table" and self._open:
            self._end_row()
            self._open.pop()
        elif tag == "tr" and self._open:
            self._end_row()

    def handle_data(self, data: str) -> None:
        if self._open and not self._unseen:
            self._open[-1].add(data)

    def _end_row(self) -> None:
        row, self._open[-1] = self._open[-1], self._open[-1].next_row()
        if row.begun:
            self.rows.append(row.values())


class _MarkupRow:
    def __init__(self, spans: dict[int, int] | None = None) -> None:
        self.begun = False
        self._cells: dict[int, tuple[list[str], str | None]] = {}
        self._from_above = spans or {}
        self._down: dict[int, int] = {column: rows - 1 for column, rows in self._from_above.items() if rows > 1}
        self._column = -1
        self._next = 0

    def begin_cell(self, attributes: dict[str, str | None]) -> None:
        while self._next in self._from_above:
            self._next += 1
        if self._next >= _MOST_COLUMNS:
            raise WorkbookRefused("FILE_EXTENT", sheet="HTML", rows=1, columns=self._next)
        self.begun, self._column = True, self._next
        self._cells[self._column] = ([], attributes.get("x:num"))
        across, down = (_span(attributes.get(name)) for name in ("colspan", "rowspan"))
        self._next = min(self._column + across, _MOST_COLUMNS)
        if down > 1:
            self._down |= dict.fromkeys(range(self._column, self._next), down - 1)

    def add(self, text: str) -> None:
        if self._column in self._cells:
            self._cells[self._column][0].append(text)

    def next_row(self) -> "_MarkupRow":
        return _MarkupRow(self._down) if self.begun else self

    def values(self) -> list[CellValue]:
        row: list[CellValue] = [""] * self._next
        for column, (texts, number) in self._cells.items():
            row[column] = _number(number) if number else " ".join("".join(texts).split())
        return row


def _span(text: str | None) -> int:
    return max(int(text), 1) if text and _is_count(text) else 1


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST_ROWS))


def _number(text: str) -> CellValue:
    """Return a number as a float, as every workbook holds it; what is none stays a text."""
    with suppress(ValueError):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def open_xml_sheet(content: bytes) -> MarkupWorkbook:
    """Open an XML spreadsheet.

    Raises:
        Refused: FILE_CORRUPT, FILE_XML_FORBIDDEN, FILE_EXTENT.
    """
    with reading("XML"):
        root: Element = ElementTree.fromstring(content, forbid_dtd=True)
    return MarkupWorkbook([_worksheet(element) for element in root if local_name(element) == "Worksheet"])


def _worksheet(element: Element) -> tuple[SheetName, list[list[CellValue]]]:
    name = _attribute(element, "Name")
    rows: list[list[CellValue]] = []
    for table in _children(element, "Table"):
        for row in _children(table, "Row"):
            _advance(rows, row, [], _MOST_ROWS, name)
            rows.append(_cells(row, name))
    states = (
        state.text for options in _children(element, "WorksheetOptions") for state in _children(options, "Visible")
    )
    return SheetName(name, visible=not any(states)), rows


def _cells(row: Element, sheet: str) -> list[CellValue]:
    cells: list[CellValue] = []
    for cell in _children(row, "Cell"):
        _advance(cells, cell, "", _MOST_COLUMNS, sheet)
        across = _span(_attribute(cell, "MergeAcross"))
        cells.append(_value(cell))
        cells += [""] * (min(across, _MOST_COLUMNS) if _attribute(cell, "MergeAcross") else 0)
    return cells


def _advance(places: list[Any], element: Element, blank: object, most: int, sheet: str) -> None:
    """Fill up to the place, counted from 1, that a row or cell says it has.

    Raises:
        Refused: FILE_EXTENT; FILE_CORRUPT, where the place is taken.
    """
    index = _attribute(element, "Index")
    if not index:
        return
    if not _is_count(index) or int(index) <= len(places):
        raise WorkbookRefused("FILE_CORRUPT", "corrupt", sheet=sheet, reason="ss:Index")
    if int(index) > most:
        raise WorkbookRefused("FILE_EXTENT", sheet=sheet, rows=int(index), columns=1)
    places += [copy(blank) for _ in range(int(index) - 1 - len(places))]


def _value(cell: Element) -> CellValue:
    """Return what a cell holds; a number that is none, and a date that is none, as the text that stands there."""
    for data in _children(cell, "Data"):
        text, kind = "".join(data.itertext()), _attribute(data, "Type")
        if kind == "Number":
            return _number(text)
        if kind == "Boolean":
            return text.strip() == "1"
        if kind == "Error":
            return ExactCell(text, CellKind.ERROR)
        if kind == "DateTime":
            with suppress(ValueError):
                return dt.datetime.fromisoformat(text)
        return text
    return ExactCell("", CellKind.FORMULA_WITHOUT_VALUE) if _attribute(cell, "Formula") else ""


def _children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if local_name(child) == name)


def _attribute(element: Element, name: str) -> str:
    return element.get(f"{_SPACE}{name}", "")
