"""Earnings before any rounding, and how each payee's royalties became what is payable."""

import pandera.pandas as pa
from pandera.typing import Series

from schemas.tables.contract import TableModel


class Earnings(TableModel):
    """A payee's part of the lines, before advances and minimum.

    Shape: one row per (payee, asset, platform, period, currency, share). Exact: nothing has been rounded. Amounts are
    decimal texts, so that no float touches money.
    """

    tax_id: Series[str] = pa.Field(description="payee; '' where no share covers the lines")
    role: Series[str]
    isrc: Series[str]
    upc: Series[str]
    release: Series[str]
    title: Series[str]
    artist: Series[str]
    platform: Series[str]
    period: Series[str] = pa.Field(description="month or day of sale as the source says it; '' when it says none")
    currency: Series[str] = pa.Field(str_matches=r"^[A-Z]{3}$")
    units: Series[int]
    lines: Series[int] = pa.Field(ge=1)
    source_amount: Series[str] = pa.Field(description="sum of the lines in their currency")
    rate: Series[str] = pa.Field(description="exchange rate into the job's currency; '1' for its own")
    share_ppm: Series[int] = pa.Field(ge=0, le=1_000_000)
    earned: Series[str] = pa.Field(description="exact part in the job's currency, an exact decimal")

    class Config:
        strict = True


class TerritoryEarnings(TableModel):
    """The same parts once more, by territory, for statements.

    Shape: one row per (payee, territory, currency); payees only. Exact: for each payee and currency, `earned` adds up
    to what `Earnings` does. Lines of which a payee has several shares count once in source_amount and units.
    """

    tax_id: Series[str]
    territory: Series[str] = pa.Field(description="as the source writes it; '' when it says none")
    currency: Series[str] = pa.Field(str_matches=r"^[A-Z]{3}$")
    source_amount: Series[str] = pa.Field(description="sum of the lines in their currency")
    units: Series[int]
    earned: Series[str] = pa.Field(description="exact part in the job's currency, an exact decimal")

    class Config:
        strict = True


class PayeeBalances(TableModel):
    """How one payee's royalties became what is payable, all in centavos of the job's currency.

    Shape: one row per payee. earned - recouped + carried_in = carried_out + payable (+ nothing else); held payees have
    payable 0 and keep their sum in `held`.
    """

    tax_id: Series[str] = pa.Field(unique=True)
    name: Series[str]
    earned_cents: Series[int]
    recouped_cents: Series[int] = pa.Field(ge=0)
    carried_in_cents: Series[int]
    carried_out_cents: Series[int]
    held_cents: Series[int]
    payable_cents: Series[int] = pa.Field(ge=0)

    class Config:
        strict = True
