"""Exchange rate updates: the states of one attempt to set a report's rate, and the transitions between them.

With its rate set, the service pays a report in a foreign currency: setting it moves money, and is as careful.
"""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from schemas.attempt import transitions
from schemas.messages import Message
from schemas.plan import ExchangeTerms
from schemas.submission import SubmissionState
from schemas.values.masking import digest_of, short_token

ID_PREFIX: Final = "xr-"


class ExchangeState(StrEnum):
    """Where one exchange update stands."""

    APPROVED = "approved"
    SENDING = "sending"
    ACCEPTED = "accepted"
    DIFFERS = "differs"
    REFUSED = "refused"
    NOT_SENT = "not_sent"
    IN_DOUBT = "in_doubt"
    ABSENT = "absent"


class RateSeen(StrEnum):
    """What a report shows of its exchange rate, held against the approved one."""

    OURS = "ours"
    ANOTHER = "another"
    SILENT = "silent"


X = ExchangeState

TRANSITIONS: Final = transitions(
    ExchangeState,
    {
        # The last look before sending may show that the report has a rate already; then nothing is sent.
        X.APPROVED: {X.ACCEPTED, X.DIFFERS},
        X.SENDING: {X.DIFFERS},
        X.IN_DOUBT: {X.DIFFERS},
        X.REFUSED: {X.ACCEPTED, X.DIFFERS, X.ABSENT},  # somebody may have set it in the service since
        X.ACCEPTED: {X.DIFFERS},
        X.DIFFERS: {X.ACCEPTED},  # put right in the service
        # One that is absent stays so: the next attempt, which looks before it sends, takes its place.
    },
)

# The service has been asked, or may have been; where nothing proves that the rate is the approved one, people look.
LOOKED_UP: Final = frozenset({X.IN_DOUBT, X.REFUSED, X.DIFFERS})
UNSETTLED: Final = frozenset({X.APPROVED, X.NOT_SENT, X.SENDING}) | LOOKED_UP


def exchange_update_id(report_id: str, attempt: int) -> str:
    """Name an attempt to set the rate of a report: "xr-" and 26 characters of base32."""
    return ID_PREFIX + short_token(digest_of("exchange update", report_id, str(attempt)), 26)


@dataclass(frozen=True, slots=True)
class ExchangeUpdate:
    """One attempt to set the exchange rate of one report, as the ledger holds it.

    Attributes:
        body: The exact bytes to POST.
        sending_at: When the intent to send was written down (UTC); None before.
        was_in_doubt: Whether these bytes have ever been in doubt for this report.
        reason: Why it stands where it stands; None where that says it all.
    """

    id: str
    report_id: str
    attempt: int
    terms: ExchangeTerms
    state: ExchangeState
    body: bytes
    run_id: str
    sending_at: dt.datetime | None
    was_in_doubt: bool
    reason: Message | None
    job: str
    period: str
    report_run_id: str
    split_id: str
    report_state: SubmissionState
