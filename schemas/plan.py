"""Payment plans: payments, batches, their digest, the approvals they have, and the exchange rate they rest on."""

import datetime as dt
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from schemas.values.masking import digest_of, short_token
from schemas.values.names import normal_reference
from schemas.wire import ExchangeRateUpdate, SplitReport, body_of, canonical_json, parse_json

HOME_CURRENCY: Final = "BRL"


@dataclass(frozen=True, slots=True)
class ExchangeTerms:
    """What POST /split/{split_id}/update_exchange_rate says of every report of a plan.

    Attributes:
        rate: What one unit of it is worth in BRL, exact.
        order_id: The exchange order at the bank; None when the job names none.
    """

    currency: str
    rate: Decimal
    order_id: str | None
    show_exchange_data: bool

    @property
    def plain_rate(self) -> str:
        """The rate in digits, without zeros that say nothing: 5.4300 and 5.43 are one rate and one plan.

        >>> ExchangeTerms("USD", Decimal("10.500"), None, True).plain_rate
        '10.5'
        """
        text = format(self.rate, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text

    @property
    def body(self) -> bytes:
        """The exact bytes to POST: the plan's digest binds them, and nothing else is ever sent."""
        update = ExchangeRateUpdate(
            currency=self.currency,
            rate=Decimal(self.plain_rate),
            showExchangeData=self.show_exchange_data,
            orderId=self.order_id,
        )
        return canonical_json(body_of(update))

    @classmethod
    def from_body(cls, body: bytes) -> "ExchangeTerms":
        """Read the terms back from the exact bytes.

        Raises:
            ValueError: they are not such bytes.
        """
        update = ExchangeRateUpdate.model_validate(parse_json(body))
        return cls(update.currency, update.rate, update.orderId, update.showExchangeData)


OWNER_REFERENCE = "owner"
# Reasons of what was paid: the service kept income tax of it; and of the tax itself, where it is known of whom.
LESS_TAX: Final = "less_tax"
TAX_WITHHELD: Final = "tax_withheld"
# Names of before v4 had a token of the service's address in front of the ledger's tag.
_REPORT_ID: Final = re.compile(r"rp-(?:[a-z0-9]+-)?(?P<ledger>[a-z0-9]+)-(?P<attempt>[a-z2-7]{26})")


class Place(StrEnum):
    """Where a centavo is: each obligation is in exactly one place. The values are the totals of `summary.json`."""

    PAID = "paid"
    PROCESSING = "processing"
    WITHHELD = "withheld"
    INCOME_TAX = "income_tax"
    OWNER = "owner"
    TAX = "tax"
    RECOUPED = "recouped"
    CARRIED = "carried"
    HELD = "held"
    CONFLICT = "conflict"
    DUPLICATE = "duplicate"
    PLANNED = "planned"
    NOT_SENT = "not_sent"
    IN_DOUBT = "in_doubt"
    UNDETERMINED = "undetermined"
    REFUSED = "refused"
    FAILED = "failed"
    EXCLUDED = "excluded"
    RETURNED = "returned"


# What a plan keeps back until people have put something right, or decided.
KEPT_BACK: Final = frozenset({Place.HELD, Place.CONFLICT, Place.RETURNED})


class Inferred(StrEnum):
    """What the counts and sums of a partial report leave no doubt about, of one payment; reasons bear it."""

    PAID = "inferred_paid"
    UNPAID = "inferred_unpaid"
    WITHHELD = "inferred_withheld"


PAID_LESS_TAX: Final = "paid_less_tax"
# What people read of one sum: a place; paid, and the service kept tax of it, so that it was not paid whole; or not told
# by the service, and inferred from its figures.
SHOWN_PLACES: Final = (*(place.value for place in Place), PAID_LESS_TAX, *(inferred.value for inferred in Inferred))


def shown_place(place: str, reason: str) -> str:
    """Return which of `SHOWN_PLACES` tells of one sum.

    >>> shown_place("paid", "less_tax"), shown_place("paid", "")
    ('paid_less_tax', 'paid')
    >>> shown_place("undetermined", "inferred_paid,submission")
    'inferred_paid'
    """
    first = reason.partition(",")[0]
    if place == Place.UNDETERMINED.value and first in list(Inferred):
        return first
    return PAID_LESS_TAX if place == Place.PAID.value and reason == LESS_TAX else place


@lru_cache(maxsize=50_000)  # a run asks for each of its keys at every stage
def obligation_key(job: str, payer: str, payee: str, period: str, currency: str, reference: str) -> str:
    """Name what is owed to one payee. Never contains the amount or the bank account.

    Returns:
        "ob-" and 26 characters of base32; `extPaymentId` on the wire, the same in every attempt.
    """
    return "ob-" + short_token(digest_of("obligation", job, payer, payee, period, currency, reference), 26)


@dataclass(frozen=True, slots=True)
class BatchPayment:
    """One payment of a batch, as the ledger keeps it beside the body.

    Attributes:
        destination: Fingerprint of the destination; "" for the owner's part.
    """

    obligation_key: str
    base_key: str
    reference: str
    kind: Literal["payment", "royalty", "returned", "owner"]
    payee: str
    amount_cents: int
    destination: str
    withheld: bool


@dataclass(frozen=True, slots=True)
class PaymentBatch:
    """The payments of one POST /split.

    Attributes:
        number: Position in the plan, from 1.
    """

    number: int
    content: bytes
    payments: tuple[BatchPayment, ...]
    owner_cents: int
    amount_cents: int

    @property
    def content_hash(self) -> str:
        """Identity of the batch: hex sha256 of its content."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def payees(self) -> int:
        """How many payment entries the report has; the owner's part is not one."""
        return sum(payment.kind != "owner" for payment in self.payments)


def digest_of_plan(content_hashes: Sequence[str], exchange_body: bytes | None) -> str:
    """Identity of a plan: its batches in order, and the exact bytes that set the rate of reports in a foreign currency.

    Plans in BRL have no such bytes; plans that pay nothing all have one digest.
    """
    exchange = [exchange_body] if exchange_body is not None and content_hashes else []
    return "sha256:" + digest_of("plan", *exchange, *content_hashes)


@dataclass(frozen=True, slots=True)
class PaymentPlan:
    """All batches of one run. Has no effect yet.

    Attributes:
        exchange: The rate all its reports are given once the service has them; None for reports in BRL.
    """

    job: str
    payer: str
    period: str
    currency: str
    batches: tuple[PaymentBatch, ...]
    exchange: ExchangeTerms | None = None

    @property
    def digest(self) -> str:
        """The batches' hashes, and what is said of their exchange rate: no times, no run ids, nothing unpaid."""
        exchange = self.exchange.body if self.exchange else None
        return digest_of_plan([batch.content_hash for batch in self.batches], exchange)

    @property
    def total_cents(self) -> int:
        return sum(batch.amount_cents for batch in self.batches)

    @property
    def payees(self) -> int:
        """How many payment entries the plan has."""
        return sum(batch.payees for batch in self.batches)

    @property
    def largest_cents(self) -> int:
        """The largest single payment; 0 for an empty plan."""
        return max((p.amount_cents for b in self.batches for p in b.payments if p.kind != "owner"), default=0)


def report_id(ledger_tag: str, content_hash: str, attempt: int) -> str:
    """Name a report so that the service's list can be compared with the ledger, even a lost one.

    The service's address takes no part in it: however that is spelled, the same account is meant.

    Returns:
        "rp-<ledger tag>-<hash>": only lower-case letters, digits and hyphens. The hash is that of batch and attempt
        alone, so that any ledger finds its own batch under any other's name.
    """
    return f"rp-{ledger_tag}-{short_token(digest_of('report', content_hash, str(attempt)), 26)}"


class NameParts(NamedTuple):
    ledger_tag: str
    attempt_token: str


def parts_of_name(name: str) -> NameParts | None:
    """Take the name of a report apart, whatever its case; None for one that no ledger has given.

    >>> parts_of_name("RP-ABCDEF-" + 26 * "a"), parts_of_name("rp-7")
    (NameParts(ledger_tag='abcdef', attempt_token='aaaaaaaaaaaaaaaaaaaaaaaaaa'), None)
    """
    found = _REPORT_ID.fullmatch(name.casefold())
    return NameParts(found["ledger"], found["attempt"]) if found else None


def names_of(report: SplitReport) -> frozenset[str]:
    """Return the report ids a report bears, whatever their case: in reportId, or in the brackets of its name."""
    name = (report.paymentBatchName or "").casefold()
    in_name = name[name.rfind("[") + 1 : -1] if name.endswith("]") and "[rp-" in name else ""
    return frozenset(text for text in ((report.reportId or "").casefold(), in_name) if text.startswith("rp-"))


def names_of_others(report: SplitReport, sent: bytes) -> frozenset[str]:
    """Return the report ids that an answer bears, wherever in its name, and that are not in the bytes it answers."""
    name = (report.paymentBatchName or "").casefold()
    borne = names_of(report) | {found.group() for found in _REPORT_ID.finditer(name)}
    return frozenset(name for name in borne if name.encode() not in sent)


def body_to_send(content: dict[str, object], report: str, name: str) -> bytes:
    """Complete a batch's content with the two fields that name the attempt, and write the exact bytes to POST."""
    return canonical_json(content | {"reportId": report, "paymentBatchName": name})


def short_digest(digest: str) -> str:
    """Name a plan as people do: by eight digits.

    >>> short_digest("sha256:0a1b2c3d4e5f")
    '0a1b2c3d'
    """
    return digest.removeprefix("sha256:")[:8]


class ApprovalKind(StrEnum):
    """How an approval came about."""

    PERSON = "person"
    SIGNED_IN = "signed_in"
    YES_FLAG = "yes"
    BELOW_LIMIT = "below"


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's word on one plan.

    Attributes:
        expires_at: Until when it may be used (UTC).
    """

    digest: str
    by: str
    kind: ApprovalKind
    total_cents: int
    at: dt.datetime
    expires_at: dt.datetime


ROYALTIES = "royalties"


@dataclass(frozen=True, slots=True)
class JobIdentity:
    """Whose obligations, for when, in which currency."""

    job: str
    payer: str
    period: str
    currency: str

    def key(self, payee: str, reference: str) -> str:
        return obligation_key(self.job, self.payer, payee, self.period, self.currency, reference)

    def payment_key(self, payee: str, reference: str, number: int = 1) -> str:
        """Key of a payments row, or of its n-th payment, however its reference is spelled; never one of ours."""
        reference = normal_reference(reference)
        ours = reference.lstrip("=").split("/", maxsplit=1)[0] in {ROYALTIES, OWNER_REFERENCE}
        nth = "" if number == 1 else f"\x1f{number}"  # a sign no cell may hold: people number their references too
        return self.key(payee, (f"={reference}" if ours else reference) + nth)

    def royalty_key(self, payee: str, number: int = 1) -> str:
        return self.key(payee, numbered(ROYALTIES, number))

    def owner_key(self, number: int = 1) -> str:
        return self.key(self.payer, numbered(OWNER_REFERENCE, number))


def numbered(reference: str, number: int) -> str:
    """Name the n-th obligation of one kind: royalties, royalties/2, ..."""
    return reference if number == 1 else f"{reference}/{number}"
