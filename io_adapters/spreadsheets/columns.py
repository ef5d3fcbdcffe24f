"""Cells become columns of text, in blocks, so that a large sheet is never held as Python objects as a whole."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.spreadsheets.cell_reader import ExactCell
from schemas.sheet_cells import CellKind

CellValue = str | float | bool | dt.date | dt.time | dt.timedelta | ExactCell

_TEXT_DTYPE: Final = pd.StringDtype(na_value=np.nan)


class ColumnBuilder:
    """Collects blocks of rows and hands out one table.

    Attributes:
        width: Number of columns, the same in every block.
        last_row: Position of the last row with anything in it, -1 when there is none.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.last_row = -1
        self._texts: list[list[pa.Array]] = [[] for _ in range(width)]
        self._kinds: list[np.ndarray] = []
        self._rows = 0

    def add(self, rows: Sequence[Sequence[CellValue]]) -> None:
        """Add rows, each `width` long."""
        kinds = np.empty((len(rows), self.width), np.int8)
        for position, values in enumerate(zip(*rows, strict=True)):
            texts, kinds[:, position] = _text_and_kinds(values)
            self._texts[position].append(texts)
        told = np.flatnonzero((kinds != CellKind.EMPTY).any(axis=1))
        if told.size:
            self.last_row = self._rows + int(told[-1])
        self._kinds.append(kinds)
        self._rows += len(rows)

    def finish(self, index: "pd.Index[int]", used_columns: int) -> tuple[pd.DataFrame, np.ndarray]:
        """Return cells and kinds up to the last row with anything in it.

        Args:
            index: Physical row numbers; those beyond the last row are ignored.
            used_columns: Columns that count even when they are empty, being under a header.
        """
        kept = self.last_row + 1
        kinds = np.concatenate(self._kinds)[:kept] if self._kinds else np.empty((0, self.width), np.int8)
        told = np.flatnonzero((kinds != CellKind.EMPTY).any(axis=0))
        width = max(used_columns, int(told[-1]) + 1 if told.size else 0)
        cells = pd.DataFrame(
            {position: text_series(self._texts[position], kept) for position in range(width)}, copy=False
        )
        return cells.set_axis(index[:kept], axis=0), kinds[:, :width]


def text_series(chunks: list[pa.Array], length: int | None = None) -> "pd.Series[str]":
    """Wrap Arrow texts as a pandas column of dtype str, without copying; only the first `length` of them."""
    texts = pa.chunked_array(chunks, pa.large_string()).slice(0, length)
    return pd.Series(pd.array(texts, dtype=_TEXT_DTYPE))


def cell_text(value: CellValue) -> str:
    """Write one cell as text."""
    return _WRITERS[type(value)](value)


def _text_and_kinds(values: Sequence[CellValue]) -> tuple[pa.Array, np.ndarray | int]:
    """Write the cells of one column as text and say what each was: the CellKind of each, or one for all."""
    types = set(map(type, values))
    if types == {str}:
        return pa.array(values, pa.large_string()), _kinds_of(values) if "" in values else CellKind.TEXT
    if types == {float}:
        return number_texts(np.array(values, np.float64)), CellKind.NUMBER
    return pa.array(map(cell_text, values), pa.large_string()), _kinds_of(values)


def number_texts(numbers: np.ndarray) -> pa.Array:
    """Write many numbers as `number_text` does."""
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < 2**53)
    integers = pa.array(np.where(whole, numbers, 0).astype(np.int64)).cast(pa.large_string())
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
    text = repr(number)
    if text.endswith(".0"):
        return "0" if text == "-0.0" else text[:-2]
    return format(Decimal(text), "f") if "e" in text else text


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


def _kinds_of(values: Iterable[CellValue]) -> np.ndarray:
    return np.fromiter(map(_kind_of, values), np.int8)


def _kind_of(value: CellValue) -> int:
    if value == "":
        return CellKind.EMPTY
    return value.kind if isinstance(value, ExactCell) else _KINDS[type(value)]
