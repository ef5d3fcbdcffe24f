"""Stand-ins for cells that a statement leaves empty: another column of the row, or the sum of its parts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.layouts.layout import Computed, Layout, YearAndMonth
from schemas.parsing.cells import StoodIn
from schemas.parsing.excluded_rows import positions_under
from schemas.parsing.find_columns import label_of
from schemas.parsing.readers import Convention, reader_factory
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.tables.model import ColumnKind
from schemas.values.money import DecimalMark, read_amount_text
from schemas.values.reading import BLANKS

Mask = npt.NDArray[np.bool_]
# Kinds whose form tells a cell of theirs from any other.
_WITH_A_FORM: Final = {"isrc": ColumnKind.ISRC, "upc": ColumnKind.UPC}
_EXACT: Final = Context(prec=60)


class Completed(NamedTuple):
    """A table with such cells filled."""

    raw: RawTable
    positions: Mapping[str, int]
    counts: Mapping[StoodIn, int]


def completed(raw: RawTable, layout: Layout, positions: Mapping[str, int]) -> Completed:
    """Fill the cells that a layout says how to fill; a table that is full already stays as it is.

    Args:
        positions: Canonical column -> position in the file.
    """
    counts: dict[StoodIn, int] = {}
    for column, headers in layout.fallbacks.items():
        for source in [position for header in headers for position in positions_under(raw, header)]:
            if column not in positions:
                positions = {**positions, column: raw.cells.shape[1]}
                raw = _with_column(raw)
            name = label_of(layout, column)
            raw, count = _taken_over(raw, positions[column], source, _WITH_A_FORM[column])
            _tell(counts, StoodIn(name, raw.headers[source], computed=False), count)
    if layout.computed is not None and "amount" in positions:
        raw, count = _summed_up(raw, positions["amount"], layout)
        parts = ", ".join((*layout.computed.add, *layout.computed.subtract))
        _tell(counts, StoodIn(raw.headers[positions["amount"]], parts, computed=True), count)
    if layout.months is not None and "period" not in positions:
        raw, positions = _with_periods(raw, positions, layout.months)
    for name, text in raw.preamble.items():
        if name not in positions:
            positions = {**positions, name: raw.cells.shape[1]}
            raw = _with_column(raw, text)
    return Completed(raw, positions, counts)


def _with_column(raw: RawTable, text: str | pd.Series = "") -> RawTable:
    cells = raw.cells.copy(deep=False)
    column = text if isinstance(text, pd.Series) else pd.Series(text, index=cells.index, dtype="str")
    cells[cells.shape[1]] = column
    kinds = raw.kinds
    if kinds is not None:
        filled = np.where(column == "", CellKind.EMPTY, CellKind.TEXT).astype(np.int8)
        kinds = np.column_stack([kinds, filled])
    return replace(raw, cells=cells, kinds=kinds)


def _with_periods(
    raw: RawTable, positions: Mapping[str, int], told_by: YearAndMonth
) -> tuple[RawTable, Mapping[str, int]]:
    """Add the column of periods that two columns say together, as a person would write them: 2026-09, Sep 2026."""
    places = [positions_under(raw, header) for header in (told_by.year, told_by.month)]
    if any(len(found) != 1 for found in places):
        return raw, positions
    (years, months) = (raw.cells[found[0]] for found in places)
    codes, pairs = pd.factorize(years + "\n" + months)
    texts = [_period(*pair.split("\n", 1)) for pair in pairs]
    column = pd.Series(np.array(texts, dtype=object)[codes], index=raw.cells.index, dtype="str")
    return _with_column(raw, column), {**positions, "period": raw.cells.shape[1]}


def _period(year: str, month: str) -> str:
    year, month = year.strip(BLANKS).removesuffix(".0"), month.strip(BLANKS).removesuffix(".0")
    if not year or not month:
        return year + month
    return f"{year}-{int(month):02d}" if month.isdecimal() else f"{month} {year}"


def _tell(counts: dict[StoodIn, int], of: StoodIn, count: int) -> None:
    if count:
        counts[of] = counts.get(of, 0) + count


def _empty(raw: RawTable, position: int) -> Mask:
    empty: Mask = (raw.cells[position] == "").to_numpy(dtype=bool, copy=True)
    if empty.any() and raw.misshapen_rows:
        empty &= ~raw.cells.index.isin(list(raw.misshapen_rows))
    if empty.any() and raw.kinds is not None:
        empty &= raw.kinds_of(position) == CellKind.EMPTY  # not so a formula without a value
    return empty


def _taken_over(raw: RawTable, position: int, source: int, kind: ColumnKind) -> tuple[RawTable, int]:
    """Fill empty cells of a column from another one, where its cell has the form of the column's kind."""
    rows = np.flatnonzero(_empty(raw, position))
    if not rows.size:
        return raw, 0
    read = reader_factory(kind, Convention("auto", "BRL", "auto"))(()).read
    codes, distinct = pd.factorize(raw.cells[source].iloc[rows])
    kinds = raw.kinds_of(source)[rows]
    sound = np.array([bool(text) and read(text.strip(BLANKS), CellKind.TEXT).code is None for text in distinct])
    right = sound[codes] & np.isin(kinds, (CellKind.TEXT, CellKind.NUMBER))
    return _filled(raw, position, rows[right], distinct[codes[right]].tolist(), kinds[right]), int(right.sum())


def _filled(
    raw: RawTable, position: int, rows: npt.NDArray[np.int64], texts: Sequence[str], kinds: npt.ArrayLike
) -> RawTable:
    if not len(rows):
        return raw
    column = raw.cells[position].copy()
    column.iloc[rows] = texts
    all_kinds = raw.kinds
    if all_kinds is not None:
        all_kinds = all_kinds.copy()
        all_kinds[rows, position] = kinds
    cells = raw.cells.copy(deep=False)
    cells[position] = column
    return replace(raw, cells=cells, kinds=all_kinds)


def _summed_up(raw: RawTable, position: int, layout: Layout) -> tuple[RawTable, int]:
    """Fill empty amounts with what their parts come to, where these are there and none contradicts another."""
    how = layout.computed
    if how is None:
        return raw, 0
    needed = [positions_under(raw, header) for header in (*how.add, *how.subtract)]
    rows = np.flatnonzero(_empty(raw, position))
    if not rows.size or any(len(found) != 1 for found in needed):
        return raw, 0
    rest = [found for header in how.subtract_if_given for found in positions_under(raw, header)]
    columns = [*(found[0] for found in needed), *rest]
    cells = [raw.cells[column].iloc[rows].tolist() for column in columns]
    made = {parts: _come_to(parts, how) for parts in set(zip(*cells, strict=True))}
    sums = [made[parts] for parts in zip(*cells, strict=True)]
    known = np.array([text is not None for text in sums], dtype=bool)
    written = [text for text in sums if text is not None]
    if raw.kinds is not None:
        written = [text.replace(",", ".") for text in written]
    return _filled(raw, position, rows[known], written, CellKind.NUMBER), int(known.sum())


def _come_to(parts: Sequence[str], how: Computed) -> str | None:
    """Return what parts come to, in their own decimal mark; None where one is missing, or they contradict each other.

    A refund is written with all its parts below zero: a part of the other sign than the whole is not understood.
    """
    amounts = [read_amount_text(text.strip(BLANKS)) for text in parts]
    needed = len(how.add) + len(how.subtract)
    given = [amount for amount in amounts if amount is not None]
    unreadable = any(text.strip(BLANKS) and amount is None for text, amount in zip(parts, amounts, strict=True))
    marks: set[DecimalMark] = {amount.mark for amount in given if amount.mark is not None}
    if unreadable or len(marks) > 1 or None in amounts[:needed] or any(amount.ambiguous for amount in given):
        return None
    mark: DecimalMark = marks.pop() if marks else "."
    values = [Decimal(0) if amount is None else amount.value(mark) for amount in amounts]
    if None in values or len({value > 0 for value in values if value}) > 1:
        return None
    signs = [1] * len(how.add) + [-1] * (len(values) - len(how.add))
    total = Decimal(0)
    for value, sign in zip(values, signs, strict=True):
        total = _EXACT.add(total, (value or Decimal(0)) * sign)
    return format(total, "f").replace(".", mark)
