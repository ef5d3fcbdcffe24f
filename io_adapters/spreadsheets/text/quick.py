"""The quick way: Arrow cuts regular records into columns, and must find as many of them as there are."""

from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv

from io_adapters.spreadsheets.text.pieces import Form, Piece, first_too_long, nothing_but_blank, told_length
from io_adapters.spreadsheets.text.regular import Regular

# Arrow takes it for the file's, though it be the first cell's.
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def read_quickly(records: Regular, form: Form) -> Piece | None:
    """Read regular records.

    Returns:
        The piece; None when a row has another width than the header, or a blank row stands among the others, or a
        field is too long.
    """
    first_row, next_row, used = records.first_row, records.next_row, records.used
    told = records.not_empty()
    if not told.size:
        return nothing_but_blank(first_row, next_row, used)
    kept = int(told[-1]) + 1
    if (told.size < kept and form.width > 1) or records.content.startswith(_BYTE_ORDER_MARK):
        return None
    columns = _parsed(records, kept, form)
    if columns is None or sum(map(len, columns[0])) != kept or first_too_long(columns) is not None:
        return None
    kept = told_length(columns, kept)
    one_line_each = pd.RangeIndex(first_row, first_row + kept)
    return Piece(
        first_row=first_row,
        rows=one_line_each if records.lines is None else pd.Index(first_row + np.append(0, records.lines)[:kept]),
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
