"""The table that a piece's lines make."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.spreadsheets.columns import text_series
from io_adapters.spreadsheets.records.escapes import plain
from io_adapters.spreadsheets.records.grid import Positions
from io_adapters.spreadsheets.records.headings import Headings
from io_adapters.spreadsheets.records.lending import Lines, column, first_filled
from io_adapters.spreadsheets.records.piece import Blocks, Piece
from io_adapters.spreadsheets.records.reading_plan import ReadingPlan
from io_adapters.spreadsheets.records.record_types import RecordType
from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode


def table_headers(plan: ReadingPlan, headings: Headings) -> tuple[str, ...]:
    """Return the table's headers: those of the line's own cells, where they stand in the record, then the lent ones."""
    return tuple(headings.texts[at] if at in plan.read else "" for at in (*plan.own, *plan.lent))


def table_of(
    piece: Piece, blocks: Blocks, plan: ReadingPlan, headings: Headings, place: Place
) -> tuple[pd.DataFrame, tuple[int, ...]]:
    """Make the table of a piece's lines.

    Returns:
        Cells as `RawTable` has them, index = the line's physical row; and the rows whose cells are not to be trusted:
        with more cells than their record has names, or fewer than are read of it.

    Raises:
        UnreadableFile: a line refers to a record that is not there, or says two things where one is needed.
    """
    rows = piece.rows_of(lambda kind: kind.name == plan.records.line)
    lines = Lines(rows, blocks.of(rows))
    written: dict[int, pa.Array] = {at: column(piece, rows, at, headings) for at in plan.own if at in plan.read}
    for lender in plan.lenders:
        written |= lender.lend(piece, blocks, lines)
    _refuse_differences(written, piece, rows, plan, headings, place)
    texts = {at: plain(cells) for at, cells in written.items()}
    blank = pa.array([""] * len(rows), pa.large_string())
    series = {position: text_series([texts.get(at, blank)]) for position, at in enumerate((*plan.own, *plan.lent))}
    physical = rows + piece.first_row
    misshapen = physical[_misshapen(piece, rows, plan, headings)]
    return pd.DataFrame(series, copy=False).set_axis(pd.Index(physical), axis=0), tuple(misshapen.tolist())


def _misshapen(piece: Piece, rows: Positions, plan: ReadingPlan, headings: Headings) -> np.ndarray:
    """Tell which lines have cells beyond the named ones, or end before those that are read.

    Cells left out at the end are taken for empty ones; not so behind an escaped tab, which may be a stray backslash
    that has moved all cells behind it.
    """

    def named(kind: RecordType) -> int:
        return len(headings.cells_of(kind) or ())

    widths = piece.by_type(rows, named)
    needed = 1 + max((cell for cell, at in enumerate(plan.own) if at in plan.read), default=0)
    found = piece.grid.widths[rows]
    doubtful = np.isin(rows, piece.grid.escaped_rows) & (found < widths)
    return np.asarray((found < needed) | doubtful | piece.grid.filled_beyond(rows, widths))


def _refuse_differences(
    written: Mapping[int, pa.Array],
    piece: Piece,
    rows: Positions,
    plan: ReadingPlan,
    headings: Headings,
    place: Place,
) -> None:
    for group in plan.same:
        columns = [written[at] for at in group if at in written]
        if len(columns) < 2:
            continue
        said = first_filled(columns)
        for cells in columns:
            differs = pc.and_(pc.not_equal(cells, ""), pc.not_equal(cells, said)).to_numpy(zero_copy_only=False)
            if differs.any():
                row = piece.first_row + int(rows[differs][0])
                names = ", ".join(headings.texts[at] for at in group)
                raise refusal(IssueCode.FILE_CORRUPT, place, "records_differ", row=row, headers=names)
