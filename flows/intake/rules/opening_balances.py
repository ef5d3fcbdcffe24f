"""Checking opening balances against the rows that were read: what is left of advances, rows of other periods."""

import datetime as dt
from enum import Enum
from typing import Final

import pandas as pd

from schemas.job import Period
from schemas.tables.advances import Advances
from schemas.tables.contract import DataFrame, Record, records
from schemas.tables.opening import TO_RECOUP, Opening
from schemas.tables.row_accounting import RowRuns, Run, move_rows


def left_of_advances(advances: DataFrame[Advances], opening: DataFrame[Opening], period: Period) -> DataFrame[Advances]:
    """Put what was left of advances in the place of the advances, from the period on that a row names.

    Args:
        advances: As the advances table says.
        opening: Opening balances; of several for one advance the latest counts.
        period: The job's.
    """
    begun = [
        record
        for record in records(opening)
        if record["kind"] == TO_RECOUP and when_is(record, period) is not When.LATER
    ]
    if not begun:
        return advances
    latest = dict[tuple[str, str, str], dt.date]()
    for balance in begun:
        latest[_advance(balance)] = max(first_day(balance), latest.get(_advance(balance), dt.date.min))
    left = pd.DataFrame([row for row in begun if first_day(row) == latest[_advance(row)]])
    others = [_advance(record) not in latest for record in records(advances)]
    columns = list(advances.columns)
    return DataFrame[Advances](pd.concat([advances[others], left[columns]], ignore_index=True).astype(advances.dtypes))


def of_other_periods(rows: DataFrame[RowRuns], opening: DataFrame[Opening], period: Period) -> DataFrame[RowRuns]:
    """Tell the rows of opening balances that say nothing about this period as ignored.

    Args:
        rows: Where the rows of all files went so far.
        opening: Opening balances.
        period: The job's.
    """
    silent = [
        _moved(record["file"], record["sheet"], record["row"], "ignored", OTHER_PERIOD)
        for record in records(opening)
        if when_is(record, period) is When.LATER
        or (when_is(record, period) is When.EARLIER and record["kind"] != TO_RECOUP)
    ]
    return move_rows(rows, silent)


def _advance(row: Record) -> tuple[str, str, str]:
    return row["tax_id"], row["reference"], row["isrc"]


class When(Enum):
    """Whether a row names an earlier period than the job's, this one or a later one."""

    EARLIER = "earlier"
    NOW = "now"
    LATER = "later"


def first_day(row: Record) -> dt.date:
    """Return the day a row names, or the first one of the month it names."""
    named: str = row["period"]
    return dt.date.fromisoformat(named if len(named) > len("2026-10") else f"{named}-01")


def when_is(row: Record, period: Period) -> When:
    """A month is named by its number or any of its days; other periods by any of theirs."""
    day = first_day(row)
    if day < period.start:
        return When.EARLIER
    return When.NOW if day <= period.end else When.LATER


OTHER_PERIOD: Final = "other_period"


def _moved(file: str, sheet: str, row: int, disposition: str, reason: str) -> Run:
    return Run(file, sheet, row, row, 1, disposition, reason)
