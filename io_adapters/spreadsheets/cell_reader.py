"""Every cell of a sheet's XML, in one pass of the parser, keeping only what the fast reader gets wrong."""

import functools
from collections.abc import Sequence
from decimal import Decimal
from typing import IO, NamedTuple
from xml.parsers import expat

from schemas.sheet_cells import CellKind


class ExactCell(NamedTuple):
    """A cell whose text and kind were taken from the XML."""

    text: str
    kind: CellKind


class CellReader:
    """Handlers of the XML parser; there are millions of cells, so each does as little as it can.

    Attributes:
        cells: (row, column), both from 0 -> errors, formulas without a value, and percentages.
        last_row: Of the cells that are not empty, from 0; -1 when there is none.
        last_column: Likewise.
    """

    def __init__(self, percent_styles: Sequence[int]) -> None:
        self.cells: dict[tuple[int, int], ExactCell] = {}
        self.last_row = self.last_column = -1
        self._percent = {str(style) for style in percent_styles}
        self._row = self._column = -1
        self._attributes: dict[str, str] = {}
        self._value: list[str] = []
        self._formula = self._filled = False
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = _refuse_doctype
        self._parser.StartElementHandler = self._open_root

    def read(self, stream: IO[bytes]) -> None:
        """Read a whole sheet.

        Raises:
            xml.parsers.expat.ExpatError: it is not well-formed XML, or it declares a document type.
        """
        self._parser.ParseFile(stream)

    def _open_root(self, name: str, _: dict[str, str]) -> None:
        # Some programs write <x:c> for <c>; the root tells.
        prefix = name[: name.rfind(":") + 1]
        self._row_tag, self._cell_tag, self._value_tag, self._formula_tag = (
            prefix + tag for tag in ("row", "c", "v", "f")
        )
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._cell_tag:
            self._attributes = attributes
            reference = attributes.get("r")
            # References may be left out; then cells follow on.
            self._column = column_number(reference.rstrip("0123456789")) - 1 if reference else self._column + 1
            self._formula = self._filled = False
            self._value = []
        elif name == self._row_tag:
            self._row = int(attributes.get("r", self._row + 2)) - 1
            self._column = -1
        else:
            self._filled = True
            if name == self._value_tag:
                self._parser.CharacterDataHandler = self._value.append
            elif name == self._formula_tag:
                self._formula = True

    def _close(self, name: str) -> None:
        if name == self._value_tag:
            self._parser.CharacterDataHandler = None
        elif name == self._cell_tag and self._filled:
            self.last_row = max(self.last_row, self._row)
            self.last_column = max(self.last_column, self._column)
            cell = self._exact()
            if cell is not None:
                self.cells[self._row, self._column] = cell

    def _exact(self) -> ExactCell | None:
        kind = self._attributes.get("t", "n")
        value = "".join(self._value)
        if kind == "e":
            return ExactCell(value or "#ERROR!", CellKind.ERROR)
        if self._formula and not value and kind != "str":
            return ExactCell("", CellKind.FORMULA_WITHOUT_VALUE)
        if value and kind == "n" and self._attributes.get("s") in self._percent:
            # Through float, as spreadsheets store 0.3333 as 0.33329999999999999.
            shown = Decimal(repr(float(value))) * 100
            return ExactCell(format(shown.normalize() + 0, "f") + "%", CellKind.NUMBER)
        return None


@functools.cache
def column_number(letters: str) -> int:
    """Return a column's number, from 1.

    >>> column_number("A"), column_number("XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _refuse_doctype(*_: object) -> None:
    # Entities, the way to blow up or to reach out of an XML file, can only be declared in one.
    raise expat.ExpatError("it declares a document type")
