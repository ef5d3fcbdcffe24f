"""Opening the ledger that the environment names, without loading the stages."""

import datetime as dt
from collections.abc import Callable

from flows.run import utc_now
from flows.settings import Settings
from io_adapters.ledger.ledger import Ledger, open_ledger
from io_adapters.ledger.seal import Seal
from schemas.approval import PolicyOnRecord, on_record
from schemas.job import HousePolicy


def open_ledger_of(settings: Settings, *, create: bool = True, now: Callable[[], dt.datetime] = utc_now) -> Ledger:
    """Open the ledger the environment names, under the policy it names.

    Args:
        settings: Of the environment.
        create: False to leave no trace where there is no ledger yet: it is then empty.
        now: The clock.

    Raises:
        ConfigurationError: the ledger cannot be opened, or the policy cannot be read, or there is none any more where
            the ledger has been opened under one: that is never "no policy".
    """
    seal = Seal(settings.key_of_approvals)

    def policy() -> PolicyOnRecord | None:
        found = policy_of(settings)
        return on_record(found) if found else None

    policy()
    ledger = open_ledger(settings.ledger_url, clock=now, create=create, policy=policy, seal=seal)
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
    from io_adapters.spreadsheets.declarations import read_policy  # noqa: PLC0415  # seldom wanted

    return read_policy(settings.policy)
