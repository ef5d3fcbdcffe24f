"""Reading a file of royalty lines block by block: of each block only its sums, its problems and its books are kept."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.steps.sum_lines import Summing, held_lines, nothing, sum_lines
from schemas.issues import IssueCode, Severity
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable, joined, some_rows
from schemas.tables.block_books import BlockBooks, Books, held_sums
from schemas.tables.content_hash import Content, row_digests
from schemas.tables.frames import DataFrame
from schemas.tables.line_totals import LineTotals
from schemas.tables.parsing_blocks import Before, ParsedBlock, parse_block
from schemas.tables.royalty_lines import RoyaltyLines
from schemas.tables.totals import Source
from schemas.used_lines import NO_LINES, LineSketch, line_hashes, sketch_of

# Lines that are parsed at once: enough for columns to be worth it, few enough to be forgotten soon.
MOST_LINES = 65_536
# Up to so many rows a table is kept as it was read, to be corrected as a whole; beyond, its rows with problems alone.
KEPT_WHOLE = 50_000


class SummedBlock(NamedTuple):
    """A block of royalty lines and what is kept of them."""

    parsed: ParsedBlock
    totals: LineTotals
    content: Content
    sketch: LineSketch


@dataclass(frozen=True, slots=True)
class SummedTable:
    """A table of royalty lines, read to its end.

    Attributes:
        raw: Its rows; those with problems alone, when there are more than `KEPT_WHOLE`.
        whole: Whether `raw` holds all of them.
        totals: What its sound lines add up to.
        held: Lines with problems, added up.
        books: Its problems, and where its rows went.
        content: What its sound lines say.
        sketch: Which lines it holds.
        before: What is known of it as a whole, to read its rows again.
    """

    raw: RawTable
    whole: bool
    totals: LineTotals
    held: pd.DataFrame
    books: Books
    content: Content
    sketch: LineSketch
    before: Before


def sum_block(raw: RawTable, layout: Layout, before: Before, language: str) -> SummedBlock:
    """Read and add up one block; depends on nothing else, so that any process can do it."""
    parsed = parse_block(raw, layout, language=language, before=before)
    lines = DataFrame[RoyaltyLines](parsed.table.frame)
    digests = row_digests(lines)
    worth = line_hashes(digests)[worth_anything(lines)]
    return SummedBlock(parsed, sum_lines(lines), Content.of(digests), sketch_of(worth))


def worth_anything(lines: DataFrame[RoyaltyLines]) -> npt.NDArray[np.bool_]:
    """Tell which lines are not of nothing: those alone can be paid twice."""
    return np.asarray(lines["amount"] != 0, dtype=bool)


def lines_again(raw: RawTable, layout: Layout, before: Before, language: str) -> DataFrame[RoyaltyLines]:
    """Read the sound lines of a table that was kept whole once more, one by one."""
    return DataFrame[RoyaltyLines](parse_block(raw, layout, language=language, before=before).table.frame)


def read_blocks(blocks: Callable[[], Iterable[RawTable]], layout: Layout, language: str) -> SummedTable:
    """Read a table of royalty lines.

    How its columns are read is decided once for the file: when a later block proves what an earlier one was read
    without, all of it is read again with what is known by then.

    Args:
        blocks: Yields the blocks, in order, as often as it is called.
        layout: How its sender lays it out.
        language: Of issues and decisions.

    Raises:
        UnreadableFile: it cannot be read, or lacks a column.
    """
    reading = _Reading(layout, language, Before())
    for block in blocks():
        reading.add(block)
    if reading.known_too_late:
        reading = _Reading(layout, language, Before(evidence=reading.before.evidence))
        for block in blocks():
            reading.add(block)
    return reading.close()


class _Reading:
    """One walk through the blocks of a table.

    Attributes:
        before: What is known of the file so far.
        known_too_late: Whether a block was read without what a later one proves.
    """

    def __init__(self, layout: Layout, language: str, before: Before) -> None:
        self._layout = layout
        self._language = language
        self._sums = Summing()
        self._content = Content()
        self._sketch = NO_LINES
        self._kept = _Kept()
        self._books: BlockBooks | None = None
        self.before = before
        self.known_too_late = False

    def add(self, block: RawTable) -> None:
        """Read the next block."""
        for part in _parts(block):
            summed = sum_block(part, self._layout, self.before, self._language)
            after = summed.parsed.after
            if self._books is None:
                self._books = BlockBooks(Source(block.file.name, block.sheet, block.headers), self._language)
            elif after.evidence != self.before.evidence:
                self.known_too_late = True
            self.before = after
            self._books.add(summed.parsed, part)
            self._sums.add(summed.totals)
            self._content += summed.content
            self._sketch += summed.sketch
            self._kept.add(part, summed.parsed)

    def close(self) -> SummedTable:
        """Say what was read."""
        if self._books is None:
            raise RuntimeError("a table has one block at least")
        books, totals, content, sketch = self._books.close(), self._sums.total(), self._content, self._sketch
        held = books.held
        if books.held_whole:
            held = held_sums([held, held_lines(totals, IssueCode.TOTAL_MISMATCH.value)])
            totals, content, sketch = nothing(), Content(), NO_LINES
        before = Before(evidence=self.before.evidence)
        return SummedTable(self._kept.rows(), self._kept.whole, totals, held, books, content, sketch, before)


class _Kept:
    """The rows that are kept to be corrected.

    Attributes:
        whole: Whether these are all rows so far.
    """

    def __init__(self) -> None:
        self._parts: list[RawTable] = []
        self._with_problems: list[RawTable] = []
        self._left = KEPT_WHOLE
        self.whole = True

    def add(self, part: RawTable, parsed: ParsedBlock) -> None:
        """Keep a part; of a large table its rows with problems and totals alone, `KEPT_WHOLE` of them at most."""
        found = some_rows(part, _told(part, parsed, self._left))
        self._left -= len(found.cells)
        self._with_problems.append(found)
        self.whole = self.whole and sum(len(one.cells) for one in self._parts) + len(part.cells) <= KEPT_WHOLE
        self._parts = [*self._parts, part] if self.whole else []

    def rows(self) -> RawTable:
        """Return what was kept, as one table."""
        return joined(self._parts if self.whole else self._with_problems)


def _told(part: RawTable, parsed: ParsedBlock, at_most: int) -> np.ndarray:
    """Tell which rows have problems or state totals, the first ones if there are too many."""
    rows = {one.row for one in parsed.table.issues if one.severity is not Severity.NOTE}
    rows |= {one.row for one in (*parsed.sums.totals, *parsed.sums.control)}
    told = np.asarray(part.cells.index.isin([row for row in rows if row is not None]), dtype=bool)
    return told & (np.cumsum(told) <= at_most)


def _parts(block: RawTable) -> Iterator[RawTable]:
    """Cut a block into parts of bounded size."""
    count = len(block.cells)
    if count <= MOST_LINES:
        yield block
        return
    numbers = np.arange(count)
    for start in range(0, count, MOST_LINES):
        yield some_rows(block, (numbers >= start) & (numbers < start + MOST_LINES))
