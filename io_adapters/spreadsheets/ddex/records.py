"""DDEX sales reports as records: header and footer, typed lines, and pieces that cut no block in two."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.spreadsheets.limits import FilePlace, refusal
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.layouts.layout import fold
from schemas.messages import Message

# As DSR Part 1 has it: three backslashes are one, two and a pipe are a pipe, one and a tab are a tab. One and a pipe
# were a pipe in files of earlier years.
_ESCAPE: Final = re.compile(r"\\{3}|\\{1,2}\||\\\t")


def plain(texts: pa.Array) -> pa.Array:
    """Write cells without escapes; those of several values, between bare pipes, stay as they are."""
    marked = pc.match_substring(texts, "\\")
    if not pc.any(marked).as_py():
        return texts
    freed = [_plain(text) for text in texts.filter(marked).to_pylist()]
    return pc.replace_with_mask(texts, marked, pa.array(freed, pa.large_string()))


def _plain(text: str) -> str:
    if "|" in _ESCAPE.sub("", text):
        return text
    return _ESCAPE.sub(lambda found: found[0][-1], text)


_TYPE: Final = re.compile(r"([A-Z]{2,4})([0-9]{2})?(?:\.?([0-9]{2}))?")
# Letters of the records that stand in blocks and have the block's id in their second cell.
_IN_BLOCKS: Final = frozenset({"RE", "AS", "LC", "MW", "CU", "RC", "SU", "RU", "LI", "ST", "ML"})
_OUTSIDE: Final = frozenset({"HEAD", "SY", "SR", "DE", "FOOT", "SRFO"})
FOOTERS: Final = frozenset({"FOOT", "SRFO"})


class RecordType(NamedTuple):
    """A record's type."""

    letters: str
    name: str
    version: str

    @property
    def is_known(self) -> bool:
        return self.letters in _IN_BLOCKS or self.letters in _OUTSIDE

    @property
    def is_in_a_block(self) -> bool:
        return self.letters in _IN_BLOCKS

    def answers_to(self, record: str) -> bool:
        return record in (self.letters, self.name)


def record_type(text: str) -> RecordType | None:
    """Read the first cell of a record; None when no record has such a type.

    >>> record_type("SU02.03")
    RecordType(letters='SU', name='SU02', version='03')
    >>> record_type("Total") is None
    True
    """
    found = _TYPE.fullmatch(text.strip().upper())
    return RecordType(found[1], found[1] + (found[2] or ""), found[3] or "") if found else None


Positions = npt.NDArray[np.int64]

_TAB: Final = 0x09
_LINE_FEED: Final = 0x0A
_CARRIAGE_RETURN: Final = 0x0D
_BACKSLASH: Final = 0x5C


class RecordCells:
    """The cells of some whole lines of text. Rows and cells count from 0.

    A tab is part of a cell when it is escaped by a backslash, which is not itself escaped (by two more); there are no
    quotes (DSR Part 1, "Communicating delimiters").
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        marks = np.frombuffer(data, np.uint8)
        bounds = np.flatnonzero((marks == _TAB) | (marks == _LINE_FEED)).astype(np.int64)
        escaped = _escaped(marks, bounds) if b"\\\t" in data else np.zeros(len(bounds), bool)
        line_ends = bounds[marks[bounds] == _LINE_FEED]
        self.escaped_rows = np.unique(np.searchsorted(line_ends, bounds[escaped]))
        bounds = bounds[~escaped]
        ends_line = marks[bounds] == _LINE_FEED
        last = np.flatnonzero(ends_line)
        self._bounds, self._last = bounds, last
        self._first = np.concatenate([[0], last[:-1] + 1]).astype(np.int64)
        self.widths: Positions = last - self._first + 1
        starts = np.concatenate([[0], bounds[:-1] + 1]).astype(np.int64)
        returned = ends_line & (bounds > starts) & (marks[np.maximum(bounds - 1, 0)] == _CARRIAGE_RETURN)
        self._starts, self._ends = starts, bounds - returned

    def __len__(self) -> int:
        return len(self.widths)

    @cached_property
    def _texts(self) -> pa.Array:
        """Every cell and, between two cells, what delimits them; over the same bytes, nothing is copied."""
        offsets = np.empty(2 * len(self._bounds) + 1, np.int64)
        offsets[0:-1:2], offsets[1::2], offsets[-1] = self._starts, self._ends, len(self.data)
        return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(self.data))

    def cells(self, rows: Positions, positions: Positions | int) -> pa.Array:
        absent = (rows < 0) | (np.asarray(positions) < 0) | (positions >= self.widths[rows])
        where = np.where(absent, 0, 2 * (self._first[rows] + positions))
        if not absent.any():
            return self._texts.take(pa.array(where))
        return pc.fill_null(self._texts.take(pa.array(where, mask=absent)), "")

    def row_start(self, row: int) -> int:
        return int(self._starts[self._first[row]])

    def filled_beyond(self, rows: Positions, widths: Positions) -> npt.NDArray[np.bool_]:
        extra = self.widths[rows] - widths
        within = np.where(extra > 0, self._first[rows] + widths - 1, self._last[rows])
        filled = self._ends[self._last[rows]] - self._ends[within] > extra
        return np.asarray((extra > 0) & filled)


def _escaped(marks: npt.NDArray[np.uint8], bounds: Positions) -> npt.NDArray[np.bool_]:
    """Tell which bounds are tabs that belong to their cell: one backslash more than whole escaped ones, of three."""
    others = np.where(marks != _BACKSLASH, np.arange(len(marks)), -1)
    before = np.maximum(bounds - 1, 0)
    run = before - np.maximum.accumulate(others)[before]
    return np.asarray((marks[bounds] == _TAB) & (bounds > 0) & (run % 3 == 1))


# What ends the profile's name where its records are each a block of their own.
_SINGLE_RECORD: Final = "SRB"


@dataclass(frozen=True, slots=True)
class Headings:
    """Which column is which cell."""

    texts: tuple[str, ...]
    cells: Mapping[RecordType, tuple[int, ...]]
    rows: Mapping[RecordType, int]
    in_blocks: frozenset[RecordType]

    def cells_of(self, kind: RecordType) -> tuple[int, ...] | None:
        """Return the header positions of a record's cells; those of another version when its own is not known."""
        if kind in self.cells:
            return self.cells[kind]
        return next((cells for known, cells in self.cells.items() if known.name == kind.name), None)

    def is_in_a_block(self, kind: RecordType) -> bool:
        return kind in self.in_blocks if kind in self.cells else kind.is_in_a_block


def headings(
    profile: str, named: Mapping[RecordType, tuple[int, Sequence[str]]], seen: Iterable[tuple[RecordType, int]]
) -> Headings:
    """Lay all records' columns out in one row."""
    texts = [profile.removesuffix(_SINGLE_RECORD)]
    taken: dict[tuple[str, str, int], int] = {}
    cells: dict[RecordType, tuple[int, ...]] = {}

    def position(letters: str, name: str, occurrence: int) -> int:
        key = letters, fold(name), occurrence
        if key not in taken:
            taken[key] = len(texts)
            texts.append(f"{letters}.{name}")
        return taken[key]

    names = {kind: list(given) for kind, (_, given) in named.items()}
    named_kinds = {kind.name for kind in names}
    for kind, width in seen:
        if kind not in names and kind.name not in named_kinds:
            names[kind] = [""] * (width - 1)
    for kind, given in names.items():
        columns = [name or str(cell) for cell, name in enumerate(given, start=2)]
        counted = [columns[:n].count(name) for n, name in enumerate(columns)]
        cells[kind] = (0, *(position(kind.letters, *column) for column in zip(columns, counted, strict=True)))
    blocks = {kind for kind in cells if (fold(names[kind][0]) == "blockid" if any(names[kind]) else kind.is_in_a_block)}
    rows = {kind: row for kind, (row, _) in named.items()}
    return Headings(tuple(texts), MappingProxyType(cells), MappingProxyType(rows), frozenset(blocks))


def names_in(comment: str) -> tuple[RecordType, list[str]] | None:
    """Read a `#` line that names the cells of a record; None for any other comment."""
    kind_text, *names = comment.removeprefix("#").split("\t")
    kind = record_type(kind_text)
    names = [name.strip() for name in names]
    while names and not names[-1]:
        names.pop()
    return (kind, names) if kind is not None and names else None


# The widest record of the standard has 59 cells; a line of tabs alone would cost a hundred times its size.
MOST_CELLS: Final = 1_000


class ReportPiece:
    """Some whole lines of a report."""

    def __init__(self, data: bytes, first_row: int, place: FilePlace) -> None:
        self.grid = RecordCells(data)
        self.first_row = first_row
        self.count = len(self.grid)
        widest = int(self.grid.widths.argmax())
        if self.grid.widths[widest] > MOST_CELLS:
            raise refusal(IssueCode.FILE_CORRUPT, place, "records_damaged", row=first_row + widest)
        self._codes, texts = self._first_cells()
        kinds = [None if _is_nothing(text) else record_type(text) for text in texts]
        self._refuse_damage(texts, kinds, place)
        self.types = tuple(dict.fromkeys(kind for kind in kinds if kind is not None))
        self._kinds = kinds
        self._comments = [code for code, text in enumerate(texts) if text.startswith("#")]

    def rows_of(self, wanted: Callable[[RecordType], bool]) -> Positions:
        codes = [code for code, kind in enumerate(self._kinds) if kind is not None and wanted(kind)]
        return self._rows(codes)

    def by_type(self, rows: Positions, value: Callable[[RecordType], int]) -> Positions:
        """Return what holds of the type of each of some records; -1 where a row is -1."""
        values = [-1 if kind is None else value(kind) for kind in self._kinds]
        return np.where(rows < 0, -1, np.array(values, np.int64)[self._codes[rows]])

    def names(self) -> Iterator[tuple[int, RecordType, list[str]]]:
        """Yield the `#` lines that name cells: physical row, record type, names."""
        for row in self._rows(self._comments).tolist():
            start = self.grid.row_start(row)
            line = self.grid.data[start : self.grid.data.index(b"\n", start)].decode().rstrip("\r")
            if found := names_in(line):
                yield self.first_row + row, *found

    def blocks(self, headings: Headings) -> "Blocks":
        rows = self.rows_of(headings.is_in_a_block)
        return Blocks(rows, self.grid.cells(rows, 1))

    def _rows(self, codes: list[int]) -> Positions:
        found = np.flatnonzero(np.isin(self._codes, codes)).astype(np.int64)
        return found[found < self.count]

    def _first_cells(self) -> tuple[npt.NDArray[np.int32], list[str]]:
        rows = np.arange(len(self.grid), dtype=np.int64)
        coded = self.grid.cells(rows, 0).dictionary_encode()
        return coded.indices.to_numpy(), coded.dictionary.to_pylist()

    def _refuse_damage(self, texts: list[str], kinds: list[RecordType | None], place: FilePlace) -> None:
        """Refuse a line that is neither a record, nor a comment, nor blank: most likely the rest of a broken one."""
        strange = [
            code
            for code, (text, kind) in enumerate(zip(texts, kinds, strict=True))
            if kind is None and not _is_nothing(text)
        ]
        nameless = self._rows([code for code, text in enumerate(texts) if not text.strip()])
        broken = nameless[self.grid.filled_beyond(nameless, np.ones(len(nameless), np.int64))]
        if damaged := [*self._rows(strange).tolist(), *broken.tolist()]:
            raise refusal(IssueCode.FILE_CORRUPT, place, "records_damaged", row=self.first_row + min(damaged))


class Blocks:
    """Which block each record is in; blocks are counted from 0 in their order."""

    def __init__(self, rows: Positions, ids: pa.Array) -> None:
        self.rows = rows
        coded = ids.dictionary_encode()
        codes = coded.indices.to_numpy()
        self._starts = np.flatnonzero(np.diff(codes, prepend=-1))
        self.numbers: Positions = np.searchsorted(self._starts, np.arange(len(rows)), side="right") - 1
        blank = [code for code, text in enumerate(coded.dictionary.to_pylist()) if not text.strip()]
        self.nameless = rows[np.isin(codes, blank)]

    def __len__(self) -> int:
        return len(self._starts)

    @cached_property
    def last_start(self) -> int:
        return int(self.rows[self._starts[-1]])

    def of(self, rows: Positions) -> Positions:
        """Return the number of the block of each of some rows; -1 for a row in none."""
        spots = np.minimum(np.searchsorted(self.rows, rows), max(len(self.rows) - 1, 0))
        if not len(self.rows):
            return np.full(len(rows), -1, np.int64)
        return np.where(self.rows[spots] == rows, self.numbers[spots], -1)


def _is_nothing(text: str) -> bool:
    return not text.strip() or text.startswith("#")


# What each footer counts, and in which of its cells (DSR Part 8, 5.1.2 and 5.1.3). Lines are all lines of the file up
# to the footer, comments and blank ones included.
_COUNTS: Final = {
    "FOOT": {"lines": 1, "summaries": 3, "blocks": 4},
    "SRFO": {"lines": 1, "summaries": 2},
}


class Framing:
    def __init__(self, headings: Headings, place: FilePlace) -> None:
        self._headings = headings
        self._place = place
        self._heads = 0
        self._footer_row: int | None = None
        self._found = {"lines": 0, "summaries": 0, "blocks": 0}

    def watch(self, piece: ReportPiece, blocks: Blocks) -> None:
        """Take note of a piece.

        Raises:
            UnreadableFile: a second header, a record behind the footer, a count that is not what was found.
        """
        heads = piece.rows_of(lambda kind: kind.letters == "HEAD")
        if self._heads + len(heads) > 1:
            raise self._refusal("records_head", row=piece.first_row + int(heads[-1]))
        self._heads += len(heads)
        if len(blocks.nameless):
            raise self._refusal("records_outside", row=piece.first_row + int(blocks.nameless[0]))
        self._found["summaries"] += len(piece.rows_of(lambda kind: kind.letters == "SY"))
        self._found["blocks"] += len(blocks)
        records = piece.rows_of(lambda _: True)
        footers = piece.rows_of(lambda kind: kind.letters in FOOTERS)
        if self._footer_row is not None and len(records):
            raise self._refusal("records_after", row=piece.first_row + int(records[0]))
        if len(footers):
            footer = int(footers[0])
            if records[-1] > footer:
                raise self._refusal("records_after", row=piece.first_row + int(records[records > footer][0]))
            self._footer_row = self._found["lines"] = piece.first_row + footer
            self._compare(piece, footer)

    def finish(self) -> None:
        """Say that the file ends.

        Raises:
            UnreadableFile: no footer was seen.
        """
        if self._footer_row is None:
            raise self._refusal("records_no_footer")

    def _compare(self, piece: ReportPiece, footer: int) -> None:
        (kind,) = [kind for kind in piece.types if kind.letters in FOOTERS]
        for counted, cell in _COUNTS[kind.letters].items():
            declared = piece.grid.cells(np.array([footer]), cell)[0].as_py().strip()
            is_count = re.fullmatch("[0-9]{1,15}", declared) is not None
            if not is_count or int(declared) != self._found[counted]:
                raise refusal(
                    IssueCode.FILE_CORRUPT,
                    self._place,
                    "records_count",
                    row=self._footer_row,
                    declared=declared if is_count else "?",
                    what=Message(f"file.records_what_{counted}"),
                    found=self._found[counted],
                )

    def _refusal(self, key: str, row: int | None = None) -> UnreadableFile:
        return refusal(IssueCode.FILE_CORRUPT, self._place, key, row=row)
