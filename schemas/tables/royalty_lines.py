"""Royalty lines: what a statement says was earned, line by line."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pandera.pandas as pa
from pandera.typing import Series
from pyarrow import decimal128

from schemas.issues import IssueCode
from schemas.tables.cells import Column, ColumnKind, Finding
from schemas.tables.contract import TableModel
from schemas.tables.draft import Draft

LINE_AMOUNT = decimal128(38, 18)


class RoyaltyLines(TableModel):
    """Shape: one row per statement line. `amount` is exact, of any sign, in `currency`; nothing is rounded.

    `period` is "YYYY-MM", "YYYY-MM-DD" or ""; texts are "" and units 0 when absent.
    """

    file: Series[str]
    sheet: Series[str]
    row: Series[int] = pa.Field(ge=1)
    period: Series[str] = pa.Field(str_matches=r"^([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?$")
    platform: Series[str]
    territory: Series[str]
    isrc: Series[str] = pa.Field(str_matches=r"^([A-Z]{2}[A-Z0-9]{3}[0-9]{7})?$")
    upc: Series[str] = pa.Field(str_matches=r"^([0-9]{12,14})?$")
    release: Series[str]
    title: Series[str]
    artist: Series[str]
    units: Series[int]
    amount: Series[pd.ArrowDtype] = pa.Field(dtype_kwargs={"pyarrow_dtype": LINE_AMOUNT})
    currency: Series[str] = pa.Field(str_matches=r"^[A-Z]{3}$")

    class Config:
        """A column that is not named here is an error."""

        strict = True


def worth_anything(lines: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Tell which lines are not of nothing: those alone can be paid twice."""
    return np.asarray(lines["amount"] != 0, dtype=bool)


COLUMNS = (
    Column("period", ColumnKind.PERIOD),
    Column("platform", ColumnKind.TEXT),
    Column("territory", ColumnKind.TEXT),
    Column("isrc", ColumnKind.ISRC),
    Column("upc", ColumnKind.UPC),
    Column("release", ColumnKind.TEXT),
    Column("title", ColumnKind.TEXT),
    Column("artist", ColumnKind.TEXT),
    Column("units", ColumnKind.COUNT),
    Column("amount", ColumnKind.LINE_AMOUNT, required=True),
    Column("currency", ColumnKind.CURRENCY),
)


# Its columns of texts.
TEXTS = tuple(column.name for column in COLUMNS if column.name not in {"units", "amount"})


def settle_currencies(draft: Draft) -> None:
    """Give every line its currency, the column's or the layout's, and hold lines whose amount names another one."""
    currencies = draft.canonical["currency"]
    unsaid = ~draft.given("currency") & draft.sound("currency")
    currencies[unsaid] = draft.currency
    draft.report(unsaid & (currencies == ""), "currency", IssueCode.CURRENCY_UNKNOWN)
    written = np.array([amount.currency if amount else "" for amount in draft.canonical["amount"]], dtype=object)
    contradicts = (written != "") & (written != "$") & (currencies != "") & (written != currencies)
    for position in np.flatnonzero(contradicts).tolist():
        facts = {"found": written[position], "expected": currencies[position]}
        draft.findings.append(Finding(position, "amount", IssueCode.AMOUNT_CURRENCY, facts))


RULES = (settle_currencies,)
