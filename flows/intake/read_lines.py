"""Reading files of royalty lines block by block, in this process or in another."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.intake.rules.inputs import held_lines, nothing
from io_adapters.spreadsheets.reading import SpreadsheetFile, open_file
from io_adapters.statement_lines.blocks import FEW_ROWS, sum_block
from io_adapters.statement_lines.sums import Summing
from schemas.errors import UnreadableFile
from schemas.issues import Severity
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit
from schemas.line_sketch import NO_LINES, LineSketch
from schemas.parsing.blocks import Before, BlockAccounting, BlockFindings, TableAccounting, held_sums, parse_block
from schemas.parsing.content_hash import RowsContent
from schemas.parsing.dates import NO_EVIDENCE, Evidence
from schemas.parsing.line_sums import TableSource
from schemas.raw_table import RawTable, joined, some_rows
from schemas.sheet_cells import View
from schemas.tables.model import DataFrame
from schemas.tables.royalties import LineTotals, RoyaltyLines

# Lines that are parsed at once: enough for columns to be worth it, few enough to be forgotten soon.
MOST_LINES = 2**18
# Up to so many rows a table is kept as it was read, to be corrected as a whole; beyond, its rows with problems alone.
KEPT_WHOLE = 50_000


@dataclass(frozen=True, slots=True)
class SummedTable:
    """A table of royalty lines, read to its end."""

    raw: RawTable
    whole: bool
    totals: LineTotals
    held: pd.DataFrame
    accounting: TableAccounting
    content: RowsContent
    sketch: LineSketch
    before: Before


def lines_again(raw: RawTable, layout: Layout, before: Before) -> DataFrame[RoyaltyLines]:
    """Read the sound lines of a table that was kept whole once more, one by one."""
    return DataFrame[RoyaltyLines](parse_block(raw, layout, before=before).frame)


def read_blocks(
    blocks: Callable[[], Iterable[RawTable]],
    layout: Layout,
    conditions: Collection[str] = (),
    *,
    few_rows: int = FEW_ROWS,
) -> SummedTable:
    """Read a table of royalty lines from its first block to its last.

    How columns are read is decided once: when a later block proves what an earlier one was read without, all of it is
    read again with what is known by then.

    Args:
        conditions: Of `schemas.tables.royalties.CONDITIONS`, those about which share rows ask.

    Raises:
        UnreadableFile: it cannot be read, or lacks a column.
    """
    reading = _LineReading(layout, NO_EVIDENCE, conditions, few_rows)
    for block in blocks():
        reading.add(block)
    if reading.known_too_late:
        reading = _LineReading(layout, reading.before.evidence, conditions, few_rows)
        for block in blocks():
            reading.add(block)
    return reading.close()


class _LineReading:
    """One walk through the blocks of a table."""

    def __init__(self, layout: Layout, evidence: Evidence, conditions: Collection[str], few_rows: int) -> None:
        self._layout = layout
        self.before = Before(evidence)
        self._few_rows = few_rows
        self._conditions = conditions
        self._sums = Summing(conditions)
        self._content = RowsContent()
        self._sketch = NO_LINES
        self._kept = _Kept()
        self._accounting: BlockAccounting | None = None
        self.known_too_late = False

    def add(self, part: RawTable) -> None:
        summed = sum_block(part, self._layout, self.before, self._conditions, few_rows=self._few_rows)
        if self._accounting is None:
            self._accounting = BlockAccounting(TableSource.of(part, self._layout), part.header_row)
        elif summed.after.evidence != self.before.evidence:
            self.known_too_late = True
        self.before = summed.after
        for found in summed.found:
            self._accounting.add(found)
        self._kept.add(part, summed.found)
        for sums in summed.sums:
            self._sums.add(sums)
        self._content += summed.content
        self._sketch += summed.sketch

    def close(self) -> SummedTable:
        if self._accounting is None:
            raise RuntimeError("a table has one block at least")
        accounting, content, sketch = self._accounting.close(), self._content, self._sketch
        raw = self._kept.rows()
        totals = self._sums.total(raw.file.name, raw.sheet)
        held = accounting.held
        if accounting.held_whole:
            held = held_sums([held, held_lines(totals, accounting.held_whole.value)])
            totals, content, sketch = nothing(), RowsContent(), NO_LINES
        before = Before(self.before.evidence)
        return SummedTable(raw, self._kept.whole, totals, held, accounting, content, sketch, before)


class _Kept:
    """The rows that are kept to be corrected."""

    def __init__(self) -> None:
        self._parts: list[RawTable] = []
        self._with_problems: list[RawTable] = []
        self._left = KEPT_WHOLE
        self.whole = True

    def add(self, part: RawTable, found: Sequence[BlockFindings]) -> None:
        """Keep a part; of a large table its rows with problems and totals alone, `KEPT_WHOLE` of them at most."""
        kept = some_rows(part, _rows_to_keep(part, found, self._left))
        self._left -= len(kept.cells)
        self._with_problems.append(kept)
        self.whole = self.whole and sum(len(table.cells) for table in self._parts) + len(part.cells) <= KEPT_WHOLE
        self._parts = [*self._parts, part] if self.whole else []

    def rows(self) -> RawTable:
        return joined(self._parts if self.whole else self._with_problems)


def _rows_to_keep(part: RawTable, found: Sequence[BlockFindings], at_most: int) -> npt.NDArray[np.bool_]:
    rows = {issue.row for block in found for issue in block.issues if issue.severity is not Severity.NOTE}
    rows |= {total.row for block in found for total in (*block.sums.totals, *block.sums.control)}
    kept = np.asarray(part.cells.index.isin([row for row in rows if row is not None]), dtype=bool)
    return kept & (np.cumsum(kept) <= at_most)


def parts_of(blocks: Iterable[RawTable]) -> Iterator[RawTable]:
    waiting = list[RawTable]()
    for block in blocks:
        for part in _cut(block):
            if waiting and sum(len(table.cells) for table in (*waiting, part)) > MOST_LINES:
                yield joined(waiting)
                waiting.clear()
            waiting.append(part)
    if waiting:
        yield joined(waiting)


def _cut(block: RawTable) -> Iterator[RawTable]:
    count = len(block.cells)
    if count <= MOST_LINES:
        yield block
        return
    numbers = np.arange(count)
    for start in range(0, count, MOST_LINES):
        yield some_rows(block, (numbers >= start) & (numbers < start + MOST_LINES))


def is_asked_for(layout: Layout, fits: Sequence[Fit]) -> bool:
    """Tell whether a text holds lines that a layout reads only where a job asks for them."""
    asked = layout.asked_for
    return asked is not None and any(fit.view.sheet is None and asked.has(fit.header.texts) for fit in fits)


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that may hold statement lines: a local path or fsspec URL, which means the same wherever it is read."""

    path: str
    layouts: tuple[Layout, ...]
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadApart:
    """A file of statement lines that another process has read to its end."""

    name: str
    layout: Layout = field(repr=False)
    views: tuple[View, ...] = field(repr=False)
    tables: tuple[tuple[str | None, SummedTable], ...] = field(repr=False)


def read_apart(file: GivenFile) -> ReadApart | UnreadableFile | None:
    """Read a file of statement lines; depends on nothing else, so that any process can do it."""
    try:
        with open_file(file.path) as opened:
            layout = opened.recognise(file.layouts) if len(file.layouts) > 1 else file.layouts[0]
            fits = opened.fits(layout)
            if layout.table != "royalty_lines" or is_asked_for(layout, fits):
                return None
            views = tuple(view for view in opened.views if view.sheet is not None)
            tables = [
                (fit.view.sheet, read_blocks(partial(_parts_below, opened, fit), layout, file.conditions))
                for fit in fits
            ]
            return ReadApart(opened.name, layout, views, tuple(tables))
    except UnreadableFile as failure:
        return failure


def _parts_below(opened: SpreadsheetFile, fit: Fit) -> Iterator[RawTable]:
    return parts_of(opened.blocks(fit))
