"""What the reader of each workbook format offers to the process that runs it."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from schemas.sheet_cells import NO_ODDITIES, CellKind, Oddities


class ExactCell(NamedTuple):
    """A cell whose text and kind were taken from the file itself, since the fast reader leaves them out."""

    text: str
    kind: CellKind


CellValue = str | float | bool | dt.date | dt.time | dt.timedelta | ExactCell


class SheetName(NamedTuple):
    """A sheet, before it is loaded; charts and macro sheets are none."""

    name: str
    visible: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet in memory.

    Attributes:
        rows: Every physical row from the first, each `width` cells from column A; "" is an empty cell. Read once.
        height: Rows up to the last one with anything in it.
        width: Columns up to the last one with anything in it.
        oddities: What it holds beside its values.
    """

    rows: Iterator[list[CellValue]]
    height: int
    width: int
    oddities: Oddities = NO_ODDITIES


@dataclass(frozen=True, slots=True)
class Traits:
    """What is to be said of a whole workbook.

    Attributes:
        macros: It carries macros; they are never run.
        date_1904: It counts days from 1904, as old Macs did.
        properties: Custom document properties, name -> text.
    """

    macros: bool = False
    date_1904: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)


class Workbook(Protocol):
    """A workbook of any format, open."""

    @property
    def sheets(self) -> Sequence[SheetName]:
        """Its worksheets, in order."""

    @property
    def traits(self) -> Traits:
        """What is to be said of it as a whole."""

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory.

        Raises:
            Refused: it is damaged, or extends beyond the limits.
        """


class Refused(Exception):
    """A workbook that is not read, said in a way that crosses a pipe; the parent makes an issue of it.

    Attributes:
        code: Name of the issue code.
        key: Sentence in `io_adapters.spreadsheets.words`; "" takes the code's own text.
        facts: What the sentence names; never a cell's value.
        sheet: Sheet at fault.
    """

    def __init__(self, code: str, key: str = "", *, sheet: str | None = None, **facts: str | int) -> None:
        super().__init__(code)
        self.code = code
        self.key = key
        self.sheet = sheet
        self.facts = facts
