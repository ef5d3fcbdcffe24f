"""Joining a DDEX line to the records it follows or refers to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.spreadsheets.ddex.records import Blocks, Headings, Positions, RecordType, ReportPiece
from io_adapters.spreadsheets.limits import FilePlace, refusal
from schemas.issues import IssueCode
from schemas.layouts.layout import Records, fold
from schemas.layouts.recognise import Fit

_NO_BLOCK: Final = -1
_NONE: Final = -1


@dataclass(frozen=True, slots=True)
class PieceLines:
    """Lines of a piece: their rows, and the number of the block each is in (-1 for none)."""

    rows: Positions
    blocks: Positions


@dataclass
class Lender:
    """The records of one kind that lend to lines.

    Those of a block lend within it. Those outside blocks lend to the whole file below them, and are kept: the last
    one, or all when lines refer to them.
    """

    record: str
    columns: tuple[int, ...]
    key: tuple[int, ...]
    by: tuple[int, ...]
    headings: Headings
    place: FilePlace
    _kept: dict[int, pa.Array] = field(default_factory=dict)

    def lend(self, piece: ReportPiece, blocks: Blocks, lines: PieceLines) -> dict[int, pa.Array]:
        """Return what the lines of a piece have from these records.

        Raises:
            UnreadableFile: a line refers to a record that is not there, or to several that say different things.
        """
        rows = piece.rows_of(self._lends)
        fresh = {at: column(piece, rows, at, self.headings) for at in {*self.columns, *self.key}}
        pool = {at: pa.concat_arrays([self._kept[at], cells]) if self._kept else cells for at, cells in fresh.items()}
        kept = len(next(iter(self._kept.values()))) if self._kept else 0
        pool_blocks = np.concatenate([np.full(kept, _NO_BLOCK), blocks.of(rows)])
        if self.key:
            chosen = self._referred(piece, pool, pool_blocks, lines)
        else:
            chosen = _followed(np.concatenate([np.full(kept, -1), rows]), pool_blocks, lines)
        self._keep(pool, pool_blocks)
        return {at: _taken(pool[at], chosen) for at in self.columns}

    def _lends(self, kind: RecordType) -> bool:
        return kind.answers_to(self.record)

    def _keep(self, pool: dict[int, pa.Array], pool_blocks: Positions) -> None:
        lasting = np.flatnonzero(pool_blocks == _NO_BLOCK)
        wanted = pa.array(lasting if self.key else lasting[-1:])
        self._kept = {at: cells.take(wanted) for at, cells in pool.items()}

    def _referred(
        self, piece: ReportPiece, pool: dict[int, pa.Array], pool_blocks: Positions, lines: PieceLines
    ) -> Positions:
        own = first_filled([pool[at] for at in self.key])
        wanted = first_filled([column(piece, lines.rows, at, self.headings) for at in self.by])
        coded = pa.concat_arrays([own, wanted]).dictionary_encode()
        codes = coded.indices.to_numpy().astype(np.int64)
        scattered = bool((pool_blocks != _NO_BLOCK).any())
        line_blocks = lines.blocks if scattered else np.full(len(lines.rows), _NO_BLOCK)
        keys = np.concatenate([pool_blocks, line_blocks]) * len(coded.dictionary) + codes
        pool_keys, line_keys = keys[: len(own)], keys[len(own) :]
        order = np.argsort(pool_keys, kind="stable")
        ranked = pool_keys[order]
        self._refuse_twins(pool, order, ranked)
        spots = np.minimum(np.searchsorted(ranked, line_keys), max(len(ranked) - 1, 0))
        found = ranked[spots] == line_keys if len(ranked) else np.zeros(len(line_keys), bool)
        refers = pc.not_equal(wanted, "").to_numpy(zero_copy_only=False)
        if (refers & ~found).any():
            row = piece.first_row + int(lines.rows[refers & ~found][0])
            raise refusal(IssueCode.FILE_CORRUPT, self.place, "records_dangling", row=row, record=self.record)
        return np.where(refers & found, order[spots] if len(order) else _NONE, _NONE)

    def _refuse_twins(self, pool: dict[int, pa.Array], order: Positions, ranked: Positions) -> None:
        """Refuse records of the same key that do not say the same: which of them a line means, nothing tells."""
        twins = np.flatnonzero(ranked[1:] == ranked[:-1])
        for at in self.columns if len(twins) else ():
            ones, others = pool[at].take(pa.array(order[twins])), pool[at].take(pa.array(order[twins + 1]))
            if pc.any(pc.not_equal(ones, others)).as_py():
                header = self.headings.texts[at]
                raise refusal(IssueCode.FILE_CORRUPT, self.place, "records_twins", record=self.record, header=header)


def column(piece: ReportPiece, rows: Positions, at: int, headings: Headings) -> pa.Array:
    """Return the cells of some records under one header, as written; "" where a record has no such cell."""

    def cell(kind: RecordType) -> int:
        cells = headings.cells_of(kind) or ()
        return cells.index(at) if at in cells else -1

    return piece.grid.cells(rows, piece.by_type(rows, cell))


def first_filled(columns: list[pa.Array]) -> pa.Array:
    merged = columns[0]
    for other in columns[1:]:
        merged = pc.if_else(pc.equal(merged, ""), other, merged)
    return merged


def _followed(pool_rows: Positions, pool_blocks: Positions, lines: PieceLines) -> Positions:
    """Return the last record above each line, of its block or of none; -1 when there is none."""
    if not len(pool_rows):
        return np.full(len(lines.rows), _NONE)
    above = np.searchsorted(pool_rows, lines.rows) - 1
    blocks = pool_blocks[np.maximum(above, 0)]
    return np.where((above >= 0) & ((blocks == _NO_BLOCK) | (blocks == lines.blocks)), above, _NONE)


def _taken(texts: pa.Array, chosen: Positions) -> pa.Array:
    if not len(texts):
        return pa.array([""] * len(chosen), pa.large_string())
    return pc.fill_null(texts.take(pa.array(np.maximum(chosen, 0), mask=chosen == _NONE)), "")


_NUMBERED: Final = re.compile(r"([A-Z]+)\.([0-9]+)")


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """Where the columns of a table come from. Positions are of the report's header (`Headings.texts`), from 0."""

    records: Records
    own: tuple[int, ...]
    lent: tuple[int, ...]
    read: frozenset[int]
    lenders: tuple[Lender, ...]
    same: tuple[tuple[int, ...], ...]


def plan_reading(fit: Fit, headings: Headings, place: FilePlace) -> ReadingPlan:
    """Work out how a report is read.

    Raises:
        UnreadableFile: the layout declares no records, or none that state money; the report has no line, or lacks the
            cell by which lines refer to others; or a column is not the cell that the layout gives by number.
    """
    layout, records = fit.layout, fit.layout.records
    if records is None:
        raise refusal(IssueCode.LAYOUT_UNKNOWN, place, "records_no_layout", layout=layout.layout)
    if not records.money:
        raise refusal(IssueCode.COLUMN_MISSING, place, "records_no_money", headers="amount")
    own = next((cells for kind, cells in headings.cells.items() if kind.name == records.line), None)
    if own is None:
        raise refusal(IssueCode.FILE_NO_ROWS, place, "records_none", record=records.line)
    _refuse_other_cells(fit, headings, place)
    same = tuple(_positions(group, headings) for group in records.same)
    read = _read_positions(fit, headings) | {at for group in same for at in group}
    lenders: list[Lender] = []
    lent: list[int] = []
    for declared in records.lend:
        columns = tuple(sorted((_cells_of(declared.record, headings) & read).difference(own, lent)))
        lent += columns
        if columns:
            key, by = _reference(declared.key, headings, place), _reference(declared.by, headings, place)
            lenders.append(Lender(declared.record, columns, key, by, headings, place))
    return ReadingPlan(records, own, tuple(lent), frozenset(read), tuple(lenders), same)


def _read_positions(fit: Fit, headings: Headings) -> set[int]:
    """Return the positions of all headers that the layout reads; of all there are, when it misses one."""
    layout, match = fit.layout, fit.match
    if match.missing:
        return set(range(len(headings.texts)))
    others = [left_out.column for left_out in layout.leave_out] + ([layout.sign.column] if layout.sign else [])
    others += [*layout.only]
    claimed = {at for positions in match.duplicates.values() for at in positions}
    types = {0} & set(match.ignored)
    return types | claimed | set(match.positions.values()) | set(_positions(others, headings))


def _positions(headers: Sequence[str], headings: Headings) -> tuple[int, ...]:
    wanted = {fold(header) for header in headers}
    return tuple(at for at, text in enumerate(headings.texts) if fold(text) in wanted)


def _reference(headers: Sequence[str], headings: Headings, place: FilePlace) -> tuple[int, ...]:
    found = _positions(headers, headings)
    if headers and not found:
        raise refusal(IssueCode.COLUMN_MISSING, place, "no_column", wanted=headers[0], headers=", ".join(headers))
    return found


def _cells_of(record: str, headings: Headings) -> set[int]:
    return {at for kind, cells in headings.cells.items() if kind.answers_to(record) for at in cells[1:]}


def _refuse_other_cells(fit: Fit, headings: Headings, place: FilePlace) -> None:
    """Refuse a report whose `#` lines put a column elsewhere than the layout does by number.

    To the standard these lines are comments: one that is wrong must not choose which cell is the money.
    """
    for column, at in fit.match.positions.items():
        letters = headings.texts[at].partition(".")[0]
        numbers = [found for alias in fit.layout.columns[column] if (found := _NUMBERED.fullmatch(alias))]
        expected = {int(found[2]) for found in numbers if found[1] == letters}
        found_at = {cells.index(at) + 1 for cells in headings.cells.values() if at in cells}
        if expected and not found_at <= expected:
            raise refusal(
                IssueCode.FILE_CORRUPT,
                place,
                "records_cell",
                header=headings.texts[at],
                found=min(found_at - expected),
                expected=min(expected),
            )
