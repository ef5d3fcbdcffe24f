"""What lines have from other records: from those they follow, or from those they refer to."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.spreadsheets.records.grid import Positions
from io_adapters.spreadsheets.records.headings import Headings
from io_adapters.spreadsheets.records.piece import Blocks, Piece
from io_adapters.spreadsheets.records.record_types import RecordType
from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode

_NO_BLOCK: Final = -1
_NONE: Final = -1


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a piece: their rows, and the number of the block each is in (-1 for none)."""

    rows: Positions
    blocks: Positions


@dataclass
class Lender:
    """The records of one kind that lend to lines.

    Those of a block lend within it. Those outside blocks lend to the whole file below them, and are kept: the last
    one, or all when lines refer to them.

    Attributes:
        record: Which, as the layout says it.
        columns: Positions in the header of the columns lent.
        key: Positions in the header of the cells that may hold a record's key; none when lines follow it instead.
        by: Positions in the header of the lines' cells that may hold it.
        headings: Of the report.
        place: Which file, for messages.
    """

    record: str
    columns: tuple[int, ...]
    key: tuple[int, ...]
    by: tuple[int, ...]
    headings: Headings
    place: Place
    _kept: dict[int, pa.Array] = field(default_factory=dict)

    def lend(self, piece: Piece, blocks: Blocks, lines: Lines) -> dict[int, pa.Array]:
        """Return what the lines of a piece have from these records.

        Returns:
            Position in the header -> text for each line; "" where it has no such record.

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

    def _referred(self, piece: Piece, pool: dict[int, pa.Array], pool_blocks: Positions, lines: Lines) -> Positions:
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


def column(piece: Piece, rows: Positions, at: int, headings: Headings) -> pa.Array:
    """Return the cells of some records under one header, as written; "" where a record has no such cell."""

    def cell(kind: RecordType) -> int:
        cells = headings.cells_of(kind) or ()
        return cells.index(at) if at in cells else -1

    return piece.grid.cells(rows, piece.by_type(rows, cell))


def first_filled(columns: list[pa.Array]) -> pa.Array:
    """Return, for each row, the first text of several columns that is not empty."""
    merged = columns[0]
    for other in columns[1:]:
        merged = pc.if_else(pc.equal(merged, ""), other, merged)
    return merged


def _followed(pool_rows: Positions, pool_blocks: Positions, lines: Lines) -> Positions:
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
