"""Royalty lines: what a statement says was earned, line by line."""

from dataclasses import replace
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
from pyarrow import decimal128

from schemas.issues import IssueCode
from schemas.tables.cells import CellFinding, ColumnKind
from schemas.tables.draft import TableDraft
from schemas.tables.model import CURRENCY, ISRC, Series, SheetTable, cells, columns_of

LINE_AMOUNT = decimal128(38, 18)
UNREAD_UPC = "?"


class RoyaltyLines(SheetTable):
    """Shape: one row per statement line. `amount` is exact, of any sign, in `currency`; nothing is rounded.

    `period` is "YYYY-MM", "YYYY-MM-DD" or ""; texts are "" and units 0 when absent. `upc` is `UNREAD_UPC` where one is
    written that cannot be read, beside an ISRC.
    """

    period: Series[str] = cells(ColumnKind.PERIOD, str_matches=r"^([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?$")
    platform: Series[str] = cells(ColumnKind.TEXT)
    territory: Series[str] = cells(ColumnKind.TEXT)
    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")
    upc: Series[str] = cells(ColumnKind.UPC, str_matches=r"^([0-9]{12,14}|\?)?$")
    release: Series[str] = cells(ColumnKind.TEXT)
    title: Series[str] = cells(ColumnKind.TEXT)
    artist: Series[str] = cells(ColumnKind.TEXT)
    units: Series[int] = cells(ColumnKind.COUNT)
    amount: Series[Annotated[pd.ArrowDtype, LINE_AMOUNT]] = cells(ColumnKind.LINE_AMOUNT, required=True)
    currency: Series[str] = cells(ColumnKind.CURRENCY, str_matches=CURRENCY)


def worth_anything(lines: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Tell which lines are not of nothing: those alone can be paid twice."""
    return np.asarray(lines["amount"] != 0, dtype=bool)


COLUMNS = columns_of(RoyaltyLines)
# Its columns of texts.
TEXTS = tuple(column.name for column in COLUMNS if column.name not in {"units", "amount"})


def settle_currencies(draft: TableDraft) -> None:
    """Give every line its currency, the column's or the layout's, and hold lines whose amount names another one."""
    currencies = draft.canonical["currency"]
    unsaid = ~draft.given("currency") & draft.sound("currency")
    currencies[unsaid] = draft.currency
    draft.report(unsaid & (currencies == ""), "currency", IssueCode.CURRENCY_UNKNOWN)
    written = np.array([amount.currency if amount else "" for amount in draft.canonical["amount"]], dtype=object)
    contradicts = (written != "") & (written != "$") & (currencies != "") & (written != currencies)
    for position in np.flatnonzero(contradicts).tolist():
        facts = {"found": written[position], "expected": currencies[position]}
        draft.findings.append(CellFinding(position, "amount", IssueCode.AMOUNT_CURRENCY, facts))


def excuse_upcs(draft: TableDraft) -> None:
    """Let a line with an ISRC pass whose UPC cannot be read: shares by ISRC are looked for first, and those decide."""
    known = draft.given("isrc") & draft.sound("isrc")
    for at, found in enumerate(draft.findings):
        if found.code is IssueCode.UPC_FORMAT and known[found.position]:
            draft.findings[at] = replace(found, code=IssueCode.UPC_UNREAD)
            draft.canonical["upc"][found.position] = UNREAD_UPC


RULES = (settle_currencies, excuse_upcs)
