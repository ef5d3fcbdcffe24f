"""A large sheet's XML, looked at as bytes, so that its parser sees only the rows in which there is something to see.

Parsing every cell in Python takes four times as long as calamine does. Almost all sheets are written in one plain way,
<row r="1"><c r="A1" ...>, and almost none of their rows hold an error, a formula or a percentage.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from io_adapters.spreadsheets.workbook.archive import document_type_pattern, with_seams
from io_adapters.spreadsheets.workbook.sheets import Refused
from io_adapters.spreadsheets.workbook.xlsx_cells import column_number

_MOST_ROW_BYTES: Final = 64 * 2**20
_ROW: Final = re.compile(rb'<row r="(\d{1,9})"')
_WIDE_COLUMN: Final = re.compile(rb' r="([A-Z]{2,})\d')
_DECLARATION: Final = re.compile(rb"<!")
# Each begins with letters that the expression engine can search for quickly; one expression of them all could not.
_SIGNS: Final = tuple(map(re.compile, (rb' t="e"', rb"<f[\s/>]", rb"<v>-?\d{16}", rb' hidden="[1t]')))


class Unusual(Exception):
    """The sheet is written in a way that only the parser can follow."""


class Glance(NamedTuple):
    """What the bytes of a sheet show at once.

    Attributes:
        usual: It is written without prefixes, comments and the like, and with double quotes.
        rows: Its last row, as far as rows are in order.
        columns: No column is further right than this.
    """

    usual: bool
    rows: int
    columns: int


def glance(xml: Iterable[bytes]) -> Glance:
    """Look at a sheet's bytes once, before anything else does.

    Raises:
        Refused: FILE_XML_FORBIDDEN, FILE_CORRUPT.
    """
    usual, rows, columns = False, 0, 26
    forbidden: re.Pattern[bytes] | None = None
    for chunk in with_seams(xml):
        if forbidden is None:
            forbidden = document_type_pattern(chunk)
            # A program quotes all attributes alike.
            usual = b"<sheetData" in chunk and b"='" not in chunk
        if not usual or _DECLARATION.search(chunk):
            usual = False
            if forbidden.search(chunk):
                raise Refused("FILE_XML_FORBIDDEN")
        if last_row := _ROW.match(chunk, chunk.rfind(b"<row r=")):
            rows = max(rows, int(last_row[1]))
        wide = set(_WIDE_COLUMN.findall(chunk))
        columns = max(columns, max((column_number(letters.decode()) for letters in wide), default=0))
    return Glance(usual, rows, columns)


def telling_xml(xml: Iterable[bytes], percent_styles: Sequence[int]) -> Iterator[bytes]:
    """Yield a sheet's XML without the cells that need no closer look, and without the rows that have no others.

    Raises:
        Unusual: which those are cannot be told.
        Refused: FILE_CORRUPT.
    """
    signs = [*_SIGNS, *_style_signs(percent_styles)]
    before_rows, left = True, b""
    for chunk in xml:
        text = left + chunk
        start = text.find(b"<row ") if before_rows else 0
        end = text.rfind(b"</row>") + len(b"</row>")
        if start < 0 or end <= len(b"</row>"):
            if len(text) > _MOST_ROW_BYTES:
                raise Unusual
            left = text
            continue
        yield text[:start]
        yield from _telling_rows(text, start, end, signs)
        before_rows, left = False, text[end:]
    yield left


def _style_signs(styles: Sequence[int]) -> list[re.Pattern[bytes]]:
    return [re.compile(b' s="(?:%s)"' % b"|".join(b"%d" % style for style in styles))] if styles else []


def _telling_rows(xml: bytes, start: int, end: int, signs: Sequence[re.Pattern[bytes]]) -> Iterator[bytes]:
    """Yield rows, each with those of its cells that bear a sign."""
    rows: dict[int, dict[int, int]] = {}
    for sign in signs:
        position = start
        while hit := sign.search(xml, position, end):
            row, cell = _row_and_cell(xml, start, hit.start())
            cells = rows.setdefault(row, {})
            position = hit.end()
            if cell > row:
                # A cell without content has no end tag: then the next cell is taken along, or all up to the row's end.
                row_end = xml.find(b"</row>", hit.end(), end)
                cell_end = xml.find(b"</c>", hit.start(), row_end)
                position = cells[cell] = row_end if cell_end < 0 else cell_end + len(b"</c>")
    for row in sorted(rows):
        tag_end = xml.find(b">", row) + 1
        yield xml[row:tag_end]
        if not xml.startswith(b"/>", tag_end - 2):
            for cell in sorted(rows[row]):
                yield xml[cell : rows[row][cell]]
            yield b"</row>"


def _row_and_cell(xml: bytes, start: int, sign: int) -> tuple[int, int]:
    """Return where the row and the cell begin in which a sign stands; the cell before the row: in the row's own tag.

    Raises:
        Unusual: it does not stand in the last <row r= and <c r= before it.
    """
    row, cell = (xml.rfind(tag, start, sign + len(tag)) for tag in (b"<row r=", b"<c r="))
    # Nothing else may have begun between the tag and the sign: rows and cells may be written without references.
    between = xml[cell + 1 : sign] if cell > row else xml[row + 1 : sign]
    strays = (b"<c", b"</c>") if cell > row else (b"<", b">")
    if row < 0 or any(stray in between for stray in strays) or (cell > row and xml.find(b"</row>", row, cell) >= 0):
        raise Unusual
    return row, cell
