"""Submissions: the states of one attempt to POST one batch, and the transitions between them."""

import datetime as dt
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from schemas.attempt import transitions
from schemas.messages import Message
from schemas.plan import BatchPayment


class SubmissionState(StrEnum):
    """Where one submission stands."""

    PLANNED = "planned"
    APPROVED = "approved"
    SENDING = "sending"
    ACCEPTED = "accepted"
    PROCESSING = "processing"
    PAID = "paid"
    PARTIAL = "partial"
    FAILED = "failed"
    EXCLUDED = "excluded"
    REFUSED = "refused"
    NOT_SENT = "not_sent"
    IN_DOUBT = "in_doubt"
    ABSENT = "absent"
    WITHDRAWN = "withdrawn"


class Outcome(StrEnum):
    """What the answer to one POST /split proves."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    NOT_SENT = "not_sent"
    IN_DOUBT = "in_doubt"


S = SubmissionState

TRANSITIONS: Final = transitions(
    SubmissionState,
    {
        S.PLANNED: {S.APPROVED, S.WITHDRAWN},
        # Accepted where the list shows it before it was sent: the ledger is restored, or another one sent it.
        S.APPROVED: {S.WITHDRAWN, S.ACCEPTED},
        S.NOT_SENT: {S.WITHDRAWN},
        S.REFUSED: {S.IN_DOUBT},  # the service lists one like it all the same
        S.ABSENT: {S.ACCEPTED},  # found later after all; a next attempt is a new submission
        S.ACCEPTED: {S.PROCESSING, S.PAID, S.PARTIAL, S.FAILED, S.EXCLUDED},
        S.PROCESSING: {S.PAID, S.PARTIAL, S.FAILED, S.EXCLUDED},
        # Ends are provisional where the service may still tell better; none frees a payment that was not free.
        S.PAID: {S.PARTIAL},  # money came back, or paid rested on no figures and the figures say otherwise
        S.PARTIAL: {S.PAID},
        S.FAILED: {S.PROCESSING, S.PARTIAL, S.PAID},
        S.EXCLUDED: {S.PARTIAL, S.PAID},
    },
)

# A live submission claims its obligations: nothing else may pay them.
LIVE: Final = frozenset(
    {S.APPROVED, S.SENDING, S.IN_DOUBT, S.ACCEPTED, S.PROCESSING, S.PAID, S.PARTIAL, S.EXCLUDED, S.NOT_SENT}
)
# Nothing of it has ever been sent, and nothing will be without another transition.
UNSENT: Final = frozenset({S.PLANNED, S.APPROVED, S.NOT_SENT})
# The service knows a report and has not finished with it.
OPEN: Final = frozenset({S.ACCEPTED, S.PROCESSING})
# A report has ended without telling which payees were paid: people decide.
UNTOLD: Final = frozenset({S.PARTIAL, S.EXCLUDED})
# An end that a later look may still better.
PROVISIONAL: Final = UNTOLD | {S.FAILED}
# The service has finished with it, for all that it said so far.
ENDED: Final = PROVISIONAL | {S.PAID}


def moves_money(before: SubmissionState, after: SubmissionState) -> bool:
    """Whether a transition says that money is elsewhere: claimed, paid, told of no more, or given back."""
    kinds = [(state in LIVE, state in UNTOLD, state is S.PAID) for state in (before, after)]
    return kinds[0] != kinds[1]


# How a submission came to its report, where the service did not say whose it is.
LIKENESS: Final = "likeness"
TAKEN_BACK: Final = "taken back"


@dataclass(frozen=True, slots=True)
class Submission:
    """One attempt to POST one batch, as the ledger holds it.

    Attributes:
        batch_number: Position in that plan, from 1.
        body: The exact bytes to POST.
        split_id: The service's `_id`; None until known.
        status: The service's last status, as it said it; None until known.
        sending_at: When the intent to send was written down (UTC); None before.
        was_in_doubt: Whether these bytes have ever been in doubt.
        reason: Why it stands where it stands; None where that says it all.
        linked_by: LIKENESS where its report was found by likeness alone, TAKEN_BACK where people took that back; None
            where it was told by name, or by people.
    """

    id: str
    plan_digest: str
    batch_number: int
    content_hash: str
    attempt: int
    report_id: str
    job: str
    period: str
    currency: str
    state: SubmissionState
    payments: int
    amount_cents: int
    owner_cents: int
    body: bytes
    split_id: str | None
    status: str | None
    run_id: str
    sending_at: dt.datetime | None
    was_in_doubt: bool
    reason: Message | None
    linked_by: str | None = None


@dataclass(frozen=True, slots=True)
class SentReport:
    """What the ledger knows of a report that the service may have.

    Attributes:
        split_id: The service's `_id`; None until known, "" where the service does not tell.
    """

    report_id: str
    split_id: str | None
    payer: str
    currency: str
    amount_cents: int
    linked_by: str | None = None


@dataclass(frozen=True, slots=True)
class Withheld:
    """What the service was asked to hold back in one report."""

    payments: int = 0
    amount_cents: int = 0


@dataclass(frozen=True, slots=True)
class Claim(BatchPayment):
    """A payment in one live submission: an obligation has at most one.

    Attributes:
        payer: Tax id of who pays; "" for what was paid outside.
        currency: Of the report; "" for what was paid outside.
        job: Name of the job; "" where it goes without saying.
    """

    submission_id: str
    state: SubmissionState
    run_id: str
    period: str
    payer: str = ""
    currency: str = ""
    job: str = ""


@dataclass(frozen=True, slots=True)
class FormerPayee:
    """A payee of royalties of a job, of whom the tables say nothing any more.

    Attributes:
        email: As the last report has it; "" where it had none.
    """

    tax_id: str = field(repr=False)
    name: str = field(repr=False)
    email: str = field(repr=False)
    destination: str
    periods: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlanFate:
    """What became of a plan, batch by batch."""

    batches: tuple[Submission, ...]

    @property
    def groups(self) -> dict[str, tuple[Submission, ...]]:
        """Every batch by what became of it: unsent, withdrawn, `in_doubt`, sent, or ended without paying anybody."""
        found: dict[str, list[Submission]] = {"unsent": [], "withdrawn": [], "in_doubt": [], "sent": [], "ended": []}
        for batch in self.batches:
            if batch.state in UNSENT:
                found["unsent"].append(batch)
            elif batch.state is S.WITHDRAWN:
                found["withdrawn"].append(batch)
            elif batch.state in {S.SENDING, S.IN_DOUBT, S.ABSENT}:
                found["in_doubt"].append(batch)
            else:
                found["ended" if batch.state in {S.REFUSED, S.FAILED} else "sent"].append(batch)
        return {name: tuple(batches) for name, batches in found.items()}


AlarmKind = Literal[
    "lost_report",
    "second_ledger",
    "duplicate_report",
    "linked_twice",
    "wrong_likeness",
    "wrong_name",
    "wrong_amount",
    "wrong_currency",
    "wrong_payer",
    "paid_twice",
    "status_changed",
    "paid_again",
]


@dataclass(frozen=True, slots=True)
class Alarm:
    """What was seen, and what people name when they let sending go on.

    Attributes:
        tag: A ledger's tag or a report id, with a colon and the field where the service tells one of them wrongly. Once
            accepted it raises no alarm again.
    """

    kind: AlarmKind
    tag: str
    message: Message


Alarms = tuple[Alarm, ...]
