"""The exact way: Python's csv says what a record is. Slow, and right about whatever a text holds."""

import csv
import itertools
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.text.lines import end_of_last_line, line_start
from io_adapters.spreadsheets.text.pieces import (
    BrokenRecord,
    Form,
    Piece,
    first_too_long,
    told_length,
)
from io_adapters.spreadsheets.text.records import Record, Records, broken_record, is_unfinished

# So many rows are Python objects at a time: few enough to stay in the processor's cache.
_BATCH_ROWS: Final = 512


def read_exactly(content: bytes, first_row: int, form: Form, *, last: bool) -> Piece:
    """Read all whole records of some bytes.

    Args:
        content: UTF-8, from the start of a record on.
        first_row: Physical line of that start.
        form: How the rows are cut.
        last: Whether the file ends with these bytes; if not, a record that may go on is left for later.

    Raises:
        BrokenRecord: a quote is not closed, a field is too long, or there are too many cells.
    """
    whole = content if last else content[: end_of_last_line(content)]
    records = Records(whole, first_row, form.delimiter, quoted=form.quoted)
    try:
        rows, columns, misshapen = _table(_finished(records, last=last), form.width)
    except csv.Error as error:
        begin = line_start(content, records.row - first_row)
        raise broken_record(content[begin:], records.row, form.delimiter, error, quoted=form.quoted) from None
    if (position := first_too_long(columns)) is not None:
        raise BrokenRecord(int(rows[position]), "one_cell")
    up_to_misshapen = int(np.searchsorted(rows, misshapen[-1])) + 1 if misshapen else 0
    kept = max(told_length(columns, len(rows)), up_to_misshapen)
    return Piece(
        first_row=first_row,
        rows=pd.Index(rows[:kept]),
        columns=[[pa.concat_arrays(column).slice(0, kept)] if column else [] for column in columns],
        misshapen=misshapen,
        blank_from=int(rows[kept]) if kept < len(rows) else records.row,
        next_row=records.row,
        used=line_start(whole, records.row - first_row),
    )


def _finished(records: Records, *, last: bool) -> Iterator[Record]:
    """Yield records up to one that only lacks its end, if more of the file is to come."""
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
