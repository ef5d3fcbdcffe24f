"""Files of royalty lines read block by block: each as a table, and the account of all their rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from typing import Final

import pandas as pd

from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.layout import Layout
from schemas.messages import Message
from schemas.parsing.cells import ParsingDecision, StoodIn, decisions_of
from schemas.parsing.dates import NO_EVIDENCE, Evidence
from schemas.parsing.line_sums import BlockSums, TableSource, compare_totals, sum_block
from schemas.parsing.row_accounting import USED, RowRun, RowRuns, join_runs, move_rows, runs_of
from schemas.parsing.statement_columns import StatementColumn, issues_of_columns, statement_columns
from schemas.parsing.table import read_rows, settled
from schemas.parsing.typed_table import REPORTED_ONCE, count_reported_once
from schemas.parsing.unread_columns import not_used, unread_columns
from schemas.raw_table import RawTable
from schemas.reasons import codes_json
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.royalties import COLUMNS


@dataclass(frozen=True, slots=True)
class Before:
    """What is known of a file when one of its blocks is read."""

    evidence: Evidence = NO_EVIDENCE
    below: bool = False


@dataclass(frozen=True, slots=True)
class BlockFindings:
    """What was found in a block, beside its sound lines; what holds of the file as a whole is left open.

    Attributes:
        decided: Canonical column -> what was decided for it.
        excluded: Why -> how many rows are no lines for a reason that people are told of.
        reported_once: Code and header -> how many cells of the column the one such issue speaks of.
    """

    held: pd.DataFrame
    runs: DataFrame[RowRuns]
    issues: tuple[Issue, ...]
    sums: BlockSums
    decided: Mapping[str, ParsingDecision]
    excluded: Mapping[str, int]
    reported_once: Mapping[tuple[IssueCode, str], int]
    after: Before
    stand_ins: Mapping[StoodIn, int] = field(default_factory=dict)
    columns: tuple[StatementColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """A block of a file as a table: its sound lines, shaped `RoyaltyLines`, and what was found beside them."""

    frame: pd.DataFrame
    found: BlockFindings


def parse_block(raw: RawTable, layout: Layout, *, before: Before) -> ParsedBlock:
    """Read a block of a file of royalty lines, of which no row has to know the rows of another block.

    Raises:
        UnreadableFile: a required column is missing or claimed twice; carries the issues.
    """
    found = read_rows(raw, layout, payee_data_required=True, evidence=before.evidence, below=before.below)
    table, excluded = found.table, found.excluded
    compares = bool(layout.totals or layout.control)
    positions = found.match.positions
    unread = unread_columns(raw, layout, found.match)
    parsed = settled(found, raw, layout, unread=unread)
    findings = BlockFindings(
        held=parsed.held,
        runs=runs_of(parsed.rows),
        issues=parsed.issues,
        sums=sum_block(table, excluded) if compares else BlockSums(len(table.rows)),
        decided=table.decisions,
        excluded=excluded.shown,
        reported_once={
            (code, raw.headers[positions[name]] if name in positions else name): n
            for (code, name), n in count_reported_once(table).items()
        },
        after=Before(Evidence(table.evidence), excluded.below),
        stand_ins=found.stand_ins,
        columns=statement_columns(raw, unread, excluded.lines),
    )
    return ParsedBlock(parsed.frame, findings)


_HOLD_WHOLE: Final = frozenset({IssueCode.COLUMN_UNANSWERED, IssueCode.COLUMN_CONDITION, IssueCode.COLUMN_CLAUSE})
_EXACT: Final = Context(prec=120)
_HELD_KEY: Final = ("file", "sheet", "tax_id", "currency", "codes")
_HELD_COLUMNS: Final = ("file", "sheet", "row", "tax_id", "amount", "currency", "codes")


@dataclass(frozen=True, slots=True)
class TableAccounting:
    """What is known of a file once its last block is read.

    Attributes:
        held: Lines with problems, added up per currency and problem: columns as of `ParsedTable.held`, `row` is the
            first of them, `amount` their exact sum, as far as it can be read.
    """

    held: pd.DataFrame
    runs: DataFrame[RowRuns]
    issues: tuple[Issue, ...]
    decisions: tuple[Message | str, ...]
    held_whole: IssueCode | None


class BlockAccounting:
    """The account of the rows of one table, kept while its blocks are read in order.

    Args:
        header_row: Physical row of its header.
    """

    def __init__(self, source: TableSource, header_row: int) -> None:
        self._source = source
        self._header_row = header_row
        self._held: list[pd.DataFrame] = []
        self._runs: list[pd.DataFrame] = []
        self._issues: list[Issue] = []
        self._of_the_file: set[Issue] = set()
        self._reported_once: dict[tuple[IssueCode, str], tuple[int, int]] = {}
        self._sums: list[BlockSums] = []
        self._decided: dict[str, ParsingDecision] = {}
        self._apart = Counter[str]()
        self._stood_in = Counter[StoodIn]()
        self._columns = dict[str, StatementColumn]()

    def add(self, found: BlockFindings) -> None:
        self._held = [held_sums([*self._held, found.held])]
        self._runs = [join_runs([*self._runs, found.runs])]
        self._sums.append(found.sums)
        self._decided |= found.decided
        self._apart += Counter(found.excluded)
        self._stood_in.update(found.stand_ins)
        for column in found.columns:
            known = self._columns.get(column.header)
            self._columns[column.header] = known + column if known else column
        for issue in found.issues:
            self._enter(issue, found.reported_once)

    def _enter(self, issue: Issue, reported_once: Mapping[tuple[IssueCode, str], int]) -> None:
        """Enter a problem, unless it was told before: of the header, or of a column as a whole."""
        if issue.code in REPORTED_ONCE and issue.column is not None:
            which = (issue.code, issue.column)
            if which in self._reported_once:
                at, before = self._reported_once[which]
                self._reported_once[which] = (at, before + reported_once[which])
                return
            self._reported_once[which] = (len(self._issues), reported_once[which])
        elif (issue.row or 0) <= self._header_row:
            if issue in self._of_the_file:
                return
            self._of_the_file.add(issue)
        self._issues.append(issue)

    def close(self) -> TableAccounting:
        """Hold the totals that the file states against all its lines, and say what is known of it."""
        for at, count in self._reported_once.values():
            self._issues[at] = _counted(self._issues[at], count)
        mismatches, compared = compare_totals(self._sums, self._source)
        runs = join_runs(self._runs)
        decided = [self._decided[column.name] for column in COLUMNS if column.name in self._decided]
        self._issues += issues_of_columns([*self._columns.values()], self._source)
        held = (issue.code for issue in self._issues if issue.code in _HOLD_WHOLE)
        held_whole = IssueCode.TOTAL_MISMATCH if mismatches else next(held, None)
        if held_whole:
            used = [record for record in records(runs) if record["disposition"] == USED]
            moved = {"disposition": "held", "reasons": codes_json(held_whole.value)}
            runs = move_rows(runs, [RowRun(**run | moved) for run in used])
        conditions = [issue.column or "" for issue in self._issues if issue.code is IssueCode.COLUMN_CONDITION]
        unread = [(header, "") for header in (*conditions, *self._columns)]
        return TableAccounting(
            held=held_sums(self._held),
            runs=runs,
            issues=tuple(sorted([*self._issues, *mismatches], key=lambda issue: issue.row or 0)),
            decisions=(*decisions_of(decided, self._apart, self._stood_in), *compared, *not_used(unread)),
            held_whole=held_whole,
        )


def nothing_held() -> pd.DataFrame:
    """Return the held lines of a block that has none."""
    return held_sums([])


def held_sums(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Add lines with problems up, so that however many there are, they are few."""
    sums: dict[tuple[str, ...], Record] = {}
    for frame in frames:
        for row in records(frame):
            known = sums.setdefault(tuple(row[name] for name in _HELD_KEY), row)
            if known is not row:
                known["row"] = min(known["row"], row["row"])
                known["amount"] = _added(known["amount"], row["amount"])
    held = pd.DataFrame(list(sums.values()), columns=list(_HELD_COLUMNS))
    return held.astype({"row": "int64"} | dict.fromkeys(_HELD_KEY, "str") | {"amount": "object"})


def _added(amount: Decimal | None, other: Decimal | None) -> Decimal | None:
    if amount is None or other is None:
        return other if amount is None else amount
    return _EXACT.add(amount, other)


def _counted(issue: Issue, count: int) -> Issue:
    counted = make_issue(issue.code, file=issue.file, count=count)
    return replace(issue, message=counted.message, accepts=counted.accepts)
