"""Tables of earnings before rounding, and of the balances by which each payee's royalties become payable."""

from typing import Annotated, Final

import pandas as pd
import pandera.pandas as pa
from pyarrow import Table, decimal256, int64, large_string, schema

from schemas.tables.line_sums import LINE_SUM, frame_of
from schemas.tables.model import CURRENCY, DataFrame, Series, TableModel, names_of

# A sum of lines has 18 decimals, a rate up to twelve, a share six.
EARNED: Final = decimal256(76, 36)


class Earnings(TableModel):
    """A payee's part of the lines, before advances and minimum.

    Shape: one row per (payee, asset, platform, period, currency, share). Exact: nothing has been rounded.
    """

    tax_id: Series[str]  # payee; '' where no share covers the lines
    role: Series[str]
    isrc: Series[str]
    upc: Series[str]
    release: Series[str]
    title: Series[str]
    artist: Series[str]
    platform: Series[str]
    period: Series[str]  # month or day of sale as the source says it; '' when it says none
    currency: Series[str] = pa.Field(str_matches=CURRENCY)
    units: Series[int]
    lines: Series[int] = pa.Field(ge=1)
    source_amount: Series[Annotated[pd.ArrowDtype, LINE_SUM]]  # sum of the lines in their currency
    rate: Series[str]  # exchange rate into the job's currency; '1' for its own
    share_ppm: Series[int] = pa.Field(ge=0, le=1_000_000)
    earned: Series[Annotated[pd.ArrowDtype, EARNED]]  # part in the job's currency


class TerritoryEarnings(TableModel):
    """The same parts once more, by territory, for statements.

    Shape: one row per (payee, territory, currency); payees only. Exact: for each payee and currency, `earned` adds up
    to what `Earnings` does. Lines of which a payee has several shares count once in `source_amount` and units.
    """

    tax_id: Series[str]
    territory: Series[str]  # as the source writes it; '' when it says none
    currency: Series[str] = pa.Field(str_matches=CURRENCY)
    source_amount: Series[Annotated[pd.ArrowDtype, LINE_SUM]]  # sum of the lines in their currency
    units: Series[int]
    earned: Series[Annotated[pd.ArrowDtype, EARNED]]  # part in the job's currency


class PayeeBalances(TableModel):
    """How one payee's royalties became what is payable, all in centavos of the job's currency.

    Shape: one row per payee. `earned - recouped + carried_in = carried_out + held + taxed + payable`; held payees have
    payable 0 and keep their sum in `held`.
    """

    tax_id: Series[str] = pa.Field(unique=True)
    name: Series[str]
    earned_cents: Series[int]
    recouped_cents: Series[int] = pa.Field(ge=0)
    carried_in_cents: Series[int]
    carried_out_cents: Series[int]
    held_cents: Series[int]
    taxed_cents: Series[int] = pa.Field(ge=0)
    payable_cents: Series[int] = pa.Field(ge=0)


_TYPES: Final = {"units": int64(), "lines": int64(), "share_ppm": int64(), "source_amount": LINE_SUM, "earned": EARNED}


def _typed(parts: Table | None, model: type[TableModel]) -> pd.DataFrame:
    types = schema([(name, _TYPES.get(name, large_string())) for name in names_of(model)])
    return frame_of(types.empty_table() if parts is None else parts.select(types.names).cast(types))


def earnings_frame(parts: Table | None = None) -> DataFrame[Earnings]:
    """Return earnings as their table; amounts may be exact decimals or their texts. Without any, it is empty."""
    return DataFrame[Earnings](_typed(parts, Earnings))


# The column in which earnings that were kept bear the number of their sum of lines.
SUM_NUMBER: Final = "sum_number"
_WHOLE_PPM: Final = 1_000_000


def sum_numbers(earnings: pd.DataFrame) -> "pd.Series[int]":
    """Number the sums of lines: the shares of each, the owner's remainder among them, follow each other to a whole.

    Args:
        earnings: `Earnings` of everybody, in the order in which they were made.
    """
    numbers: pd.Series[int] = (earnings["share_ppm"].cumsum() - earnings["share_ppm"]) // _WHOLE_PPM
    return numbers


def territories_frame(parts: Table | None = None) -> DataFrame[TerritoryEarnings]:
    """Return earnings by territory as their table; as `earnings_frame`."""
    return DataFrame[TerritoryEarnings](_typed(parts, TerritoryEarnings))
