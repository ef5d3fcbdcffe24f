"""Royalty lines added up: all that is kept of them, so that memory grows with recordings and never with lines."""

from dataclasses import dataclass

import pandas as pd
import pandera.pandas as pa
from pandera.typing import Series
from pyarrow import decimal128, decimal256

from schemas.tables.contract import TableModel
from schemas.tables.frames import DataFrame

# A line's amount is below 10**20 with 18 decimals: 10**38 lines would fit, while decimal128, which Arrow lets overflow
# without a word, could be full after two. Units have 15 digits, of which 64 bits hold a few thousand.
LINE_SUM = decimal256(76, 18)
UNIT_SUM = decimal128(38, 0)


class _Totals(TableModel):
    file: Series[str]
    isrc: Series[str]
    upc: Series[str]
    release: Series[str]
    artist: Series[str]
    period: Series[str]
    currency: Series[str]
    amount: Series[pd.ArrowDtype] = pa.Field(dtype_kwargs={"pyarrow_dtype": LINE_SUM})
    units: Series[pd.ArrowDtype] = pa.Field(dtype_kwargs={"pyarrow_dtype": UNIT_SUM})
    lines: Series[int] = pa.Field(ge=1)

    class Config:
        strict = True


class PlatformTotals(_Totals):
    """Shape: one row per file, sheet, recording as written, platform, period and currency.

    Exact. `first_row` and `last_row` are the first and last line of them, as the spreadsheet numbers rows.
    """

    sheet: Series[str]
    title: Series[str]
    platform: Series[str]
    first_row: Series[int] = pa.Field(ge=1)
    last_row: Series[int] = pa.Field(ge=1)

    class Config:
        strict = True


class TerritoryTotals(_Totals):
    """The same lines once more: one row per file, recording, territory, period and currency. Exact."""

    territory: Series[str]

    class Config:
        strict = True


@dataclass(frozen=True, slots=True)
class LineTotals:
    """The same lines added up in two ways, neither made from the other.

    Attributes:
        by_platform: What is shared out.
        by_territory: What statements show besides, and what the books are closed against.
    """

    by_platform: DataFrame[PlatformTotals]
    by_territory: DataFrame[TerritoryTotals]

    @property
    def currencies(self) -> frozenset[str]:
        """Currencies of the lines."""
        return frozenset(self.by_territory["currency"].unique().tolist())
