"""What the fast reader cannot say of a sheet, taken from its XML.

calamine gives an empty value for errors and for formulas that were never calculated, knows no number formats and no
hidden rows, and aborts the process on a sheet of two cells at opposite corners. A cheap scan of the bytes tells whether
any of this can be so; only then every cell is looked at.
"""

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from io_adapters.spreadsheets.cell_reader import CellReader, ExactCell, column_number

_CHUNK_BYTES: Final = 2**20
_SMALL_BYTES: Final = 2**18
# Longer than any token looked for, so that none is missed where two chunks meet.
_OVERLAP_BYTES: Final = 512
_ROW: Final = re.compile(rb'<row [^>]{0,400}?\br="(\d+)"')
_WIDE_COLUMN: Final = re.compile(rb'r="([A-Z]{2,3})\d')
_FORMULA: Final = re.compile(rb"<f[\s/>]")
_HIDDEN: Final = re.compile(rb"""<(?:row|col)\s[^>]*\bhidden=["'](?:1|true)""")


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
        columns = max(
            columns, max((column_number(letters.decode()) for letters in set(_WIDE_COLUMN.findall(chunk))), default=0)
        )
    return Scan(closer or not conventional, hidden, rows, columns)


def exact_cells(archive: zipfile.ZipFile, part: str, percent_styles: Sequence[int]) -> ExactCells:
    """Look at every cell of a sheet.

    Raises:
        xml.parsers.expat.ExpatError: it is not well-formed XML, or it declares a document type.
    """
    reader = CellReader(percent_styles)
    with archive.open(part) as stream:
        reader.read(stream)
    return ExactCells(reader.cells, reader.last_row + 1, reader.last_column + 1)


def _chunks(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    tail = b""
    with archive.open(part) as stream:
        while block := stream.read(_CHUNK_BYTES):
            yield tail + block
            tail = block[-_OVERLAP_BYTES:]
