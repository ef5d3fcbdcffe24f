"""Opening a DDEX sales report: text whose lines are records of many types."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import BinaryIO, Final

import numpy as np

from io_adapters.spreadsheets.records.framing import Framing
from io_adapters.spreadsheets.records.headings import Headings, headings
from io_adapters.spreadsheets.records.piece import Piece
from io_adapters.spreadsheets.records.pieces import BOM, first_piece, pieces
from io_adapters.spreadsheets.records.reading_plan import ReadingPlan, plan_reading
from io_adapters.spreadsheets.records.record_types import RecordType
from io_adapters.spreadsheets.records.table import table_headers, table_of
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.words import say
from schemas.file_view import HeadRow, View
from schemas.issues import IssueCode
from schemas.layouts.parts import part_of
from schemas.layouts.recognise import Fit
from schemas.raw_table import FileIdentity, RawTable

_PROFILE: Final = re.compile(r"[A-Za-z0-9]{1,80}")
# Cells of HEAD, from 0 (DSR Part 8, 5.1.1).
_PROFILE_CELL: Final = 2
_FILE_NUMBER_CELL: Final = 6
_NUMBER_OF_FILES_CELL: Final = 7


def is_records(first_bytes: bytes) -> bool:
    r"""Tell whether a file is a DDEX sales report: its first line that is neither blank nor a comment is a HEAD.

    >>> is_records(b"#HEAD\tMessageVersion\nHEAD\tdsrf/1.4\n"), is_records(b"Head,Tail\\n")
    (True, False)
    """
    lines = first_bytes.removeprefix(BOM).splitlines()
    return next((line for line in lines if line.strip() and not line.startswith(b"#")), b"").startswith(b"HEAD\t")


def open_records(stream: BinaryIO, identity: FileIdentity, language: str) -> "Report":
    """Open a DDEX sales report.

    Args:
        stream: Seekable, unpacked; of which `is_records` holds.
        identity: Of the file; its name says which part of the report it is.
        language: Of decisions and messages.

    Raises:
        UnreadableFile: no UTF-8, a line that is no record, or a name that contradicts which part it is.
    """
    return Report(stream, identity, language)


class Report:
    """A report that is open (`io_adapters.spreadsheets.opened.OpenedFile`).

    Its one view has one row, the header: the columns of all its records. Which of these are lines, the layout says.
    """

    def __init__(self, stream: BinaryIO, identity: FileIdentity, language: str) -> None:
        self._stream = stream
        self._identity = identity
        self._place = Place(identity.name, language)
        first = first_piece(stream, self._place)
        self._profile, self._part, self._parts = self._head(first)
        self._headings = self._headings_of(first)
        self._first_types = first.types

    @property
    def views(self) -> Sequence[View]:
        """The header, under the delimiter tab."""
        return (View(None, "\t", True, (HeadRow(1, self._headings.texts),)),)  # noqa: FBT003

    @cached_property
    def decisions(self) -> tuple[str, ...]:
        """The profile, which part it is, and record types of the file's beginning that the standard does not know."""
        language = self._place.language
        unknown = [kind.name for kind in self._first_types if not kind.is_known]
        told = ["UTF-8", say("records", language, profile=self._profile)]
        if self._parts > 1:
            told.append(say("records_part", language, part=self._part, parts=self._parts))
        if unknown:
            told.append(say("records_unknown", language, types=", ".join(dict.fromkeys(unknown))))
        return tuple(told)

    @property
    def properties(self) -> Mapping[str, str]:
        """None."""
        return MappingProxyType({})

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield the table of the lines, each under its physical row, with what other records lend it.

        The table is narrower than the view: it begins with the line's own cells, so that column A is the record's
        first cell, and goes on with the lent columns that the layout reads. Columns that it does not read are blank.

        Raises:
            UnreadableFile: see `plan_reading`, `Framing`, `Lender`.
        """
        plan = plan_reading(fit, self._headings, self._place)
        headers = table_headers(plan, self._headings)
        header_row = next((row for kind, row in self._headings.rows.items() if kind.name == plan.records.line), 1)
        decisions = (say("records_lines", self._place.language, line=plan.records.line),)
        framing = Framing(self._headings, self._place)
        lines = 0
        for piece in pieces(self._stream, self._headings, self._place):
            self._refuse_late_types(piece, plan)
            blocks = piece.blocks(self._headings)
            framing.watch(piece, blocks)
            cells, misshapen = table_of(piece, blocks, plan, self._headings, self._place)
            lines += len(cells)
            if len(cells):
                yield RawTable(self._identity, None, header_row, headers, cells, None, decisions, misshapen)
        framing.finish()
        if not lines:
            raise refusal(IssueCode.FILE_NO_ROWS, self._place, "records_none", record=plan.records.line)

    def _head(self, first: Piece) -> tuple[str, int, int]:
        """Return profile, part and number of parts."""
        rows = first.rows_of(lambda kind: kind.letters == "HEAD")[:1]
        if not len(rows) or rows[0] != first.rows_of(lambda _: True)[0]:
            raise refusal(IssueCode.FILE_CORRUPT, self._place, "records_damaged", row=1)
        cells = (_PROFILE_CELL, _FILE_NUMBER_CELL, _NUMBER_OF_FILES_CELL)
        profile, number, count = (first.grid.cells(rows, cell)[0].as_py().strip() for cell in cells)
        part, parts = (int(text) if re.fullmatch("[0-9]{1,3}", text) else 1 for text in (number, count))
        if parts > 1 and part_of(self._identity.name) != (part, parts):
            raise refusal(IssueCode.FILE_CORRUPT, self._place, "records_renamed", part=part, parts=parts)
        return profile if _PROFILE.fullmatch(profile) else "?", part, parts

    def _headings_of(self, first: Piece) -> Headings:
        named: dict[RecordType, tuple[int, list[str]]] = {}
        for row, kind, names in first.names():
            named.setdefault(kind, (row, names))
        widths = []
        for kind in first.types:
            rows = first.rows_of(kind.__eq__)
            widths.append((kind, int(first.grid.widths[rows].max())))
        return headings(self._profile, named, widths)

    def _refuse_late_types(self, piece: Piece, plan: ReadingPlan) -> None:
        """Refuse a record that is to be read and of which the file's beginning knew nothing."""
        read = (plan.records.line, *(lent.record for lent in plan.records.lend))
        for kind in piece.types:
            wanted = any(kind.answers_to(record) for record in read)
            if wanted and self._headings.cells_of(kind) is None:
                row = piece.first_row + int(np.min(piece.rows_of(kind.__eq__)))
                raise refusal(IssueCode.FILE_CORRUPT, self._place, "records_late", row=row, record=kind.name)
