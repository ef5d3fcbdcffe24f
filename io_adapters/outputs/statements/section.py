"""A table of the page, as the template reads it, and what every table is written with."""

from collections.abc import Sequence
from dataclasses import dataclass

from io_adapters.outputs.statements.numbers import Numbers
from io_adapters.outputs.statements.words import Words
from schemas.payee_statement import StatementHeading


@dataclass(frozen=True, slots=True)
class Writer:
    """The words and numbers of one language, and what the statements share."""

    words: Words
    numbers: Numbers
    heading: StatementHeading


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its header, whether numbers stand in it, and whether it takes the room that is left."""

    name: str
    number: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class TwoLines:
    """A cell with a smaller text below the main one."""

    main: str
    sub: str


Cell = str | TwoLines


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table.

    Attributes:
        title: Above it.
        columns: Left to right.
        rows: As many cells as columns in each.
        total: The last row, set off from the others; empty for none.
        strong: Positions of rows that stand out.
        note: Below it; "" for none.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    total: Sequence[str] = ()
    strong: Sequence[int] = ()
    note: str = ""

    def as_json(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "title": self.title,
            "columns": [{"name": one.name, "number": one.number, "wide": one.wide} for one in self.columns],
            "rows": [[_plain(cell) for cell in row] for row in self.rows],
            "total": list(self.total),
            "strong": list(self.strong),
            "note": self.note,
        }


def _plain(cell: Cell) -> str | dict[str, str]:
    return {"main": cell.main, "sub": cell.sub} if isinstance(cell, TwoLines) else cell
