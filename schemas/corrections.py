"""Corrections: which sheet of which file each sheet of a corrections workbook stands for, and missing shares."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

import numpy as np
import pandas as pd

from schemas.raw_table import RawTable
from schemas.sheet_cells import OVER_THE_SHEET, Oddities

_PREFIX: Final = "repasse:"


@dataclass(frozen=True, slots=True)
class Origin:
    """The table that a sheet of corrections stands for.

    Attributes:
        sheet: Its sheet; None for text.
        added: Header of the column beside them that tells people of each row's problems; "" for none.
    """

    file: str
    sheet: str | None
    layout: str
    whole: bool = True
    width: int = 0
    added: str = ""


def to_properties(origins: Mapping[str, Origin]) -> dict[str, str]:
    """Write down what sheets stand for: sheet of the corrections workbook -> origin, as custom properties."""
    return {
        f"{_PREFIX}{title}": json.dumps(
            [origin.file, origin.sheet, origin.layout, origin.whole, origin.width, origin.added], ensure_ascii=False
        )
        for title, origin in origins.items()
    }


def from_properties(properties: Mapping[str, str]) -> dict[str, Origin]:
    """Read what sheets stand for; none, for a workbook that Repasse did not write."""
    found = {}
    for name, text in properties.items():
        title = name.removeprefix(_PREFIX)
        if title == name:
            continue
        try:
            file, sheet, layout, whole, *added = json.loads(text)
        except ValueError:
            continue
        width, header = added if len(added) == len(("width", "header")) else (0, "")
        found[title] = Origin(str(file), sheet, str(layout), whole is True, width, header)
    return found


def without_added(table: RawTable, origin: Origin) -> RawTable:
    """Take what Repasse added for people out of a corrections sheet: a column, and the rows that a filter of it hides.

    A person's own column of the same name stands left of it, and stays; columns that people put right of it do, too.
    """
    shown = replace(table, oddities=replace(table.oddities, hidden_rows=()))
    places = [
        at for at in range(origin.width, len(table.headers)) if origin.added and table.headers[at] == origin.added
    ]
    if not places:
        return shown
    kept = [at for at in range(len(table.headers)) if at != places[0]]
    return replace(
        shown,
        headers=tuple(table.headers[at] for at in kept),
        cells=table.cells[kept].set_axis(range(len(kept)), axis=1),
        kinds=None if table.kinds is None else table.kinds[:, kept],
    )


@dataclass(frozen=True, slots=True)
class CellMark:
    """What is put on a cell of a person's own workbook.

    Attributes:
        row: Physical row.
        position: From 0, column A.
        value: What stands in the place of what was there; None leaves it.
    """

    row: int
    position: int
    colour: str
    note: str
    value: str | None
    is_text: bool


@dataclass(frozen=True, slots=True)
class SheetMarks:
    """What is put on a sheet of a person's own workbook.

    Attributes:
        header_row: Physical row of its header.
        headers: Position -> header of each column that is added at the end.
        problems: Physical row -> what is wrong with it.
    """

    title: str
    header_row: int
    cells: tuple[CellMark, ...]
    headers: tuple[tuple[int, str], ...]
    added_position: int
    problems: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class ProblemList:
    """The sheet behind the others that lists all problems.

    Attributes:
        rows: Texts of each row, and last where it leads, such as #'Sheet'!A1; "" for nowhere.
    """

    title: str
    note: str
    headers: tuple[tuple[str, int], ...]
    cell_position: int
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class WorkbookMarks:
    """What is put into a person's own workbook: marks on sheets, the list, and what the sheets stand for."""

    sheets: tuple[SheetMarks, ...]
    listed: ProblemList
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CorrectedRow:
    """A row that people have put right in a corrections workbook: what stands for it wherever it is read again.

    Attributes:
        sheet: Its sheet; "" for text.
        row: Its physical row.
        run_id: That run; "" while it reads.
    """

    file: str
    sheet: str
    row: int
    original_sha256: str
    cells: tuple[str, ...] = field(repr=False)
    kinds: tuple[int, ...]
    corrections_file: str
    read_as: tuple[str, str, int]
    run_id: str = ""

    @property
    def place(self) -> tuple[str, str, int]:
        return self.file, self.sheet, self.row


def row_sha256(headers: Sequence[str], cells: Sequence[str]) -> str:
    """Name what a row says under its headers.

    >>> row_sha256(["a"], ["1"]) == row_sha256(["a"], ["1"]), row_sha256(["a"], ["1"]) == row_sha256(["b"], ["1"])
    (True, False)
    """
    return hashlib.sha256(json.dumps([list(headers), list(cells)], ensure_ascii=False).encode()).hexdigest()


def put_right(table: RawTable, corrected: RawTable) -> list[CorrectedRow]:
    """Name the rows of a table that a corrections sheet has otherwise.

    A row of which more than half was changed may be another one that was moved there; it is left out.
    """
    width = len(table.headers)
    if corrected.headers[:width] != table.headers:
        return []
    rows = corrected.cells.index.intersection(table.cells.index)
    was, by_now = table.cells.loc[rows].to_numpy(), corrected.cells.loc[rows, range(width)].to_numpy()
    changed, filled = was != by_now, (was != "") | (by_now != "")
    is_same_row = 2 * changed.sum(axis=1) <= filled.sum(axis=1)
    differs = changed.any(axis=1) & is_same_row & (by_now != "").any(axis=1)
    kinds = np.column_stack([corrected.kinds_of(position) for position in range(len(table.headers))])
    kinds = kinds[corrected.cells.index.get_indexer(rows)]
    found = []
    for row, before, after, kind in zip(
        rows[differs].tolist(), was[differs].tolist(), by_now[differs].tolist(), kinds[differs].tolist(), strict=True
    ):
        found.append(
            CorrectedRow(
                file=table.file.name,
                sheet=table.sheet or "",
                row=row,
                original_sha256=row_sha256(table.headers, before),
                cells=tuple(after),
                kinds=tuple(kind),
                corrections_file=corrected.file.name,
                read_as=(table.file.name, table.sheet or "", row),
            )
        )
    return found


def with_known(
    table: RawTable, known: Mapping[tuple[str, str, int], CorrectedRow]
) -> tuple[RawTable, list[CorrectedRow]]:
    """Put rows that people have corrected before in the place of those that still are as they were then.

    Args:
        known: File, sheet and row -> the row put right.

    Returns:
        The table, and which rows were put right in it.
    """
    name, sheet = table.file.name, table.sheet or ""
    own = [row for place, row in known.items() if place[:2] == (name, sheet) and row.row in table.cells.index]
    now = table.cells.loc[[row.row for row in own]].to_numpy().tolist()
    same = [row for row, cells in zip(own, now, strict=True) if row_sha256(table.headers, cells) == row.original_sha256]
    if not same:
        return table, []
    rows = pd.Index([row.row for row in same])
    cells = pd.DataFrame([row.cells for row in same], index=rows, columns=table.cells.columns, dtype="str")
    kinds = np.array([row.kinds for row in same], dtype=np.int8)
    return correct_rows(table, replace(table, cells=cells, kinds=kinds)), same


def correct_rows(table: RawTable, corrected: RawTable) -> RawTable:
    """Put corrected rows in the place of those they correct.

    Args:
        corrected: Some of them, at the same physical rows and under the same headers; blank rows between them.

    Raises:
        ValueError: the headers differ, or a corrected row is none of the table's.
    """
    if corrected.headers != table.headers:
        raise ValueError("headers")
    filled = (corrected.cells != "").any(axis=1)
    rows = corrected.cells.index[filled]
    if not rows.isin(table.cells.index).all():
        raise ValueError("rows")
    cells = table.cells.copy()
    cells.loc[rows] = corrected.cells.loc[rows]
    positions = range(len(table.headers))
    kinds = np.column_stack([table.kinds_of(position) for position in positions])
    corrected_kinds = np.column_stack([corrected.kinds_of(position) for position in positions])
    kinds[table.cells.index.get_indexer(rows)] = corrected_kinds[filled.to_numpy()]
    put_right = set(rows)
    misshapen = tuple(row for row in table.misshapen_rows if row not in put_right)
    kept, now = _without(table.oddities, put_right), corrected.oddities
    oddities = replace(
        kept,
        zeros=kept.zeros | {place for place in now.zeros if place[0] in put_right},
        shown_otherwise=kept.shown_otherwise | {cell for cell in now.shown_otherwise if cell[0] in put_right},
        struck=kept.struck | {cell for cell in now.struck if cell[0] in put_right},
        comments=(*kept.comments, *(comment for comment in now.comments if comment[0] in put_right)),
        looks=(*kept.looks, *(look for look in now.looks if look[0] in put_right and look[2] not in OVER_THE_SHEET)),
    )
    return replace(table, cells=cells, kinds=kinds, misshapen_rows=misshapen, oddities=oddities)


def _without(oddities: Oddities, rows: set[int]) -> Oddities:
    def others(cells: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        return frozenset(cell for cell in cells if cell[0] not in rows)

    return replace(
        oddities,
        hidden_rows=tuple(row for row in oddities.hidden_rows if row not in rows),
        merged=others(oddities.merged),
        external=others(oddities.external),
        formulas=others(oddities.formulas),
        zeros=frozenset(place for place in oddities.zeros if place[0] not in rows),
        shown_otherwise=others(oddities.shown_otherwise),
        struck=others(oddities.struck),
        comments=tuple(comment for comment in oddities.comments if comment[0] not in rows),
        looks=tuple(look for look in oddities.looks if look[0] not in rows or look[2] in OVER_THE_SHEET),
    )


@dataclass(frozen=True, slots=True)
class MissingShare:
    """One row that the table of shares lacks.

    Attributes:
        isrc, upc, release, artist: As the statement has them. The first of them that is not "" is what a share in this
            row would hold for; more specific names are left out where such a share would take lines from others.
        periods: Of the lines, in order; "" is the job's own.
        amount: Their sum in the job's currency, exact; None where a rate is missing.
    """

    isrc: str
    upc: str
    release: str
    artist: str
    title: str
    periods: tuple[str, ...]
    lines: int
    amount: Decimal | None


@dataclass(frozen=True, slots=True)
class MissingShares:
    """All that no share covers, the largest sums first."""

    currency: str
    named: tuple[MissingShare, ...]
    nameless: tuple[MissingShare, ...]

    def __bool__(self) -> bool:
        return bool(self.named or self.nameless)
