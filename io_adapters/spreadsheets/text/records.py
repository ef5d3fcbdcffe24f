"""Records of a text: its physical lines, quotes that enclose fields, and the line each record starts on."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from io_adapters.spreadsheets import limits
from schemas.messages import Message

LF: Final = 10
CR: Final = 13

# What is worked on at a time stays in the processor's cache.
_TILE_BYTES: Final = 2**20


def positions_of(byte: int, array: np.ndarray) -> np.ndarray:
    tiles = range(0, len(array), _TILE_BYTES)
    found = [np.flatnonzero(array[at : at + _TILE_BYTES] == byte).astype(np.int32) + np.int32(at) for at in tiles]
    return np.concatenate(found) if found else np.empty(0, np.int32)


def count_line_ends(content: bytes) -> int:
    r"""Count the lines that end in some bytes.

    >>> count_line_ends(b"a\nb\r\nc\rd")
    3
    """
    returns = content.count(b"\r")
    return content.count(b"\n") + (returns - content.count(b"\r\n") if returns else 0)


def count_line_ends_before(chunks: Iterable[bytes], offset: int) -> int:
    """Count the lines that end before an offset of a text in chunks; a CRLF may be cut in two."""
    ends = 0
    after_return = False
    for chunk in chunks:
        counted = chunk[:offset]
        ends += count_line_ends(counted) - (after_return and counted.startswith(b"\n"))
        after_return = counted.endswith(b"\r")
        offset -= len(counted)
        if not offset:
            break
    return ends


def line_ends(content: bytes) -> np.ndarray:
    array = np.frombuffer(content, np.uint8)
    if b"\r" not in content:
        return positions_of(LF, array)
    before_line_feed = np.append(array[1:] == LF, [False])
    return np.flatnonzero((array == LF) | ((array == CR) & ~before_line_feed))


def line_start(content: bytes, line: int) -> int:
    """Return the position at which a line starts, the first being 0; the length of the content for one beyond it."""
    if line == 0:
        return 0
    ends = line_ends(content)
    return int(ends[line - 1]) + 1 if line <= len(ends) else len(content)


def end_of_last_line(content: bytes) -> int:
    """Return how much of some bytes is whole lines; a CR at their very end may be half of a CRLF."""
    after_line_feed = content.rfind(b"\n") + 1
    return max(after_line_feed, content.rfind(b"\r", after_line_feed, max(len(content) - 1, 0)) + 1)


QUOTE: Final = 34


def are_structural(content: np.ndarray, quotes: np.ndarray, delimiter: str, *, inside: bool = False) -> bool:
    """Tell whether each quote opens a field at its start, closes one at its end, or is one of a doubled pair.

    Then, and only then, whether a place is inside quotes depends on nothing but how many quotes come before it.
    """
    at_edge = np.zeros(256, bool)
    at_edge[[LF, CR, QUOTE, ord(delimiter)]] = True
    openers, closers = quotes[int(inside) :: 2], quotes[1 - int(inside) :: 2]
    openers, closers = openers[openers > 0], closers[closers < len(content) - 1]
    return bool(at_edge[content[openers - 1]].all() and at_edge[content[closers + 1]].all())


def all_structural(chunks: Iterable[bytes], delimiter: str) -> bool:
    rest = b""
    inside = False
    for chunk in chunks:
        content = rest + chunk
        end = end_of_last_line(content)
        if not part_is_structural(content[:end], delimiter, inside=inside):
            return False
        inside ^= bool(content.count(b'"', 0, end) % 2)
        rest = content[end:]
    closed = inside == bool(rest.count(b'"') % 2)
    return closed and part_is_structural(rest, delimiter, inside=inside)


def part_is_structural(content: bytes, delimiter: str, *, inside: bool = False) -> bool:
    if b'"' not in content:
        return True
    array = np.frombuffer(content, np.uint8)
    return are_structural(array, positions_of(QUOTE, array), delimiter, inside=inside)


def broken_quote(text: str, delimiter: str) -> int | None:
    """Find the first quote that opens a field and is never closed, or closed in the middle of the field."""
    edge = re.escape(delimiter) + r"\r\n"
    field = re.compile(rf'(?:\A|(?<=[{edge}]))"[^"]*+(?:""[^"]*+)*+("(?![^{edge}]))?')
    return next((found.start() for found in field.finditer(text) if found[1] is None), None)


@dataclass(frozen=True, slots=True)
class Form:
    """How the rows of a text are cut into fields."""

    delimiter: str
    quoted: bool
    width: int


@dataclass(frozen=True, slots=True)
class RecordPiece:
    """Records that follow each other, from the first one on up to the last one that holds anything."""

    first_row: int
    rows: np.ndarray
    columns: list[list[pa.Array]]
    misshapen: tuple[int, ...]
    blank_from: int
    next_row: int
    used: int


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Rows of a text that follow each other: the physical row of each, texts by column, which have a wrong width."""

    rows: np.ndarray
    columns: list[pa.ChunkedArray]
    misshapen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TextTable:
    """The table below a header of a text; its blocks are read as they are taken."""

    header_row: int
    headers: tuple[str, ...]
    decisions: tuple[Message | str, ...]
    blocks: Iterator[TextBlock]


class BrokenRecord(Exception):
    """A record that cannot be read."""

    def __init__(self, row: int, key: str) -> None:
        super().__init__(f"{key} in row {row}")
        self.row = row
        self.key = key


def blank_piece(content: bytes, first_row: int, delimiter: str, *, last: bool) -> RecordPiece | None:
    """Return a piece without records if all whole lines of some bytes are blank; None if any is not."""
    blank = b"\r\n" + delimiter.encode()
    if content[:1].strip(blank):
        return None
    whole = content if last else content[: end_of_last_line(content)]
    return None if whole.strip(blank) else nothing_but_blank(first_row, first_row + count_line_ends(whole), len(whole))


def nothing_but_blank(first_row: int, next_row: int, used: int) -> RecordPiece:
    return RecordPiece(first_row, np.empty(0, np.int64), [], (), first_row, next_row, used)


def blank_rows(begin: int, end: int, width: int) -> RecordPiece:
    nothing = pa.repeat(pa.scalar("", pa.large_string()), end - begin)
    return RecordPiece(begin, np.arange(begin, end), [[nothing]] * width, (), end, end, 0)


def text_length(columns: list[list[pa.Array]], rows: int) -> int:
    if not rows or any(column[-1][-1].as_py() for column in columns):
        return rows
    filled = np.zeros(rows, bool)
    for column in columns:
        np.logical_or(filled, np.concatenate([_lengths(chunk) for chunk in column]) > 0, out=filled)
    last = np.flatnonzero(filled)
    return int(last[-1]) + 1 if last.size else 0


def first_too_long(columns: list[list[pa.Array]]) -> int | None:
    """Return the position of the first row with a field beyond the limit; None when there is none."""
    found: list[int] = []
    for column in columns:
        begin = 0
        for chunk in column:
            if chunk.nbytes > limits.MOST_FIELD_BYTES:
                found += (np.flatnonzero(_lengths(chunk) > limits.MOST_FIELD_BYTES)[:1] + begin).tolist()
            begin += len(chunk)
    return min(found, default=None)


def _lengths(texts: pa.Array) -> np.ndarray:
    offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, texts.offset * 8)
    return np.diff(offsets)


Record = tuple[int, list[str]]


class RecordReader:
    """Iterates over (physical line on which it starts, fields) of each record; a blank line has no fields.

    Iterating raises csv.Error when a field is longer than any that is read and, with `strict`, when a quote is not
    closed at the end of a field.
    """

    def __init__(self, content: bytes, first_row: int, delimiter: str, *, quoted: bool, strict: bool = True) -> None:
        """Begin."""
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
    return "unexpected end of data" in str(error)


def broken_record(content: bytes, row: int, delimiter: str, error: csv.Error, *, quoted: bool) -> BrokenRecord:
    """Say what is wrong with a record.

    To a reader a field that is too long and a quote that swallows the lines below it look the same. The quote is to
    blame when it is still open after more than a field can be.
    """
    text = content.decode(errors="ignore")
    opens = broken_quote(text, delimiter) if quoted else None
    too_long = "field larger than field limit" in str(error)
    if opens is None or (too_long and len(text) - opens <= limits.MOST_FIELD_BYTES):
        return BrokenRecord(row, "one_cell")
    return BrokenRecord(row + count_line_ends(text[:opens].encode()), "quote")
