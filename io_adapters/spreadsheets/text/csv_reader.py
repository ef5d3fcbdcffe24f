"""CSV block by block as columns: by Arrow where quotes are regular, by Python's csv where they are not."""

import csv
import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.limits import MOST_RECORD_BYTES
from io_adapters.spreadsheets.text.encodings import Utf8Text
from io_adapters.spreadsheets.text.records import (
    CR,
    LF,
    QUOTE,
    BrokenRecord,
    Form,
    Record,
    RecordPiece,
    RecordReader,
    are_structural,
    blank_piece,
    blank_rows,
    broken_record,
    end_of_last_line,
    first_too_long,
    is_unfinished,
    line_start,
    nothing_but_blank,
    positions_of,
    text_length,
)


@dataclass(frozen=True, slots=True)
class Regular:
    """Whole records, each ended by LF, CRLF or the end of the file, with quotes at the edges of fields only."""

    content: bytes
    first_row: int
    ends: np.ndarray
    lines: np.ndarray | None

    @property
    def next_row(self) -> int:
        return self.row_after(len(self.ends))

    @property
    def used(self) -> int:
        return self.bytes_of(len(self.ends))

    def row_after(self, records: int) -> int:
        return self.first_row + (records if self.lines is None or not records else int(self.lines[records - 1]))

    def bytes_of(self, records: int) -> int:
        return min(int(self.ends[records - 1]) + 1, len(self.content)) if records else 0

    def part(self, begin: int, end: int) -> "Regular":
        start, row = self.bytes_of(begin), self.row_after(begin)
        lines = None if self.lines is None else self.lines[begin:end] - (row - self.first_row)
        return Regular(self.content[start : self.bytes_of(end)], row, self.ends[begin:end] - start, lines)

    def not_empty(self) -> np.ndarray:
        lengths = np.diff(self.ends, prepend=np.int32(-1)) - 1
        array = np.frombuffer(self.content, np.uint8)
        return np.flatnonzero((lengths > 1) | ((lengths == 1) & (array[self.ends - 1] != CR)))


def regular_records(content: bytes, first_row: int, form: Form, *, last: bool) -> Regular | None:
    """Find the whole records in some bytes."""
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


# Arrow takes it for the file's, though it be the first cell's.
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def read_quickly(records: Regular, form: Form) -> RecordPiece | None:
    """Read regular records."""
    first_row, next_row, used = records.first_row, records.next_row, records.used
    filled = records.not_empty()
    if not filled.size:
        return nothing_but_blank(first_row, next_row, used)
    kept = int(filled[-1]) + 1
    if (filled.size < kept and form.width > 1) or records.content.startswith(_BYTE_ORDER_MARK):
        return None
    columns = _parsed(records, kept, form)
    if columns is None or sum(map(len, columns[0])) != kept or first_too_long(columns) is not None:
        return None
    kept = text_length(columns, kept)
    one_line_each = np.arange(first_row, first_row + kept)
    return RecordPiece(
        first_row=first_row,
        rows=one_line_each if records.lines is None else first_row + np.append(0, records.lines)[:kept],
        columns=[pa.chunked_array(column).slice(0, kept).chunks for column in columns],
        misshapen=(),
        blank_from=records.row_after(kept),
        next_row=next_row,
        used=used,
    )


def _parsed(records: Regular, kept: int, form: Form) -> list[list[pa.Array]] | None:
    names = [str(position) for position in range(form.width)]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(records.content).slice(0, records.bytes_of(kept))),
            arrow_csv.ReadOptions(column_names=names, use_threads=False),
            arrow_csv.ParseOptions(
                delimiter=form.delimiter,
                quote_char='"' if form.quoted else False,
                ignore_empty_lines=False,
                newlines_in_values=records.lines is not None,
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string()), strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [column.chunks for column in table.columns]


# So many rows are Python objects at a time: few enough to stay in the processor's cache.
_BATCH_ROWS: Final = 512


def read_exactly(content: bytes, first_row: int, form: Form, *, last: bool) -> RecordPiece:
    """Read all whole records of some bytes.

    Raises:
        BrokenRecord: a quote is not closed, a field is too long, or there are too many cells.
    """
    whole = content if last else content[: end_of_last_line(content)]
    records = RecordReader(whole, first_row, form.delimiter, quoted=form.quoted)
    try:
        rows, columns, misshapen = _table(_finished(records, last=last), form.width)
    except csv.Error as error:
        begin = line_start(content, records.row - first_row)
        raise broken_record(content[begin:], records.row, form.delimiter, error, quoted=form.quoted) from None
    if (position := first_too_long(columns)) is not None:
        raise BrokenRecord(int(rows[position]), "one_cell")
    up_to_misshapen = int(np.searchsorted(rows, misshapen[-1])) + 1 if misshapen else 0
    kept = max(text_length(columns, len(rows)), up_to_misshapen)
    return RecordPiece(
        first_row=first_row,
        rows=rows[:kept],
        columns=[[pa.concat_arrays(column).slice(0, kept)] if column else [] for column in columns],
        misshapen=misshapen,
        blank_from=int(rows[kept]) if kept < len(rows) else records.row,
        next_row=records.row,
        used=line_start(whole, records.row - first_row),
    )


def _finished(records: RecordReader, *, last: bool) -> Iterator[Record]:
    try:
        yield from records
    except csv.Error as error:
        if last or not is_unfinished(error):
            raise


def _table(records: Iterable[Record], width: int) -> tuple[np.ndarray, list[list[pa.Array]], tuple[int, ...]]:
    records = iter(records)
    columns: list[list[pa.Array]] = [[] for _ in range(width)]
    rows: list[np.ndarray] = [np.empty(0, np.int64)]
    misshapen: list[int] = []
    while batch := list(itertools.islice(records, _BATCH_ROWS)):
        for position, (row, fields) in enumerate(batch):
            if len(fields) != width:
                if any(map(str.strip, fields)):
                    misshapen.append(row)
                batch[position] = row, [*fields[:width], *[""] * (width - len(fields))]
        rows.append(np.fromiter((row for row, _ in batch), np.int64, len(batch)))
        for column, texts in zip(columns, zip(*(fields for _, fields in batch), strict=True), strict=True):
            column.append(pa.array(texts, pa.large_string()))
        if sum(map(len, rows)) * width > limits.MOST_SHEET_CELLS:
            raise BrokenRecord(batch[-1][0], "cells")  # short rows below a wide header, each filled up to its width
    return np.concatenate(rows), columns, tuple(misshapen)


# Each holds a block; two are as quick as Arrow's own, and leave the order of blocks to us.
_THREADS: Final = 2
# Read the exact way although only one of them may need it.
_FEW_RECORDS: Final = 512
# So many blank rows are handed on at a time.
_BLANK_ROWS: Final = 65_536


def read_pieces(text: Utf8Text, position: int, first_row: int, form: Form) -> Iterator[RecordPiece]:
    """Yield the records of a text, those of a chunk at a time.

    While the caller works on one piece, threads read the next ones.

    Raises:
        BrokenRecord: a quote is not closed, or a field or a record is too long.
    """
    with ThreadPoolExecutor(_THREADS) as threads:
        coming: deque[Future[list[RecordPiece]]] = deque()
        try:
            for found in _cut(text, position, first_row, form):
                coming.append(threads.submit(_read, found, form))
                if len(coming) > _THREADS:
                    yield from coming.popleft().result()
        except BrokenRecord:
            for pieces in coming:  # an earlier record may be broken, too
                pieces.result()
            raise
        while coming:
            yield from coming.popleft().result()


def _cut(text: Utf8Text, position: int, row: int, form: Form) -> Iterator[Regular | RecordPiece]:
    """Yield whole records, as the quick way needs them or, where only the exact way can tell where they end, read."""
    rest = text.skip(position)
    last = False
    while not last:
        chunk = text.more(rest)
        last, content = chunk.last, chunk.content
        found = (
            blank_piece(content, row, form.delimiter, last=last)
            or regular_records(content, row, form, last=last)
            or read_exactly(content, row, form, last=last)
        )
        yield found
        row, rest = found.next_row, content[found.used :]
        if len(rest) > MOST_RECORD_BYTES:
            raise BrokenRecord(row, "one_row")


def _read(found: Regular | RecordPiece, form: Form) -> list[RecordPiece]:
    if isinstance(found, RecordPiece):
        return [found]
    if (quickly := read_quickly(found, form)) is not None:
        return [quickly]
    records = len(found.ends)
    if records <= _FEW_RECORDS:
        return [read_exactly(found.content[: found.used], found.first_row, form, last=True)]
    if found.not_empty().size * form.width > limits.MOST_SHEET_CELLS:
        raise BrokenRecord(found.first_row, "cells")  # short rows below a wide header, each filled up to its width
    halves = (found.part(0, records // 2), found.part(records // 2, records))
    return [piece for half in halves for piece in _read(half, form)]


def with_blank_rows(pieces: Iterable[RecordPiece], width: int) -> Iterator[RecordPiece]:
    """Yield pieces that hold anything, and pieces of blank rows for those between them; none after the last.

    A blank row is always one line, so that it takes two numbers to remember any number of them.
    """
    blank_from: int | None = None
    for piece in pieces:
        if blank_from is None:
            blank_from = piece.first_row
        if len(piece.rows):
            for row in range(blank_from, piece.first_row, _BLANK_ROWS):
                yield blank_rows(row, min(row + _BLANK_ROWS, piece.first_row), width)
            yield piece
            blank_from = piece.blank_from
