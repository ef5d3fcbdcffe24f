"""A text, block by block, into pieces of whole records; what a block leaves unfinished begins the next one."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.limits import MOST_RECORD_BYTES
from io_adapters.spreadsheets.text.encodings import Utf8Text
from io_adapters.spreadsheets.text.exact import read_exactly
from io_adapters.spreadsheets.text.pieces import BrokenRecord, Form, Piece, blank_piece, blank_rows
from io_adapters.spreadsheets.text.quick import read_quickly
from io_adapters.spreadsheets.text.regular import Regular, regular_records

# Each holds a block; two are as quick as Arrow's own, and leave the order of blocks to us.
_THREADS: Final = 2
# Read the exact way although only one of them may need it.
_FEW_RECORDS: Final = 512
# So many blank rows are handed on at a time.
_BLANK_ROWS: Final = 65_536


def read_pieces(text: Utf8Text, position: int, first_row: int, form: Form) -> Iterator[Piece]:
    """Yield the records of a text, those of a chunk at a time.

    While the caller works on one piece, threads read the next ones.

    Args:
        text: At its start.
        position: Where in it a record begins, the first one that is wanted.
        first_row: Physical line of that record.
        form: How the rows are cut.

    Raises:
        BrokenRecord: a quote is not closed, or a field or a record is too long.
    """
    with ThreadPoolExecutor(_THREADS) as threads:
        coming: deque[Future[list[Piece]]] = deque()
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


def _cut(text: Utf8Text, position: int, row: int, form: Form) -> Iterator[Regular | Piece]:
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


def _read(found: Regular | Piece, form: Form) -> list[Piece]:
    """Read records the quick way, but for the few around one that is irregular."""
    if isinstance(found, Piece):
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


def with_blank_rows(pieces: Iterable[Piece], width: int) -> Iterator[Piece]:
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
