"""Opens the ledger the environment names; apart from `wiring`, so that a look at it need not load the stages."""

import datetime as dt
from collections.abc import Callable

from flows.settings import Settings
from io_adapters.ledger.ledger import Ledger, open_ledger


def utc_now() -> dt.datetime:
    """Tell the time; the only place that asks the system for it."""
    return dt.datetime.now(dt.UTC)


def open_ledger_of(settings: Settings, *, create: bool = True, now: Callable[[], dt.datetime] = utc_now) -> Ledger:
    """Open the ledger the environment names; with create=False an absent one is empty and leaves no trace."""
    return open_ledger(settings.ledger_url, clock=now, create=create)
