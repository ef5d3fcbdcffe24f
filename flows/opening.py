"""Opening the ledger that the environment names, without loading the stages."""

import datetime as dt
from collections.abc import Callable

from flows.run import utc_now
from flows.settings import Settings
from io_adapters.ledger.ledger import Ledger, open_ledger
from io_adapters.ledger.seal import Seal
from schemas.approval import PlanRule


def open_ledger_of(settings: Settings, *, create: bool = True, now: Callable[[], dt.datetime] = utc_now) -> Ledger:
    """Open the ledger the environment names, under the policy it names.

    Args:
        settings: Of the environment.
        create: False to leave no trace where there is no ledger yet: it is then empty.
        now: The clock.

    Raises:
        ConfigurationError: the ledger cannot be opened, or the policy cannot be read: that is never "no policy".
    """
    policy_of(settings)
    seal = Seal(settings.key_of_approvals)
    return open_ledger(settings.ledger_url, clock=now, create=create, policy=lambda: policy_of(settings), seal=seal)


def policy_of(settings: Settings) -> PlanRule | None:
    """Read the policy anew, which may have become stricter since; None where the environment names none.

    Raises:
        ConfigurationError: its file is missing or wrong.
    """
    if settings.policy is None:
        return None
    from io_adapters.spreadsheets.declarations import read_policy  # noqa: PLC0415  # seldom wanted

    return read_policy(settings.policy)
