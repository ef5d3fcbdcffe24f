"""What the fast reader cannot say of a sheet, taken from its XML.

calamine gives an empty value for errors and for formulas that were never calculated, knows no number formats and no
hidden rows, and aborts the process on a sheet of two cells at opposite corners. A cheap scan of the bytes tells whether
any of this can be so; only then every cell is looked at.
"""

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import IO, Final, NamedTuple
from xml.etree.ElementTree import Element

from defusedxml import ElementTree

from schemas.raw_table import CellKind

_CHUNK_BYTES: Final = 2**20
_SMALL_BYTES: Final = 2**18
# Longer than any token looked for, so that none is missed where two chunks meet.
_OVERLAP_BYTES: Final = 512
_ROW: Final = re.compile(rb'<row [^>]{0,400}?\br="(\d+)"')
_WIDE_COLUMN: Final = re.compile(rb'r="([A-Z]{2,3})\d')
_FORMULA: Final = re.compile(rb"<f[\s/>]")
_HIDDEN: Final = re.compile(rb"""<(?:row|col)\s[^>]*\bhidden=["'](?:1|true)""")
_REFERENCE: Final = re.compile(r"([A-Z]{1,3})(\d+)")


class ExactCell(NamedTuple):
    """A cell whose text and kind were taken from the XML."""

    text: str
    kind: CellKind


@dataclass(frozen=True, slots=True)
class Scan:
    """What the bytes of a sheet show at a glance.

    Attributes:
        look_closer: There may be errors, formulas or percentages, or the XML is written in an unusual way.
        hidden_lines: Rows or columns are hidden.
        rows: Highest row number seen.
        columns: No column is further right than this.
    """

    look_closer: bool
    hidden_lines: bool
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class ExactCells:
    """What a look at every cell of a sheet brings.

    Attributes:
        cells: (row, column), both from 0 -> the cell; only those the fast reader gets wrong.
        rows: Last row with a value, 1-based.
        columns: Last column with a value, 1-based.
    """

    cells: dict[tuple[int, int], ExactCell]
    rows: int
    columns: int


def scan_sheet(archive: zipfile.ZipFile, part: str, percent_styles: Sequence[int]) -> Scan:
    """Look at a sheet's bytes once.

    Raises:
        zipfile.BadZipFile, zlib.error, EOFError: the part is damaged; its checksum is verified on the way.
    """
    signs = [b't="e"', b"='", *(b' s="%d"' % style for style in percent_styles)]
    # A small sheet is read closely in no time, whatever spelling its XML hides behind.
    closer = archive.getinfo(part).file_size < _SMALL_BYTES
    conventional = hidden = False
    rows, columns = 0, 26
    for chunk in _chunks(archive, part):
        conventional = conventional or b"<sheetData" in chunk
        closer = closer or any(sign in chunk for sign in signs) or (b"<f" in chunk and bool(_FORMULA.search(chunk)))
        hidden = hidden or (b" hidden=" in chunk and bool(_HIDDEN.search(chunk)))
        rows = max(rows, max(map(int, _ROW.findall(chunk)), default=0))
        columns = max(columns, max(map(_column_number, set(_WIDE_COLUMN.findall(chunk))), default=0))
    return Scan(closer or not conventional, hidden, rows, columns)


def exact_cells(archive: zipfile.ZipFile, part: str, percent_styles: Sequence[int]) -> ExactCells:
    """Look at every cell of a sheet.

    Raises:
        xml.etree.ElementTree.ParseError: it is not well-formed XML.
        defusedxml.DefusedXmlException: it declares entities or a document type.
    """
    percent = {str(style) for style in percent_styles}
    cells: dict[tuple[int, int], ExactCell] = {}
    last_row = last_column = 0
    with archive.open(part) as stream:
        for row, column, element in _cells_of(stream):
            if len(element):
                last_row, last_column = max(last_row, row + 1), max(last_column, column + 1)
                cell = _exact(element, percent)
                if cell is not None:
                    cells[row, column] = cell
    return ExactCells(cells, last_row, last_column)


def _chunks(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    tail = b""
    with archive.open(part) as stream:
        while block := stream.read(_CHUNK_BYTES):
            yield tail + block
            tail = block[-_OVERLAP_BYTES:]


def _cells_of(stream: IO[bytes]) -> Iterator[tuple[int, int, Element]]:
    """Yield (row, column, element) of each cell, both from 0; references may be left out, then cells follow on."""
    row = column = -1
    for event, element in ElementTree.iterparse(stream, events=("start", "end"), forbid_dtd=True):
        tag = element.tag.rsplit("}", 1)[-1]
        if tag == "row" and event == "start":
            row = int(element.get("r", row + 2)) - 1
            column = -1
        elif tag == "row":
            element.clear()
        elif tag == "c" and event == "end":
            reference = _REFERENCE.fullmatch(element.get("r", ""))
            column = _column_number(reference[1].encode()) - 1 if reference else column + 1
            yield row, column, element


def _exact(element: Element, percent: set[str]) -> ExactCell | None:
    children = {child.tag.rsplit("}", 1)[-1]: child.text or "" for child in element}
    value = children.get("v", "")
    kind = element.get("t", "n")
    if kind == "e":
        return ExactCell(value or "#ERROR!", CellKind.ERROR)
    if "f" in children and not value and kind != "str":
        return ExactCell("", CellKind.FORMULA_WITHOUT_VALUE)
    if value and kind == "n" and element.get("s") in percent:
        # Through float, as spreadsheets store 0.3333 as 0.33329999999999999.
        shown = Decimal(repr(float(value))) * 100
        return ExactCell(format(shown.normalize() + 0, "f") + "%", CellKind.NUMBER)
    return None


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
