"""Opening the ledger that the environment names, under the house's policy; and the clock that both are read by."""

import datetime as dt
from collections.abc import Callable

from flows.settings import ACTS_HEAD, Settings
from io_adapters.ledger.engine import Seal
from io_adapters.ledger.ledger import Ledger, open_ledger
from io_adapters.spreadsheets.declarations import read_policy
from schemas.approval import PolicyOnRecord, on_record
from schemas.job import HousePolicy


def utc_now() -> dt.datetime:
    """Tell the time; the only place that asks the system for it."""
    return dt.datetime.now(dt.UTC)


def open_ledger_of(settings: Settings, *, create: bool = True, now: Callable[[], dt.datetime] = utc_now) -> Ledger:
    """Open the ledger the environment names, under the policy it names.

    Raises:
        ConfigurationError: the ledger cannot be opened, or the policy cannot be read, or there is none any more where
            the ledger has been opened under one: that is never "no policy".
    """
    seal = Seal(settings.key_of_approvals)

    def policy() -> PolicyOnRecord | None:
        found = policy_of(settings)
        return on_record(found) if found else None

    policy()
    head = settings.home / ACTS_HEAD
    ledger = open_ledger(settings.ledger_url, clock=now, create=create, policy=policy, seal=seal, head_of_acts=head)
    try:
        ledger.decision_rules.note_policy()
    except BaseException:
        ledger.close()
        raise
    return ledger


def policy_of(settings: Settings) -> HousePolicy | None:
    """Read the policy anew, which may have become stricter since; None where there is none.

    Raises:
        ConfigurationError: its file is missing or wrong.
    """
    if settings.policy is None:
        return None
    return read_policy(settings.policy)
