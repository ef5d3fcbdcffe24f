"""Sums of royalty lines: by block, between the totals a file states, and in all."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import accumulate, pairwise
from typing import Annotated, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pandera.pandas as pa
from pyarrow import Table, decimal128, decimal256
from pyarrow.types import is_decimal

from schemas.tables.decisions import ParsingDecision
from schemas.tables.draft import TableDraft
from schemas.tables.excluded_rows import ExcludedRows
from schemas.tables.model import DataFrame, Series, TableModel, names_of
from schemas.tables.stated_totals import Stated, StatedTotal
from schemas.values.money import DecimalMark

# A line's amount is below 10**13 with 18 decimals: 10**45 lines would fit, while decimal128, which Arrow lets overflow
# without a word, could be full after ten million. Units have 15 digits, of which 64 bits hold a few thousand.
LINE_SUM = decimal256(76, 18)
UNIT_SUM = decimal128(38, 0)


# Sums of exact decimals and of whole numbers are what a frame of totals has; everything else in it is text or a count.
_SUMS: Final = {"amount": LINE_SUM, "units": UNIT_SUM}
PLATFORM_KEY: Final = ("file", "sheet", "isrc", "upc", "release", "title", "artist", "platform", "period", "currency")
TERRITORY_KEY: Final = ("file", "isrc", "upc", "release", "artist", "territory", "period", "currency")


class _Totals(TableModel):
    file: Series[str]
    isrc: Series[str]
    upc: Series[str]
    release: Series[str]
    artist: Series[str]
    period: Series[str]
    currency: Series[str]
    amount: Series[Annotated[pd.ArrowDtype, LINE_SUM]]
    units: Series[Annotated[pd.ArrowDtype, UNIT_SUM]]
    lines: Series[int] = pa.Field(ge=1)


class PlatformTotals(_Totals):
    """Shape: one row per file, sheet, recording as written, platform, period and currency.

    Exact. `first_row` and `last_row` are the first and last line of them, as the spreadsheet numbers rows.
    """

    sheet: Series[str]
    title: Series[str]
    platform: Series[str]
    first_row: Series[int] = pa.Field(ge=1)
    last_row: Series[int] = pa.Field(ge=1)


class TerritoryTotals(_Totals):
    """The same lines once more: one row per file, recording, territory, period and currency. Exact."""

    territory: Series[str]


@dataclass(frozen=True, slots=True)
class LineTotals:
    """The same lines added up in two ways, neither made from the other.

    Attributes:
        by_territory: What statements show besides, and what the books are closed against.
    """

    by_platform: DataFrame[PlatformTotals]
    by_territory: DataFrame[TerritoryTotals]

    @property
    def currencies(self) -> frozenset[str]:
        """Currencies of the lines."""
        return frozenset(self.by_territory["currency"].unique().tolist())


def totals_frame(table: Table, model: type[PlatformTotals | TerritoryTotals]) -> pd.DataFrame:
    """Return an Arrow table of totals, whose sums may be of narrower types, as its model has them."""
    for name, kind in _SUMS.items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return frame_of(table)[names_of(model)]


def frame_of(table: Table) -> pd.DataFrame:
    """Return an Arrow table as a frame: exact decimals stay as they are, texts are pandas' own."""
    kinds = {kind: pd.ArrowDtype(kind) for kind in table.schema.types if is_decimal(kind)}
    frame: pd.DataFrame = table.to_pandas(types_mapper=kinds.get)
    texts = [name for name, kind in zip(table.column_names, table.schema.types, strict=True) if not is_decimal(kind)]
    return frame.astype({name: "str" for name in texts if frame[name].dtype == object})


_EXACT: Final = Context(prec=120)
_MARKS: Final[dict[str, DecimalMark]] = {ParsingDecision.DECIMAL_COMMA: ",", ParsingDecision.DECIMAL_POINT: "."}


class PartSum(NamedTuple):
    """What neighbouring lines in one currency add up to, none of them beyond a total.

    Attributes:
        row: Physical row of the last of these neighbours, whatever its currency.
        currency: ISO code; "" when none is known.
        amount: Exact sum; None stands for lines whose amount cannot be read.
    """

    row: int
    currency: str
    amount: Decimal | None


@dataclass(frozen=True, slots=True)
class BlockSums:
    """All that is needed of a block to hold a file's totals against its lines.

    Attributes:
        parts: Their sums, in order of row; None for a file without amounts.
        totals: What rows of totals state, in order of row.
        control: What the block of totals below the lines states, in order of row.
        mark: Decimal mark decided for the amounts; None when nothing decided it.
    """

    count: int
    parts: tuple[PartSum, ...] | None = ()
    totals: tuple[StatedTotal, ...] = ()
    control: tuple[StatedTotal, ...] = ()
    mark: DecimalMark | None = None


def decided_mark(decisions: Mapping[str, ParsingDecision]) -> DecimalMark | None:
    """Return the decimal mark that was decided for the amounts; None when nothing decided it."""
    return _MARKS.get(decisions.get("amount", ""))


def sum_block(draft: TableDraft, excluded: ExcludedRows) -> BlockSums:
    """Add the lines of a block up between its totals, used and held alike."""
    mark = decided_mark(draft.decisions)
    parts = tuple(_parts(draft, [total.row for total in excluded.totals])) if "amount" in draft.canonical else None
    return BlockSums(len(draft.rows), parts, excluded.totals, excluded.control, mark)


def _parts(draft: TableDraft, totals: Sequence[int]) -> Iterator[PartSum]:
    order = np.argsort(draft.rows, kind="stable")
    rows = draft.rows[order]
    amounts = draft.canonical["amount"][order].tolist()
    currencies = draft.canonical["currency"][order].tolist() if "currency" in draft.canonical else [""] * len(rows)
    for start, end in pairwise([0, *np.searchsorted(rows, totals).tolist(), len(rows)]):
        sums: dict[str, Decimal] = {}
        unread: dict[str, None] = {}
        for amount, currency in zip(amounts[start:end], currencies[start:end], strict=True):
            if amount is None:
                unread[currency] = None
            else:
                sums[currency] = _EXACT.add(sums.get(currency, Decimal(0)), amount.value)
        last = int(rows[end - 1]) if end > start else 0
        yield from (PartSum(last, currency, total) for currency, total in sums.items())
        yield from (PartSum(last, currency, None) for currency in unread)


class LineSums:
    """Sums of lines, walked from the first total to the last.

    A total is that of the lines since any total before it, or since the first line, for nobody says how senders nest
    theirs; one above all lines is that of all lines.
    """

    def __init__(self, rows: npt.NDArray[np.int64], amounts: Sequence[Decimal | None]) -> None:
        """Add lines up.

        Args:
            rows: Their physical rows, ascending.
            amounts: Their amounts; None for one that cannot be read.
        """
        self._rows = rows
        self._sums = list(accumulate((amount or Decimal(0) for amount in amounts), _EXACT.add, initial=Decimal(0)))
        self._unread = list(accumulate((amount is None for amount in amounts), initial=0))
        self._starts = [Decimal(0)]  # what had been summed up where a total may begin, ascending
        self._above = self._last = 0  # lines above where the walk is, and above the last total

    def reach(self, row: int) -> None:
        """Walk down to a total's physical row."""
        self._above = int(np.searchsorted(self._rows, row))
        if self._unread[self._above] > self._unread[self._last]:
            self._starts.clear()  # what lies beyond a line that cannot be read has no sum

    def judge(self, meanings: Sequence[Stated]) -> tuple[bool | None, Decimal]:
        """Hold the total that was reached against the lines.

        Args:
            meanings: What it may mean, one or more, one of which has to agree.

        Returns:
            Whether it agrees, None when a line that cannot be read leaves that open; and the sum it is held against,
            of all lines or of those since the last total, whichever is nearer.
        """
        end = self._above or len(self._rows)
        running, since_last = self._sums[end], self._sums[end] - self._sums[self._last]
        nearest = min(running, since_last, key=lambda found: abs(found - meanings[0].value))
        if any(self._adds_up(running, meaning) for meaning in meanings):
            return True, nearest
        return (False if self._unread[end] == 0 else None), nearest

    def judge_whole(self, meanings: Sequence[Stated]) -> tuple[bool | None, Decimal]:
        """Hold a total of all lines against them; returns the same."""
        if self._unread[-1]:
            return None, self._sums[-1]
        return any(meaning.agrees(self._sums[-1]) for meaning in meanings), self._sums[-1]

    def start_again(self) -> None:
        """Let later totals begin below the one that was reached."""
        insort(self._starts, self._sums[self._above])
        self._last = self._above

    def _adds_up(self, running: Decimal, meaning: Stated) -> bool:
        first = bisect_left(self._starts, running - meaning.value - meaning.tolerance)
        return first < len(self._starts) and meaning.agrees(running - self._starts[first])
