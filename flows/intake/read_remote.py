"""Reading statement lines in independent parts, here or on a Dask cluster, with the same result."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeVar

from flows.intake.read_lines import LineReading, SummedTable, parts_of, read_rows
from io_adapters.spreadsheets.reading import SpreadsheetFile, open_file, range_blocks
from io_adapters.spreadsheets.text.opened_text import CutText, TextTable
from io_adapters.spreadsheets.text.ranges import ByteRange
from schemas.errors import BrokenInvariant
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit
from schemas.parsing.dates import NO_EVIDENCE, Evidence
from schemas.raw_table import RawTable
from schemas.sheet_cells import View

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class Engine(Protocol):
    """Where parts are read: a cluster, or a process that reads one after the other."""

    def merged(
        self, work: Callable[[_Item], _Made], items: Sequence[_Item], join: Callable[[_Made, _Made], _Made]
    ) -> _Made:
        """Do something with each of some items, and join what that makes, in the items' order."""


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that may hold statement lines.

    Attributes:
        path: Local path or fsspec URL, which means the same wherever parts are read.
        range_bytes: How large the ranges are that large texts are cut into; None where they are not cut.
    """

    path: str
    layouts: tuple[Layout, ...]
    range_bytes: int | None


@dataclass(frozen=True, slots=True)
class FoundLines:
    """What a file of statement lines holds.

    Attributes:
        name: Base name.
        views: Its sheets; nothing for text.
        tables: Sheet (None for text) of each of its tables, and its lines or how they are cut.
    """

    name: str
    layout: Layout
    views: tuple[View, ...]
    tables: tuple[tuple[str | None, LineReading | CutText], ...]


@dataclass(frozen=True, slots=True)
class ReadApart:
    """A file of statement lines that was read to its end; as `FoundLines`."""

    name: str
    layout: Layout
    views: tuple[View, ...]
    tables: tuple[tuple[str | None, SummedTable], ...]


def read_remote(engine: Engine, file: GivenFile) -> ReadApart | None:
    """Read a file of statement lines; None where it turns out to hold something else.

    Raises:
        UnreadableFile: as `find_lines` and `read_range`.
    """
    found = engine.merged(find_lines, [file], _only)
    if found is None:
        return None
    layout = found.layout
    tables = ((sheet, _read_cut(engine, file.path, layout, lines).close()) for sheet, lines in found.tables)
    return ReadApart(found.name, layout, found.views, tuple(tables))


def _only(found: FoundLines | None, _: FoundLines | None) -> FoundLines | None:
    return found


def find_lines(file: GivenFile) -> FoundLines | None:
    """Open a file, and read what is not worth cutting; depends on nothing else, so that any process can do it.

    Raises:
        UnreadableFile: it cannot be read, or lacks a column.
    """
    with open_file(file.path) as opened:
        layout = opened.recognise(file.layouts) if len(file.layouts) > 1 else file.layouts[0]
        if layout.table != "royalty_lines":
            return None
        if is_asked_for(layout, opened.fits(layout)):
            return None
        views = tuple(view for view in opened.views if view.sheet is not None)
        tables = ((fit.view.sheet, _lines(opened, fit, layout, file.range_bytes)) for fit in opened.fits(layout))
        return FoundLines(opened.name, layout, views, tuple(tables))


def is_asked_for(layout: Layout, fits: Sequence[Fit]) -> bool:
    """Tell whether a text holds lines that a layout reads only where a job asks for them."""
    asked = layout.asked_for
    return asked is not None and any(fit.view.sheet is None and asked.has(fit.header.texts) for fit in fits)


def _lines(opened: SpreadsheetFile, fit: Fit, layout: Layout, range_bytes: int | None) -> LineReading | CutText:
    # What stands below a block of totals is no line, which only who has read all above it can know.
    cut = opened.cut(fit, range_bytes) if range_bytes and not layout.control else None
    return cut or read_rows(lambda: parts_of(opened.blocks(fit)), layout)


@dataclass(frozen=True, slots=True)
class GivenRange:
    """Rows of a text that follow each other.

    Attributes:
        path: As of `GivenFile`.
        table: What is known of all its rows.
        where: Where these rows are.
        evidence: What decides how columns are read.
    """

    path: str
    layout: Layout
    table: TextTable
    where: ByteRange
    evidence: Evidence = NO_EVIDENCE


# Each time it is read once more, something else is proved of one of its columns; there is little to prove.
_MOST_ROUNDS: Final = 50


def _read_cut(engine: Engine, path: str, layout: Layout, lines: LineReading | CutText) -> LineReading:
    """Read a table that is cut: its first range for what it proves, then all with that, again if others prove more."""
    if isinstance(lines, LineReading):
        return lines
    ranges = [GivenRange(path, layout, lines.table, where) for where in lines.ranges]
    evidence = engine.merged(read_range, ranges[:1], LineReading.join).evidence
    for _ in range(_MOST_ROUNDS):
        reading = engine.merged(read_range, [replace(part, evidence=evidence) for part in ranges], LineReading.join)
        if not reading.known_too_late:
            return reading
        evidence = reading.evidence
    raise BrokenInvariant("ranges of a file go on proving something of its columns")


def read_range(part: GivenRange) -> LineReading:
    """Read a range; depends on nothing else, so that any process can do it.

    Raises:
        UnreadableFile: the file is not there any more, or another; or rows of it cannot be read.
    """

    def blocks() -> Iterator[RawTable]:
        return parts_of(range_blocks(part.path, part.table, part.where))

    return read_rows(blocks, part.layout, part.evidence)
