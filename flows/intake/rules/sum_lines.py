"""Merging, splitting and holding sums of royalty lines: the same to the digit in any order and grouping.

Sums are exact decimals of 76 digits, more than any number of lines can fill, so that adding them is associative and
commutative. Files are added up in `io_adapters.statement_lines`; lines at hand one by one, here.
"""

from collections.abc import Collection, Iterable, Sequence
from decimal import Context, Decimal
from functools import cache
from typing import Final

import pandas as pd
import pyarrow as pa

from schemas.parsing.table import empty_table
from schemas.tables.model import DataFrame
from schemas.tables.royalties import (
    LINE_SUM,
    PLATFORM_KEY,
    TERRITORY_KEY,
    UNIT_SUM,
    LineTotals,
    PlatformTotals,
    RoyaltyLines,
    TerritoryTotals,
    totals_frame,
)

_HOW: Final = {"amount": "sum", "units": "sum", "lines": "sum", "first_row": "min", "last_row": "max"}


def sum_lines(lines: DataFrame[RoyaltyLines]) -> LineTotals:
    """Add lines up per file, recording, period and currency: once by platform, once by territory.

    Args:
        lines: Those of a block, a file or several files, in any order.
    """
    columns = list(dict.fromkeys((*PLATFORM_KEY, *TERRITORY_KEY, "amount", "units", "row")))
    table = pa.Table.from_pandas(lines[columns], preserve_index=False)
    # A line is the sum of one line.
    amount, units, row = table["amount"].cast(LINE_SUM), table["units"].cast(UNIT_SUM), table["row"]
    single = table.drop_columns(["amount", "units", "row"]).append_column("amount", amount)
    single = single.append_column("units", units).append_column("lines", pa.repeat(1, len(table)).cast(pa.int64()))
    placed = single.append_column("first_row", row).append_column("last_row", row)
    return LineTotals(
        DataFrame[PlatformTotals](totals_frame(_grouped(placed, PLATFORM_KEY), PlatformTotals)),
        DataFrame[TerritoryTotals](totals_frame(_grouped(single, TERRITORY_KEY), TerritoryTotals)),
    )


def merge(totals: Iterable[LineTotals]) -> LineTotals:
    """Add sums up; those of nothing are empty."""
    found = [total for total in totals if _size(total)] or [nothing()]
    if len(found) == 1:
        return found[0]
    return LineTotals(
        DataFrame[PlatformTotals](_merged([totals.by_platform for totals in found], PLATFORM_KEY, PlatformTotals)),
        DataFrame[TerritoryTotals](_merged([totals.by_territory for totals in found], TERRITORY_KEY, TerritoryTotals)),
    )


@cache
def nothing() -> LineTotals:
    """Return the sums of no line; always the same ones."""
    return sum_lines(DataFrame[RoyaltyLines](empty_table("royalty_lines")))


def of_files(totals: LineTotals, files: Collection[str], *, keep: bool) -> LineTotals:
    """Return the sums of the files named, or with `keep=False` those of all others."""

    def part(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[frame["file"].isin(list(files)) == keep].reset_index(drop=True)

    return LineTotals(
        DataFrame[PlatformTotals](part(totals.by_platform)), DataFrame[TerritoryTotals](part(totals.by_territory))
    )


def sum_up(totals: pd.DataFrame, key: Sequence[str]) -> list[dict[str, object]]:
    """Add sums of either kind up by fewer columns; returns key, amount, units and lines of each, in order of key."""
    table = pa.Table.from_pandas(totals[[*key, "amount", "units", "lines"]], preserve_index=False)
    found: list[dict[str, object]] = _grouped(table, key).to_pylist()
    return found


def of_all_files(totals: LineTotals) -> tuple[pa.Table, pa.Table]:
    """Add sums up whatever file and sheet they are of; returns those by platform and by territory, in order of key."""
    return (
        _of_all_files(totals.by_platform, PLATFORM_KEY, ("file", "sheet")),
        _of_all_files(totals.by_territory, TERRITORY_KEY, ("file",)),
    )


def _of_all_files(totals: pd.DataFrame, key: Sequence[str], place: Sequence[str]) -> pa.Table:
    about = [name for name in key if name not in place]
    table = pa.Table.from_pandas(totals[[*about, "amount", "units", "lines"]], preserve_index=False)
    # Those of one sheet are what they are already, and in order.
    return table if all(len(totals[name].unique()) <= 1 for name in place) else _grouped(table, about)


def held_lines(totals: LineTotals, code: str) -> pd.DataFrame:
    """Tell lines as held, one row per file, sheet and currency, for a reason that is none of any single line.

    Returns:
        Columns as of `flows.intake.rules.inputs.Statement.held`.
    """
    frame = totals.by_platform
    key = ["file", "sheet", "currency"]
    sums = pd.DataFrame(sum_up(frame, key), columns=[*key, "amount", "units", "lines"])
    first = frame.groupby(key, as_index=False).agg(row=("first_row", "min"))
    held = sums.merge(first, on=key).assign(tax_id="", codes=code)
    return held[["file", "sheet", "row", "tax_id", "amount", "currency", "codes"]]


def _size(totals: LineTotals) -> int:
    return len(totals.by_platform) + len(totals.by_territory)


def _grouped(table: pa.Table, key: Sequence[str]) -> pa.Table:
    summed = [name for name in _HOW if name in table.column_names]
    found = table.group_by(list(key)).aggregate([(name, _HOW[name]) for name in summed])
    return found.rename_columns([*key, *summed]).sort_by([(name, "ascending") for name in key])


_Model = type[PlatformTotals | TerritoryTotals]


def _merged(frames: Sequence[pd.DataFrame], key: Sequence[str], model: _Model) -> pd.DataFrame:
    tables = [pa.Table.from_pandas(frame, preserve_index=False) for frame in frames]
    return totals_frame(_grouped(pa.concat_tables(tables, promote_options="permissive"), key), model)


# Exactness needs 18 decimals and 40 digits of a sum, a rate of 20 and six of a share.
EXACT: Final = Context(prec=100)


def part_of(worth: Decimal, share_ppm: int) -> Decimal:
    """Return so many millionths of an amount, exactly."""
    return EXACT.multiply(worth, _millionths(share_ppm))


@cache
def _millionths(share_ppm: int) -> Decimal:
    return Decimal(share_ppm).scaleb(-6)
