"""A block of statement lines, from cells to sums: plain lines as columns, all others row by row."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.statement_lines.columns import (
    AmountReader,
    BlockCells,
    Coded,
    Mask,
    ReadAmounts,
    ReadColumn,
    read_texts,
    recoded,
    rows_like,
)
from io_adapters.statement_lines.sums import SheetSums, SoundLines, lines_of, sums_of
from schemas.layouts.headers import HeaderMatch
from schemas.layouts.layout import Layout
from schemas.line_sketch import NO_LINES, LineSketch, identify_lines
from schemas.parsing.blocks import Before, BlockFindings, nothing_held, parse_block
from schemas.parsing.cells import StoodIn
from schemas.parsing.content_hash import RowsContent, hash_lines
from schemas.parsing.dates import Evidence
from schemas.parsing.find_columns import find_columns
from schemas.parsing.line_sums import BlockSums, PartSum, decided_mark
from schemas.parsing.readers import Convention
from schemas.parsing.row_accounting import used_run
from schemas.parsing.stand_ins import completed
from schemas.parsing.stated_totals import bare_rows, totals_above
from schemas.parsing.statement_columns import statement_columns
from schemas.parsing.unread_columns import issues_of, unread_columns
from schemas.parsing.what_holds_rows import values_only
from schemas.queries import Tables, opened_database
from schemas.raw_table import RawTable, some_rows
from schemas.tables.royalties import COLUMNS, TEXTS

FEW_ROWS: Final = 1_000


class SummedBlock(NamedTuple):
    """What is kept of a block of statement lines."""

    found: tuple[BlockFindings, ...]
    sums: tuple[SheetSums, ...]
    content: RowsContent
    sketch: LineSketch

    @property
    def after(self) -> Before:
        return self.found[-1].after


def sum_block(
    raw: RawTable, layout: Layout, before: Before, conditions: Collection[str] = (), *, few_rows: int = FEW_ROWS
) -> SummedBlock:
    """Check and add up a block; depends on nothing else, so that any process can do it.

    Lines whose every cell is plain are never looked at one by one. All other rows are parsed by
    `schemas.parsing.blocks`, which comes to the same wherever both could judge.

    Raises:
        UnreadableFile: a required column is missing or claimed twice; carries the issues.
    """
    match = find_columns(raw, layout, [column.name for column in COLUMNS if column.required])
    with opened_database() as database:
        if len(raw.cells) <= few_rows or before.below or _looked_at_whole(raw, layout, match):
            parsed = parse_block(raw, layout, before=before)
            return _summed(database, [parsed.found], [lines_of(parsed.frame)], conditions)
        table, positions, stand_ins = completed(raw, layout, match.positions)
        block = _Block(database, table, layout, replace(match, positions=dict(positions)), before)
        unsound = block.unsound()
        lines = block.lines(~unsound)
        if not unsound.any():
            return _summed(database, [block.findings(lines, (), stand_ins)], [lines], conditions)
        others = parse_block(some_rows(table, unsound), layout, before=block.known)
        if others.found.after.evidence != block.known.evidence:  # it proves what the plain lines were read without
            proven = Before(others.found.after.evidence, before.below)
            return sum_block(raw, layout, proven, conditions, few_rows=few_rows)
        found = block.findings(lines, [total.row for total in others.found.sums.totals], stand_ins)
        return _summed(database, [found, others.found], [lines, lines_of(others.frame)], conditions)


def _looked_at_whole(raw: RawTable, layout: Layout, match: HeaderMatch) -> bool:
    """Tell whether rows have what only the rules know of: odd cells, or sums above or among them."""
    odd = raw.oddities
    is_odd = any((odd.hidden_rows, odd.hidden_columns, odd.merged, odd.external, odd.stale, odd.struck))
    is_odd |= bool(odd.shown_otherwise)
    return is_odd or bool(totals_above(raw, layout)) or bool(bare_rows(raw, layout.table, match.positions))


def _summed(
    database: Tables, found: Sequence[BlockFindings], parts: Sequence[SoundLines], conditions: Collection[str]
) -> SummedBlock:
    texts = [
        {name: (column.codes, column.texts.to_pylist()) for name, column in lines.texts.items()} for lines in parts
    ]
    hashes = [hash_lines(stated, part.units, part.amount) for stated, part in zip(texts, parts, strict=True)]
    return SummedBlock(
        tuple(found),
        tuple(sums_of(database, lines, conditions) for lines in parts),
        RowsContent.of_lines(np.concatenate(hashes)),
        sum(
            (identify_lines(*part).sketch() for part in zip(texts, (part.amount for part in parts), strict=True)),
            NO_LINES,
        ),
    )


class _Block:
    """A block whose columns are read; which of its rows are plain lines, and what these say."""

    def __init__(self, database: Tables, raw: RawTable, layout: Layout, match: HeaderMatch, before: Before) -> None:
        self._database = database
        self._layout = layout
        self._match = match
        positions = match.positions
        self._cells = BlockCells(raw, layout, positions)
        convention = Convention(layout.decimal, layout.currency or "BRL", layout.dates)
        self._amounts = AmountReader(
            database, self._cells, positions["amount"], convention, before.evidence.of("amount")
        ).read()
        if self._amounts.saved_again:
            convention = replace(convention, dates="auto")
        self._columns = {
            column.name: read_texts(
                self._cells, column, at, convention.under(raw.header_at(at)), before.evidence.of(column.name)
            )
            for column in COLUMNS
            if (at := positions.get(column.name)) is not None and column.name != "amount"
        }
        read: dict[str, ReadColumn | ReadAmounts] = {**self._columns, "amount": self._amounts}
        self._decided = {name: column.decision for name, column in read.items() if column.decision}
        deciding = {column.name: read[column.name].deciding for column in COLUMNS if column.name in read}
        self.known = Before(Evidence(deciding), before.below)

    def unsound(self) -> Mask:
        """Tell which rows are the rules' to judge: those that are not plainly sound lines."""
        rows: Mask = self._cells.not_lines | self._amounts.values.is_null().to_numpy(zero_copy_only=False)
        for column in self._columns.values():
            rows |= column.unsound
        return rows | self._without_currency()

    def _without_currency(self) -> Mask:
        currency = self._columns.get("currency")
        if self._layout.currency or currency is None:
            return np.full(len(self._cells.raw.cells), not self._layout.currency, dtype=bool)
        return currency.canonical.rows_where(pc.equal(currency.canonical.texts, "").to_numpy(zero_copy_only=False))

    def lines(self, plain: Mask) -> SoundLines:
        texts = {name: self._texts(name, plain) for name in TEXTS}
        amount = self._amounts.values
        if self._layout.sign:
            out = rows_like(self._cells, self._layout.sign.column, self._layout.sign.negative)
            amount = pc.if_else(pa.array(out), pc.negate(pc.abs(amount)), amount)
        rows = self._cells.raw.cells.index.to_numpy(np.int64)
        if plain.all():
            return SoundLines(texts, self._units(plain), amount, rows)
        return SoundLines(texts, self._units(plain), amount.filter(pa.array(plain)), rows[plain])

    def _texts(self, name: str, plain: Mask) -> Coded:
        if name not in self._columns:
            value = self._layout.currency or "" if name == "currency" else ""
            return Coded(np.zeros(int(plain.sum()), np.int32), pa.array([value], pa.large_string()))
        codes, texts = self._columns[name].canonical
        if name == "currency" and self._layout.currency:
            codes, texts = recoded(codes, pc.if_else(pc.equal(texts, ""), self._layout.currency, texts))
        return Coded(codes if plain.all() else codes[plain], texts)

    def _units(self, plain: Mask) -> npt.NDArray[np.int64]:
        if "units" not in self._columns:
            return np.zeros(int(plain.sum()), np.int64)
        codes, texts = self._columns["units"].canonical
        numbers = pc.if_else(pc.equal(texts, ""), "0", texts).cast(pa.int64()).to_numpy()
        of_rows: npt.NDArray[np.int64] = numbers[codes[plain]]
        return of_rows

    def findings(self, lines: SoundLines, totals: Sequence[int], stand_ins: Mapping[StoodIn, int]) -> BlockFindings:
        """Say what is known of the plain lines."""
        raw, count = self._cells.raw, len(lines.row)
        unread = unread_columns(raw, self._layout, self._match)
        issues = (*issues_of(unread, raw), *values_only(raw))
        first, last = (int(lines.row[0]), int(lines.row[-1])) if count else (0, 0)
        compares = self._layout.totals or self._layout.control
        return BlockFindings(
            held=nothing_held(),
            runs=used_run(raw.file.name, raw.sheet, first, last, count),
            issues=issues,
            sums=BlockSums(count, self._parts(lines, totals) if compares else (), mark=decided_mark(self._decided)),
            decided=self._decided,
            excluded={},
            reported_once={},
            after=self.known,
            stand_ins=stand_ins,
            columns=statement_columns(raw, unread, np.isin(raw.cells.index, lines.row)),
        )

    def _parts(self, lines: SoundLines, totals: Sequence[int]) -> tuple[PartSum, ...]:
        codes, currencies = lines.texts["currency"]
        between = np.searchsorted(totals, lines.row) if totals else np.zeros(len(lines.row), np.int64)
        parts = pa.table({"part": between, "currency": codes, "amount": lines.amount, "row": lines.row})
        self._database.register("parts", parts)
        added = self._database.arrow(
            'SELECT max("row") AS "row", currency, sum(amount) AS amount '
            "FROM parts GROUP BY part, currency ORDER BY ALL"
        )
        return tuple(
            PartSum(part["row"], currencies[part["currency"]].as_py(), part["amount"]) for part in added.to_pylist()
        )
