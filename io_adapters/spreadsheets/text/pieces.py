"""What both ways of reading a text hand on: some records, and where the next one begins."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.text.lines import count_line_ends, end_of_last_line


@dataclass(frozen=True, slots=True)
class Form:
    """How the rows of a text are cut into fields.

    Attributes:
        delimiter: Between fields.
        quoted: Whether quotes enclose fields; they are ordinary characters otherwise.
        width: Fields of a row, as many as the header has.
    """

    delimiter: str
    quoted: bool
    width: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Records that follow each other, from the first one on up to the last one that holds anything.

    Attributes:
        first_row: Physical line on which the first record starts.
        rows: Physical line on which each record starts.
        columns: Arrow texts (large_string) of each column, in chunks.
        misshapen: Those of `rows` that have more or fewer fields than the header, and hold something.
        blank_from: Physical line after the last record; those from here on and before `next_row` are blank rows.
        next_row: Physical line on which the next record starts.
        used: Bytes taken; the rest begins at the next record.
    """

    first_row: int
    rows: "pd.Index[int]"
    columns: list[list[pa.Array]]
    misshapen: tuple[int, ...]
    blank_from: int
    next_row: int
    used: int


class BrokenRecord(Exception):
    """A record that cannot be read.

    Attributes:
        row: Physical line at fault: where the quote opens, where the record that is too long starts.
        key: In `words`: "quote", or the limit it is beyond: "one_cell", "one_row", "columns", "cells".
    """

    def __init__(self, row: int, key: str) -> None:
        super().__init__(f"{key} in row {row}")
        self.row = row
        self.key = key


def blank_piece(content: bytes, first_row: int, delimiter: str, *, last: bool) -> Piece | None:
    """Return a piece without records if all whole lines of some bytes are blank; None if any is not."""
    blank = b"\r\n" + delimiter.encode()
    if content[:1].strip(blank):
        return None
    whole = content if last else content[: end_of_last_line(content)]
    return None if whole.strip(blank) else nothing_but_blank(first_row, first_row + count_line_ends(whole), len(whole))


def nothing_but_blank(first_row: int, next_row: int, used: int) -> Piece:
    """Return a piece without records, over rows that are all blank."""
    return Piece(first_row, pd.RangeIndex(0), [], (), first_row, next_row, used)


def blank_rows(begin: int, end: int, width: int) -> Piece:
    """Return the rows from one line up to another as records with nothing in them."""
    nothing = pa.repeat(pa.scalar("", pa.large_string()), end - begin)
    return Piece(begin, pd.RangeIndex(begin, end), [[nothing]] * width, (), end, end, 0)


def told_length(columns: list[list[pa.Array]], rows: int) -> int:
    """Count the rows up to the last one with anything in it."""
    if not rows or any(column[-1][-1].as_py() for column in columns):
        return rows
    told = np.zeros(rows, bool)
    for column in columns:
        np.logical_or(told, np.concatenate([_lengths(chunk) for chunk in column]) > 0, out=told)
    last = np.flatnonzero(told)
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
    """Return the length of each text in bytes, int64."""
    offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, texts.offset * 8)
    return np.diff(offsets)
