"""Sources of money that were used before: files by the runs that used them, and payments that were made."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

import pyarrow as pa

from schemas.line_sketch import NO_LINES, LineSketch
from schemas.messages import Listed, Message
from schemas.stated_sums import NO_SUMS

_SHOWN: Final = 3
# Of a file's digest, where people are told by what to name it.
DIGITS_SHOWN: Final = 12
# So many name it.
FEWEST_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class PaidAlike:
    """What a row that is to be paid looks like: a payment of its amount to its payee or its account.

    Attributes:
        other_payer: Whether it was under another payer.
        other_payee: Whether it was to another CPF or CNPJ, at the same account.
        other_account: Whether it was to another account of the same payee.
        as_royalties: Whether it was of royalties.
        other_amount: Whether it was of a few centavos more or less.
        in_parts: Whether it was several rows, or is several now, that come to the same.
    """

    job: str
    period: str
    submission_id: str
    other_payer: bool
    other_payee: bool
    other_account: bool
    as_royalties: bool = False
    other_amount: bool = False
    in_parts: bool = False

    @property
    def message(self) -> Message:
        """Where and how it was paid."""
        facts = {"job": self.job, "period": self.period, "submission": self.submission_id}
        differs = (
            (self.other_payer, Message("paid.other_payer")),
            (self.other_payee, Message("paid.other_payee")),
            (self.other_account, Message("paid.other_account")),
            (self.as_royalties, Message("paid.as_royalties")),
            (self.other_amount, Message("paid.other_amount")),
            (self.in_parts, Message("paid.in_parts")),
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
    """All that one payee got for one job and period."""

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
        payee: Tax id, where it was of royalties, which another period's payment may make with its own; "" elsewhere.
    """

    base_key: str
    amount_cents: int
    destination: str
    report_id: str
    payee: str = ""


class SourceKind(StrEnum):
    """What money came from that neither journal nor claims tell."""

    INVOICE = "invoice"
    OPENING = "opening"  # paid outside Repasse, as an opening balance says


class UsedSource(NamedTuple):
    """One source that a plan has used.

    Attributes:
        period: Label of the period that it was used for.
        reference: In the form by which two spellings of it are one.
    """

    kind: SourceKind
    payer: str
    job: str
    period: str
    payee: str
    reference: str
    amount_cents: int


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
        file_sha256: Identity of its bytes.
        content_sha256: Identity of its canonical rows.
        only_carried: Whether the run has paid nobody: what the file earns was carried or recouped.
        lines: Which of its royalty lines were used.
        sums: What they added up to, see `schemas.stated_sums`.
    """

    whose: WhoseMoney
    run_id: str
    name: str
    file_sha256: str
    content_sha256: str
    layout: str = ""
    only_carried: bool = False
    lines: LineSketch = field(default=NO_LINES, repr=False)
    sums: pa.Table = field(default_factory=lambda: NO_SUMS, repr=False, compare=False)
