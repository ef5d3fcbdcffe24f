"""Tables of a workbook: a header that stays in view, filters, sums that compute, and more than one sheet if need be."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, count, islice
from typing import Any, NamedTuple

import pandas as pd
from xlsxwriter.utility import xl_col_to_name

from io_adapters.outputs.grid import Field, Grid, Link, Toned
from io_adapters.outputs.workbook import (
    GENERAL,
    HEADING,
    MONEY,
    NUMBER_HEADER,
    ON_THE_LEFT,
    ROWS_PER_SHEET,
    TEXT,
    TEXT_HEADER,
    WHOLE,
    Book,
    Cell,
    Formula,
    Ink,
    Page,
    Row,
    Setup,
    Value,
    has_too_many_digits,
)
from schemas.messages import Money
from schemas.states import Tone


class SheetColumn(NamedTuple):
    """One column of a table."""

    header: str
    width: int = 14
    number_format: str = GENERAL
    total: bool = False
    folded: bool = False
    wrap: bool = False

    @property
    def ink(self) -> Ink:
        return Ink(self.number_format, wrap=self.wrap, indent=self.number_format in ON_THE_LEFT)


@dataclass(frozen=True, slots=True)
class WorkbookTable:
    """What one sheet shows."""

    title: str
    columns: Sequence[SheetColumn]
    rows: Iterable[Row]
    note: str = ""
    total: str = ""


def write_table(book: Book, table: WorkbookTable, rows_per_sheet: int = ROWS_PER_SHEET) -> None:
    """Write a table with its header in view and filter arrows; on several sheets when it is too long for one."""
    rows = iter(table.rows)
    for number in count(1):
        first = tuple(islice(rows, 1))
        if number > 1 and not first:
            return
        title = table.title if number == 1 else f"{table.title} ({number})"
        _write_part(book, table, title, chain(first, islice(rows, rows_per_sheet - 1)))


def _write_part(book: Book, table: WorkbookTable, title: str, rows: Iterable[Row]) -> None:
    header_row = 2 if table.note else 1
    folded = frozenset(position for position, column in enumerate(table.columns, 1) if column.folded)
    page = book.page(
        Setup(title, [column.width for column in table.columns], header_row, _texts(table), folded),
    )
    if table.note:
        page.write(table.note)
    write_headers(page, table.columns)
    _write_rows(page, table.columns, rows, table.total)


def _texts(table: WorkbookTable) -> frozenset[int]:
    return frozenset(position for position, column in enumerate(table.columns, 1) if column.number_format == TEXT)


def _write_rows(
    page: Page, columns: Sequence[SheetColumn], rows: Iterable[Row], total: str, *, filtered: bool = True
) -> None:
    header_row = page.rows_written
    inks, sums = [column.ink for column in columns], _Sums(columns)
    for row in rows:
        page.write_row(row, inks)
        sums.add(row)
    if filtered:
        page.filter(header_row, len(columns))
    if total and page.rows_written > header_row:
        page.append(sums.cells(total, header_row + 1, page.rows_written))


class _Sums:
    def __init__(self, columns: Sequence[SheetColumn]) -> None:
        self._sums: dict[int, Decimal] = {n: Decimal(0) for n, column in enumerate(columns) if column.total}
        self._columns = columns
        self._as_text = set[int]()

    def add(self, row: Row) -> None:
        for position in self._sums:
            value = row[position]
            if isinstance(value, int | Decimal):
                self._sums[position] += value
                if isinstance(value, Decimal) and has_too_many_digits(value):
                    self._as_text.add(position)

    def cells(self, name: str, first_row: int, last_row: int) -> Iterator[Cell]:
        """Give the row of sums: of what a filter shows, once somebody filters."""
        for position, column in enumerate(self._columns):
            ink = column.ink._replace(tone=Tone.HEADER, bold=True)
            if position not in self._sums:
                yield Cell(name if position == 0 else "", ink)
            elif position in self._as_text:  # a program would leave out what is too long for its numbers
                yield Cell(self._sums[position], ink)
            else:
                letters = xl_col_to_name(position)
                yield Cell(
                    Formula(f"=SUBTOTAL(109,{letters}{first_row}:{letters}{last_row})", self._sums[position]), ink
                )


def write_headers(page: Page, columns: Sequence[SheetColumn]) -> None:
    page.append(
        Cell(column.header, TEXT_HEADER if column.number_format in ON_THE_LEFT else NUMBER_HEADER) for column in columns
    )


def records(frame: pd.DataFrame) -> Iterator[Any]:
    yield from frame.itertuples(index=False)


def write_small_table(page: Page, columns: Sequence[SheetColumn], rows: Iterable[Row], total: str = "") -> None:
    write_headers(page, columns)
    _write_rows(page, columns, rows, total, filtered=False)


def write_grid(page: Page, grid: Grid, language: str) -> None:
    """Write a grid below what a page holds already: its title, its notes, and its table; nothing of an empty one."""
    if not (grid.rows or grid.notes):
        return
    page.append()
    if grid.title:
        page.write(grid.title, ink=HEADING)
    for note in grid.notes:
        tone = note.tone if isinstance(note, Toned) else Tone.NONE
        page.write(_value_of(note), ink=Ink(tone=tone))
    if grid.rows and grid.has_headers:
        inks = (NUMBER_HEADER if is_figure else TEXT_HEADER for is_figure in grid.are_figures)
        page.append(Cell(column.header, ink) for column, ink in zip(grid.columns, inks, strict=True))
    for row in grid.every_row:
        plain = Ink(bold=row is grid.total, wrap=grid.has_headers)
        page.append(_cell_of(field, language, plain._replace(indent=place > 0)) for place, field in enumerate(row))


def sheet_of(grid: Grid, language: str, title: str = "", note: str = "") -> WorkbookTable:
    """Make of a grid a sheet of its own, with filter arrows."""
    columns = []
    for place, column in enumerate(grid.columns):
        first = next((row[place] for row in grid.rows if row[place] not in {None, ""}), None)
        columns.append(SheetColumn(column.header, column.width, _format_of(first, language)))
    rows = ([field if isinstance(field, Toned) else _value_of(field) for field in row] for row in grid.every_row)
    return WorkbookTable(title or grid.title, columns, rows, note)


def _cell_of(field: Field, language: str, plain: Ink) -> Cell:
    """Make a cell; `plain` is how texts of its place look."""
    if isinstance(field, Toned):
        return Cell(field.text, plain._replace(tone=field.tone))
    number_format = _format_of(field, language)
    if number_format != GENERAL:
        plain = Ink(number_format, bold=plain.bold)
    return Cell(_value_of(field), plain)


def _format_of(field: Field, language: str) -> str:
    match field:
        case Money():
            return MONEY
        case Decimal():
            return '0.0"×"'
        case int():
            return WHOLE
        case dt.date():
            return "dd/mm/yyyy" if language == "pt-BR" else "yyyy-mm-dd"
        case _:
            return GENERAL


def _value_of(field: Field) -> Value:
    match field:
        case Money():
            return Decimal(field.cents).scaleb(-2)
        case Toned() | Link():
            return field.text
        case _:
            return field
