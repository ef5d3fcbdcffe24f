"""The views there are: the text of each, and the class of its rows."""

from pathlib import Path
from typing import Final

from io_adapters.ledger.views import LedgerView
from schemas.account import AccountEntry

_HERE: Final = Path(__file__).parent

ACCOUNT: Final = LedgerView(_HERE / "account.sql", AccountEntry)
