"""Comparing the totals that a file states with its lines: where they disagree, nothing of the file is used."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from schemas.issues import Issue, IssueCode, make_issue
from schemas.messages import Listed, Message
from schemas.raw_table import column_letter
from schemas.tables.line_sums import BlockSums, LineSums, PartSum
from schemas.tables.readers import read_count, read_currency
from schemas.tables.stated_totals import StatedTotal, readings
from schemas.values.masking import mask_value


class TableSource(NamedTuple):
    """Which table totals stand in: base name of its file, sheet (None for text), headers as written."""

    file: str
    sheet: str | None
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TotalVerdict:
    """What became of a total.

    Attributes:
        agrees: With the lines; None when they could not be compared.
        expected: What it says: an amount, or how many rows.
    """

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

    Args:
        blocks: What each block of the file states and what its lines add up to, in order; one, for a file read whole.

    Returns:
        TOTAL_MISMATCH for each total that disagrees, in order of row; and what was compared, for people.
    """
    if not any(block.totals or block.control for block in blocks):
        return [], []
    lines = _Lines(blocks)
    among = [lines.judge(total) for block in blocks for total in block.totals]
    below = [lines.judge_control(total) for block in blocks for total in block.control]
    issues = [_mismatch(verdict, source) for verdict in (*among, *below) if verdict.disagrees]
    return issues, [*_tell_totals(among), *_tell_control(below)]


class _Lines:
    """All lines of a file, and what they sum up to in each currency."""

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
        """Hold what the block below the lines states against all of them."""
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


def _tell_totals(verdicts: Sequence[TotalVerdict]) -> list[Message]:
    """Tell how many totals rows were left out, and how many of them could not be compared."""
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


def _tell_control(verdicts: Sequence[TotalVerdict]) -> list[Message]:
    agreed = tuple(verdict.found for verdict in verdicts if verdict.agrees)
    messages = [Message("table.control_compared", found=Listed(agreed))] if agreed else []
    return (
        [*messages, Message("table.control_not_compared")]
        if any(verdict.agrees is None for verdict in verdicts)
        else messages
    )
