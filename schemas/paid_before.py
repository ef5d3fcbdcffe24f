"""What a ledger has paid before: the few figures a new plan is held against."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.told import Told

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class PaidRow:
    """A payments row that a live submission pays.

    Attributes:
        job: Name of the job.
        payer: Tax id of the payer.
        period: Label of the period.
        payee: Tax id.
        amount_cents: What is paid.
        destination: Fingerprint of the destination, never the account.
        submission_id: Which submission.
    """

    job: str
    payer: str
    period: str
    payee: str
    amount_cents: int
    destination: str
    submission_id: str


@dataclass(frozen=True, slots=True)
class PaidAlike:
    """What a row that is to be paid looks like: a payment of its amount to its payee or its account.

    Attributes:
        job: Name of the job that made it.
        period: Label of its period.
        submission_id: Which submission.
        other_payer: Whether it was under another payer.
        other_payee: Whether it was to another CPF or CNPJ, at the same account.
        other_account: Whether it was to another account of the same payee.
    """

    job: str
    period: str
    submission_id: str
    other_payer: bool
    other_payee: bool
    other_account: bool

    def in_words(self, language: str) -> str:
        """Say where and how it was paid."""
        differs = (
            (self.other_payer, Told("paid.other_payer")),
            (self.other_payee, Told("paid.other_payee")),
            (self.other_account, Told("paid.other_account")),
        )
        words = [message.in_words(language) for holds, message in differs if holds]
        where = f"{self.job} {self.period}, {self.submission_id}"
        return f"{where} ({', '.join(words)})" if words else where


def alike_in_words(alike: Sequence[PaidAlike], language: str) -> str:
    """Say what a row looks like; the first few of many."""
    shown = [one.in_words(language) for one in alike[:_SHOWN]]
    more = [Told("paid.more", count=len(alike) - _SHOWN).in_words(language)] if len(alike) > _SHOWN else []
    return "; ".join([*shown, *more])


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


@dataclass(frozen=True, slots=True)
class FailedPayment:
    """A payment of a report that failed, which nobody has made since.

    Attributes:
        base_key: Key of the first obligation of the same payee and reference.
        amount_cents: What was to be paid.
        destination: Fingerprint of the destination.
        report_id: The report.
    """

    base_key: str
    amount_cents: int
    destination: str
    report_id: str
