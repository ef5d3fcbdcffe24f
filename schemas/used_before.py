"""Uses of files before, and the figures of earlier plans that a new one is compared with."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from schemas.messages import Listed, Message
from schemas.statement_sketches import NO_SKETCHES, Sketches, StatementAccount

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class PaidAlike:
    """What a row that is to be paid looks like: a payment of its amount to its payee or its account.

    Attributes:
        job: Name of the job that made it.
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

    @property
    def message(self) -> Message:
        """Where and how it was paid."""
        facts = {"job": self.job, "period": self.period, "submission": self.submission_id}
        differs = (
            (self.other_payer, Message("paid.other_payer")),
            (self.other_payee, Message("paid.other_payee")),
            (self.other_account, Message("paid.other_account")),
        )
        how = tuple(message for holds, message in differs if holds)
        return Message("paid.otherwise", **facts, how=Listed(how)) if how else Message("paid.alike", **facts)


def paid_alike_message(alike: Sequence[PaidAlike]) -> Listed:
    """Say what a row looks like; the first few of many."""
    shown = tuple(use.message for use in alike[:_SHOWN])
    more = (Message("paid.more", count=len(alike) - _SHOWN),) if len(alike) > _SHOWN else ()
    return Listed((*shown, *more), "; ")


@dataclass(frozen=True, slots=True)
class PaidSum:
    """All that one payee got for one job and period.

    Attributes:
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
class FailedPayment:
    """A payment of a report that failed, which nobody has made since.

    Attributes:
        base_key: Key of the first obligation of the same payee and reference.
        amount_cents: What was to be paid.
        payee: Tax id, where it was of royalties, which another period's payment may make with its own; "" elsewhere.
    """

    base_key: str
    amount_cents: int
    destination: str
    report_id: str
    payee: str = ""


class WhoseMoney(NamedTuple):
    """What keys of obligations rest on: within one, claims keep the same money from being paid twice."""

    job: str
    payer: str
    period: str
    currency: str


@dataclass(frozen=True, slots=True)
class FileUse:
    """An earlier use of a file, by a run that had an effect.

    Attributes:
        whose: Job, payer, period and currency.
        run_id: The run that read it.
        name: What it was called then.
        file_sha256: Identity of its bytes.
        content_sha256: Identity of its canonical rows.
        layout: Name of the layout it was read with.
        only_carried: Whether the run has paid nobody: what the file earns was carried or recouped.
        sketches: Which of its royalty lines were used.
        accounts: What they added up to, by currency and month.
    """

    whose: WhoseMoney
    run_id: str
    name: str
    file_sha256: str
    content_sha256: str
    layout: str = ""
    only_carried: bool = False
    sketches: Sketches = field(default=NO_SKETCHES, repr=False)
    accounts: tuple[StatementAccount, ...] = field(default=(), repr=False)
