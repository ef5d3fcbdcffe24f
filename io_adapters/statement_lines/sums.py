"""Statement lines added up by platform and by territory, block by block: the same sums in any cut and any order."""

import ctypes
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from io_adapters.statement_lines.columns import Coded, coded
from schemas.queries import Tables, forget_database, opened_database
from schemas.tables.model import DataFrame
from schemas.tables.royalties import (
    LINE_AMOUNT,
    PLATFORM_KEY,
    TERRITORY_KEY,
    TEXTS,
    TOGETHER,
    TOLD_APART,
    LineTotals,
    PlatformTotals,
    TerritoryTotals,
    together,
    totals_frame,
)

# Adding two tables up takes about as long as one of both sizes, so small ones wait until they are worth it.
_WORTH_MERGING: Final = 400_000


@dataclass(frozen=True, slots=True)
class SoundLines:
    """Sound statement lines as columns."""

    texts: Mapping[str, Coded]
    units: npt.NDArray[np.int64]
    amount: pa.Array
    row: npt.NDArray[np.int64]

    def table(self) -> pa.Table:
        """Return them as a table; a text is its number."""
        columns = {name: pa.array(column.codes) for name, column in self.texts.items()}
        return pa.table(columns | {"units": self.units, "amount": self.amount, "row": self.row})


def lines_of(frame: pd.DataFrame) -> SoundLines:
    amounts = pa.array(frame["amount"].array)
    return SoundLines(
        {name: coded(frame[name].array.__arrow_array__()) for name in TEXTS},
        frame["units"].to_numpy(np.int64),
        amounts.combine_chunks() if isinstance(amounts, pa.ChunkedArray) else amounts.cast(LINE_AMOUNT),
        frame["row"].to_numpy(np.int64),
    )


def _columns_of(key: Sequence[str], conditions: Collection[str]) -> tuple[str, ...]:
    """Return the texts of lines by which a key tells them apart, where share rows ask about `conditions`."""
    alike = together(key, conditions)
    return tuple(name for name in key if name in TEXTS and name not in alike)


@dataclass(frozen=True, slots=True)
class SheetSums:
    """What some lines of one sheet add up to, in two ways; a key may stand in several rows until they are merged."""

    texts: Mapping[str, pa.Array]
    by_platform: pa.Table
    by_territory: pa.Table


_ADDED: Final = "sum(amount) AS amount, CAST(sum(units) AS DECIMAL(38, 0)) AS units"


def sums_of(database: Tables, lines: SoundLines, conditions: Collection[str]) -> SheetSums:
    """Add lines up; by those of `TOLD_APART`, too, about which share rows ask.

    Raises:
        duckdb.OutOfRangeException: a sum has more than 38 digits.
    """
    database.register("lines", lines.table())
    by_platform, by_territory = (", ".join(_columns_of(key, conditions)) for key in (PLATFORM_KEY, TERRITORY_KEY))
    count, rows = "count(*) AS lines", 'min("row") AS first_row, max("row") AS last_row'
    return SheetSums(
        {name: column.texts for name, column in lines.texts.items()},
        database.arrow(f"SELECT {by_platform}, {_ADDED}, {count}, {rows} FROM lines GROUP BY ALL"),
        database.arrow(f"SELECT {by_territory}, {_ADDED}, {count} FROM lines GROUP BY ALL"),
    )


class Summing:
    """Sums that grow block by block, in memory that grows with recordings and platforms, never with lines."""

    def __init__(self, conditions: Collection[str] = ()) -> None:
        self._by_platform = _columns_of(PLATFORM_KEY, conditions)
        self._by_territory = _columns_of(TERRITORY_KEY, conditions)
        self._numbers: dict[str, dict[str, int]] = {name: {} for name in TEXTS}
        self._platforms: list[pa.Table] = []
        self._territories: list[pa.Table] = []

    def add(self, sums: SheetSums) -> None:
        numbers = {name: self._numbered(name, texts) for name, texts in sums.texts.items()}
        self._platforms = _waiting(self._platforms, _renumbered(sums.by_platform, numbers), self._by_platform)
        self._territories = _waiting(self._territories, _renumbered(sums.by_territory, numbers), self._by_territory)

    def total(self, file: str, sheet: str | None) -> LineTotals:
        """Return the sums of all blocks so far, as those of a file's sheet (None for a text), by their keys."""
        texts = {name: pa.array(list(numbers), pa.large_string()) for name, numbers in self._numbers.items()}
        platforms = _ordered(_merged(self._platforms, self._by_platform), texts, self._by_platform)
        territories = _ordered(_merged(self._territories, self._by_territory), texts, self._by_territory)
        place, alike = {"file": file, "sheet": sheet or ""}, dict.fromkeys(TOLD_APART, TOGETHER)
        return LineTotals(
            DataFrame[PlatformTotals](totals_frame(_of(platforms, **place, **alike), PlatformTotals)),
            DataFrame[TerritoryTotals](totals_frame(_of(territories, file=file, **alike), TerritoryTotals)),
        )

    def _numbered(self, name: str, texts: pa.Array) -> npt.NDArray[np.int32]:
        numbers = self._numbers[name]
        return np.array([numbers.setdefault(text, len(numbers)) for text in texts.to_pylist()], dtype=np.int32)


def _renumbered(table: pa.Table, numbers: Mapping[str, npt.NDArray[np.int32]]) -> pa.Table:
    for at, name in enumerate(table.column_names):
        if name in numbers:
            table = table.set_column(at, name, pa.array(numbers[name][table[name].to_numpy()]))
    return table


def _waiting(tables: list[pa.Table], table: pa.Table, key: tuple[str, ...]) -> list[pa.Table]:
    tables = [*tables, table]
    if sum(map(len, tables[1:])) > max(_WORTH_MERGING, len(tables[0])):
        return [_merged(tables, key)]
    return tables


def _merged(tables: list[pa.Table], key: tuple[str, ...]) -> pa.Table:
    if len(tables) == 1:
        return tables[0]
    rows = ", min(first_row) AS first_row, max(last_row) AS last_row" if "title" in key else ""
    with opened_database() as database:
        database.register("sums", pa.concat_tables(tables))
        lines = "CAST(sum(lines) AS BIGINT) AS lines"
        return database.arrow(f"SELECT {', '.join(key)}, {_ADDED}, {lines}{rows} FROM sums GROUP BY ALL")


def _ordered(table: pa.Table, texts: Mapping[str, pa.Array], key: tuple[str, ...]) -> pa.Table:
    for at, name in enumerate(table.column_names):
        if name in texts:
            table = table.set_column(at, name, texts[name].take(table[name]))
    with opened_database() as database:
        database.register("sums", table)
        return database.arrow(f"SELECT * FROM sums ORDER BY {', '.join(key)}")


def _of(table: pa.Table, **said: str) -> pa.Table:
    """Have all rows say the same in the columns that a table lacks."""
    for name in said.keys() - set(table.column_names):
        table = table.append_column(name, pa.repeat(said[name], len(table)))
    return table


def give_memory_back() -> None:
    """Return to the system what the database, Arrow and the C library keep for more lines; they may still come."""
    forget_database()
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        # glibc keeps what was freed; where another library stands in for it, there is nothing to call.
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
