"""Where records begin and end, found by numpy where the parity of quotes proves it."""

from dataclasses import dataclass

import numpy as np

from io_adapters.spreadsheets.limits import MOST_RECORD_BYTES
from io_adapters.spreadsheets.text.lines import CR, LF, positions_of
from io_adapters.spreadsheets.text.pieces import Form
from io_adapters.spreadsheets.text.quotes import QUOTE, are_structural


@dataclass(frozen=True, slots=True)
class Regular:
    """Whole records, each ended by LF, CRLF or the end of the file, with quotes at the edges of fields only.

    Attributes:
        content: UTF-8; the records, and maybe some of the one that follows.
        first_row: Physical line on which the first record starts.
        ends: Position of the LF that ends each record; the length of `content` for a last one without.
        lines: How many lines have ended with each record; None when each is one line.
    """

    content: bytes
    first_row: int
    ends: np.ndarray
    lines: np.ndarray | None

    @property
    def next_row(self) -> int:
        """Physical line on which the record after these starts."""
        return self.row_after(len(self.ends))

    @property
    def used(self) -> int:
        """Bytes of `content` that are these records."""
        return self.bytes_of(len(self.ends))

    def row_after(self, records: int) -> int:
        """Return the physical line on which the record after the first ones starts."""
        return self.first_row + (records if self.lines is None or not records else int(self.lines[records - 1]))

    def bytes_of(self, records: int) -> int:
        """Return how many bytes the first records take."""
        return min(int(self.ends[records - 1]) + 1, len(self.content)) if records else 0

    def part(self, begin: int, end: int) -> "Regular":
        """Return some of these records."""
        start, row = self.bytes_of(begin), self.row_after(begin)
        lines = None if self.lines is None else self.lines[begin:end] - (row - self.first_row)
        return Regular(self.content[start : self.bytes_of(end)], row, self.ends[begin:end] - start, lines)

    def not_empty(self) -> np.ndarray:
        """Return the positions of the records that are more than a line end."""
        lengths = np.diff(self.ends, prepend=np.int32(-1)) - 1
        array = np.frombuffer(self.content, np.uint8)
        return np.flatnonzero((lengths > 1) | ((lengths == 1) & (array[self.ends - 1] != CR)))


def regular_records(content: bytes, first_row: int, form: Form, *, last: bool) -> Regular | None:
    """Find the whole records in some bytes.

    Args:
        content: UTF-8, from the start of a record on.
        first_row: Physical line of that start.
        form: How the rows are cut.
        last: Whether the file ends with these bytes; if not, a record that may go on is left for later.

    Returns:
        The records, if any; None when there are quotes in the middle of fields or lines that end in CR alone, or when
        what is left is too much to be a record, or the end of the file and not closed.
    """
    array = np.frombuffer(content, np.uint8)
    line_ends = positions_of(LF, array)
    if last and content and not content.endswith(b"\n"):
        line_ends = np.append(line_ends, np.int32(len(content)))
    quotes = positions_of(QUOTE, array) if form.quoted and b'"' in content else np.empty(0, np.int32)
    ends, lines = _outside(quotes, line_ends)
    found = Regular(content, first_row, ends, lines)
    used = found.used
    regular = (
        len(content) - used <= (0 if last else MOST_RECORD_BYTES)
        and (b"\r" not in content or _returns_go_with_feeds(content, used, line_ends))
        and are_structural(array[:used], quotes[quotes < used], form.delimiter)
    )
    return found if regular else None


def _outside(quotes: np.ndarray, line_ends: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the line ends outside quotes, and the number of each among the lines if there are any inside."""
    if not quotes.size:
        return line_ends, None
    outside = np.searchsorted(quotes, line_ends) & 1 == 0
    lines = np.flatnonzero(outside).astype(np.int32) + 1
    return line_ends[outside], lines if lines.size and lines[-1] > lines.size else None


def _returns_go_with_feeds(content: bytes, used: int, line_ends: np.ndarray) -> bool:
    if not used:
        return b"\r" not in content[:-1]
    array = np.frombuffer(content, np.uint8, used)
    before = line_ends[(line_ends > 0) & (line_ends <= used)] - 1
    return bool(np.count_nonzero(array == CR) == np.count_nonzero(array[before] == CR))
