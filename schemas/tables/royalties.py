"""Tables of royalties: lines and their sums, shares, exchange rates, and what payees earn before and after rounding."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pandera.pandas as pa
from pyarrow import Table, decimal128, decimal256, int64, large_string, schema
from pyarrow.types import is_decimal

from schemas.tables.model import (
    CURRENCY,
    ISO_DAY,
    ISRC,
    Column,
    ColumnKind,
    DataFrame,
    PayeeTable,
    Series,
    SheetTable,
    TableModel,
    cells,
    columns_of,
    names_of,
)
from schemas.values.millionths import OF_PRICE
from schemas.values.tier_bounds import IN_UNITS, RETROACTIVE

LINE_AMOUNT = decimal128(38, 18)
UNREAD_UPC = "?"
# A line's amount is below 10**13 with 18 decimals: 10**45 lines would fit, while decimal128, which Arrow lets overflow
# without a word, could be full after ten million. Units have 15 digits, of which 64 bits hold a few thousand.
LINE_SUM = decimal256(76, 18)
UNIT_SUM = decimal128(38, 0)
# Sums of exact decimals and of whole numbers are what a frame of totals has; everything else in it is text or a count.
_SUMS: Final = {"amount": LINE_SUM, "units": UNIT_SUM}
# What a share row may ask of a line.
CONDITIONS: Final = ("territory", "income", "platform", "format")
# By what sums tell lines apart where a row of a job asks about it.
TOLD_APART: Final = (*CONDITIONS, "price")
# What sums say where lines are added up whatever they say: no cell is read as a blank.
TOGETHER: Final = " "
_OF_PLATFORMS: Final = ("file", "sheet", "isrc", "upc", "release", "title", "artist", "platform", "period", "currency")
_OF_TERRITORIES: Final = ("file", "isrc", "upc", "release", "artist", "territory", "period", "currency")
PLATFORM_KEY: Final = tuple(dict.fromkeys((*_OF_PLATFORMS, *TOLD_APART)))
TERRITORY_KEY: Final = tuple(dict.fromkeys((*_OF_TERRITORIES, *TOLD_APART)))
# A sum of lines has 18 decimals, a rate up to twelve, a share six.
EARNED: Final = decimal256(76, 36)
_TYPES: Final = {"units": int64(), "lines": int64(), "sum_number": int64(), "source_amount": LINE_SUM, "earned": EARNED}
# Money a unit, exact, in the job's currency, or a part of the line's price; "" for none.
PER_UNIT: Final = rf"^([0-9]{{1,6}}(\.[0-9]{{1,12}})?|{OF_PRICE}[0-9]+(/[0-9]+)?)?$"
# Millionths as `schemas.values.millionths` keeps them.
_PPM: Final = r"^[0-9]+(/[0-9]+)?$"
# A share beside the group that covers a line; any other base than "" is a role of that group, in small letters.
ON_TOP: Final = "on top"
_MONEY: Final = r"[0-9]+(?:\.[0-9]{1,2})?"
_BOUND: Final = rf"(?:{_MONEY}|[0-9]+{IN_UNITS})"
# Before a role: the share is of what that role gets, not of the whole.
OF_PART: Final = "% "


class RoyaltyLines(SheetTable):
    """Shape: one row per statement line. `amount` is exact, of any sign, in `currency`; nothing is rounded.

    `period` is "YYYY-MM", "YYYY-MM-DD" or ""; texts are "" and units 0 when absent. `upc` is `UNREAD_UPC` where one is
    written that cannot be read, beside an ISRC. `price` is of one unit, in the line's currency, as an exact text.
    """

    period: Series[str] = cells(ColumnKind.PERIOD, str_matches=r"^([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?$")
    platform: Series[str] = cells(ColumnKind.TEXT)
    territory: Series[str] = cells(ColumnKind.TEXT)
    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")
    upc: Series[str] = cells(ColumnKind.UPC, str_matches=r"^([0-9]{12,14}|\?)?$")
    release: Series[str] = cells(ColumnKind.TEXT)
    title: Series[str] = cells(ColumnKind.TEXT)
    artist: Series[str] = cells(ColumnKind.TEXT)
    income: Series[str] = cells(ColumnKind.TEXT)
    format: Series[str] = cells(ColumnKind.TEXT)
    price: Series[str] = cells(ColumnKind.PRICE, str_matches=r"^([0-9]+(\.[0-9]+)?)?$")
    units: Series[int] = cells(ColumnKind.COUNT)
    amount: Series[Annotated[pd.ArrowDtype, LINE_AMOUNT]] = cells(ColumnKind.LINE_AMOUNT, required=True)
    currency: Series[str] = cells(ColumnKind.CURRENCY, str_matches=CURRENCY)


def worth_anything(lines: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Tell which lines are not of nothing: those alone can be paid twice."""
    return np.asarray(lines["amount"] != 0, dtype=bool)


COLUMNS = columns_of(RoyaltyLines)
# Its columns of texts.
TEXTS = tuple(column.name for column in COLUMNS if column.name not in {"units", "amount"})


def together(key: Collection[str], conditions: Collection[str]) -> tuple[str, ...]:
    """Return the columns of a key by which nothing tells lines apart: what no share row asks about, and is not its own.

    >>> together(TERRITORY_KEY, ["platform"])
    ('income', 'format', 'price')
    """
    own = _OF_PLATFORMS if "sheet" in key else _OF_TERRITORIES
    return tuple(name for name in TOLD_APART if name not in own and name not in conditions)


class _Totals(TableModel):
    """A column of `TOLD_APART` that is `together` in the key bears `TOGETHER`."""

    file: Series[str]
    isrc: Series[str]
    upc: Series[str]
    release: Series[str]
    artist: Series[str]
    platform: Series[str]
    territory: Series[str]
    income: Series[str]
    format: Series[str]
    price: Series[str]
    period: Series[str]
    currency: Series[str]
    amount: Series[Annotated[pd.ArrowDtype, LINE_SUM]]
    units: Series[Annotated[pd.ArrowDtype, UNIT_SUM]]
    lines: Series[int] = pa.Field(ge=1)


class PlatformTotals(_Totals):
    """Shape: one row per file, sheet, recording as written, platform, period and currency.

    Exact. `first_row` and `last_row` are the first and last line of them, as the spreadsheet numbers rows.
    """

    sheet: Series[str]
    title: Series[str]
    first_row: Series[int] = pa.Field(ge=1)
    last_row: Series[int] = pa.Field(ge=1)


class TerritoryTotals(_Totals):
    """The same lines once more: one row per file, recording, territory, period and currency. Exact."""


class Rates(SheetTable):
    """Shape: one row per currency and day. `date` is an ISO text; `rate` is exact, above zero."""

    currency: Series[str] = cells(ColumnKind.CURRENCY, required=True, str_matches=CURRENCY)
    date: Series[str] = cells(ColumnKind.DATE, required=True, str_matches=f"^{ISO_DAY}$")
    rate: Series[Annotated[pd.ArrowDtype, LINE_AMOUNT]] = cells(ColumnKind.LINE_AMOUNT, required=True)
    source: Series[str] = cells(ColumnKind.TEXT)


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
    territory: Series[str]  # this and the next three: `TOGETHER` where no share row of the job asks about it
    income: Series[str]
    format: Series[str]
    price: Series[str]  # of one unit, in the currency of the lines
    period: Series[str]  # month or day of sale as the source says it; '' when it says none
    currency: Series[str] = pa.Field(str_matches=CURRENCY)
    units: Series[int]
    lines: Series[int] = pa.Field(ge=0)  # none of what is owed beside lines
    source_amount: Series[Annotated[pd.ArrowDtype, LINE_SUM]]  # sum of the lines in their currency
    rate: Series[str]  # exchange rate into the job's currency; '1' for its own
    share_ppm: Series[str] = pa.Field(str_matches=f"^-?{_PPM[1:]}")  # below 0 where a retroactive tier is left again
    per_unit: Series[str]  # money a unit that the share row has, in the job's currency; '' for a part of the money
    terms: Series[str]  # why the part is another than the row states, as `schemas.values.share_terms` keeps it; or ''
    contract: Series[str]  # of the share row
    costs: Series[str]  # taken before, as `schemas.values.costs_taken` keeps them; the share is of what they left
    sum_number: Series[int] = pa.Field(ge=0)  # the shares of one sum of lines, and the owner's remainder, have one
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


def _typed(parts: Table | None, model: type[TableModel]) -> pd.DataFrame:
    types = schema([(name, _TYPES.get(name, large_string())) for name in names_of(model)])
    return frame_of(types.empty_table() if parts is None else parts.select(types.names).cast(types))


def earnings_frame(parts: Table | None = None) -> DataFrame[Earnings]:
    """Return earnings as their table; amounts may be exact decimals or their texts. Without any, it is empty."""
    return DataFrame[Earnings](_typed(parts, Earnings))


def territories_frame(parts: Table | None = None) -> DataFrame[TerritoryEarnings]:
    """Return earnings by territory as their table; as `earnings_frame`."""
    return DataFrame[TerritoryEarnings](_typed(parts, TerritoryEarnings))


class Shares(PayeeTable):
    """Shape: one row per payee and asset. `share_ppm` is as `schemas.values.millionths` keeps it.

    Days are ISO texts, "" for no limit. `base` says what the share is taken from: "" for the whole, beside the others
    of its group; "on top" for the whole, besides whatever group covers the line; otherwise the role, in small letters,
    whose part of the group it is taken out of. It is of the whole in each case; behind `OF_PART`, of that role's part.
    `per_unit` is what a row has a unit, and then its share is 0: money in the job's currency, or behind `OF_PRICE`
    millionths of the line's price; "" for a share of the money.
    `contract` names what advances are recouped from: what the payee earns by this row.

    `tier_from` and `tier_to` say of which part of all that the row's lines come to over the periods it is, in the job's
    currency or with `IN_UNITS`, "" for no limit; `tier_from` perhaps with `RETROACTIVE`. `cap` is the most that the row
    gives over all periods, "" for no limit. Of what the row gives in a period, if above nothing, `reserve_ppm` is kept
    back and given in the periods after it, in the parts of `given_back` (millionths, "500000,500000"); "" for none.

    The columns of `CONDITIONS` say of which lines alone the share is, as `schemas.values.line_conditions` reads them.
    """

    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")
    upc: Series[str] = cells(ColumnKind.UPC, str_matches=r"^([0-9]{12,14})?$")
    release: Series[str] = cells(ColumnKind.TEXT)
    artist: Series[str] = cells(ColumnKind.TEXT)
    role: Series[str] = cells(ColumnKind.TEXT)
    share_ppm: Series[str] = cells(ColumnKind.SHARE, "share", required=True, str_matches=_PPM)
    valid_from: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    valid_to: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    per_unit: Series[str] = cells(ColumnKind.TEXT, str_matches=PER_UNIT)
    tier_from: Series[str] = cells(ColumnKind.TIER, str_matches=f"^({_BOUND}(?:{RETROACTIVE})?)?$")
    tier_to: Series[str] = cells(ColumnKind.TIER, str_matches=f"^({_BOUND})?$")
    cap: Series[str] = cells(ColumnKind.TIER, str_matches=f"^({_MONEY})?$")
    reserve_ppm: Series[str] = cells(ColumnKind.SHARE, "reserve", str_matches=f"^({_PPM[1:-1]})?$")
    given_back: Series[str] = cells(ColumnKind.TEXT, str_matches=r"^([0-9]+(,[0-9]+)*)?$")
    base: Series[str] = cells(ColumnKind.TEXT)
    contract: Series[str] = cells(ColumnKind.TEXT)
    territory: Series[str] = cells(ColumnKind.TEXT)
    income: Series[str] = cells(ColumnKind.TEXT)
    platform: Series[str] = cells(ColumnKind.TEXT)
    format: Series[str] = cells(ColumnKind.TEXT)

    @classmethod
    def also_read(cls) -> tuple[Column, ...]:
        return (Column("title", ColumnKind.TEXT),)


class Costs(SheetTable):
    """Shape: one row per cost that is taken off the top of lines, before they are shared out.

    By `order`, then as the table has them: each takes `share_ppm` (as `Shares` has it) of what those before have left
    of the lines that are all it names, up to `cap` over all periods; or `fixed_amount`, as soon as that much is left,
    from the period of `date` on. The one or the other is "", amounts are in the job's currency.
    `tax_id` is whose it is; "" for the owner's. Conditions are those of `Shares`.
    """

    order: Series[int] = cells(ColumnKind.COUNT)
    name: Series[str] = cells(ColumnKind.TEXT, "cost", required=True, str_matches=r"\S")
    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")
    upc: Series[str] = cells(ColumnKind.UPC, str_matches=r"^([0-9]{12,14})?$")
    release: Series[str] = cells(ColumnKind.TEXT)
    artist: Series[str] = cells(ColumnKind.TEXT)
    territory: Series[str] = cells(ColumnKind.TEXT)
    income: Series[str] = cells(ColumnKind.TEXT)
    platform: Series[str] = cells(ColumnKind.TEXT)
    format: Series[str] = cells(ColumnKind.TEXT)
    share_ppm: Series[str] = cells(ColumnKind.SHARE, "share", str_matches=f"^({_PPM[1:-1]})?$")
    fixed_amount: Series[str] = cells(ColumnKind.TIER, str_matches=f"^({_MONEY})?$")
    date: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    cap: Series[str] = cells(ColumnKind.TIER, str_matches=f"^({_MONEY})?$")
    tax_id: Series[str] = cells(ColumnKind.TAX_ID)


def asked_about(shares: Iterable[pd.DataFrame]) -> tuple[str, ...]:
    """Return those of `TOLD_APART` about which any row of shares or costs asks."""
    tables = list(shares)
    asked = tuple(name for name in CONDITIONS if any((table[name] != "").any() for table in tables))
    has_prices = any("per_unit" in table and table["per_unit"].str.startswith(OF_PRICE).any() for table in tables)
    return (*asked, "price") if has_prices else asked


@dataclass(frozen=True, slots=True)
class LineTotals:
    """The same lines added up in two ways, neither made from the other."""

    by_platform: DataFrame[PlatformTotals]
    by_territory: DataFrame[TerritoryTotals]

    @property
    def currencies(self) -> frozenset[str]:
        return frozenset(self.by_territory["currency"].unique().tolist())


def totals_frame(table: Table, model: type[PlatformTotals | TerritoryTotals]) -> pd.DataFrame:
    """Return an Arrow table of totals, whose sums may be of narrower types, as its model has them."""
    for name, kind in _SUMS.items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return frame_of(table)[names_of(model)]


def frame_of(table: Table) -> pd.DataFrame:
    """Return an Arrow table as a frame: exact decimals stay as they are, texts are pandas' own."""
    kinds = {kind: pd.ArrowDtype(kind) for kind in table.schema.types if is_decimal(kind)}
    frame: pd.DataFrame = table.to_pandas(types_mapper=kinds.get)
    texts = [name for name, kind in zip(table.column_names, table.schema.types, strict=True) if not is_decimal(kind)]
    return frame.astype({name: "str" for name in texts if frame[name].dtype == object})
