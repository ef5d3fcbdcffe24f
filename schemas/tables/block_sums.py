"""What a block of a file states of its lines, and what these add up to between one statement and the next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from schemas.tables.apart import ExcludedRows
from schemas.tables.decisions import Decision
from schemas.tables.draft import Draft
from schemas.tables.stated_totals import StatedTotal
from schemas.values.money import DecimalMark

_EXACT: Final = Context(prec=120)
_MARKS: Final[dict[str, DecimalMark]] = {Decision.DECIMAL_COMMA: ",", Decision.DECIMAL_POINT: "."}


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
        count: How many lines.
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


def sum_block(draft: Draft, apart: ExcludedRows) -> BlockSums:
    """Add the lines of a block up between its totals, used and held alike.

    Args:
        draft: The lines, misshapen ones among them.
        apart: What the block states.
    """
    mark = _MARKS.get(draft.decisions.get("amount", ""))
    parts = tuple(_parts(draft, [total.row for total in apart.totals])) if "amount" in draft.canonical else None
    return BlockSums(len(draft.rows), parts, apart.totals, apart.control, mark)


def _parts(draft: Draft, totals: Sequence[int]) -> Iterator[PartSum]:
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
