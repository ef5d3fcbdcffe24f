"""Reading files of royalty lines block by block, in this process or on a cluster."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.intake.rules.inputs import held_lines, nothing
from io_adapters.spreadsheets.reading import SpreadsheetFile, open_file, range_blocks
from io_adapters.spreadsheets.text.opened_text import ByteRange, CutText, TextTable
from io_adapters.statement_lines.blocks import FEW_ROWS, sum_block
from io_adapters.statement_lines.sums import Summing
from schemas.errors import BrokenInvariant
from schemas.issues import Severity
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit
from schemas.parsing.blocks import Before, BlockAccounting, BlockFindings, TableAccounting, held_sums, parse_block
from schemas.parsing.content_hash import RowsContent
from schemas.parsing.dates import NO_EVIDENCE, Evidence
from schemas.parsing.line_sums import TableSource
from schemas.raw_table import RawTable, joined, some_rows
from schemas.sheet_cells import View
from schemas.statement_sketches import NO_SKETCHES, Sketches, add_sketches
from schemas.tables.model import DataFrame
from schemas.tables.royalties import LineTotals, RoyaltyLines

# Lines that are parsed at once: enough for columns to be worth it, few enough to be forgotten soon.
MOST_LINES = 2**18
# Up to so many rows a table is kept as it was read, to be corrected as a whole; beyond, its rows with problems alone.
KEPT_WHOLE = 50_000


@dataclass(frozen=True, slots=True)
class SummedTable:
    """A table of royalty lines, read to its end.

    Attributes:
        raw: Its rows; those with problems alone, when there are more than `KEPT_WHOLE`.
        whole: Whether `raw` holds all of them.
        totals: What its sound lines add up to.
        held: Lines with problems, added up.
        accounting: Its problems, and where its rows went.
        content: What its sound lines say.
        before: What is known of it as a whole, to read its rows again.
    """

    raw: RawTable
    whole: bool
    totals: LineTotals
    held: pd.DataFrame
    accounting: TableAccounting
    content: RowsContent
    sketches: Sketches
    before: Before


def lines_again(raw: RawTable, layout: Layout, before: Before) -> DataFrame[RoyaltyLines]:
    """Read the sound lines of a table that was kept whole once more, one by one."""
    return DataFrame[RoyaltyLines](parse_block(raw, layout, before=before).frame)


def read_blocks(blocks: Callable[[], Iterable[RawTable]], layout: Layout, *, few_rows: int = FEW_ROWS) -> SummedTable:
    """Read a table of royalty lines from its first block to its last; takes and raises what `read_rows` does."""
    return read_rows(blocks, layout, few_rows=few_rows).close()


def read_rows(
    blocks: Callable[[], Iterable[RawTable]],
    layout: Layout,
    evidence: Evidence = NO_EVIDENCE,
    *,
    few_rows: int = FEW_ROWS,
) -> "LineReading":
    """Read a table of royalty lines, or rows of one that follow each other.

    How columns are read is decided once: when a later block proves what an earlier one was read without, all of it is
    read again with what is known by then.

    Args:
        blocks: Yields the blocks, in order, as often as it is called.
        evidence: What is known of the table already.
        few_rows: See `io_adapters.statement_lines.blocks.sum_block`.

    Raises:
        UnreadableFile: it cannot be read, or lacks a column.
    """
    reading = LineReading(layout, evidence, evidence, few_rows)
    for block in blocks():
        reading.add(block)
    if reading.known_too_late:
        reading = LineReading(layout, evidence, reading.evidence, few_rows)
        for block in blocks():
            reading.add(block)
    return reading


class LineReading:
    """One walk through the blocks of a table, or through rows of it that follow each other.

    Attributes:
        known_too_late: Whether some of it was read without what a later block, or rows joined to it, prove.
    """

    def __init__(self, layout: Layout, told: Evidence, known: Evidence, few_rows: int) -> None:
        """Begin.

        Args:
            layout: How its sender lays the table out.
            told: What was known of the table before any of these rows was read.
            known: The same, and what an earlier walk through them has proven.
            few_rows: See `io_adapters.statement_lines.blocks.sum_block`.
        """
        self._layout = layout
        self._told = told
        self._before = Before(known)
        self._few_rows = few_rows
        self._sums = Summing()
        self._content = RowsContent()
        self._sketches = NO_SKETCHES
        self._kept = _Kept()
        self._accounting: BlockAccounting | None = None
        self.known_too_late = False

    @property
    def evidence(self) -> Evidence:
        """What is known of the table, with what these rows prove."""
        return self._before.evidence

    def add(self, part: RawTable) -> None:
        """Read the next part."""
        summed = sum_block(part, self._layout, self._before, few_rows=self._few_rows)
        if self._accounting is None:
            self._accounting = BlockAccounting(TableSource(part.file.name, part.sheet, part.headers), part.header_row)
        elif summed.after.evidence != self.evidence:
            self.known_too_late = True
        self._before = summed.after
        for found in summed.found:
            self._accounting.add(found)
        self._kept.add(part, summed.found)
        for sums in summed.sums:
            self._sums.add(sums)
        self._content += summed.content
        self._sketches = add_sketches([self._sketches, summed.sketches])

    def join(self, below: Self) -> Self:
        """Put the rows that follow to these, read apart by somebody who was told the same; returns them all.

        What the upper ones prove beyond what was told, or else the lower ones, is then known of the table.
        """
        if below._accounting is None:
            return self
        if self._accounting is None:
            return below
        self.known_too_late |= below.known_too_late or below.evidence != self.evidence
        if self.evidence == self._told:
            self._before = below._before
        self._accounting.join(below._accounting)
        self._kept.join(below._kept)
        self._sums.join(below._sums)
        self._content += below._content
        self._sketches = add_sketches([self._sketches, below._sketches])
        return self

    def close(self) -> SummedTable:
        """Say what was read."""
        if self._accounting is None:
            raise RuntimeError("a table has one block at least")
        accounting, content, sketches = self._accounting.close(), self._content, self._sketches
        raw = self._kept.rows()
        totals = self._sums.total(raw.file.name, raw.sheet)
        held = accounting.held
        if accounting.held_whole:
            held = held_sums([held, held_lines(totals, accounting.held_whole.value)])
            totals, content, sketches = nothing(), RowsContent(), NO_SKETCHES
        return SummedTable(raw, self._kept.whole, totals, held, accounting, content, sketches, Before(self.evidence))


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

    def add(self, part: RawTable, found: Sequence[BlockFindings]) -> None:
        """Keep a part; of a large table its rows with problems and totals alone, `KEPT_WHOLE` of them at most."""
        kept = some_rows(part, _rows_to_keep(part, found, self._left))
        self._left -= len(kept.cells)
        self._with_problems.append(kept)
        self.whole = self.whole and sum(len(table.cells) for table in self._parts) + len(part.cells) <= KEPT_WHOLE
        self._parts = [*self._parts, part] if self.whole else []

    def join(self, below: Self) -> None:
        """Keep what was kept of the rows that follow."""
        for kept in below._with_problems:
            first = some_rows(kept, np.arange(len(kept.cells)) < self._left)
            self._left -= len(first.cells)
            self._with_problems.append(first)
        parts = [*self._parts, *below._parts]
        self.whole = self.whole and below.whole and sum(len(table.cells) for table in parts) <= KEPT_WHOLE
        self._parts = parts if self.whole else []

    def rows(self) -> RawTable:
        """Return what was kept, as one table."""
        return joined(self._parts if self.whole else self._with_problems)


def _rows_to_keep(part: RawTable, found: Sequence[BlockFindings], at_most: int) -> npt.NDArray[np.bool_]:
    """Tell which rows have problems or state totals, the first ones if there are too many."""
    rows = {issue.row for block in found for issue in block.issues if issue.severity is not Severity.NOTE}
    rows |= {total.row for block in found for total in (*block.sums.totals, *block.sums.control)}
    kept = np.asarray(part.cells.index.isin([row for row in rows if row is not None]), dtype=bool)
    return kept & (np.cumsum(kept) <= at_most)


def parts_of(blocks: Iterable[RawTable]) -> Iterator[RawTable]:
    """Put blocks together, and cut large ones, to parts of some `MOST_LINES` rows."""
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


_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class Engine(Protocol):
    """Where parts are read: a cluster, or a process that reads one after the other."""

    def merged(
        self, work: Callable[[_Item], _Made], items: Sequence[_Item], join: Callable[[_Made, _Made], _Made]
    ) -> _Made:
        """Do something with each of some items, and join what that makes, in the items' order."""


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that may hold statement lines.

    Attributes:
        path: Local path or fsspec URL, which means the same wherever parts are read.
        range_bytes: How large the ranges are that large texts are cut into; None where they are not cut.
    """

    path: str
    layouts: tuple[Layout, ...]
    range_bytes: int | None


@dataclass(frozen=True, slots=True)
class FoundLines:
    """What a file of statement lines holds.

    Attributes:
        name: Base name.
        views: Its sheets; nothing for text.
        tables: Sheet (None for text) of each of its tables, and its lines or how they are cut.
    """

    name: str
    layout: Layout
    views: tuple[View, ...]
    tables: tuple[tuple[str | None, LineReading | CutText], ...]


@dataclass(frozen=True, slots=True)
class ReadApart:
    """A file of statement lines that was read to its end; as `FoundLines`."""

    name: str
    layout: Layout
    views: tuple[View, ...]
    tables: tuple[tuple[str | None, SummedTable], ...]


def read_remote(engine: Engine, file: GivenFile) -> ReadApart | None:
    """Read a file of statement lines; None where it turns out to hold something else.

    Raises:
        UnreadableFile: as `find_lines` and `read_range`.
    """
    found = engine.merged(find_lines, [file], _only)
    if found is None:
        return None
    layout = found.layout
    tables = ((sheet, _read_cut(engine, file.path, layout, lines).close()) for sheet, lines in found.tables)
    return ReadApart(found.name, layout, found.views, tuple(tables))


def _only(found: FoundLines | None, _: FoundLines | None) -> FoundLines | None:
    return found


def find_lines(file: GivenFile) -> FoundLines | None:
    """Open a file, and read what is not worth cutting; depends on nothing else, so that any process can do it.

    Raises:
        UnreadableFile: it cannot be read, or lacks a column.
    """
    with open_file(file.path) as opened:
        layout = opened.recognise(file.layouts) if len(file.layouts) > 1 else file.layouts[0]
        if layout.table != "royalty_lines":
            return None
        if is_asked_for(layout, opened.fits(layout)):
            return None
        views = tuple(view for view in opened.views if view.sheet is not None)
        tables = ((fit.view.sheet, _lines(opened, fit, layout, file.range_bytes)) for fit in opened.fits(layout))
        return FoundLines(opened.name, layout, views, tuple(tables))


def is_asked_for(layout: Layout, fits: Sequence[Fit]) -> bool:
    """Tell whether a text holds lines that a layout reads only where a job asks for them."""
    asked = layout.asked_for
    return asked is not None and any(fit.view.sheet is None and asked.has(fit.header.texts) for fit in fits)


def _lines(opened: SpreadsheetFile, fit: Fit, layout: Layout, range_bytes: int | None) -> LineReading | CutText:
    # What stands below a block of totals is no line, which only who has read all above it can know.
    cut = opened.cut(fit, range_bytes) if range_bytes and not layout.control else None
    return cut or read_rows(lambda: parts_of(opened.blocks(fit)), layout)


@dataclass(frozen=True, slots=True)
class GivenRange:
    """Rows of a text that follow each other.

    Attributes:
        path: As of `GivenFile`.
        evidence: What decides how columns are read.
    """

    path: str
    layout: Layout
    table: TextTable
    where: ByteRange
    evidence: Evidence = NO_EVIDENCE


# Each time it is read once more, something else is proved of one of its columns; there is little to prove.
_MOST_ROUNDS: Final = 50


def _read_cut(engine: Engine, path: str, layout: Layout, lines: LineReading | CutText) -> LineReading:
    """Read a table that is cut: its first range for what it proves, then all with that, again if others prove more."""
    if isinstance(lines, LineReading):
        return lines
    ranges = [GivenRange(path, layout, lines.table, where) for where in lines.ranges]
    evidence = engine.merged(read_range, ranges[:1], LineReading.join).evidence
    for _ in range(_MOST_ROUNDS):
        reading = engine.merged(read_range, [replace(part, evidence=evidence) for part in ranges], LineReading.join)
        if not reading.known_too_late:
            return reading
        evidence = reading.evidence
    raise BrokenInvariant("ranges of a file go on proving something of its columns")


def read_range(part: GivenRange) -> LineReading:
    """Read a range; depends on nothing else, so that any process can do it.

    Raises:
        UnreadableFile: the file is not there any more, or another; or rows of it cannot be read.
    """

    def blocks() -> Iterator[RawTable]:
        return parts_of(range_blocks(part.path, part.table, part.where))

    return read_rows(blocks, part.layout, part.evidence)
