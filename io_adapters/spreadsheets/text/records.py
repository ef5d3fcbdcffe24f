"""Records as Python's csv cuts them, each with the line it starts on."""

import csv
import io
from collections.abc import Iterator

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.text.lines import count_line_ends
from io_adapters.spreadsheets.text.pieces import BrokenRecord
from io_adapters.spreadsheets.text.quotes import broken_quote

Record = tuple[int, list[str]]


class Records:
    """Iterates over (physical line on which it starts, fields) of each record; a blank line has no fields.

    Iterating raises csv.Error when a field is longer than any that is read and, with `strict`, when a quote is not
    closed at the end of a field.

    Attributes:
        row: Physical line on which the next record starts, or the one at fault.
    """

    def __init__(self, content: bytes, first_row: int, delimiter: str, *, quoted: bool, strict: bool = True) -> None:
        """Begin.

        Args:
            content: UTF-8, from the start of a record on.
            first_row: Physical line of that start.
            delimiter: Between fields.
            quoted: Whether quotes enclose fields; they are ordinary characters otherwise.
            strict: Whether to stop at a quote that is not closed at the end of a field.
        """
        csv.field_size_limit(limits.MOST_FIELD_BYTES)  # of the process: what Python comes with refuses 128 kB
        lines = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
        self._reader = csv.reader(
            lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, strict=strict
        )
        self._first_row = first_row
        self.row = first_row

    def __iter__(self) -> Iterator[Record]:
        for fields in self._reader:
            row, self.row = self.row, self._first_row + self._reader.line_num
            yield row, fields


def is_unfinished(error: csv.Error) -> bool:
    """Tell whether a strict reader only missed the end of a quoted field."""
    return "unexpected end of data" in str(error)


def broken_record(content: bytes, row: int, delimiter: str, error: csv.Error, *, quoted: bool) -> BrokenRecord:
    """Say what is wrong with a record.

    To a reader a field that is too long and a quote that swallows the lines below it look the same. The quote is to
    blame when it is still open after more than a field can be.

    Args:
        content: UTF-8, from the start of the record on.
        row: Physical line of that start.
        delimiter: Between fields.
        error: What stopped the reader.
        quoted: Whether quotes enclose fields.
    """
    text = content.decode(errors="ignore")
    opens = broken_quote(text, delimiter) if quoted else None
    too_long = "field larger than field limit" in str(error)
    if opens is None or (too_long and len(text) - opens <= limits.MOST_FIELD_BYTES):
        return BrokenRecord(row, "one_cell")
    return BrokenRecord(row + count_line_ends(text[:opens].encode()), "quote")
