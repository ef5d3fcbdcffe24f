"""The views there are: the text of each, and the class of its rows."""

from pathlib import Path
from typing import Final

from io_adapters.ledger.views import LedgerView
from schemas.account import (
    AccountEntry,
    AdvanceLeft,
    BookedPayment,
    MonthSums,
    OwedBalance,
    OwedSince,
    PeriodOfPayee,
    ReferenceOfPayee,
    RestatedEntry,
    TakenBack,
    WithheldWhole,
)
from schemas.deal_standing import TermOfJob
from schemas.waits import HeldRows


def _text(*names: str) -> str:
    return "".join(Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8") for name in names)


ACCOUNT: Final = LedgerView(_text("legs", "account"), AccountEntry)
HELD_ROWS: Final = LedgerView(_text("held_rows"), HeldRows)
DEALS: Final = LedgerView(_text("deals"), TermOfJob)
ADVANCES: Final = LedgerView(_text("advances"), AdvanceLeft)
PERIODS_OF_PAYEE: Final = LedgerView(_text("periods_of_payee"), PeriodOfPayee)
OWED: Final = LedgerView(_text("all_accounts", "owed"), OwedBalance)
OWED_TO_PAYEES: Final = LedgerView(_text("accounts_of_payees", "owed"), OwedBalance)
OWED_SINCE: Final = LedgerView(_text("all_accounts", "owed_since"), OwedSince)
REFERENCES: Final = LedgerView(_text("references"), ReferenceOfPayee)
RESTATED_OF_PAYEES: Final = LedgerView(_text("restated", "restated_of_payees"), RestatedEntry)
RESTATED_BEFORE: Final = LedgerView(_text("restated", "restated_before"), RestatedEntry)
PAID: Final = LedgerView(_text("paid"), BookedPayment)
WITHHELD_WHOLE: Final = LedgerView(_text("withheld_whole"), WithheldWhole)
TAKEN_BACK: Final = LedgerView(_text("taken_back"), TakenBack)
MONTH: Final = LedgerView(_text("legs", "month"), MonthSums)
