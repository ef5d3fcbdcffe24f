"""Arithmetic before words: columns beside the amount that make it up in every row say nothing else of the payment.

Quantity times unit, gross less tax, fee and allowance: where it comes out to the centavo in every row, and the amount
stands behind its parts, there is nothing to ask. Where it stands before one, that may be what is paid in the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from itertools import combinations
from typing import Final, NamedTuple

from schemas.parsing.amounts import AmountColumn
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.values.reading import BLANKS

_EXACT: Final = Context(prec=60)
_CENTAVO: Final = Decimal("0.01")
_HUNDRED: Final = Decimal(100)
_FEWEST_ROWS: Final = 2
_MOST_PARTS: Final = 3  # beside each other; more columns come out right by chance
_MOST_COLUMNS: Final = 8


class NumberColumn(NamedTuple):
    """A column of numbers, row by row; None where nothing stands.

    Attributes:
        is_taken_off: Whether its header says that it is taken off.
    """

    position: int
    values: tuple[Decimal | None, ...]
    is_percent: bool
    is_taken_off: bool


class Identity(NamedTuple):
    """How an amount comes about in every row: signs and columns, as "Quantidade x Unitário - Imposto"."""

    positions: frozenset[int]
    written: str


def read_column(raw: RawTable, position: int, rows: Sequence[int], *, is_taken_off: bool) -> NumberColumn | None:
    """Read a column as numbers; None where some of it is none, or all of it nothing."""
    texts = [str(text).strip(BLANKS) for text in raw.cells[position].loc[list(rows)]]
    kinds = dict(zip(raw.cells.index.tolist(), raw.kinds_of(position).tolist(), strict=True))
    cells = [(text, CellKind(kinds[row])) for text, row in zip(texts, rows, strict=True)]
    signs = {text.endswith("%") for text in texts if text}
    if len(signs) != 1:
        return None
    (is_percent,) = signs
    plain = [(text.removesuffix("%").strip(BLANKS), kind) for text, kind in cells]
    column = AmountColumn([cell for cell in plain if cell[0]], "auto", scientific=False)
    values = list[Decimal | None]()
    for text, kind in plain:
        read = column.exact(text, kind).value if text else None
        if text and read is None:
            return None
        values.append(read.value if read else None)
    return NumberColumn(position, tuple(values), is_percent, is_taken_off) if any(values) else None


def find_identity(
    amounts: Sequence[Decimal], columns: Sequence[NumberColumn], names: Mapping[int, str]
) -> Identity | None:
    """Find what makes up an amount in every row, of as few columns as do; None where nothing does.

    Args:
        amounts: Of rows that have one, as `NumberColumn.values` has the others.
        names: Headers of the columns.
    """
    if len(set(zip(amounts, *(column.values for column in columns), strict=True))) < _FEWEST_ROWS:
        return None
    for count in range(1, _MOST_PARTS + 1):
        for some in combinations(columns[:_MOST_COLUMNS], count):
            if count >= _MOST_PARTS and len(amounts) < _MOST_PARTS:
                continue
            for written, values in _sums(some, names):
                if all(map(_comes_to, values, amounts)):
                    return Identity(frozenset(column.position for column in some), written)
    return None


def _comes_to(value: Decimal | None, amount: Decimal) -> bool:
    return value is not None and _rounded(value) == amount


Values = tuple[Decimal | None, ...]


def _sums(columns: Sequence[NumberColumn], names: Mapping[int, str]) -> Iterator[tuple[str, Values]]:
    """Yield each way to put all of some columns together, beginning at any of them."""
    for at, first in enumerate(columns):
        if first.is_percent or first.is_taken_off:
            continue
        others = [*columns[:at], *columns[at + 1 :]]
        if not others:
            continue
        yield from _joined(first.values, names[first.position], others, names)


def _joined(
    values: Values, written: str, others: Sequence[NumberColumn], names: Mapping[int, str]
) -> Iterator[tuple[str, Values]]:
    if not others:
        yield written, values
        return
    first, rest = others[0], others[1:]
    for sign, put in _WAYS.items():
        adds = first.is_taken_off and any(value and value > 0 for value in first.values)
        if first.is_percent == (sign in _OF_PERCENT) and not (adds and sign in _ADDING):
            together = tuple(map(put, values, first.values))
            yield from _joined(together, f"{written} {sign} {names[first.position]}", rest, names)


def _plus(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None else _EXACT.add(one, other or Decimal(0))


def _minus(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None else _EXACT.subtract(one, other or Decimal(0))


def _times(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else _EXACT.multiply(one, other)


def _part(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else _EXACT.divide(_EXACT.multiply(one, other), _HUNDRED)


def _less_part(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return _minus(one, _rounded(_part(one, other or Decimal(0)) or Decimal(0)))


def _rounded(value: Decimal) -> Decimal:
    return value.quantize(_CENTAVO, rounding=ROUND_HALF_UP, context=_EXACT)


_WAYS: Final = {"x": _times, "+": _plus, "-": _minus, "x%": _part, "-%": _less_part}
_OF_PERCENT: Final = frozenset({"x%", "-%"})
_ADDING: Final = frozenset({"+", "x", "x%"})
