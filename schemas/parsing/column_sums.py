"""What the columns of numbers of a strange statement come to, and which of them is the money that came in.

Headers say nothing here: a sender nobody knows writes them in any language. What the bank got, or a figure that the
file states apart from its lines, is the sum of the column that is the money.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from schemas.layouts.headers import usual_columns
from schemas.layouts.layout import fold
from schemas.layouts.money_column import ISO_CODE, currency_in, money_weight
from schemas.messages import Listed, Money
from schemas.parsing.amounts import AmountColumn
from schemas.parsing.identities import NumberColumn, find_identity
from schemas.parsing.stated_totals import Mask, as_written, readings, sums_among
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.values.money import DecimalMark, read_amount_text, round_half_even_cents
from schemas.values.reading import BLANKS

_EXACT: Final = Context(prec=120)
_MARKS: Final[tuple[DecimalMark, ...]] = (",", ".")
_MOSTLY: Final = 0.9
_LOOKED_AT: Final = 200
_CODE_DIGITS: Final = 8
_MOST_KEPT: Final = Fraction(1, 20)  # of what came in: more than that is no cost of a bank


@dataclass(frozen=True, slots=True)
class ColumnSum:
    """What a column comes to.

    Attributes:
        mark: Decimal mark by which its texts are read; None for numbers, which have none.
        cents: Currency, "" where nothing says it -> its sum, rows that are sums of others left out.
        is_end: Whether other columns make it up in every row: gross less fee, units times price.
    """

    position: int
    header: str
    mark: DecimalMark | None
    cents: Mapping[str, int]
    is_end: bool = False

    @property
    def amounts(self) -> Listed:
        return Listed(tuple(Money(amount, currency) for currency, amount in sorted(self.cents.items())))

    @property
    def rank(self) -> tuple[bool, int, int]:
        return self.is_end, money_weight(self.header), self.position


def which_came_in(sums: Iterable[ColumnSum], received: Mapping[str, int]) -> ColumnSum | None:
    """Return the column whose sum is what came in, by currency in centavos; None where none is.

    Of several, it is the one that others make up, or else the one whose header speaks most of what is left.
    """
    return max((column for column in sums if _is(column.cents, received)), key=lambda found: found.rank, default=None)


def which_is_stated(sums: Sequence[ColumnSum], figures: Collection[int]) -> ColumnSum | None:
    """Return the only column whose sum is among the figures that a file states apart from its lines."""
    stated = [found for found in sums if len(found.cents) == 1 and set(found.cents.values()) & set(figures)]
    return stated[0] if len({found.position for found in stated}) == 1 else None


class Shortfall(NamedTuple):
    """A column that comes to a little more than what came in: what the bank has kept, perhaps."""

    column: ColumnSum
    cents: int


def nearest(sums: Iterable[ColumnSum], received: Mapping[str, int]) -> Shortfall | None:
    """Return the column that what came in falls least short of, by the costs of a bank at most."""
    short = [
        Shortfall(column, difference)
        for column in sums
        if len(received) == len(column.cents) == 1
        and set(column.cents) <= {"", *received}
        and (difference := sum(column.cents.values()) - sum(received.values())) > 0
        and difference <= _MOST_KEPT * sum(received.values())
    ]
    return min(short, key=lambda found: found.cents, default=None)


def _is(cents: Mapping[str, int], received: Mapping[str, int]) -> bool:
    if set(cents) == {""} and len(received) == 1:
        return sum(cents.values()) == sum(received.values())
    return {currency: amount for currency, amount in cents.items() if amount} == dict(received)


def sum_columns(raw: RawTable) -> list[ColumnSum]:
    """Sum up every column of numbers of a table: never a percentage, and no long codes."""
    numbers = [at for at in range(len(raw.headers)) if _is_of_numbers(raw, at)]
    bare = _bare(raw, numbers)
    currency = _currency_column(raw)
    read = [(at, mark, _read(raw, at, mark)) for at in numbers for mark in _marks(raw, at)]
    left_out = set[int]().union(*(_sums(values, bare) for _, _, values in read))
    lines = np.array([at not in left_out for at in range(len(raw.cells))])
    ends = _ends(raw, [(at, values) for at, _, values in read], lines)
    found = []
    for at, mark, values in read:
        named = raw.cells[currency].str.strip().tolist() if currency is not None else None
        sums: dict[str, Decimal] = {}
        for place in np.flatnonzero(lines).tolist():
            if (value := values[place]) is not None:
                here = named[place] if named else currency_in(raw.headers[at]) or ""
                sums[here] = _EXACT.add(sums.get(here, Decimal(0)), value)
        cents = {name: round_half_even_cents(Fraction(total) * 100) for name, total in sums.items()}
        found.append(ColumnSum(at, raw.headers[at].strip(), mark, cents, at in ends))
    return [column for column in found if any(column.cents.values())]


_Values = list[Decimal | None]


def _is_of_numbers(raw: RawTable, position: int) -> bool:
    """Tell whether a column is of numbers that may be summed up: most of its cells, no percentages, no long codes."""
    texts = raw.cells[position].str.strip(BLANKS)
    counts = texts[texts != ""].value_counts()
    read = np.array([read_amount_text(text) is not None for text in counts.index], dtype=bool)
    figures = counts.index[read]
    is_code = all(text.isdecimal() and len(text) >= _CODE_DIGITS for text in figures)
    return not is_code and bool(counts[read].sum() >= _MOSTLY * counts.sum())


def _currency_column(raw: RawTable) -> int | None:
    usual = usual_columns("royalty_lines", {"currency"})
    named = [at for at, header in enumerate(raw.headers) if fold(header) in usual]
    shown = [
        at
        for at in range(len(raw.headers))
        if (texts := set(raw.cells[at].str.strip().unique()) - {""}) and all(map(ISO_CODE.fullmatch, texts))
    ]
    return next(iter([*named, *shown]), None)


def _bare(raw: RawTable, numbers: Sequence[int]) -> frozenset[int]:
    """Return the rows that hold one text at most beside their figures, and less than lines do."""
    filled = np.array([(raw.cells[at].str.strip() != "").to_numpy(dtype=bool) for at in range(len(raw.headers))])
    texts = np.delete(filled, list(numbers), axis=0).sum(axis=0)
    count = filled.sum(axis=0)
    return frozenset(np.flatnonzero((texts <= 1) & (count < np.median(count))).tolist())


def _marks(raw: RawTable, position: int) -> tuple[DecimalMark | None, ...]:
    """Return the decimal marks by which a column may be read: the one that its cells prove, or either."""
    cells = set(zip(raw.cells[position].str.strip(BLANKS), raw.kinds_of(position).tolist(), strict=True))
    distinct = [(text, CellKind(kind)) for text, kind in cells if text]
    if not any(kind == CellKind.TEXT for _, kind in distinct):
        return (None,)
    column = AmountColumn(distinct, "auto", scientific=True)
    is_open = column.mark is None and any(part and part.ambiguous for part in map(read_amount_text, dict(distinct)))
    return _MARKS if is_open else (column.mark,)


def _read(raw: RawTable, position: int, mark: DecimalMark | None) -> _Values:
    cells = list(zip(raw.cells[position].str.strip(BLANKS), raw.kinds_of(position).tolist(), strict=True))
    read = {cell: readings(cell[0], CellKind(cell[1]), mark) for cell in set(cells)}
    return [read[cell][0].value if read[cell] else None for cell in cells]


def _sums(values: _Values, bare: Collection[int]) -> dict[int, int]:
    """Return the rows that are the sum of several above them, or of all."""
    if not bare:
        return {}
    cells = [(at, () if value is None else (as_written(value),)) for at, value in enumerate(values)]
    return sums_among(cells, bare)


def _ends(raw: RawTable, columns: Sequence[tuple[int, _Values]], lines: Mask) -> set[int]:
    """Return the columns that stand behind others which make them up in every row, and make up none themselves."""
    places = np.flatnonzero(lines)[:_LOOKED_AT].tolist()
    some = {at: [values[place] for place in places] for at, values in columns}
    names = dict(enumerate(raw.headers))
    ends, parts = set[int](), set[int]()
    for at, values in some.items():
        amounts = [value for value in values if value is not None]
        before = [NumberColumn(p, tuple(v), is_percent=False, is_taken_off=False) for p, v in some.items() if p < at]
        if len(amounts) == len(values) and (identity := find_identity(amounts, before, names)):
            ends.add(at)
            parts |= identity.positions
    return ends - parts


def figures_in(texts: Iterable[str]) -> frozenset[int]:
    """Return the amounts of money among some texts, in centavos; those that read two ways, both ways."""
    return frozenset(
        round_half_even_cents(Fraction(stated.value) * 100)
        for text in texts
        for stated in readings(text, CellKind.TEXT, None)
    )
