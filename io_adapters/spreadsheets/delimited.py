"""Reading CSV, TSV and other delimited text, each row with the line it starts on."""

import io
import itertools
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv

from io_adapters.spreadsheets.columns import text_series
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.text_forms import (
    DELIMITERS,
    BrokenRecord,
    TextForm,
    decide_encoding,
    decide_form,
    records_of,
)
from io_adapters.spreadsheets.words import say
from schemas.issues import IssueCode
from schemas.layouts.layout import Layout
from schemas.raw_table import FileIdentity, RawTable

_BLOCK_ROWS: Final = 16_384
_ENCODING_NAMES: Final = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "utf-16": "UTF-16", "cp1252": "cp1252"}


def read_delimited(identity: FileIdentity, content: bytes, layout: Layout, language: str) -> RawTable:
    """Read a delimited text file.

    Args:
        identity: Of the file.
        content: Its bytes, unpacked.
        layout: Says where the header is and which columns are required.
        language: Of decisions and messages.

    Returns:
        The table. Rows are numbered by the physical line on which their record starts; those with more or fewer fields
        than the header are named in `misshapen_rows`: extra fields are left out, absent ones are "".

    Raises:
        UnreadableFile: not text, an unclosed quote, no rows.
    """
    place = Place(identity.name, language)
    encoding = decide_encoding(content, place)
    form = decide_form(content, encoding, layout, place)
    try:
        cells, misshapen = _read_unquoted(content, form) or _read_records(content, form)
    except BrokenRecord as broken:
        raise refusal(
            IssueCode.FILE_CORRUPT, place, "long_field" if broken.too_long else "quote", row=broken.row
        ) from None
    if cells.empty:
        raise refusal(IssueCode.FILE_NO_ROWS, place, "no_rows", row=form.header_row)
    decisions = (
        _ENCODING_NAMES[encoding],
        say(DELIMITERS[form.delimiter], language),
        say("header", language, row=form.header_row),
    )
    return RawTable(identity, None, form.header_row, form.headers, cells, None, decisions, misshapen)


def _read_unquoted(content: bytes, form: TextForm) -> tuple[pd.DataFrame, tuple[int, ...]] | None:
    """Read the quick way what has no quotes, where a record is a line; None when the file is not that regular."""
    if form.encoding == "utf-16" or b'"' in content:
        return None
    names = [str(position) for position in range(len(form.headers))]
    try:
        table = arrow_csv.read_csv(
            io.BytesIO(content.rstrip(b"\r\n")),
            arrow_csv.ReadOptions(
                skip_rows=form.header_row,
                column_names=names,
                encoding="cp1252" if form.encoding == "cp1252" else "utf8",
            ),
            arrow_csv.ParseOptions(delimiter=form.delimiter, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string()), strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    cells = {position: text_series(column.chunks) for position, column in enumerate(table.columns)}
    index = pd.RangeIndex(form.header_row + 1, form.header_row + 1 + table.num_rows)
    return _without_blank_tail(pd.DataFrame(cells, copy=False).set_axis(index, axis=0)), ()


def _read_records(content: bytes, form: TextForm) -> tuple[pd.DataFrame, tuple[int, ...]]:
    width = len(form.headers)
    records = itertools.islice(records_of(content, form, strict=True), 1, None)
    chunks: list[list[pa.Array]] = [[] for _ in range(width)]
    numbers: list[np.ndarray] = []
    misshapen: list[int] = []
    while block := list(itertools.islice(records, _BLOCK_ROWS)):
        for position, (number, fields) in enumerate(block):
            if len(fields) != width:
                if any(map(str.strip, fields)):
                    misshapen.append(number)
                block[position] = number, [*fields[:width], *[""] * (width - len(fields))]
        numbers.append(np.fromiter((number for number, _ in block), np.int64, len(block)))
        for column, texts in zip(chunks, zip(*(fields for _, fields in block), strict=True), strict=True):
            column.append(pa.array(texts, pa.large_string()))
    index = pd.Index(np.concatenate(numbers) if numbers else np.empty(0, np.int64))
    cells = {position: text_series(column) for position, column in enumerate(chunks)}
    return _without_blank_tail(pd.DataFrame(cells, copy=False).set_axis(index, axis=0)), tuple(misshapen)


def _without_blank_tail(cells: pd.DataFrame) -> pd.DataFrame:
    told = np.zeros(len(cells), bool)
    for position in cells.columns:
        told |= (cells[position] != "").to_numpy()
    last = np.flatnonzero(told)
    return cells.iloc[: int(last[-1]) + 1 if last.size else 0]
