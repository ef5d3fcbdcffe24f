"""What a ledger has paid before: the few figures a new plan is held against."""

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaidSum:
    """All that one payee got for one job and period.

    Attributes:
        payee: Tax id.
        job: Name of the job.
        period: Label of the period.
        currency: Currency of the reports.
        amount_cents: The sum of its payments.
        last_at: When the last of them was sent (UTC).
    """

    payee: str
    job: str
    period: str
    currency: str
    amount_cents: int
    last_at: dt.datetime


@dataclass(frozen=True, slots=True)
class UsedDestination:
    """Where one payee was paid, and when and for what last.

    Attributes:
        payee: Tax id.
        destination: Fingerprint of the destination, never the account.
        job: Name of the job it was last used for.
        period: Label of the period it was last used for.
        last_at: When a payment to it was last sent (UTC).
    """

    payee: str
    destination: str
    job: str
    period: str
    last_at: dt.datetime


@dataclass(frozen=True, slots=True)
class PaidPart:
    """One payment of a job's period.

    Attributes:
        payee: Tax id.
        base_key: Key of the first obligation of the same payee and reference.
        reference: Reference of the obligation.
        amount_cents: What was paid.
        destination: Fingerprint of the destination.
    """

    payee: str
    base_key: str
    reference: str
    amount_cents: int
    destination: str
