"""Reading and checking the files of a job: whole tables, and files of royalty lines block by block."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.intake.rules.sum_lines import held_lines, nothing
from flows.intake.which_files import Corrections, Slot
from flows.run import Run
from io_adapters.spreadsheets.reading import SpreadsheetFile, open_file
from io_adapters.statement_lines.blocks import FEW_ROWS, sum_block
from io_adapters.statement_lines.sums import Summing
from schemas.corrections import Origin
from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, Severity, make_issue
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit
from schemas.messages import Listed, Message
from schemas.raw_table import FileIdentity, RawTable, joined, some_rows
from schemas.tables.blocks import Before, BlockBooks, BlockFindings, Books, held_sums, parse_block
from schemas.tables.content_hash import Content, content_of
from schemas.tables.contract import DataFrame
from schemas.tables.line_sums import LineTotals
from schemas.tables.parsing import empty_table, parse_table
from schemas.tables.row_accounting import RowRuns, runs_of
from schemas.tables.royalty_lines import RoyaltyLines
from schemas.tables.totals import Source
from schemas.used_before import NO_LINES, LineSketch

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


def lines_again(raw: RawTable, layout: Layout, before: Before) -> DataFrame[RoyaltyLines]:
    """Read the sound lines of a table that was kept whole once more, one by one."""
    return DataFrame[RoyaltyLines](parse_block(raw, layout, before=before).frame)


def read_blocks(blocks: Callable[[], Iterable[RawTable]], layout: Layout, *, few_rows: int = FEW_ROWS) -> SummedTable:
    """Read a table of royalty lines.

    How its columns are read is decided once for the file: when a later block proves what an earlier one was read
    without, all of it is read again with what is known by then.

    Args:
        blocks: Yields the blocks, in order, as often as it is called.
        layout: How its sender lays it out.
        few_rows: See `io_adapters.statement_lines.blocks.sum_block`.

    Raises:
        UnreadableFile: it cannot be read, or lacks a column.
    """
    reading = _Reading(layout, Before(), few_rows)
    for block in blocks():
        reading.add(block)
    if reading.known_too_late:
        reading = _Reading(layout, Before(evidence=reading.before.evidence), few_rows)
        for block in blocks():
            reading.add(block)
    return reading.close()


class _Reading:
    """One walk through the blocks of a table.

    Attributes:
        before: What is known of the file so far.
        known_too_late: Whether a block was read without what a later one proves.
    """

    def __init__(self, layout: Layout, before: Before, few_rows: int) -> None:
        self._layout = layout
        self._few_rows = few_rows
        self._sums = Summing()
        self._content = Content()
        self._sketch = NO_LINES
        self._kept = _Kept()
        self._books: BlockBooks | None = None
        self.before = before
        self.known_too_late = False

    def add(self, part: RawTable) -> None:
        """Read the next part."""
        summed = sum_block(part, self._layout, self.before, few_rows=self._few_rows)
        if self._books is None:
            self._books = BlockBooks(Source(part.file.name, part.sheet, part.headers))
        elif summed.after.evidence != self.before.evidence:
            self.known_too_late = True
        self.before = summed.after
        for found in summed.found:
            self._books.add(found, part.header_row)
        self._kept.add(part, summed.found)
        for sums in summed.sums:
            self._sums.add(sums)
        self._content += summed.content
        self._sketch += summed.sketch

    def close(self) -> SummedTable:
        """Say what was read."""
        if self._books is None:
            raise RuntimeError("a table has one block at least")
        books, content, sketch = self._books.close(), self._content, self._sketch
        raw = self._kept.rows()
        totals = self._sums.total(raw.file.name, raw.sheet)
        held = books.held
        if books.held_whole:
            held = held_sums([held, held_lines(totals, IssueCode.TOTAL_MISMATCH.value)])
            totals, content, sketch = nothing(), Content(), NO_LINES
        before = Before(evidence=self.before.evidence)
        return SummedTable(raw, self._kept.whole, totals, held, books, content, sketch, before)


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


@dataclass(frozen=True, slots=True)
class ReadTable:
    """One table of one file.

    Attributes:
        path: Where its file is.
        layout: Which layout it has.
        raw: Its cells as text; of a large table, only rows with problems.
        origin: What a corrected copy of it stands for.
        frame: Sound rows; none, of royalty lines.
        totals: What its royalty lines add up to; nothing, of other tables.
        held: Rows with problems, see `schemas.tables.parsing.ParsedTable`; royalty lines added up.
        runs: Where every row went.
        issues: All that was found.
        content: What its sound rows say.
        decisions: What was decided while reading it, in one line.
        sketch: Which royalty lines it holds.
        lines: Reads its royalty lines once more, one by one; None where not all of it was kept.
    """

    path: str
    layout: Layout
    raw: RawTable
    origin: Origin
    frame: pd.DataFrame
    totals: LineTotals
    held: pd.DataFrame
    runs: DataFrame[RowRuns]
    issues: tuple[Issue, ...]
    content: Content
    decisions: Message
    sketch: LineSketch = NO_LINES
    lines: Callable[[], DataFrame[RoyaltyLines]] | None = None

    @property
    def file(self) -> FileIdentity:
        """Which file it was read from."""
        return self.raw.file


class FileReader:
    """Reads the files of slots."""

    def __init__(self, run: Run, corrections: Corrections) -> None:
        self._run = run
        self._corrections = corrections
        self._failures: list[UnreadableFile] = []
        self._rows: dict[tuple[str, str], int] = {}
        self._read: set[tuple[str, str]] = set()

    def read(self, slot: Slot) -> list[ReadTable]:
        """Read all files of a slot, and the corrections that stand in for some."""
        if slot.failure:
            self._failures.append(slot.failure)
            return []
        return [table for path in slot.paths for table in self._file(slot, path)] + [
            table for origin in slot.corrected for table in self._alone(slot, origin)
        ]

    def raise_what_cannot_be_read(self) -> None:
        """Raise once for all files.

        Raises:
            UnreadableFile: with the issues of every file that could not be read.
        """
        if self._failures:
            issues = tuple(issue for failure in self._failures for issue in failure.issues)
            self._run.issues += issues
            content = Listed(tuple(failure.content for failure in self._failures), "\n")
            raise UnreadableFile(Message("file.all_refused", files=content), issues=issues)

    def unread(self) -> list[Issue]:
        """Name the sheets with rows in them that no source and no table of the job has read."""
        left = {place: rows for place, rows in self._rows.items() if rows and place not in self._read}
        return [
            make_issue(IssueCode.SHEET_UNREAD, file=file, sheet=sheet, count=rows)
            for (file, sheet), rows in left.items()
        ]

    def _file(self, slot: Slot, path: str) -> list[ReadTable]:
        try:
            return list(self._tables(slot, path))
        except UnreadableFile as failure:
            self._failures.append(failure)
            return []

    def _tables(self, slot: Slot, path: str) -> Iterator[ReadTable]:
        with open_file(path) as file:
            layout = file.recognise(slot.layouts) if len(slot.layouts) > 1 else slot.layouts[0]
            self._rows |= {(file.name, view.sheet): view.rows for view in file.views if view.sheet is not None}
            self._read |= {(file.name, fit.view.sheet or "") for fit in file.fits(layout)}
            if layout.table == "royalty_lines":
                yield from self._in_blocks(path, layout, file)
                return
            for raw in file.tables(layout):
                origin = Origin(raw.file.name, raw.sheet, layout.layout)
                yield self._whole(path, layout, self._corrections.applied(raw, layout), origin)

    def _in_blocks(self, path: str, layout: Layout, file: SpreadsheetFile) -> Iterator[ReadTable]:
        for fit in file.fits(layout):
            origin = Origin(file.name, fit.view.sheet, layout.layout)
            yield self._lines(path, layout, partial(self._blocks, file, fit, layout), origin)

    def _blocks(self, file: SpreadsheetFile, fit: Fit, layout: Layout) -> Iterator[RawTable]:
        return parts_of(self._corrections.laid_over(file.blocks(fit), layout))

    def _alone(self, slot: Slot, origin: Origin) -> Iterator[ReadTable]:
        layout = next(layout for layout in slot.layouts if layout.layout == origin.layout)
        for raw in self._corrections.alone(origin, layout):
            if layout.table == "royalty_lines":
                yield self._lines(raw.file.name, layout, partial(iter, [raw]), origin)
            else:
                yield self._whole(raw.file.name, layout, raw, origin)

    def _lines(self, path: str, layout: Layout, blocks: Callable[[], Iterable[RawTable]], origin: Origin) -> ReadTable:
        found = read_blocks(blocks, layout)
        again = partial(lines_again, found.raw, layout, found.before)
        return self._show(
            ReadTable(
                path=path,
                layout=layout,
                raw=found.raw,
                origin=replace(origin, whole=origin.whole and found.whole),
                frame=empty_table(layout.table),
                totals=found.totals,
                held=found.held,
                runs=found.books.runs,
                issues=found.books.issues,
                content=found.content,
                decisions=_line_of(found.raw, found.books.decisions),
                sketch=found.sketch,
                lines=again if found.whole else None,
            )
        )

    def _whole(self, path: str, layout: Layout, raw: RawTable, origin: Origin) -> ReadTable:
        own_data = self._run.job.payees is None
        parsed = parse_table(raw, layout, payee_data_required=own_data)
        return self._show(
            ReadTable(
                path=path,
                layout=layout,
                raw=raw,
                origin=origin,
                frame=parsed.frame,
                totals=nothing(),
                held=parsed.held,
                runs=runs_of(parsed.rows),
                issues=parsed.issues,
                content=content_of(parsed.frame),
                decisions=_line_of(raw, parsed.decisions),
            )
        )

    def _show(self, read: ReadTable) -> ReadTable:
        self._run.tell(read.decisions)
        return read


def _line_of(raw: RawTable, decisions: tuple[Message | str, ...]) -> Message:
    return Message("file.read", file=raw.file.name, how=Listed((*raw.decisions, *decisions)))
