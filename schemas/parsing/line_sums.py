"""Sums of royalty lines: by block, between the totals a file states, and in all."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.layout import Layout
from schemas.messages import Listed, Message
from schemas.parsing.cells import ParsingDecision
from schemas.parsing.excluded_rows import ExcludedRows
from schemas.parsing.readers import read_count, read_currency
from schemas.parsing.stated_totals import (
    Stated,
    StatedTotal,
    readings,
)
from schemas.parsing.typed_table import TypedTable
from schemas.raw_table import RawTable, column_letter
from schemas.values.masking import mask_value
from schemas.values.money import DecimalMark

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


def sum_block(table: TypedTable, excluded: ExcludedRows) -> BlockSums:
    mark = decided_mark(table.decisions)
    parts = tuple(_parts(table, [total.row for total in excluded.totals])) if "amount" in table.canonical else None
    return BlockSums(len(table.rows), parts, excluded.totals, excluded.control, mark)


def _parts(table: TypedTable, totals: Sequence[int]) -> Iterator[PartSum]:
    order = np.argsort(table.rows, kind="stable")
    rows = table.rows[order]
    amounts = table.canonical["amount"][order].tolist()
    currencies = table.canonical["currency"][order].tolist() if "currency" in table.canonical else [""] * len(rows)
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
        """Add lines up."""
        self._rows = rows
        self._sums = list(accumulate((amount or Decimal(0) for amount in amounts), _EXACT.add, initial=Decimal(0)))
        self._unread = list(accumulate((amount is None for amount in amounts), initial=0))
        self._starts = [Decimal(0)]  # what had been summed up where a total may begin, ascending
        self._above = self._last = 0  # lines above where the walk is, and above the last total

    def reach(self, row: int) -> None:
        self._above = int(np.searchsorted(self._rows, row))
        if self._unread[self._above] > self._unread[self._last]:
            self._starts.clear()  # what lies beyond a line that cannot be read has no sum

    def judge(self, meanings: Sequence[Stated]) -> tuple[bool | None, Decimal]:
        """Hold the total that was reached against the lines.

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
        insort(self._starts, self._sums[self._above])
        self._last = self._above

    def _adds_up(self, running: Decimal, meaning: Stated) -> bool:
        first = bisect_left(self._starts, running - meaning.value - meaning.tolerance)
        return first < len(self._starts) and meaning.agrees(running - self._starts[first])


class TableSource(NamedTuple):
    """Which table totals stand in: base name of its file, sheet (None for text), headers as written.

    Attributes:
        sender: The layout for which the house answers other columns, for all jobs; "" where each job answers its own.
    """

    file: str
    sheet: str | None
    headers: tuple[str, ...]
    sender: str = ""

    @classmethod
    def of(cls, raw: RawTable, layout: Layout) -> "TableSource":
        return cls(raw.file.name, raw.sheet, raw.headers, layout.layout if layout.is_of_a_sender else "")


@dataclass(frozen=True, slots=True)
class TotalVerdict:
    """What became of a total."""

    total: StatedTotal
    agrees: bool | None
    expected: Decimal | Message | None = None
    found: Decimal | Message | None = None

    @property
    def disagrees(self) -> bool:
        """Whether nothing may be used: an amount without a word for it is a total only where it proves to be one."""
        return self.agrees is False or (self.agrees is None and not self.total.labelled)


def compare_totals(blocks: Sequence[BlockSums], source: TableSource) -> tuple[list[Issue], list[Message]]:
    """Hold every total of a file against its lines, used and held alike.

    Returns:
        TOTAL_MISMATCH for each total that disagrees, in order of row; and what was compared, for people.
    """
    if not any(block.totals or block.control for block in blocks):
        return [], []
    lines = _Lines(blocks)
    among = [lines.judge(total) for block in blocks for total in block.totals]
    below = [lines.judge_control(total) for block in blocks for total in block.control]
    issues = [_mismatch(verdict, source) for verdict in (*among, *below) if verdict.disagrees]
    return issues, [*_report_totals(among), *_report_control(below)]


class _Lines:
    def __init__(self, blocks: Sequence[BlockSums]) -> None:
        self._count = sum(block.count for block in blocks)
        self._mark = next((block.mark for block in blocks if block.mark), None)
        known = [block.parts for block in blocks if block.parts is not None]
        self._of = (
            _sums_by_currency(sorted((part for parts in known for part in parts), key=lambda part: part.row))
            if known
            else {}
        )

    def judge(self, total: StatedTotal) -> TotalVerdict:
        """Hold a total against the lines above it; totals come in order of row."""
        for sums in self._of.values():
            sums.reach(total.row)
        verdict = self._compare(total, whole=False)
        for sums in self._of.values():
            sums.start_again()
        return verdict

    def judge_control(self, total: StatedTotal) -> TotalVerdict:
        if not total.counts:
            return self._compare(total, whole=True)
        stated = read_count(total.text, total.kind).value
        if stated is None:
            return TotalVerdict(total, None)
        expected, found = (Message("table.lines", count=count) for count in (stated, self._count))
        return TotalVerdict(total, stated == self._count, expected, found)

    def _compare(self, total: StatedTotal, *, whole: bool) -> TotalVerdict:
        meanings = readings(total.text, total.kind, self._mark)
        if not meanings or not self._of:
            return TotalVerdict(total, None)
        currency = meanings[0].currency or read_currency(total.currency, total.kind).value or ""
        sums = self._of.get(currency, self._of[""])
        agrees, found = sums.judge_whole(meanings) if whole else sums.judge(meanings)
        if agrees is False and not currency and len(self._of) > 1:
            agrees = None  # reais and dollars have no sum, or the sender's own
        decimals = meanings[0].decimals
        amounts = (Decimal(f"{value:.{decimals}f}") for value in (meanings[0].value, found))
        return TotalVerdict(total, agrees, *amounts)


def _sums_by_currency(parts: Sequence[PartSum]) -> dict[str, LineSums]:
    """Sum lines up: under "" all of them, and where they are in several currencies, under each those in it."""

    def sums(chosen: Sequence[PartSum]) -> LineSums:
        rows = np.array([part.row for part in chosen], dtype=np.int64)
        return LineSums(rows, [part.amount for part in chosen])

    several = sorted({part.currency for part in parts} - {""})
    found = {"": sums(parts)}
    if len(several) > 1:
        found |= {currency: sums([part for part in parts if part.currency == currency]) for currency in several}
    return found


def _mismatch(verdict: TotalVerdict, source: TableSource) -> Issue:
    total = verdict.total
    issue = make_issue(
        IssueCode.TOTAL_MISMATCH,
        file=source.file,
        sheet=source.sheet,
        cell=f"{column_letter(total.position)}{total.row}",
        row=total.row,
        column=source.headers[total.position],
        value_masked=mask_value("amount", total.text),
        expected=verdict.expected,
        found=verdict.found,
    )
    alone = Message("issue.TOTAL_MISMATCH.alone", found=verdict.found)
    return issue if total.labelled else replace(issue, message=alone)


def _report_totals(verdicts: Sequence[TotalVerdict]) -> list[Message]:
    if not verdicts:
        return []
    totals = Message("table.totals", count=len(verdicts))
    left_open = sum(verdict.agrees is None for verdict in verdicts)
    if left_open == len(verdicts):
        return [Message("table.totals_open", totals=totals, open=Message("table.not_compared"))]
    if left_open:
        part = Message("table.of_them_not_compared", count=left_open)
        return [Message("table.totals_open", totals=totals, open=part)]
    return [totals]


def _report_control(verdicts: Sequence[TotalVerdict]) -> list[Message]:
    agreed = tuple(verdict.found for verdict in verdicts if verdict.agrees)
    messages = [Message("table.control_compared", found=Listed(agreed))] if agreed else []
    return (
        [*messages, Message("table.control_not_compared")]
        if any(verdict.agrees is None for verdict in verdicts)
        else messages
    )
