"""Opening a DDEX sales report: text whose lines are records of many types, read as one table piece by piece."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.ddex.head import BOM
from io_adapters.spreadsheets.ddex.joins import PieceLines, ReadingPlan, column, first_filled, plan_reading
from io_adapters.spreadsheets.ddex.records import (
    Blocks,
    Framing,
    Headings,
    Positions,
    RecordType,
    ReportPiece,
    headings,
    plain,
)
from io_adapters.spreadsheets.limits import FilePlace, refusal
from io_adapters.spreadsheets.text.records import TextBlock, TextTable
from schemas.issues import IssueCode
from schemas.layouts.layout import part_of
from schemas.layouts.recognise import Fit
from schemas.messages import Message
from schemas.sheet_cells import HeadRow, View

_READ_BYTES: Final = 4 * 2**20
# How much of the file says what its records are; `#` lines stand at its top, or where a record first occurs.
_FIRST_BYTES: Final = 4 * 2**20


def first_piece(stream: BinaryIO, place: FilePlace) -> ReportPiece:
    """Return the first lines of a report, for what they say of the rest.

    Raises:
        UnreadableFile: no UTF-8, or a line that is no record.
    """
    stream.seek(0)
    data = stream.read(_FIRST_BYTES).removeprefix(BOM)
    end = data.rfind(b"\n") + 1
    if not end and len(data) >= limits.MOST_FIELD_BYTES:
        raise refusal(IssueCode.FILE_CORRUPT, place, "long_field", row=1)
    return _piece(data[:end] if end else data + b"\n", 1, 0, place)


def pieces(stream: BinaryIO, headings: Headings, place: FilePlace) -> Iterator[ReportPiece]:
    """Yield all lines of a report, in pieces that end where a block ends.

    A block is held as a whole, since its records refer to each other; one that does not fit is refused.

    Raises:
        UnreadableFile: no UTF-8, a line that is no record, or a block beyond the limit.
    """
    stream.seek(0)
    pending, row, offset = stream.read(_READ_BYTES), 1, 0
    if pending.startswith(BOM):
        pending, offset = pending[len(BOM) :], len(BOM)
    while True:
        fresh = stream.read(_READ_BYTES)
        if not fresh:
            break
        end = pending.rfind(b"\n") + 1
        if end:
            piece = _piece(pending[:end], row, offset, place)
            blocks = piece.blocks(headings)
            if len(blocks):
                piece.count = blocks.last_start
            if piece.count:
                yield piece
                done = piece.grid.row_start(piece.count) if piece.count < len(piece.grid) else end
                pending, row, offset = pending[done:], row + piece.count, offset + done
        if len(pending) > limits.MOST_DDEX_BLOCK_BYTES:
            raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(limits.MOST_DDEX_BLOCK_BYTES))
        pending += fresh
    if pending:
        yield _piece(pending if pending.endswith(b"\n") else pending + b"\n", row, offset, place)


def _piece(data: bytes, row: int, offset: int, place: FilePlace) -> ReportPiece:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        byte = offset + error.start + 1
        raise refusal(IssueCode.FILE_ENCODING, place, "records_encoding", byte=byte) from None
    return ReportPiece(data, row, place)


def table_headers(plan: ReadingPlan, headings: Headings) -> tuple[str, ...]:
    """Return the table's headers: those of the line's own cells, where they stand in the record, then the lent ones."""
    return tuple(headings.texts[at] if at in plan.read else "" for at in (*plan.own, *plan.lent))


def block_of(piece: ReportPiece, blocks: Blocks, plan: ReadingPlan, headings: Headings, place: FilePlace) -> TextBlock:
    """Make a block of a piece's lines.

    Raises:
        UnreadableFile: a line refers to a record that is not there, or says two things where one is needed.
    """
    rows = piece.rows_of(lambda kind: kind.name == plan.records.line)
    lines = PieceLines(rows, blocks.of(rows))
    written: dict[int, pa.Array] = {at: column(piece, rows, at, headings) for at in plan.own if at in plan.read}
    for lender in plan.lenders:
        written |= lender.lend(piece, blocks, lines)
    _refuse_differences(written, piece, rows, plan, headings, place)
    texts = {at: plain(cells) for at, cells in written.items()}
    blank = pa.array([""] * len(rows), pa.large_string())
    columns = [pa.chunked_array([texts.get(at, blank)], pa.large_string()) for at in (*plan.own, *plan.lent)]
    physical = rows + piece.first_row
    return TextBlock(physical, columns, tuple(physical[_misshapen(piece, rows, plan, headings)].tolist()))


def _misshapen(piece: ReportPiece, rows: Positions, plan: ReadingPlan, headings: Headings) -> np.ndarray:
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
    piece: ReportPiece,
    rows: Positions,
    plan: ReadingPlan,
    headings: Headings,
    place: FilePlace,
) -> None:
    for group in plan.same:
        columns = [written[at] for at in group if at in written]
        if len(columns) < 2:
            continue
        filled = first_filled(columns)
        for cells in columns:
            differs = pc.and_(pc.not_equal(cells, ""), pc.not_equal(cells, filled)).to_numpy(zero_copy_only=False)
            if differs.any():
                row = piece.first_row + int(rows[differs][0])
                names = ", ".join(headings.texts[at] for at in group)
                raise refusal(IssueCode.FILE_CORRUPT, place, "records_differ", row=row, headers=names)


_PROFILE: Final = re.compile(r"[A-Za-z0-9]{1,80}")
# Cells of HEAD, from 0 (DSR Part 8, 5.1.1).
_PROFILE_CELL: Final = 2
_FILE_NUMBER_CELL: Final = 6
_NUMBER_OF_FILES_CELL: Final = 7


def open_records(stream: BinaryIO, name: str) -> "Report":
    """Open a DDEX sales report.

    Raises:
        UnreadableFile: no UTF-8, a line that is no record, or a name that contradicts which part it is.
    """
    return Report(stream, name)


class Report:
    """A report that is open.

    Its one view has one row, the header: the columns of all its records. Which of these are lines, the layout says.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._place = FilePlace(name)
        first = first_piece(stream, self._place)
        self._profile, self._part, self._parts = self._head(first)
        self._headings = self._headings_of(first)
        self._first_types = first.types

    @property
    def profile(self) -> str:
        return self._profile

    @property
    def views(self) -> Sequence[View]:
        return (View(None, "\t", True, (HeadRow(1, self._headings.texts),)),)  # noqa: FBT003

    @cached_property
    def decisions(self) -> tuple[Message | str, ...]:
        """The profile, which part it is, and record types of the file's beginning that the standard does not know."""
        unknown = [kind.name for kind in self._first_types if not kind.is_known]
        decisions: list[Message | str] = ["UTF-8", Message("file.records", profile=self._profile)]
        if self._parts > 1:
            decisions.append(Message("file.records_part", part=self._part, parts=self._parts))
        if unknown:
            decisions.append(Message("file.records_unknown", types=", ".join(dict.fromkeys(unknown))))
        return tuple(decisions)

    def table(self, fit: Fit) -> TextTable:
        """Find the table of the lines, each under its physical row, with what other records lend it.

        The table is narrower than the view: it begins with the line's own cells, so that column A is the record's
        first cell, and goes on with the lent columns that the layout reads. Columns that it does not read are blank.

        Raises:
            UnreadableFile: see `plan_reading`; the blocks also as `Framing` and `Lender`.
        """
        plan = plan_reading(fit, self._headings, self._place)
        headers = table_headers(plan, self._headings)
        header_row = next((row for kind, row in self._headings.rows.items() if kind.name == plan.records.line), 1)
        decisions = (Message("file.records_lines", line=plan.records.line),)
        return TextTable(header_row, headers, decisions, self._blocks(plan))

    def _blocks(self, plan: ReadingPlan) -> Iterator[TextBlock]:
        framing = Framing(self._headings, self._place)
        lines = 0
        for piece in pieces(self._stream, self._headings, self._place):
            self._refuse_late_types(piece, plan)
            blocks = piece.blocks(self._headings)
            framing.watch(piece, blocks)
            block = block_of(piece, blocks, plan, self._headings, self._place)
            lines += len(block.rows)
            if len(block.rows):
                yield block
        framing.finish()
        if not lines:
            raise refusal(IssueCode.FILE_NO_ROWS, self._place, "records_none", record=plan.records.line)

    def _head(self, first: ReportPiece) -> tuple[str, int, int]:
        rows = first.rows_of(lambda kind: kind.letters == "HEAD")[:1]
        if not len(rows) or rows[0] != first.rows_of(lambda _: True)[0]:
            raise refusal(IssueCode.FILE_CORRUPT, self._place, "records_damaged", row=1)
        cells = (_PROFILE_CELL, _FILE_NUMBER_CELL, _NUMBER_OF_FILES_CELL)
        profile, number, count = (first.grid.cells(rows, cell)[0].as_py().strip() for cell in cells)
        part, parts = (int(text) if re.fullmatch("[0-9]{1,3}", text) else 1 for text in (number, count))
        if parts > 1 and part_of(self._place.file) != (part, parts):
            raise refusal(IssueCode.FILE_CORRUPT, self._place, "records_renamed", part=part, parts=parts)
        return profile if _PROFILE.fullmatch(profile) else "?", part, parts

    def _headings_of(self, first: ReportPiece) -> Headings:
        named: dict[RecordType, tuple[int, list[str]]] = {}
        for row, kind, names in first.names():
            named.setdefault(kind, (row, names))
        widths = []
        for kind in first.types:
            rows = first.rows_of(kind.__eq__)
            widths.append((kind, int(first.grid.widths[rows].max())))
        return headings(self._profile, named, widths)

    def _refuse_late_types(self, piece: ReportPiece, plan: ReadingPlan) -> None:
        read = (plan.records.line, *(lent.record for lent in plan.records.lend))
        for kind in piece.types:
            wanted = any(kind.answers_to(record) for record in read)
            if wanted and self._headings.cells_of(kind) is None:
                row = piece.first_row + int(np.min(piece.rows_of(kind.__eq__)))
                raise refusal(IssueCode.FILE_CORRUPT, self._place, "records_late", row=row, record=kind.name)
