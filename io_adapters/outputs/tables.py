"""One table on one sheet: columns, a note above them, rows, and a second sheet where one is not enough."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import Any, Final, NamedTuple

import pandas as pd

from io_adapters.outputs.workbook import GENERAL, HEADER, NUMBER_HEADER, Book, Ink, Page, Setup, Tone, Value

# Excel has 1,048,576 rows; a table that is longer goes on in another sheet.
ROWS_PER_SHEET: Final = 1_000_000


class Column(NamedTuple):
    """One column of a table."""

    header: str
    width: int = 14
    number_format: str = GENERAL


class Toned(NamedTuple):
    """A text with a colour of its own."""

    text: str
    tone: Tone


Row = Sequence[Value | Toned]


@dataclass(frozen=True, slots=True)
class Table:
    """What one sheet shows.

    Attributes:
        title: Name of the sheet.
        columns: Left to right.
        rows: As many values as columns in each.
        note: Said above the header; "" for nothing.
    """

    title: str
    columns: Sequence[Column]
    rows: Iterable[Row]
    note: str = ""


def write_table(book: Book, table: Table, rows_per_sheet: int = ROWS_PER_SHEET) -> None:
    """Write a table with its header in view and filter arrows; on several sheets when it is too long for one."""
    rows = iter(table.rows)
    for number in count(1):
        first = tuple(islice(rows, 1))
        if number > 1 and not first:
            return
        title = table.title if number == 1 else f"{table.title} ({number})"
        _write_part(book, table, title, chain(first, islice(rows, rows_per_sheet - 1)))


def _write_part(book: Book, table: Table, title: str, rows: Iterable[Row]) -> None:
    header_row = 2 if table.note else 1
    page = book.page(Setup(title, [column.width for column in table.columns], header_row))
    if table.note:
        page.write(table.note)
    write_headers(page, table.columns)
    inks = [Ink(column.number_format) for column in table.columns]
    for row in rows:
        write_row(page, row, inks)
    page.filter(header_row, len(table.columns))


def write_headers(page: Page, columns: Sequence[Column]) -> None:
    """Write the header row, each header over the side its values stand on."""
    page.append(
        page.cell(column.header, HEADER if column.number_format == GENERAL else NUMBER_HEADER) for column in columns
    )


def write_row(page: Page, row: Row, inks: Sequence[Ink]) -> None:
    """Write one row, each value in the look of its column."""
    page.append(
        page.cell(value.text, ink._replace(tone=value.tone)) if isinstance(value, Toned) else page.cell(value, ink)
        for value, ink in zip(row, inks, strict=True)
    )


def records(frame: pd.DataFrame) -> Iterator[Any]:
    """Iterate over a frame's rows as named tuples, whose types pandas does not tell."""
    yield from frame.itertuples(index=False)


def write_small_table(page: Page, columns: Sequence[Column], rows: Iterable[Row]) -> None:
    """Write a short table into a page that holds more than it."""
    write_headers(page, columns)
    for row in rows:
        write_row(page, row, [Ink(column.number_format) for column in columns])
