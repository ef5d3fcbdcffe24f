"""Cells become columns of text, in blocks, so that a large sheet is never held as Python objects as a whole."""

import datetime as dt
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.spreadsheets.workbook.sheets import CellValue, ExactCell
from schemas.sheet_cells import CellKind

# What a spreadsheet shows for a number that is none.
_NO_NUMBER: Final = "#NUM!"


def columns_of(rows: Sequence[Sequence[CellValue]]) -> pa.RecordBatch:
    """Turn rows, all of one length, into columns.

    Returns:
        Twice as many columns as a row has cells: first the texts, large_string, then the CellKind of each, int8.
    """
    texts, kinds = [], []
    for values in zip(*rows, strict=True):
        text, kind = _texts_and_kinds(values)
        texts.append(text)
        kinds.append(kind)
    return pa.record_batch(texts + kinds, names=[str(position) for position in range(2 * len(texts))])


def cell_text(value: CellValue) -> str:
    """Write one cell as text."""
    return _WRITERS[type(value)](value)


def number_texts(numbers: np.ndarray) -> pa.Array:
    """Write many numbers as `number_text` does."""
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < 2**53)
    integers = pa.array(np.where(whole, numbers, 0).astype(np.int64)).cast(pa.large_string())
    if whole.all():
        return integers
    # Arrow, too, writes the shortest text that reads back as the same number, but with an exponent here and there.
    texts = pc.if_else(whole, integers, pa.array(numbers).cast(pa.large_string()))
    if pc.any(pc.match_substring(texts, "e")).as_py():
        return pa.array(map(number_text, numbers.tolist()), pa.large_string())
    return texts


def number_text(number: float) -> str:
    """Write a number in the shortest exact way, without an exponent.

    >>> number_text(52998224725.0), number_text(1234.5), number_text(1e-07)
    ('52998224725', '1234.5', '0.0000001')
    """
    if not math.isfinite(number):
        return _NO_NUMBER
    text = repr(number)
    if text.endswith(".0"):
        return "0" if text == "-0.0" else text[:-2]
    return format(Decimal(text), "f") if "e" in text else text


def _texts_and_kinds(values: Sequence[CellValue]) -> tuple[pa.Array, pa.Array]:
    types = set(map(type, values))
    if types == {str} and "" not in values:
        return pa.array(values, pa.large_string()), _one_kind(CellKind.TEXT, len(values))
    if types == {float} and np.isfinite(numbers := np.array(values, np.float64)).all():
        return number_texts(numbers), _one_kind(CellKind.NUMBER, len(values))
    if types == {str}:
        texts = pa.array(values, pa.large_string())
        kinds = np.where(pc.equal(texts, "").to_numpy(zero_copy_only=False), CellKind.EMPTY, CellKind.TEXT)
        return texts, pa.array(kinds.astype(np.int8))
    return pa.array(map(cell_text, values), pa.large_string()), _kinds_of(values)


def _one_kind(kind: CellKind, length: int) -> pa.Array:
    return pa.array(np.full(length, kind, np.int8))


def _kinds_of(values: Iterable[CellValue]) -> pa.Array:
    return pa.array(np.fromiter(map(_kind_of, values), np.int8))


def _kind_of(value: CellValue) -> int:
    if isinstance(value, ExactCell):
        return value.kind
    if value == "":
        return CellKind.EMPTY
    if isinstance(value, float) and not math.isfinite(value):
        return CellKind.ERROR
    return _KINDS[type(value)]


def _moment_text(moment: dt.datetime) -> str:
    return moment.date().isoformat() if moment.time() == dt.time.min else moment.isoformat()


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    str: str,
    float: number_text,
    int: str,
    bool: lambda flag: "TRUE" if flag else "FALSE",
    dt.datetime: _moment_text,
    dt.date: dt.date.isoformat,
    dt.time: dt.time.isoformat,
    dt.timedelta: str,
    ExactCell: lambda cell: cell.text,
}

_KINDS: Final[dict[type, CellKind]] = {
    str: CellKind.TEXT,
    float: CellKind.NUMBER,
    int: CellKind.NUMBER,
    bool: CellKind.BOOL,
    dt.datetime: CellKind.DATE,
    dt.date: CellKind.DATE,
    dt.time: CellKind.DATE,
    dt.timedelta: CellKind.DATE,
}
