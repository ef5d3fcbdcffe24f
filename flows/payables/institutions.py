"""Keeping the service's list of financial institutions, refreshed daily while the service answers."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flows.payables.rules.institutions import USABLE_FOR, is_believable, is_fresh, is_usable
from flows.run import Run, Service
from schemas.errors import ConfigurationError, RepasseError
from schemas.messages import Listed, Message
from schemas.wire import Institution

if TYPE_CHECKING:  # see flows.run
    from io_adapters.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class InstitutionList:
    """The list as far as it is known.

    Attributes:
        read_at: When it was read; None when it never was.
        trouble: Why it could not be read now; None when it was, or need not be.
    """

    by_ispb: Mapping[str, Institution]
    read_at: dt.datetime | None
    trouble: Message | Listed | None = None
    too_old: bool = False


def read_institutions(
    ledger: "Ledger", service: Service | None, now: dt.datetime, *, refresh: bool = False
) -> InstitutionList:
    """Return the institutions: the ledger's copy, read again first when it is older than a day.

    Args:
        service: Tells the list; None to use the copy alone.

    Effects: a list that was read to its end, and is not far shorter than the copy, replaces it. A service that does not
    answer leaves the copy, which is used until it is 30 days old.
    """
    read_at, trouble = ledger.institutions.read_at(), None
    if service is not None and (refresh or not is_fresh(read_at, now)):
        trouble = _read_again(ledger, service, now)
        read_at = ledger.institutions.read_at()
    if read_at is None:
        return InstitutionList({}, None, trouble)
    if not is_usable(read_at, now):
        return InstitutionList({}, read_at, trouble, too_old=True)
    return InstitutionList(ledger.institutions.all(), read_at, trouble)


def known_institutions(run: Run) -> Mapping[str, Institution]:
    """Return the institutions by ISPB for a run, and tell when the list could not be read; empty when none is known.

    Without a service the copy is used as it is.
    """
    found = read_institutions(run.ledger, run.service, run.clock.now())
    if found.trouble:
        run.show(Message("institutions.trouble", reason=found.trouble))
    if found.too_old:
        run.show(Message("institutions.too_old", days=USABLE_FOR.days))
    return found.by_ispb


def _read_again(ledger: "Ledger", service: Service, now: dt.datetime) -> Message | Listed | None:
    """Read the list and keep it; return why it could not be, None when it was."""
    if ledger.service.current().url:  # a key never goes to a service that is not the ledger's
        ledger.service.bind_or_check(service.url, service.key_fingerprint)
    try:
        listed = service.api.pix.institutions()
    except ConfigurationError:
        raise
    except RepasseError as error:
        return error.content
    if not is_believable(listed, kept=len(ledger.institutions.all())):
        return Message("institutions.too_few", count=len(listed))
    ledger.institutions.replace(listed, now)
    return None
