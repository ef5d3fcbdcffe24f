"""Rereading the statements of a run: whether each file is unchanged, and which rows a part came from."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from flows.books.rules.trace import MOST_RANGES, LineFinder, SourceLines
from flows.intake.which_files import Corrections, Slot, find_files, slots_of
from flows.run_request import RunRequest, read_run_request
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import RunRecord
from io_adapters.spreadsheets.reading import SpreadsheetFile, open_file
from schemas.errors import RepasseError, UnreadableFile
from schemas.issues import IssueCode
from schemas.job import Exchange, PeriodRange, resolve_period
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit
from schemas.parsing.blocks import Before, BlockAccounting, parse_block
from schemas.parsing.line_sums import TableSource
from schemas.parsing.row_accounting import USED
from schemas.raw_table import FileIdentity
from schemas.reasons import codes_json
from schemas.trace import FileState, LinesFound, RoyaltyPart


def recorded_order(ledger: Ledger, job: str) -> RunRequest | None:
    """Read the job file of a job's last run again; None where it cannot be, or is another job's by now."""
    run = ledger.runs.latest(job)
    try:
        order = read_run_request(Path(run.job_file)) if run is not None and run.job_file else None
    except RepasseError:
        return None
    return order if order is not None and order.job.job == job else None


_Found = list[tuple[tuple[str, ...], LinesFound]]


class Statements:
    """The source files of a run, read again.

    Attributes:
        states: File name -> how it stands, of the run's files that pay somebody, and of those that are gone.
    """

    def __init__(
        self, ledger: Ledger, order: RunRequest, run_id: str, record: RunRecord, most_ranges: int | None = MOST_RANGES
    ) -> None:
        self._most_ranges = most_ranges
        self._ledger = ledger
        self._run_id = run_id
        self._record = record
        first, _, last = record.period.partition("..")
        spec = PeriodRange.model_validate({"start": first, "end": last}) if last else first
        self._order = replace(order, period=resolve_period(spec, order.period.end))
        rows = record.rows
        self._used = set(rows.loc[rows["disposition"] == USED, "file"])
        self._held = rows[rows["reasons"] == codes_json(IssueCode.LINES_USED_BEFORE.value)]
        self.states: dict[str, FileState] = {}
        self._quoted = {
            quote.currency: Exchange(rate=quote.rate, date=quote.day, source=quote.origin) for quote in record.quotes
        }

    def lines_of(self, parts: Sequence[RoyaltyPart]) -> list[SourceLines]:
        """Find the lines of parts in the files that are still what the run read."""
        job, folder = self._order.job, self._order.folder
        sources, tables = slots_of(job, folder, self._order.columns[0])
        corrections = Corrections([path for _, path in self._order.files])
        find_files([*sources, *tables], self._order, corrections)
        there = {Path(path).name for slot in (*sources, *tables) for path in slot.paths}
        self.states = dict.fromkeys(self._used - there, FileState.GONE)
        return [
            SourceLines(self._quoted | source.exchange, job.currency, self._found_in(slot, parts))
            for source, slot in zip(job.sources, sources, strict=True)
        ]

    def _found_in(self, slot: Slot, parts: Sequence[RoyaltyPart]) -> _Found:
        found = []
        for path in slot.paths:
            name = Path(path).name
            if name not in self._used:
                continue
            try:
                with open_file(path) as file:
                    found += self._found_in_file(file, slot.layouts, name, parts)
            except UnreadableFile as failure:
                gone = any(issue.code is IssueCode.FILE_MISSING for issue in failure.issues)
                self.states[name] = FileState.GONE if gone else FileState.UNREADABLE
        return found

    def _found_in_file(
        self, file: SpreadsheetFile, layouts: Collection[Layout], name: str, parts: Sequence[RoyaltyPart]
    ) -> _Found:
        layout = file.recognise(layouts) if len(layouts) > 1 else next(iter(layouts))
        found = []
        for fit in file.fits(layout):
            self.states[name] = self._state_of(next(file.blocks(fit)).file)
            if not self.states[name].is_read:
                return []
            if layout.table == "royalty_lines" and parts:
                held = self._held[(self._held["file"] == name) & (self._held["sheet"] == (fit.view.sheet or ""))]
                found += _read_lines(file, fit, layout, lambda: LineFinder(parts, self._most_ranges), held)
        return found

    def _state_of(self, identity: FileIdentity) -> FileState:
        """Hold a file's bytes against those that the run has planned with."""
        planned = self._ledger.files.of_run(self._run_id)
        if not planned:
            return FileState.UNPROVEN
        return FileState.SAME if identity.sha256 in planned.values() else FileState.CHANGED


def _read_lines(  # all of it is one table's
    file: SpreadsheetFile,
    fit: Fit,
    layout: Layout,
    finder_of: Callable[[], LineFinder],
    held: pd.DataFrame,
) -> _Found:
    """Read a table as `read_blocks` does, once more when a later block proves how an earlier one is read.

    Lines that the run held, since they were used before, are passed over.
    """
    out = pd.IntervalIndex.from_arrays(held["first_row"], held["last_row"], closed="both")
    before = Before()
    for _ in range(2):
        began = Before(evidence=before.evidence)
        finder, books, before = finder_of(), None, began
        late = False
        for block in file.blocks(fit):
            parsed = parse_block(block, layout, before=before)
            if books is None:
                books = BlockAccounting(TableSource.of(block, layout), block.header_row)
            elif parsed.found.after.evidence != before.evidence:
                late = True
            before = parsed.found.after
            books.add(parsed.found)
            lines = parsed.frame
            finder.add(lines[out.get_indexer(pd.Index(lines["row"])) < 0] if len(out) else lines)
        if not late:
            break
    return [] if books is None or books.close().held_whole else finder.found()
