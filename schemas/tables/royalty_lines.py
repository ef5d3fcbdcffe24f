"""Royalty lines: what a statement says was earned, line by line."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
from pyarrow import decimal128

from schemas.issues import IssueCode
from schemas.tables.cells import CellFinding, Column, ColumnKind
from schemas.tables.contract import TableModel, exact, text, whole
from schemas.tables.draft import TableDraft

LINE_AMOUNT = decimal128(38, 18)
UNREAD_UPC = "?"


class RoyaltyLines(TableModel):
    """Shape: one row per statement line. `amount` is exact, of any sign, in `currency`; nothing is rounded.

    `period` is "YYYY-MM", "YYYY-MM-DD" or ""; texts are "" and units 0 when absent. `upc` is `UNREAD_UPC` where one is
    written that cannot be read, beside an ISRC.
    """

    file = text()
    sheet = text()
    row = whole(at_least=1)
    period = text(matches=r"^([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?$")
    platform = text()
    territory = text()
    isrc = text(matches=r"^([A-Z]{2}[A-Z0-9]{3}[0-9]{7})?$")
    upc = text(matches=r"^([0-9]{12,14}|\?)?$")
    release = text()
    title = text()
    artist = text()
    units = whole()
    amount = exact(LINE_AMOUNT)
    currency = text(matches=r"^[A-Z]{3}$")


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
