"""What each sheet of a corrections workbook stands for, written into the workbook itself.

Whoever corrects it may rename the file: the custom document properties say which tables it corrects, and survive being
saved by Excel and LibreOffice.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from schemas.raw_table import RawTable
from schemas.sheet_cells import Oddities

_PREFIX: Final = "repasse:"


@dataclass(frozen=True, slots=True)
class Origin:
    """The table that a sheet of corrections stands for.

    Attributes:
        file: Base name of the file it was read from.
        sheet: Its sheet; None for text.
        layout: Name of the layout it was read with.
        whole: Whether all its rows were copied; of a large table only those with problems are.
    """

    file: str
    sheet: str | None
    layout: str
    whole: bool = True


def to_properties(origins: Mapping[str, Origin]) -> dict[str, str]:
    """Write down what sheets stand for: sheet of the corrections workbook -> origin, as custom properties."""
    return {
        f"{_PREFIX}{title}": json.dumps([one.file, one.sheet, one.layout, one.whole], ensure_ascii=False)
        for title, one in origins.items()
    }


def from_properties(properties: Mapping[str, str]) -> dict[str, Origin]:
    """Read what sheets stand for; none, for a workbook that Repasse did not write."""
    found = {}
    for name, text in properties.items():
        title = name.removeprefix(_PREFIX)
        if title == name:
            continue
        try:
            file, sheet, layout, whole = json.loads(text)
        except ValueError:
            continue
        found[title] = Origin(str(file), sheet, str(layout), whole is True)
    return found


def correct_rows(table: RawTable, corrected: RawTable) -> RawTable:
    """Put corrected rows in the place of those they correct.

    Args:
        table: All rows, as they were.
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
    oddities = _without(table.oddities, put_right)
    return replace(table, cells=cells, kinds=kinds, misshapen_rows=misshapen, oddities=oddities)


def _without(oddities: Oddities, rows: set[int]) -> Oddities:
    """Forget what was odd about rows that are copies now: nothing in them is merged, hidden or computed any more."""

    def others(cells: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        return frozenset(cell for cell in cells if cell[0] not in rows)

    return replace(
        oddities,
        hidden_rows=tuple(row for row in oddities.hidden_rows if row not in rows),
        merged=others(oddities.merged),
        external=others(oddities.external),
        formulas=others(oddities.formulas),
    )
