"""Comparing two versions of a table that people keep: rows added, gone and changed."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import pandas as pd

from schemas.tables.model import records

# What tells the rows of a table apart; two rows that are alike in it are told apart by their order.
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "payees": ("tax_id",),
    "shares": ("isrc", "upc", "release", "artist", "tax_id", "role", "base", "valid_from"),
    "advances": ("tax_id", "reference", "isrc"),
    "opening": ("tax_id", "kind", "period", "reference"),
    "rates": ("currency", "date"),
    "taxes": ("tax_id", "kind"),
    "invoices": ("tax_id", "number"),
}
_PLACE: Final = frozenset({"file", "sheet", "row"})


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row that is not as it was.

    Attributes:
        tax_id: Of the payee; "" in a table without payees.
        name: Of the payee, where the table has it.
        key: What tells the row apart, by column; empty cells are left out, and so is the payee.
        cells: Column -> before and now, of a row that changed; nothing, of one that is new or gone.
    """

    tax_id: str = field(repr=False)
    name: str = field(repr=False)
    key: Mapping[str, str]
    cells: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class TableChanges:
    """What differs between two versions of a table.

    Attributes:
        added: Rows that were not there.
        removed: Rows that are there no more.
        same: How many rows are as they were.
    """

    added: tuple[RowChange, ...]
    removed: tuple[RowChange, ...]
    changed: tuple[RowChange, ...]
    same: int

    @property
    def any(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.removed or self.changed)


def compare_tables(table: str, before: pd.DataFrame, now: pd.DataFrame) -> TableChanges:
    """Compare two versions of a table, whatever the order of their rows.

    Args:
        table: Name of the table, a key of `KEYS`.
        now: Its sound rows as they would be.
    """
    old, new = dict(_keyed(table, before)), dict(_keyed(table, now))
    changed, same = [], 0
    for key, row in new.items():
        if key not in old:
            continue
        cells = {
            column: (str(old[key].get(column, "")), str(value))
            for column, value in row.items()
            if column not in _PLACE and str(old[key].get(column, "")) != str(value)
        }
        same += not cells
        if cells:
            changed.append(_change(table, row, cells))
    return TableChanges(
        added=tuple(_change(table, row) for key, row in new.items() if key not in old),
        removed=tuple(_change(table, row) for key, row in old.items() if key not in new),
        changed=tuple(changed),
        same=same,
    )


def _keyed(table: str, frame: pd.DataFrame) -> Iterator[tuple[Hashable, dict[str, object]]]:
    """Yield each row under its key, and under its number where several have one key."""
    seen = Counter[Hashable]()
    for row in records(frame):
        key = tuple(str(row[column]) for column in KEYS[table])
        seen[key] += 1
        yield (*key, seen[key]), row


def _change(table: str, row: Mapping[str, object], cells: Mapping[str, tuple[str, str]] | None = None) -> RowChange:
    key = {column: str(row[column]) for column in KEYS[table] if column != "tax_id" and row[column]}
    return RowChange(str(row.get("tax_id", "")), str(row.get("name", "")), key, cells or {})


def name_payees(changes: TableChanges, names: Mapping[str, str]) -> TableChanges:
    """Give rows of a table without names those of their payees.

    Args:
        names: Tax id -> name.
    """
    known = defaultdict[str, str](str, names)

    def named(rows: tuple[RowChange, ...]) -> tuple[RowChange, ...]:
        return tuple(RowChange(row.tax_id, row.name or known[row.tax_id], row.key, row.cells) for row in rows)

    return TableChanges(named(changes.added), named(changes.removed), named(changes.changed), changes.same)
