"""Workbooks that are calm to read, never run anything, and are byte for byte the same for the same content."""

import datetime as dt
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import pandas as pd
from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.comments import Comment
from openpyxl.packaging.custom import StringProperty
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.styles.cell_style import StyleArray
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

_STARTS_A_FORMULA: Final = "=+-@"
_RUNS_AT_ONCE: Final = "\t\r\n\0"

# What XML 1.0 cannot bear: control characters, halves of surrogate pairs, two non-characters.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Spreadsheets read _x000D_ in a stored text as an escape; the underscore itself must then be escaped.
_LOOKS_ESCAPED: Final = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

LONGEST_CELL_TEXT: Final = 32_767


def looks_like_formula(text: str) -> bool:
    """Tell whether a spreadsheet program could take a text for a formula.

    >>> [looks_like_formula(t) for t in ("=1+1", "  @sum", "＝1", "Ana", "10")]
    [True, True, True, False, False]
    """
    if not text:
        return False
    if text[0] in _RUNS_AT_ONCE:
        return True
    for character in text:
        if unicodedata.category(character)[0] not in "ZC":  # spaces, controls and invisible marks hide what follows
            return unicodedata.normalize("NFKC", character)[0] in _STARTS_A_FORMULA
    return False


def cell_text(text: str) -> str:
    """Return a text as an xlsx cell stores it: what XML cannot bear becomes U+FFFD, the length is Excel's."""
    kept = _NOT_XML.sub("\ufffd", text)[:LONGEST_CELL_TEXT]
    return _LOOKS_ESCAPED.sub("_x005F_", kept).replace("\r", "_x000D_")  # XML readers turn a bare CR into LF


def csv_text(text: str) -> str:
    """Return a text as a CSV field that no spreadsheet program runs: a formula gets a leading apostrophe."""
    kept = _NOT_XML.sub("\ufffd", text)
    return f"'{kept}" if looks_like_formula(text) else kept


LONGEST: Final = 31
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def unique_sheet_name(wanted: str, taken: set[str]) -> str:
    """Return a name as near to the one wanted as Excel allows, and add it to those taken.

    Args:
        wanted: The sheet's own name, or the stem of a text file's name.
        taken: Case-folded names in use; changed.

    >>> unique_sheet_name("Royalties 2026/10", {"royalties 2026_10"})
    'Royalties 2026_10 (2)'
    """
    plain = _FORBIDDEN.sub("_", wanted).strip("' ")[:LONGEST].rstrip("' ") or "_"
    for number in count(1):
        suffix = "" if number == 1 else f" ({number})"
        name = plain[: LONGEST - len(suffix)] + suffix
        if name.casefold() not in taken:
            break
    taken.add(name.casefold())
    return name


GENERAL: Final = "General"
TEXT: Final = "@"
MONEY: Final = '#,##0.00;-#,##0.00;"–"'  # each program shows it with the marks of its own language; zero is a dash
PRECISE: Final = "#,##0.000000"
WHOLE: Final = '#,##0;-#,##0;"–"'

# A spreadsheet number holds fifteen significant digits; what needs more is written as text.
NUMBER_DIGITS: Final = 15
ZIP_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


class Tone(StrEnum):
    """Background colours, few and light; the values are RGB."""

    NONE = ""
    HEADER = "D9E1E8"
    GOOD = "E2EFDA"
    MOVING = "DDEBF7"
    WAITING = "FFF2CC"
    TROUBLE = "F8D9CF"
    QUIET = "EDEDED"


class Ink(NamedTuple):
    """How a cell looks."""

    number_format: str = GENERAL
    tone: Tone = Tone.NONE
    bold: bool = False
    size: int = 11
    wrap: bool = False
    right: bool = False


PLAIN: Final = Ink()
HEADER: Final = Ink(tone=Tone.HEADER, bold=True, wrap=True)
NUMBER_HEADER: Final = HEADER._replace(right=True)
HEADING: Final = Ink(bold=True, size=13)
TITLE: Final = Ink(bold=True, size=16)

Value = str | int | Decimal | bool | dt.date | None


@dataclass(frozen=True, slots=True)
class Setup:
    """What is said of a sheet before its first row is written.

    Attributes:
        title: Name of the sheet.
        widths: Column widths in characters, from column A.
        header_row: Repeated on each printed page; this row and all above stay in view. 0 for none.
        text_columns: Columns (from 1) in which whatever a person types stays text.
    """

    title: str
    widths: Sequence[int]
    header_row: int = 0
    text_columns: frozenset[int] = frozenset()


class Book:
    """A workbook, written from its first sheet to its last."""

    def __init__(self) -> None:
        self._workbook = Workbook(write_only=True)
        self._styles: dict[tuple[Ink, bool], StyleArray] = {}

    def page(self, setup: Setup) -> "Page":
        """Start the next sheet."""
        # A write-only sheet has what is used here of an ordinary one; the stubs do not know it.
        sheet = cast("Worksheet", self._workbook.create_sheet(setup.title))
        for column, width in enumerate(setup.widths, start=1):
            dimension = sheet.column_dimensions[get_column_letter(column)]
            dimension.width = width
            if column in setup.text_columns:
                dimension.number_format = TEXT
        if setup.header_row:
            sheet.freeze_panes = f"A{setup.header_row + 1}"
            sheet.print_title_rows = f"{setup.header_row}:{setup.header_row}"
        sheet.page_setup.orientation = "landscape"
        sheet.page_setup.paperSize = 9  # A4
        sheet.page_setup.fitToHeight = 0
        sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
        sheet.oddFooter.right.text = "&P / &N"  # type: ignore[union-attr]  # every new sheet has one
        return Page(self, sheet)

    def remember(self, properties: Mapping[str, str]) -> None:
        """Write custom document properties, which programs keep and people rarely see."""
        for name, text in properties.items():
            # The stubs know no custom properties yet.
            self._workbook.custom_doc_props.append(StringProperty(name=name, value=text))  # type: ignore[attr-defined]

    def style(self, cell: Cell, ink: Ink, *, quoted: bool) -> None:
        """Give a cell its look; `quoted` marks it as text even when a person edits it."""
        known = self._styles.get((ink, quoted))
        if known is None:
            cell.number_format = ink.number_format
            cell.quotePrefix = int(quoted)
            cell.font = Font(name="Calibri", size=ink.size, bold=ink.bold)
            cell.alignment = Alignment(horizontal="right" if ink.right else None, vertical="top", wrap_text=ink.wrap)
            if ink.tone:
                cell.fill = PatternFill("solid", fgColor=ink.tone.value)
            known = self._styles[(ink, quoted)] = cell._style  # type: ignore[attr-defined]  # noqa: SLF001
        # Sharing what openpyxl has made of a look, which it shows to nobody, halves the time of a large sheet.
        cell._style = known  # type: ignore[attr-defined]  # noqa: SLF001

    def to_bytes(self) -> bytes:
        """Return the file; the book can take no more sheets then."""
        properties = self._workbook.properties
        properties.creator = "Repasse"
        properties.created = properties.modified = dt.datetime(*ZIP_EPOCH)  # noqa: DTZ001  a constant, not a moment
        buffer = io.BytesIO()
        ExcelWriter(self._workbook, _TimelessZip(buffer, "w", zipfile.ZIP_DEFLATED)).save()
        return buffer.getvalue()


class Page:
    """One sheet being written, top to bottom."""

    def __init__(self, book: Book, sheet: Worksheet) -> None:
        self._book = book
        self._sheet = sheet
        self.rows_written = 0

    def append(self, cells: Iterable[Cell | None] = ()) -> None:
        """Write the next row."""
        self._sheet.append(list(cells))
        self.rows_written += 1

    def write(self, *values: Value, ink: Ink = PLAIN) -> None:
        """Write the next row, all in one look."""
        self.append(self.cell(value, ink) for value in values)

    def cell(self, value: Value, ink: Ink = PLAIN, *, comment: str = "", is_error: bool = False) -> Cell | None:
        """Make a cell. Text is text whatever it begins with; a number that would lose digits becomes text.

        Args:
            value: What it holds.
            ink: How it looks.
            comment: A note pinned to it.
            is_error: The text is an error literal such as #REF!, and stays one.
        """
        value = None if value == "" else value
        if value is None and ink == PLAIN and not comment:
            return None
        if isinstance(value, Decimal) and len(value.normalize().as_tuple().digits) > NUMBER_DIGITS:
            value = f"{value:f}"
        stored = cell_text(value) if isinstance(value, str) else value
        cell = WriteOnlyCell(self._sheet, stored)  # type: ignore[arg-type]  # the stubs forget Decimal and date
        if isinstance(stored, str):  # openpyxl guesses a formula or an error from the text; we never do
            cell.data_type = "e" if is_error else "s"
        self._book.style(cell, ink, quoted=isinstance(value, str) and looks_like_formula(value))
        if comment:
            height = 40 + 18 * (comment.count("\n") + len(comment) // 40)
            cell.comment = Comment(cell_text(comment), "Repasse", height=height, width=340)
        return cell

    def filter(self, header_row: int, columns: int) -> None:
        """Offer the filter arrows on everything written below a header."""
        self._sheet.auto_filter.ref = f"A{header_row}:{get_column_letter(columns)}{self.rows_written}"


class _TimelessZip(zipfile.ZipFile):
    """A zip whose entries bear no time, so that the same content gives the same bytes."""

    def writestr(  # type: ignore[override]  # openpyxl gives nothing but a name and the data
        self, zinfo_or_arcname: str, data: str | bytes
    ) -> None:
        entry = zipfile.ZipInfo(zinfo_or_arcname, ZIP_EPOCH)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system = 3
        entry.external_attr = 0o600 << 16
        super().writestr(entry, data)

    def write(self, filename: str, arcname: str) -> None:  # type: ignore[override]
        self.writestr(arcname, Path(filename).read_bytes())


# Excel has 1,048,576 rows; a table that is longer goes on in another sheet.
ROWS_PER_SHEET: Final = 1_000_000


class Column(NamedTuple):
    """One column of a table."""

    header: str
    width: int = 14
    number_format: str = GENERAL


class Toned(NamedTuple):
    """A text with a colour of its own."""

    text: str
    tone: Tone


Row = Sequence[Value | Toned]


@dataclass(frozen=True, slots=True)
class Table:
    """What one sheet shows.

    Attributes:
        title: Name of the sheet.
        columns: Left to right.
        rows: As many values as columns in each.
        note: Said above the header; "" for nothing.
    """

    title: str
    columns: Sequence[Column]
    rows: Iterable[Row]
    note: str = ""


def write_table(book: Book, table: Table, rows_per_sheet: int = ROWS_PER_SHEET) -> None:
    """Write a table with its header in view and filter arrows; on several sheets when it is too long for one."""
    rows = iter(table.rows)
    for number in count(1):
        first = tuple(islice(rows, 1))
        if number > 1 and not first:
            return
        title = table.title if number == 1 else f"{table.title} ({number})"
        _write_part(book, table, title, chain(first, islice(rows, rows_per_sheet - 1)))


def _write_part(book: Book, table: Table, title: str, rows: Iterable[Row]) -> None:
    header_row = 2 if table.note else 1
    page = book.page(Setup(title, [column.width for column in table.columns], header_row))
    if table.note:
        page.write(table.note)
    write_headers(page, table.columns)
    inks = [Ink(column.number_format) for column in table.columns]
    for row in rows:
        write_row(page, row, inks)
    page.filter(header_row, len(table.columns))


def write_headers(page: Page, columns: Sequence[Column]) -> None:
    """Write the header row, each header over the side its values stand on."""
    page.append(
        page.cell(column.header, HEADER if column.number_format == GENERAL else NUMBER_HEADER) for column in columns
    )


def write_row(page: Page, row: Row, inks: Sequence[Ink]) -> None:
    """Write one row, each value in the look of its column."""
    page.append(
        page.cell(value.text, ink._replace(tone=value.tone)) if isinstance(value, Toned) else page.cell(value, ink)
        for value, ink in zip(row, inks, strict=True)
    )


def records(frame: pd.DataFrame) -> Iterator[Any]:
    """Iterate over a frame's rows as named tuples, whose types pandas does not tell."""
    yield from frame.itertuples(index=False)


def write_small_table(page: Page, columns: Sequence[Column], rows: Iterable[Row]) -> None:
    """Write a short table into a page that holds more than it."""
    write_headers(page, columns)
    for row in rows:
        write_row(page, row, [Ink(column.number_format) for column in columns])
