"""The interface that the reader of each workbook format implements."""

import datetime as dt
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.sheet_cells import NO_ODDITIES, CellKind, Oddities


class ExactCell(NamedTuple):
    """A cell whose text and kind were taken from the file itself, since calamine leaves them out."""

    text: str
    kind: CellKind


CellValue = str | float | bool | dt.date | dt.time | dt.timedelta | ExactCell


class SheetName(NamedTuple):
    """A sheet, before it is loaded; charts and macro sheets are none."""

    name: str
    visible: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet in memory."""

    rows: Iterator[list[CellValue]]
    height: int
    width: int
    oddities: Oddities = NO_ODDITIES


@dataclass(frozen=True, slots=True)
class Traits:
    """What is to be said of a whole workbook."""

    macros: bool = False
    date_1904: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)


class Workbook(Protocol):
    @property
    def sheets(self) -> Sequence[SheetName]:
        """Its worksheets, in order."""

    @property
    def traits(self) -> Traits:
        """What is to be said of it as a whole."""

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory.

        Raises:
            Refused: it is damaged, or extends beyond the limits.
        """


class WorkbookRefused(Exception):
    """A workbook that is not read, said in a way that crosses a pipe; the parent makes an issue of it."""

    def __init__(self, code: str, key: str = "", *, sheet: str | None = None, **facts: str | int) -> None:
        super().__init__(code)
        self.code = code
        self.key = key
        self.sheet = sheet
        self.facts = facts


# What a spreadsheet shows for a number that is none.
_NO_NUMBER: Final = "#NUM!"


def columns_of(rows: Sequence[Sequence[CellValue]]) -> pa.RecordBatch:
    """Turn rows, all of one length, into columns."""
    texts, kinds = [], []
    for values in zip(*rows, strict=True):
        text, kind = _texts_and_kinds(values)
        texts.append(text)
        kinds.append(kind)
    return pa.record_batch(texts + kinds, names=[str(position) for position in range(2 * len(texts))])


def cell_text(value: CellValue) -> str:
    return _WRITERS[type(value)](value)


def number_texts(numbers: np.ndarray) -> pa.Array:
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
