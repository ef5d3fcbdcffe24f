"""The sheets of an OpenDocument workbook, from its content.xml in one pass of the parser.

calamine is not used for these: it takes comments for a part of the text, drops tabs, knows no errors, and writes
repeated cells out one by one, however many.
"""

import itertools
from collections.abc import Callable
from typing import IO, Final
from xml.parsers import expat

from io_adapters.spreadsheets.workbook.calamine_sheet import check_extent
from io_adapters.spreadsheets.workbook.ods_table import Table
from io_adapters.spreadsheets.workbook.ods_values import FORMULA, OFFICE, TABLE, cell_value, is_external
from io_adapters.spreadsheets.workbook.sheets import CellValue, ExactCell, Refused
from schemas.sheet_cells import CellKind

_TEXT: Final = "urn:oasis:names:tc:opendocument:xmlns:text:1.0 "
_STYLE: Final = "urn:oasis:names:tc:opendocument:xmlns:style:1.0 "
_CELL: Final = TABLE + "table-cell"
_COVERED: Final = TABLE + "covered-table-cell"
_ROW: Final = TABLE + "table-row"
_PARAGRAPH: Final = _TEXT + "p"
_CELLS_REPEATED: Final = TABLE + "number-columns-repeated"
_ROWS_REPEATED: Final = TABLE + "number-rows-repeated"
_COLUMNS_SPANNED: Final = TABLE + "number-columns-spanned"
_ROWS_SPANNED: Final = TABLE + "number-rows-spanned"
_VISIBILITY: Final = TABLE + "visibility"
_BLANKS: Final = {_TEXT + "tab": "\t", _TEXT + "line-break": "\n"}
_SPACES: Final = _TEXT + "s"
# Footnotes and readings stand beside a text; other elements of text hold a part of it.
_ASIDES: Final = frozenset({_TEXT + "note", _TEXT + "ruby-text"})
_WITHOUT_RESULT: Final = frozenset({CellKind.ERROR, CellKind.FORMULA_WITHOUT_VALUE})
# What these hold looks like cells and text, and is neither.
_FOREIGN: Final = frozenset({TABLE + "tracked-changes", TABLE + "shapes", TABLE + "dde-links", OFFICE + "forms"})


class ContentReader:
    """Handlers of the XML parser; there are millions of cells, so each does as little as it can.

    Attributes:
        tables: The sheets read so far.
        date_1904: The workbook counts days from 1904.
    """

    def __init__(self) -> None:
        self.tables: list[Table] = []
        self.date_1904 = False
        self._hidden_styles: set[str] = set()
        self._style = ""
        self._table = Table("", visible=True)
        self._row = self._column = self._columns_defined = 0
        self._row_attributes: dict[str, str] = {}
        self._cells: list[CellValue] = []
        self._cell: dict[str, str] | None = None
        self._paragraphs: list[str] = []
        self._pieces: list[str] = []
        self._skipped = 0
        self._opening: dict[str, Callable[[dict[str, str]], None]] = {
            _ROW: self._open_row,
            TABLE + "table": self._open_table,
            TABLE + "table-column": self._open_column,
            TABLE + "null-date": self._open_null_date,
            _STYLE + "style": self._open_style,
            _STYLE + "table-properties": self._open_table_properties,
        }
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = _refuse_doctype
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        # What stands between paragraphs is collected too, and dropped when the next one begins.
        self._parser.CharacterDataHandler = self._pieces.append

    def read(self, stream: IO[bytes]) -> None:
        """Read a whole content.xml.

        Raises:
            Refused: it declares a document type, or a sheet extends beyond the limits.
            xml.parsers.expat.ExpatError: it is not well-formed XML.
            ValueError, KeyError: a value is none of its type.
        """
        self._parser.ParseFile(stream)

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        if self._cell is not None:
            self._open_inside(name, attributes)
        elif name in (_CELL, _COVERED):
            self._cell = attributes
            if self._paragraphs:
                self._paragraphs = []
        elif (handler := self._opening.get(name)) is not None:
            handler(attributes)
        elif name in _FOREIGN:
            self._skip()

    def _open_inside(self, name: str, attributes: dict[str, str]) -> None:
        if name == _PARAGRAPH:
            self._pieces.clear()
        elif name in _BLANKS:
            self._pieces.append(_BLANKS[name])
        elif name == _SPACES:
            self._pieces.append(" " * min(int(attributes.get(_TEXT + "c", 1)), 2**16))
        elif not name.startswith(_TEXT) or name in _ASIDES:
            self._skip()  # a comment, a picture, a table inside the cell

    def _close(self, name: str) -> None:
        if name == _PARAGRAPH:
            self._paragraphs.append("".join(self._pieces))
        elif name in (_CELL, _COVERED):
            self._close_cell()
        elif name == _ROW:
            self._close_row()

    def _skip(self) -> None:
        """Leave out an element with all that it holds."""
        self._skipped = 1

        def open_skipped(*_: object) -> None:
            self._skipped += 1

        def close_skipped(_: str) -> None:
            self._skipped -= 1
            if not self._skipped:
                self._parser.StartElementHandler = self._open
                self._parser.EndElementHandler = self._close
                self._parser.CharacterDataHandler = self._pieces.append

        self._parser.CharacterDataHandler = None
        self._parser.StartElementHandler = open_skipped
        self._parser.EndElementHandler = close_skipped

    def _open_style(self, attributes: dict[str, str]) -> None:
        self._style = attributes.get(_STYLE + "name", "") if attributes.get(_STYLE + "family") == "table" else ""

    def _open_table_properties(self, attributes: dict[str, str]) -> None:
        if self._style and attributes.get(TABLE + "display") == "false":
            self._hidden_styles.add(self._style)

    def _open_null_date(self, attributes: dict[str, str]) -> None:
        self.date_1904 = attributes.get(TABLE + "date-value") == "1904-01-01"

    def _open_table(self, attributes: dict[str, str]) -> None:
        style = attributes.get(TABLE + "style-name", "")
        self._table = Table(attributes.get(TABLE + "name", ""), style not in self._hidden_styles)
        self.tables.append(self._table)
        self._row = self._columns_defined = 0

    def _open_column(self, attributes: dict[str, str]) -> None:
        first, self._columns_defined = (
            self._columns_defined,
            self._columns_defined + _times(attributes, _CELLS_REPEATED),
        )
        if attributes.get(_VISIBILITY, "visible") != "visible":
            self._table.hidden_columns.append((first, self._columns_defined))

    def _open_row(self, attributes: dict[str, str]) -> None:
        self._row_attributes = attributes
        self._cells = []
        self._column = 0

    def _close_row(self) -> None:
        first, times = self._row, _times(self._row_attributes, _ROWS_REPEATED)
        self._row += times
        table = self._table
        if self._row_attributes.get(_VISIBILITY, "visible") != "visible":
            table.hidden_rows.append((first, self._row))
        if self._cells:
            table.height = self._row
            table.width = max(table.width, len(self._cells))
            check_extent(table.name, table.height, table.width)
            table.rows.append((first, times, self._cells))

    def _close_cell(self) -> None:
        attributes, self._cell = self._cell, None
        if attributes is None:
            return
        first = self._column
        times = _times(attributes, _CELLS_REPEATED) if _CELLS_REPEATED in attributes else 1
        self._column += times
        if _COLUMNS_SPANNED in attributes or _ROWS_SPANNED in attributes:
            bottom = self._row + _times(attributes, _ROWS_SPANNED)
            self._table.merged.append((self._row, first, bottom, first + _times(attributes, _COLUMNS_SPANNED)))
        paragraphs = self._paragraphs
        if not attributes and not paragraphs:
            return
        text = ("\n".join(paragraphs) if len(paragraphs) > 1 else paragraphs[0]) if paragraphs else None
        value = cell_value(attributes, text)
        if FORMULA in attributes:
            self._note_formula(attributes[FORMULA], first, value)
        if value == "":
            return
        if self._column - len(self._cells) > 1:
            check_extent(self._table.name, self._row + 1, self._column)
            self._cells.extend([""] * (first - len(self._cells)))
        self._cells.extend(itertools.repeat(value, times))

    def _note_formula(self, formula: str, first: int, value: CellValue) -> None:
        span = self._row, first, self._row + _times(self._row_attributes, _ROWS_REPEATED), self._column
        if is_external(formula):
            self._table.external.append(span)
        if not (isinstance(value, ExactCell) and value.kind in _WITHOUT_RESULT):
            self._table.formulas.append(span)


def _times(attributes: dict[str, str], name: str) -> int:
    """A count that is 1 where it is left out."""
    times = int(attributes.get(name, 1))
    if times < 1:
        raise ValueError("not a count")
    return times


def _refuse_doctype(*_: object) -> None:
    # Entities, the way to blow up or to reach out of an XML file, can only be declared in one.
    raise Refused("FILE_XML_FORBIDDEN")
