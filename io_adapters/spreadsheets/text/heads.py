"""What a text shows under each delimiter, from its first bytes alone."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from io_adapters.spreadsheets.limits import MOST_RECORD_BYTES
from io_adapters.spreadsheets.text.lines import line_start
from io_adapters.spreadsheets.text.pieces import BrokenRecord
from io_adapters.spreadsheets.text.quotes import all_structural, part_is_structural
from io_adapters.spreadsheets.text.records import Records, broken_record
from schemas.sheet_cells import HEAD_ROWS, HeadRow, View

# Each with its name in `words`.
DELIMITERS: Final[Mapping[str, str]] = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
HEAD_BYTES: Final = MOST_RECORD_BYTES
# No header stands below so many lines, blank ones included.
_HEAD_LINES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Head:
    """The first lines of a text, as UTF-8; `whole` when there are no more."""

    content: bytes
    whole: bool


def views_of(head: Head) -> tuple[View, ...]:
    """Return a text under each delimiter that cuts any of its first rows; under the comma when none does.

    Raises:
        BrokenRecord: there is nothing to show, since the first field has no end.
    """
    views = []
    endless: BrokenRecord | None = None
    for delimiter in DELIMITERS:
        rows, broken = _rows(head, delimiter)
        views.append(View(None, delimiter, visible=True, head=rows))
        endless = endless or broken
    if endless and not any(view.head for view in views):
        raise endless
    return tuple(view for view in views if any(len(row.texts) > 1 for row in view.head)) or (views[0],)


def _rows(head: Head, delimiter: str) -> tuple[tuple[HeadRow, ...], BrokenRecord | None]:
    """Return the first rows that hold anything, and the row that has no end when that is why there are no more."""
    quoted = delimiter != "\t" or _quotes_enclose_fields(head, delimiter)
    records = Records(head.content, 1, delimiter, quoted=quoted, strict=False)
    rows: list[HeadRow] = []
    try:
        for row, fields in records:
            if any(map(str.strip, fields)):
                rows.append(HeadRow(row, tuple(fields)))
            if len(rows) == HEAD_ROWS or row > _HEAD_LINES:
                return tuple(rows), None
    except csv.Error:
        return tuple(rows), BrokenRecord(records.row, "one_cell")
    return tuple(rows if head.whole else rows[:-1]), None  # the last one may go on


def _quotes_enclose_fields(head: Head, delimiter: str) -> bool:
    return all_structural([head.content], delimiter) if head.whole else part_is_structural(head.content, delimiter)


def below(head: Head, header_row: int, delimiter: str, *, quoted: bool) -> tuple[int, int]:
    """Return where the record after the header starts: (position in the text as UTF-8, physical line).

    Raises:
        BrokenRecord: the header itself has no end.
    """
    header = head.content[line_start(head.content, header_row - 1) :]
    records = Records(header, header_row, delimiter, quoted=quoted)
    try:
        next(iter(records))
    except csv.Error as error:
        raise broken_record(header, header_row, delimiter, error, quoted=quoted) from None
    return line_start(head.content, records.row - 1), records.row
