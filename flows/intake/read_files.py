"""Reading and checking the files of a job: whole tables, and files of royalty lines block by block."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Final

import pandas as pd

from flows.intake.read_lines import (
    GivenFile,
    ReadApart,
    SummedTable,
    is_asked_for,
    lines_again,
    parts_of,
    read_apart,
    read_blocks,
)
from flows.intake.rules.inputs import EXACT, nothing, sum_up
from flows.intake.which_files import PAID_FROM, Corrections, Slot
from flows.run import Run
from io_adapters.spreadsheets.files import split_member
from io_adapters.spreadsheets.reading import SpreadsheetFile, open_file
from schemas.corrections import Origin
from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.drafting import yaml_scalar
from schemas.layouts.layout import Layout
from schemas.layouts.money_column import MoneyColumn, find_money
from schemas.layouts.recognise import Fit, find_header
from schemas.line_sketch import NO_LINES, LineSketch
from schemas.messages import Listed, Message, Money
from schemas.parsing.content_hash import RowsContent, content_of
from schemas.parsing.row_accounting import RowRuns, runs_of
from schemas.parsing.table import empty_table, parse_table
from schemas.parsing.typed_table import KeyTypes
from schemas.parsing.written import WrittenText
from schemas.raw_table import FileIdentity, RawTable
from schemas.sheet_cells import View
from schemas.tables.model import DataFrame
from schemas.tables.royalties import LineTotals, RoyaltyLines, asked_about
from schemas.values.money import round_half_even_cents


def unread_money(path: str, money: MoneyColumn, name: str, layout: Layout) -> Issue:
    """Tell of a sheet, or a text, with money that nothing reads, and what to write in the job."""
    is_asked_for = layout.asked_for is not None and layout.asked_for.sheet == name
    found = _summed(path, money)
    return make_issue(
        IssueCode.MONEY_UNREAD,
        file=path.rsplit("/", 1)[-1],
        sheet=money.view.sheet,
        row=money.header.row,
        column=money.name,
        count=_lines(found) if found else money.view.rows,
        amount=_amounts(found) if found else "?",
        how=Message("money.read_or_ignore" if is_asked_for else "money.ignore", name=yaml_scalar(name)),
    )


def _summed(path: str, money: MoneyColumn) -> SummedTable | None:
    try:
        with open_file(path) as file:
            (fit,) = file.fits(money.layout)
            return read_blocks(partial(file.blocks, fit), money.layout)
    except UnreadableFile:  # that there is money in it is told all the same
        return None


def _lines(found: SummedTable) -> int:
    runs = found.accounting.runs
    return int(runs["rows"][runs["disposition"] != "ignored"].sum())


def _amounts(found: SummedTable) -> Listed:
    sums = defaultdict[str, Decimal](Decimal)
    for total in sum_up(found.totals.by_territory, ["currency"]):
        sums[str(total["currency"])] += Decimal(str(total["amount"]))
    for amount, currency in zip(found.held["amount"], found.held["currency"], strict=True):
        sums[currency] = EXACT.add(sums[currency], amount or Decimal(0))
    cents = {currency: round_half_even_cents(Fraction(total) * 100) for currency, total in sorted(sums.items())}
    return Listed(tuple(Money(amount, currency) for currency, amount in cents.items()))


@dataclass(frozen=True, slots=True)
class ReadTable:
    """One table of one file."""

    path: str
    layout: Layout
    raw: RawTable
    origin: Origin
    frame: pd.DataFrame
    totals: LineTotals
    held: pd.DataFrame
    runs: DataFrame[RowRuns]
    issues: tuple[Issue, ...]
    content: RowsContent
    decisions: Message
    sketch: LineSketch = NO_LINES
    written: tuple[WrittenText, ...] = ()
    lines: Callable[[], DataFrame[RoyaltyLines]] | None = None

    @property
    def file(self) -> FileIdentity:
        return self.raw.file


# Whose slot, and where it is -> a file of statement lines that was read elsewhere.
_Apart = Mapping[tuple[int, str], ReadApart | UnreadableFile | None]
# Why a member of an archive may be left out beside others that are read.
_NOT_READ_AS_A_MEMBER: Final = frozenset({IssueCode.LAYOUT_UNKNOWN, IssueCode.FILE_TYPE})


def _is_plainly(layout: Layout, file: SpreadsheetFile) -> bool:
    is_anybody_s = layout.recognise.nothing_else or not layout.recognise.headers
    return is_anybody_s and any(find_header(view, layout) for view in file.views)


def _money_in(path: str) -> MoneyColumn | None:
    """Return the column of amounts of a member that no layout reads; None where it has none, or is no table."""
    try:
        with open_file(path) as file:
            return next(filter(None, map(find_money, file.views)), None)
    except UnreadableFile:
        return None


class FileReader:
    """Reads the files of slots."""

    def __init__(self, run: Run, corrections: Corrections) -> None:
        self._run = run
        self._corrections = corrections
        self._failures: list[UnreadableFile] = []
        self._views: dict[tuple[str, str], View] = {}
        self._read: set[tuple[str, str]] = set()
        self._asked: dict[str, tuple[str, Slot, Layout]] = {}
        self._money: list[Issue] = []
        self._strangers: list[tuple[Slot, str, UnreadableFile]] = []
        self.held: set[str] = set()
        self.proposed: dict[str, str] = {}
        self.confirmed: dict[str, str] = {}
        taken = run.request.options.pix_types or run.job.pix_key_types == "as_shown"
        self._conditions: tuple[str, ...] = ()
        self._key_types = KeyTypes(run.ledger.pix_key_types.known(run.job.job), taken)

    def read_all(self, slots: Sequence[Slot]) -> list[list[ReadTable]]:
        """Read the files of all slots; those first which say by what lines are told apart."""
        found = {number: self._slot(number, slot, {}) for number, slot in enumerate(slots) if _tells_lines_apart(slot)}
        self._conditions = asked_about(table.frame for tables in found.values() for table in tables)
        apart = self._read_apart(slots)
        found |= {number: self._slot(number, slot, apart) for number, slot in enumerate(slots) if number not in found}
        self._report_strangers()
        return [found[number] for number in range(len(slots))]

    def _report_strangers(self) -> None:
        """Tell of members of archives that no layout reads; an archive of which none is read is refused."""
        read = {split_member(path)[0]: layout for path, _, layout in self._asked.values()}
        for slot, path, failure in self._strangers:
            archive, member = split_member(path)
            if archive not in read:
                self._failures.append(failure)
                continue
            name, layout = path.rsplit("/", 1)[-1], read[archive]
            money = None if slot.is_ignored(layout, member) else _money_in(path)
            if money is None:
                self._run.show(Message("file.ignored", file=archive.rsplit("/", 1)[-1], sheet=member))
                continue
            self._money.append(unread_money(path, money, member, layout))
            members = {other.rsplit("/", 1)[-1] for other in slot.paths if split_member(other)[0] == archive}
            self.held |= members | {name}

    def _read_apart(self, slots: Sequence[Slot]) -> _Apart:
        """Have all files of statement lines read elsewhere, where the run can, but for those people have put right."""
        files = {
            (number, path): GivenFile(path, tuple(slot.layouts), self._conditions)
            for number, slot in enumerate(slots)
            if any(layout.table == "royalty_lines" for layout in slot.layouts)
            for path in slot.paths
            if not self._corrections.concern(path) and not split_member(path)[1]
        }
        if self._run.map_files is None or not files:
            return {}
        return dict(zip(files, self._run.map_files(read_apart, list(files.values())), strict=True))

    def _slot(self, number: int, slot: Slot, apart: _Apart) -> list[ReadTable]:
        if slot.failure:
            self._failures.append(slot.failure)
            return []
        return [table for path in slot.paths for table in self._file(slot, path, apart.get((number, path)))] + [
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
        """Name the sheets with rows in them that no source and no table of the job has read, and the money in them.

        Money in a file of a source is an error, unless the job ignores it or the sender is known to repeat it there.
        """
        issues = list(self._money)
        for (file, sheet), view in self._views.items():
            if (file, sheet) in self._read or not view.rows:
                continue
            path, slot, layout = self._asked.get(file, ("", None, None))
            if slot is not None and layout is not None and slot.is_ignored(layout, sheet):
                self._run.show(Message("file.ignored", file=file, sheet=sheet))
            elif slot is not None and layout is not None and (money := find_money(view)):
                issues.append(unread_money(path, money, sheet, layout))
                self.held.add(file)
            else:
                issues.append(make_issue(IssueCode.SHEET_UNREAD, file=file, sheet=sheet, count=view.rows))
        return issues

    def _show_views(self, slot: Slot, path: str, name: str, layout: Layout, views: Sequence[View]) -> None:
        self._views |= {(name, view.sheet): view for view in views if view.sheet is not None}
        if layout.table in PAID_FROM:
            self._asked.setdefault(name, (path, slot, layout))

    def _leave(self, slot: Slot, path: str, layout: Layout, view: View) -> None:
        """Leave a text alone that holds what a job has to ask for; until it says so, nothing of its source is paid."""
        name, sheet = path.rsplit("/", 1)[-1], layout.asked_for.sheet if layout.asked_for else ""
        if slot.is_ignored(layout, sheet) or slot.is_ignored(layout, name):
            self._run.show(Message("file.ignored", file=name, sheet=sheet))
        elif money := find_money(view):
            self._money.append(unread_money(path, money, sheet, layout))
            self.held |= {path.rsplit("/", 1)[-1] for path in slot.paths}

    def _file(self, slot: Slot, path: str, found: ReadApart | UnreadableFile | None) -> list[ReadTable]:
        try:
            if isinstance(found, UnreadableFile):
                raise found
            return list(self._found(slot, path, found) if found else self._tables(slot, path))
        except UnreadableFile as failure:
            if split_member(path)[1] and {issue.code for issue in failure.issues} <= _NOT_READ_AS_A_MEMBER:
                self._strangers.append((slot, path, failure))
            else:
                self._failures.append(failure)
            return []

    def _found(self, slot: Slot, path: str, found: ReadApart) -> Iterator[ReadTable]:
        self._show_views(slot, path, found.name, found.layout, found.views)
        self._read |= {(found.name, sheet or "") for sheet, _ in found.tables}
        for sheet, lines in found.tables:
            yield self._lines(path, found.layout, lines, Origin(found.name, sheet, found.layout.layout))

    def _tables(self, slot: Slot, path: str) -> Iterator[ReadTable]:
        archive, member = split_member(path)
        name = member or path.rsplit("/", 1)[-1]
        if slot.leaves_out(name):
            self._run.show(Message("file.ignored", file=archive.rsplit("/", 1)[-1], sheet=name))
            return
        with open_file(path) as file:
            is_one_of_several = len(slot.layouts) > 1 or (member and not _is_plainly(slot.layouts[0], file))
            layout = file.recognise(slot.layouts) if is_one_of_several else slot.layouts[0]
            self._show_views(slot, path, file.name, layout, file.views)
            fits = file.fits(layout)
            if is_asked_for(layout, fits):
                self._leave(slot, path, layout, fits[0].view)
                return
            self._read |= {(file.name, fit.view.sheet or "") for fit in fits}
            if layout.table == "royalty_lines":
                yield from self._in_blocks(path, layout, file)
                return
            for raw in file.tables(layout):
                origin = Origin(raw.file.name, raw.sheet, layout.layout)
                yield self._whole(path, layout, self._corrections.applied(raw, layout), origin, slot.patterns)

    def _in_blocks(self, path: str, layout: Layout, file: SpreadsheetFile) -> Iterator[ReadTable]:
        for fit in file.fits(layout):
            found = read_blocks(partial(self._blocks, file, fit, layout), layout, self._conditions)
            yield self._lines(path, layout, found, Origin(file.name, fit.view.sheet, layout.layout))

    def _blocks(self, file: SpreadsheetFile, fit: Fit, layout: Layout) -> Iterator[RawTable]:
        return parts_of(self._corrections.laid_over(file.blocks(fit), layout))

    def _alone(self, slot: Slot, origin: Origin) -> Iterator[ReadTable]:
        layout = next(layout for layout in slot.layouts if layout.layout == origin.layout)
        for raw in self._corrections.alone(origin, layout):
            if layout.table == "royalty_lines":
                yield self._lines(
                    raw.file.name, layout, read_blocks(partial(iter, [raw]), layout, self._conditions), origin
                )
            else:
                yield self._whole(raw.file.name, layout, raw, origin, [raw.file.name])

    def _lines(self, path: str, layout: Layout, found: SummedTable, origin: Origin) -> ReadTable:
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
                runs=found.accounting.runs,
                issues=found.accounting.issues,
                content=found.content,
                decisions=_line_of(found.raw, found.accounting.decisions),
                sketch=found.sketch,
                lines=again if found.whole else None,
            )
        )

    def _whole(
        self, path: str, layout: Layout, raw: RawTable, origin: Origin, patterns: Sequence[str] = ()
    ) -> ReadTable:
        own_data = self._run.job.payees is None
        parsed = parse_table(
            raw, layout, payee_data_required=own_data, key_types=self._key_types, named=(*patterns, *layout.sheets)
        )
        self.proposed |= parsed.proposed
        if self._run.request.options.pix_types or (raw.file.name, raw.sheet) != (origin.file, origin.sheet):
            self.confirmed |= parsed.key_types
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
                written=parsed.written,
            )
        )

    def _show(self, read: ReadTable) -> ReadTable:
        self._run.show(read.decisions)
        return read


def _tells_lines_apart(slot: Slot) -> bool:
    return any(layout.table in {"shares", "costs"} for layout in slot.layouts)


def _line_of(raw: RawTable, decisions: tuple[Message | str, ...]) -> Message:
    return Message("file.read", file=raw.file.name, how=Listed((*raw.decisions, *decisions)))
