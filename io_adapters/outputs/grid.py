"""Grids: what people are shown, as tables of typed cells; terminal, workbook, page and Prefect each write them once."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from schemas.messages import Money, as_read, currency_sign
from schemas.states import Tone
from schemas.values.money import format_cents


class Toned(NamedTuple):
    text: str
    tone: Tone


class Link(NamedTuple):
    text: str
    address: str


# An amount of money; a count; how many times something; a day; a text.
Field = Money | int | Decimal | dt.date | str | Toned | Link | None


class GridColumn(NamedTuple):
    """One column of a grid."""

    header: str
    width: int = 24
    is_detail: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of typed cells.

    Attributes:
        total: The last row, set off; empty for none.
    """

    title: str
    columns: Sequence[GridColumn]
    rows: Sequence[Sequence[Field]]
    notes: Sequence[str | Toned] = ()
    total: Sequence[Field] = ()

    @property
    def has_headers(self) -> bool:
        return any(column.header for column in self.columns)

    @property
    def every_row(self) -> list[Sequence[Field]]:
        return [*self.rows, *([self.total] if self.total else [])]

    @property
    def are_figures(self) -> list[bool]:
        return [
            any(is_figure(row[place]) for row in self.every_row)
            and all(row[place] is None or is_figure(row[place]) or row[place] == "" for row in self.every_row)
            for place in range(len(self.columns))
        ]

    def without_details(self) -> "Grid":
        """Return the grid as it is shown where there is little room."""
        return self._only([place for place, column in enumerate(self.columns) if not column.is_detail])

    def without(self, *headers: str) -> "Grid":
        return self._only([place for place, column in enumerate(self.columns) if column.header not in headers])

    def without_empty(self) -> "Grid":
        """Return the grid without the columns that say nothing, or zero, in all rows."""
        return self._only(
            [place for place in range(len(self.columns)) if any(_says(row[place]) for row in self.every_row)]
        )

    def _only(self, places: Sequence[int]) -> "Grid":
        return replace(
            self,
            columns=[self.columns[place] for place in places],
            rows=[[row[place] for place in places] for row in self.rows],
            total=[self.total[place] for place in places] if self.total else (),
        )


def facts_grid(title: str, facts: Sequence[tuple[str | Toned, Field]], notes: Sequence[str | Toned] = ()) -> Grid:
    return Grid(title, (GridColumn("", 44), GridColumn("", 24)), facts, notes)


def _says(field: Field) -> bool:
    return bool(field.cents) if isinstance(field, Money) else bool(field)


def is_figure(field: Field) -> bool:
    return isinstance(field, Money | int | Decimal)


def field_text(field: Field, language: str) -> str:
    """Write a field as readers of a language do.

    >>> [field_text(field, "pt-BR") for field in (Money(123456), 1234, Decimal("2.5"), dt.date(2026, 10, 31), None)]
    ['1.234,56', '1.234', '2,5×', '31/10/2026', '']
    """
    comma = language == "pt-BR"
    match field:
        case Toned() | Link():
            text = as_read(field.text)
        case Money():
            amount = format_cents(field.cents, language)
            text = f"{currency_sign(field.currency)} {amount}" if field.currency else amount
        case Decimal():
            text = f"{field}×".replace(".", "," if comma else ".")
        case int():
            text = f"{field:,}".replace(",", "." if comma else ",")
        case dt.date():
            text = f"{field:%d/%m/%Y}" if comma else f"{field:%Y-%m-%d}"
        case _:
            text = as_read(field or "")
    return text
