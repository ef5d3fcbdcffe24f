"""The header of a report: the columns of all its records in one row, whatever layout it will be read with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from io_adapters.spreadsheets.records.record_types import RecordType, record_type
from schemas.layouts.headers import fold

# What ends the profile's name where its records are each a block of their own.
_SINGLE_RECORD: Final = "SRB"


@dataclass(frozen=True, slots=True)
class Headings:
    """Which column is which cell.

    Attributes:
        texts: The header: the profile's name above the records' types, then "AS.ISRC" for each cell with a name and
            "AS.5" for the fifth cell of a record of which nothing names the cells. Records with the same letters share
            the columns that both have.
        cells: Record type -> position of its cell (from 0) -> position in the header.
        rows: Record type -> physical row of the line that names its cells.
        in_blocks: Record types whose second cell is the id of their block.
    """

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
        """Tell whether a record's second cell is the id of its block."""
        return kind in self.in_blocks if kind in self.cells else kind.is_in_a_block


def headings(
    profile: str, named: Mapping[RecordType, tuple[int, Sequence[str]]], seen: Iterable[tuple[RecordType, int]]
) -> Headings:
    """Lay all records' columns out in one row.

    Args:
        profile: As HEAD names it.
        named: Record type -> physical row and cell names, after the type, of the `#` line that gives them.
        seen: Types that occur, in order, with the most cells of one record.
    """
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
    there = {kind.name for kind in names}
    for kind, width in seen:
        if kind not in names and kind.name not in there:
            names[kind] = [""] * (width - 1)
    for kind, given in names.items():
        told = [name or str(cell) for cell, name in enumerate(given, start=2)]
        counted = [told[:n].count(name) for n, name in enumerate(told)]
        cells[kind] = (0, *(position(kind.letters, *one) for one in zip(told, counted, strict=True)))
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
