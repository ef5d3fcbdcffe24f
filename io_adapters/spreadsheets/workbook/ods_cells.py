"""Cells of an .ods that are shown with leading zeros or have a comment, which calamine does not report."""

import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from xml.parsers import expat

from io_adapters.spreadsheets.workbook.archive import chunks, reading
from schemas.sheet_cells import NOTE_MARK

_CONTENT: Final = "content.xml"
_SPACE: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_TABLE, _TEXT, _OFFICE = (f"{_SPACE}{name}:1.0 " for name in ("table", "text", "office"))
_CELLS: Final = frozenset({f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"})
_COMMENT: Final = f"{_OFFICE}annotation"
_MOST_REPEATED: Final = 1_000

_MOST_COMMENTS: Final = 5_000
_LONGEST_COMMENT: Final = 500


class Beside(NamedTuple):
    """What the cells of a sheet have beside their values; rows and columns count from 0.

    Attributes:
        zeros: Row, column, digits of whole numbers that are shown with more digits than they have.
        comments: Row, column, text.
    """

    zeros: list[tuple[int, int, int]]
    comments: list[tuple[int, int, str]]


def beside_cells(archive: zipfile.ZipFile) -> Mapping[str, Beside]:
    """Return sheet -> what its cells have beside their values.

    An .ods holds beside each number the text that it is shown as.

    Raises:
        Refused: FILE_CORRUPT.
    """
    if _CONTENT not in archive.namelist():
        return {}
    reader = _ShownReader()
    with reading(_CONTENT):
        reader.read(chunks(archive, _CONTENT))
    return reader.found


class _ShownReader:
    """Handlers of the XML parser: walks tables, rows and cells, and holds numbers against what they are shown as."""

    def __init__(self) -> None:
        self.found: dict[str, Beside] = defaultdict(lambda: Beside([], []))
        self._comment: list[str] | None = None
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
        if name == _COMMENT:
            self._comment = []
        elif self._comment is not None:
            if name == f"{_TEXT}p":
                self._parser.CharacterDataHandler = self._comment.append
        elif name in _CELLS:
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
            if name == f"{_TEXT}p" and self._depth == 1:
                self._shown = []
                self._parser.CharacterDataHandler = self._shown.append

    def _close(self, name: str) -> None:
        if self._comment is not None:
            self._close_in_comment(name)
        elif name in _CELLS:
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

    def _close_in_comment(self, name: str) -> None:
        comments, own = self.found[self._sheet].comments, "".join(self._comment or ()).partition(NOTE_MARK)[0].strip()
        if name == f"{_TEXT}p":
            self._parser.CharacterDataHandler = None
            (self._comment or []).append("\n")
        elif name == _COMMENT:
            self._comment = None
            if own and len(comments) < _MOST_COMMENTS:
                comments.append((self._row, self._column, own[:_LONGEST_COMMENT]))

    def _hold(self, number: str, shown: str) -> None:
        digits = re.sub(r"[./ -]", "", shown)
        whole = number.removesuffix(".0").lstrip("0")
        if not (digits.isascii() and digits.isdecimal() and digits[0] == "0" and digits.lstrip("0") == whole):
            return
        if self._rows * self._columns <= _MOST_REPEATED:
            self.found[self._sheet].zeros.extend(
                (row, column, len(digits))
                for row in range(self._row, self._row + self._rows)
                for column in range(self._column, self._column + self._columns)
            )
