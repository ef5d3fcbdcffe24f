"""Cells of an .ods that are shown with leading zeros, which calamine does not report."""

import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final
from xml.parsers import expat

from io_adapters.spreadsheets.workbook.archive import chunks, reading

_CONTENT: Final = "content.xml"
_SPACE: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_TABLE, _TEXT, _OFFICE = (f"{_SPACE}{name}:1.0 " for name in ("table", "text", "office"))
_CELLS: Final = frozenset({f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"})
_MOST_REPEATED: Final = 1_000

Zeros = Mapping[str, list[tuple[int, int, int]]]


def shown_zeros(archive: zipfile.ZipFile) -> Zeros:
    """Return sheet -> (row, column, digits) of whole numbers that are shown with more digits than they have.

    An .ods holds beside each number the text that it is shown as. Rows and columns count from 0.

    Raises:
        Refused: FILE_CORRUPT.
    """
    if _CONTENT not in archive.namelist():
        return {}
    reader = _ShownReader()
    with reading(_CONTENT):
        reader.read(chunks(archive, _CONTENT))
    return reader.zeros


class _ShownReader:
    """Handlers of the XML parser: walks tables, rows and cells, and holds numbers against what they are shown as."""

    def __init__(self) -> None:
        self.zeros: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        self._sheet = ""
        self._row = self._column = self._rows = self._columns = 0
        self._number = ""
        self._shown: list[str] | None = None
        self._depth = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close

    def read(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self._parser.Parse(piece, False)  # noqa: FBT003  # expat takes no keywords
        self._parser.Parse(b"", True)  # noqa: FBT003

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        if name in _CELLS:
            self._columns = int(attributes.get(f"{_TABLE}number-columns-repeated", "1"))
            is_number = attributes.get(f"{_OFFICE}value-type") == "float"
            self._number = attributes.get(f"{_OFFICE}value", "") if is_number else ""
            self._depth = 0
        elif name == f"{_TABLE}table-row":
            self._rows, self._column = int(attributes.get(f"{_TABLE}number-rows-repeated", "1")), 0
        elif name == f"{_TABLE}table":
            self._sheet, self._row = attributes.get(f"{_TABLE}name", ""), 0
        elif self._number:
            self._depth += 1
            if name == f"{_TEXT}p" and self._depth == 1:  # a comment has paragraphs, too
                self._shown = []
                self._parser.CharacterDataHandler = self._shown.append

    def _close(self, name: str) -> None:
        if name in _CELLS:
            if self._number and self._shown is not None:
                self._hold(self._number, "".join(self._shown))
            self._number, self._shown = "", None
            self._column += self._columns
        elif name == f"{_TABLE}table-row":
            self._row += self._rows
        elif self._number:
            self._depth -= 1
            if not self._depth:
                self._parser.CharacterDataHandler = None

    def _hold(self, number: str, shown: str) -> None:
        digits = re.sub(r"[./ -]", "", shown)
        whole = number.removesuffix(".0").lstrip("0")
        if not (digits.isascii() and digits.isdecimal() and digits[0] == "0" and digits.lstrip("0") == whole):
            return
        if self._rows * self._columns <= _MOST_REPEATED:
            self.zeros[self._sheet] += [
                (row, column, len(digits))
                for row in range(self._row, self._row + self._rows)
                for column in range(self._column, self._column + self._columns)
            ]
