"""Writing spreadsheets whose bytes depend on their content alone."""

import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

MADE_AT = dt.datetime(2026, 11, 2, 9, 0, 0)  # noqa: DTZ001 - document properties bear no time zone
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Formula:
    """A cell that computes; written without a result, as other programs than Excel leave it."""

    text: str


@dataclass(frozen=True, slots=True)
class CellError:
    """A cell that shows an error, e.g. #REF!."""

    text: str


Value = str | int | bool | Decimal | dt.date | Formula | CellError


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet: its name, its header in row 1, its rows."""

    name: str
    headers: Sequence[str]
    rows: Iterable[Sequence[Value]]


def write_workbook(path: Path, sheet: str, headers: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
    """Write one sheet with its header in row 1; text stays text, "" is an empty cell, decimals are real numbers."""
    write_book(path, [Page(sheet, headers, rows)])


def write_book(path: Path, pages: Iterable[Page]) -> None:
    """Write several sheets, each as `write_workbook` does."""
    book = Workbook(write_only=True)
    book.properties.creator = "Selo Aurora"
    book.properties.created = MADE_AT
    for page in pages:
        _write_page(book, page)
    packed = io.BytesIO()
    book.save(packed)
    path.write_bytes(_without_clock(packed.getvalue()))


def _write_page(book: Workbook, page: Page) -> None:
    rows = [list(row) for row in page.rows]
    sheet = book.create_sheet(page.name)
    sheet.freeze_panes = "A2"
    for position, column in enumerate(zip(page.headers, *rows, strict=True), start=1):
        width = max(len(str(value)) for value in column)
        sheet.column_dimensions[get_column_letter(position)].width = min(width + 2, 44)
    sheet.append([_heading(sheet, header) for header in page.headers])
    for row in rows:
        sheet.append([_cell(sheet, value) for value in row])


def _heading(page: WriteOnlyWorksheet, header: str) -> Cell:
    cell = WriteOnlyCell(page, header)
    cell.font = Font(bold=True)
    return cell


def _cell(page: WriteOnlyWorksheet, value: Value) -> Cell | None:
    if value == "":
        return None
    content: Any = value.text if isinstance(value, Formula | CellError) else value  # the stubs know no Decimal
    cell = WriteOnlyCell(page, content)
    if isinstance(value, CellError):
        cell.data_type = "e"
    elif isinstance(value, str):
        cell.data_type = "s"  # also where the text starts with "=" or looks like an error
        cell.number_format = "@"
    elif isinstance(value, Decimal) and value == value.quantize(Decimal("0.01")):
        cell.number_format = "#,##0.00"
    return cell


def _without_clock(packed: bytes) -> bytes:
    # openpyxl stamps the time of saving on every member of the archive and on the document.
    steady = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(steady, "w") as new:
        for name in sorted(old.namelist()):
            content = old.read(name)
            if name == "docProps/core.xml":
                stamp = f"{MADE_AT:%Y-%m-%dT%H:%M:%SZ}".encode()
                content = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + stamp, content)
            entry = zipfile.ZipInfo(name, ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            new.writestr(entry, content)
    return steady.getvalue()
