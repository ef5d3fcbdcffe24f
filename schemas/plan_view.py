"""A plan as it is reviewed before approval: in the terminal, in plan.xlsx and on the desk."""

import datetime as dt
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Final

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from schemas.errors import ExitCode
from schemas.messages import Listed, Message, message_from, message_json
from schemas.parsing.written import TextToCheck
from schemas.plan import ExchangeTerms, Place
from schemas.reasons import Reasons
from schemas.reconciliation import RowCounts, Totals
from schemas.sources import PaidAlike
from schemas.values.money import SignedSums

# "Much above their own history": a period's sum that is at least this many times the median of the payee's last sums
# (as many as there are, up to this number), and above that median by at least this much.
MUCH_ABOVE_TIMES: Final = 3
AMOUNTS_LOOKED_AT: Final = 12
MUCH_ABOVE_BY_CENTS: Final = 100_00

# A decimal mark that was lost: the sum, or one payment, is exactly this many times one of the last period.
SLIP_TIMES: Final = 100


def _message_of(plain: Any) -> Message:  # noqa: ANN401  # what the ledger holds
    return plain if isinstance(plain, Message) else message_from(plain)


class Notice(StrEnum):
    """Why a person should look at a payee, the most urgent first."""

    PAID_BEFORE = "paid_before"
    SECOND_ATTEMPT = "second_attempt"
    TIMES_100 = "times_100"
    DESTINATION = "changed_destination"
    MUCH_ABOVE = "much_above"
    TAKEN_BACK = "taken_back"
    NEW = "new"
    DISAPPEARED = "disappeared"


class ChangeKind(StrEnum):
    """How a payment differs from the last plan."""

    ADDED = "added"
    REMOVED = "removed"
    AMOUNT = "amount"
    DESTINATION = "destination"


class Against(StrEnum):
    """What a plan is compared with."""

    NOTHING = "nothing"
    LAST_PLAN = "last_plan"
    LAST_PERIOD = "last_period"


# A message, as pydantic writes and reads it.
StoredMessage = Annotated[Message, PlainSerializer(message_json), PlainValidator(_message_of)]

# What has to be looked at one by one; of the others a count and a sum say enough.
ONE_BY_ONE: Final = frozenset(
    {
        Notice.PAID_BEFORE,
        Notice.SECOND_ATTEMPT,
        Notice.TIMES_100,
        Notice.DESTINATION,
        Notice.MUCH_ABOVE,
        Notice.TAKEN_BACK,
    }
)


@dataclass(frozen=True, slots=True)
class PlannedDestination:
    """Where a payment goes, without anything a stranger could pay or be paid with.

    Attributes:
        number: The Pix key masked by its type; or agency and masked account.
        bank: Code and name of the bank, as far as they are known; "" of a Pix key.
        holder: Whose account it is, where the row names somebody else than the payee; "" elsewhere.
        confirmed_at: When the service last confirmed it (UTC), as far as that answer may still be used; None where it
            has not.
    """

    kind: str
    number: str
    bank: str = ""
    holder: str = ""
    confirmed_at: dt.datetime | None = None

    @property
    def message(self) -> Listed:
        """Where it goes, on one line, such as "Conta corrente 0001 / ****7, 341 Itaú"."""
        where = Listed((Message(self.kind), self.number), " ")
        return Listed((where, *filter(None, (self.bank, self.holder))), ", ")


@dataclass(frozen=True, slots=True)
class NoticeGroup:
    """All notices of one kind: how many payees, or rows, and what they come to."""

    notice: Notice
    count: int
    amount_cents: int


@dataclass(frozen=True, slots=True)
class PayeeNotice:
    """One reason to look at one payee.

    Attributes:
        name: As the tables have it; "" when nobody knows it any more.
        before_cents: What it is held against: the median of their last amounts, or the last one; what is taken back of
            what was booked for the period; 0 where there is none.
        last_paid_at: When they were last paid (UTC); None for never.
        last_used_at: When the destination of this plan was last used (UTC); None for never.
        report: The last report that failed to pay them; "" without one.
    """

    notice: Notice
    tax_id: str
    name: str
    now_cents: int
    before_cents: int = 0
    amounts: int = 0
    last_paid_at: dt.datetime | None = None
    last_used_at: dt.datetime | None = None
    alike: tuple[PaidAlike, ...] = ()
    attempt: int = 0
    report: str = ""
    destinations: tuple[PlannedDestination, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One payment that is not as it was.

    Attributes:
        name: As the tables have it; "" when nobody knows it any more.
        elsewhere: Where its money is now, for a removed one, or was before, for an added one; None for nowhere.
    """

    kind: ChangeKind
    tax_id: str
    name: str
    reference: str
    before_cents: int
    now_cents: int
    elsewhere: Place | None = None
    reasons: Reasons = ()

    @property
    def difference_cents(self) -> int:
        return self.now_cents - self.before_cents


@dataclass(frozen=True, slots=True)
class RateChange:
    """Exchange rates of one currency, before and now; "" where there was none."""

    currency: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class PlanChanges:
    """What is not as it was.

    Attributes:
        run_id: The run whose plan it was; "" without one.
        at: When that plan was made (UTC); None without one.
    """

    against: Against
    run_id: str = ""
    at: dt.datetime | None = None
    period: str = ""
    before_cents: int = 0
    now_cents: int = 0
    changes: tuple[Change, ...] = ()
    rates: tuple[RateChange, ...] = ()
    shares: int = 0

    def of_kind(self, kind: ChangeKind) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind is kind)

    @property
    def any(self) -> bool:
        return bool(self.changes or self.rates or self.shares)


# A field of a payment entry as it may be shown: a text, a yes, or the length of a list.
Sent = bool | int | str


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One obligation of the plan, without anything a stranger could pay or be paid with.

    Attributes:
        sent: What its payment sends beside payee, amount and destination, by its name on the wire.
        file, sheet, row: The source row of a payments row; "" and 0 elsewhere.
        destination: Where the money goes, of what is planned; None elsewhere, and of the owner's part.
        written: What people wrote beside it: the column's header, "" of a comment, and the text, masked.
    """

    name: str
    tax_id_masked: str
    kind: str
    reference: str
    amount_cents: int
    place: Place
    reasons: Reasons
    file: str
    sheet: str
    row: int
    notices: tuple[Notice, ...]
    alike: tuple[PaidAlike, ...] = ()
    destination: PlannedDestination | None = None
    sent: Mapping[str, Sent] = field(default_factory=dict)
    written: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NotPaid:
    """What is not paid for one reason: how many obligations, and their sum."""

    place: Place
    reasons: Reasons
    count: int
    amount_cents: int


@dataclass(frozen=True, slots=True)
class ChecksView:
    """Account checks that are still to be made."""

    wanted: int
    each_cents: int
    budget_cents: int

    @property
    def cost_cents(self) -> int:
        return self.wanted * self.each_cents

    @property
    def left_cents(self) -> int:
        """What is left of the budget; 0 when it does not reach."""
        return max(0, self.budget_cents - self.cost_cents)

    @property
    def beyond_budget(self) -> int:
        """How many accounts the budget does not reach; their payments would be held."""
        return max(0, self.wanted - self.budget_cents // self.each_cents)


@dataclass(frozen=True, slots=True)
class BatchLine:
    """One report of the plan; `owner_cents` is in `amount_cents`."""

    number: int
    payments: int
    amount_cents: int
    owner_cents: int


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan as a person reviews it; kept in the ledger for the desk. Tax ids are masked wherever they stand.

    Attributes:
        digest: Identity of the plan; None while account checks are outstanding, for they may change it.
        payer_document: As it is sent, where it is a company's; a person's masked.
        exchange: The rate of the reports; None in BRL.
        to_check: What people wrote that nobody has seen before, masked; each text once.
        ready: What whoever pays for it should have ready; None of a plan in a foreign currency.
    """

    language: str
    digest: str | None
    job: str
    period: str
    currency: str
    payer_name: str
    exchange: ExchangeTerms | None
    total_cents: int
    payees: int
    batches: tuple[BatchLine, ...]
    totals: Totals
    rows: RowCounts
    planned: tuple[PlanRow, ...]
    others: tuple[PlanRow, ...]
    not_paid: tuple[NotPaid, ...]
    checks: ChecksView
    notices: tuple[PayeeNotice, ...]
    first_ever: bool
    changes: PlanChanges
    stopped: bool = False
    review_reasons: tuple[StoredMessage, ...] = ()
    payer_document: str = ""
    to_check: tuple[TextToCheck, ...] = ()
    ready: StoredMessage | None = None

    @property
    def exit_code(self) -> ExitCode:
        """Done, or done with rows that would be held, or stopped by them."""
        if self.stopped:
            return ExitCode.ROWS_REFUSED
        return ExitCode.ROWS_HELD if self.totals.held or self.totals.conflict or self.rows.held else ExitCode.DONE

    @property
    def payments(self) -> int:
        return sum(batch.payments for batch in self.batches)

    @property
    def owner_cents(self) -> int:
        return sum(batch.owner_cents for batch in self.batches)

    @property
    def largest(self) -> tuple[PlanRow, ...]:
        """The ten largest payments, the owner's part aside."""
        return largest_of(self.planned, 10)

    @property
    def notice_groups(self) -> tuple[NoticeGroup, ...]:
        """Whom to look at, one line for each kind there is, the most urgent first."""
        return tuple(group for group in groups_of(self.notices) if group.count)

    def to_bytes(self) -> bytes:
        return zlib.compress(_view_adapter().dump_json(self), level=3)

    @classmethod
    def from_bytes(cls, data: bytes) -> "PlanView":
        return _view_adapter().validate_json(zlib.decompress(data))


@cache
def _view_adapter() -> TypeAdapter[PlanView]:
    """Return what writes and reads a view; it takes long to make, and most commands need none."""
    return TypeAdapter(PlanView)


def largest_of(planned: Iterable[PlanRow], count: int) -> tuple[PlanRow, ...]:
    payments = (row for row in planned if row.kind != "owner")
    return tuple(sorted(payments, key=lambda row: -row.amount_cents)[:count])


def groups_of(notices: Iterable[PayeeNotice]) -> tuple[NoticeGroup, ...]:
    """Count notices by kind, and sum up what they come to now; of those who disappeared, or owe back, what was before.

    Returns:
        All kinds, the most urgent first, those of which there are none included.
    """
    counts, sums = SignedSums[Notice](), SignedSums[Notice]()
    for notice in notices:
        counts[notice.notice] += 1
        is_gone = notice.notice in {Notice.DISAPPEARED, Notice.TAKEN_BACK}
        sums[notice.notice] += notice.before_cents if is_gone else notice.now_cents
    return tuple(NoticeGroup(notice, counts[notice], sums[notice]) for notice in Notice)
