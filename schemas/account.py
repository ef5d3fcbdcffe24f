"""A payee's account by day, what is owed to payees on a day, and a month's totals; amounts in centavos."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Final

from schemas.errors import BrokenInvariant
from schemas.journal import AccountKind, EntryKind, JournalAccount
from schemas.reasons import Reasons
from schemas.values.masking import mask_tax_id


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalSums:
    """Sums of the journal by where the money is: what came in = the sum of all others, or else `BrokenInvariant`.

    Attributes:
        came_in_cents: Earned, listed, or opened with.
        paid_cents: What the service said it paid, less what it kept.
        service_fee_cents: Its fee, where it kept it out of what it paid.
        returned_cents: Came back after it was paid, and is not paid again.
        outside_cents: Paid or given up outside Repasse, as people decided, and by opening balances.
        owed_cents: To payees, in royalties and for rows.
    """

    came_in_cents: int
    recouped_cents: int
    tax_cents: int
    transit_cents: int
    paid_cents: int
    income_tax_cents: int
    service_fee_cents: int
    service_held_cents: int
    outside_cents: int
    owner_cents: int
    unassigned_cents: int
    returned_cents: int
    owed_cents: int

    def __post_init__(self) -> None:
        places_cents = {name: getattr(self, name) for name in WHERE_IT_IS}
        if self.came_in_cents != sum(places_cents.values()):
            raise BrokenInvariant(f"{self.came_in_cents} centavos came in, and are in {places_cents}")


# The sums but what came in, in the order they are shown.
WHERE_IT_IS: Final = tuple(column.name for column in fields(JournalSums) if column.name != "came_in_cents")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountEntry(JournalSums):
    """What one entry of the journal moved between one payee's accounts; columns of the view `account`.

    Attributes:
        day: On which it was booked, in Brazil.
        period: Which it is about; "" for none.
        report: Id of the report it is about; "" of all else.
        owed_cents: By how much more is owed since.
        report_tax_cents: Income tax that the service kept of the report, of which it does not say whose it is.
        recordings: Of a correction: what earns something else since; None of all else.
    """

    number: int
    day: dt.date
    period: str
    kind: EntryKind
    report: str
    job: str
    currency: str
    report_tax_cents: int = 0
    recordings: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PaymentLine:
    """One payment, or what is owed and not paid yet.

    Attributes:
        tax_id: In full, to be found by; never shown.
        kind: Royalties, or a row of a payments sheet.
        reference: As the row states it, masked; "" for royalties.
        place: One of `schemas.plan.SHOWN_PLACES`.
        run_id: The run that made its report, or whose books tell it.
        report: Id of the report; "" before.
        plan_digest: The plan it was sent with; "" before.
        sent_at: When its report was sent (UTC); None before.
        has_receipt: Whether the service itself says that it was paid, not people.
    """

    job: str
    period: str
    currency: str
    name: str = field(repr=False)
    tax_id: str = field(repr=False)
    kind: str
    reference: str
    amount_cents: int
    place: str
    reasons: Reasons
    key: str
    run_id: str
    report: str
    plan_digest: str
    sent_at: dt.datetime | None
    has_receipt: bool = False

    @property
    def tax_id_masked(self) -> str:
        """The document as it may be shown."""
        return mask_tax_id(self.tax_id) if self.tax_id else ""

    @property
    def payee(self) -> str:
        """Names the payee in addresses, without the document."""
        return payee_token(self.tax_id)


def payee_token(tax_id: str) -> str:
    """Name a payee in addresses, without the document."""
    return sha256(f"payee {tax_id}".encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class PayeeAccount:
    """One payee's account with one job, in its currency, over some days.

    Attributes:
        payer_name: Who pays; "" where no run left a record.
        opening_cents: What was owed before the first of the days.
        payments: What is paid, on its way, planned or held, as it stands now; of days before, what was sent by then, as
            it stood then.
    """

    job: str
    currency: str
    payer_name: str
    opening_cents: int
    entries: tuple[AccountEntry, ...]
    payments: tuple[PaymentLine, ...]

    def sum_cents(self, name: str) -> int:
        """Add up one of the columns over the days."""
        return sum(getattr(entry, name) for entry in self.entries)

    @property
    def closing_cents(self) -> int:
        """What is owed after the last of the days; less than nothing where more was paid than came in."""
        return self.opening_cents + self.sum_cents("owed_cents")


@dataclass(frozen=True, slots=True)
class AdvanceLeft:
    """What of an advance is still to be recouped; columns of the view `advances`.

    Attributes:
        job: Whose advance it is; "" of one with a name, which all jobs of a payer recoup.
    """

    job: str
    currency: str
    reference: str
    payee: str = field(repr=False)
    left_cents: int


@dataclass(frozen=True, slots=True)
class PayeeAccounts:
    """A payee's accounts with all jobs.

    Attributes:
        code: By which the payee stands in the exported journal; "" where nothing of theirs was ever booked.
        since, until: The days that are shown, both included.
        advances: After the last of them.
    """

    name: str
    tax_id_masked: str
    language: str
    since: dt.date
    until: dt.date
    accounts: tuple[PayeeAccount, ...]
    advances: tuple[AdvanceLeft, ...]
    code: str


@dataclass(frozen=True, slots=True)
class NamedCode:
    """Whose a code of the exported journal is.

    Attributes:
        code: Of a payee, one of their rows, or one of their advances.
        account: As the exported journal calls it; of a payee, the account of what they are owed in royalties.
        reference: Key of the row, name of the advance; "" of a payee.
    """

    code: str
    account: str
    name: str = field(repr=False)
    tax_id: str = field(repr=False)
    job: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfAccount:
    """What is said of an account of the journal, or of what is on its way from it by one report.

    Attributes:
        report: Id of the report; "" of what is not on its way.
    """

    kind: AccountKind
    job: str
    payer: str
    payee: str = field(repr=False)
    reference: str
    currency: str
    report: str

    @property
    def account(self) -> JournalAccount:
        return JournalAccount(self.kind, self.job, self.payer, self.payee, self.reference, self.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedBalance(_OfAccount):
    """What stands in an account at the end of a day; columns of the view `owed`.

    Attributes:
        amount_cents: What is owed; less than nothing where the payee owes back.
        period: The latest that it is about; "" for none.
    """

    amount_cents: int
    period: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedSince(_OfAccount):
    """The day since which what stands in an account is owed; columns of the view `owed_since`."""

    since: dt.date


@dataclass(frozen=True, slots=True)
class OwedSum:
    """What was owed to one payee and not paid at the end of a day.

    Attributes:
        name: The payee's; "" for lines that no share covers.
        code: By which the payee stands in the exported journal; "" where nothing of theirs was ever booked.
        report: Id of the report; "" before.
        key: The obligation's, by which people decide on it; "" where the last runs know of none.
        count: Of how many obligations it is.
        since: The day since which it is owed, or its report was sent; None where nothing of it is booked yet.
    """

    job: str
    period: str
    currency: str
    name: str = field(repr=False)
    tax_id: str = field(repr=False)
    kind: str
    reference: str
    amount_cents: int
    place: str
    reasons: Reasons
    report: str
    key: str
    obligation_cents: int
    code: str = ""
    count: int = 1
    since: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Owed:
    """What was owed and not paid at the end of a day."""

    at: dt.date
    language: str
    sums: tuple[OwedSum, ...]

    def days(self, due: OwedSum) -> int | None:
        """For how many days one of the sums was owed by then; None where nothing of it was booked."""
        return None if due.since is None else (self.at - due.since).days


@dataclass(frozen=True, slots=True)
class TaxedPayment:
    """One payment that a report paid, with what was withheld for taxes.

    Attributes:
        nature: Code of the nature of the income, as the table of taxes gives it; "" elsewhere.
        withheld_cents: Kind of tax -> centavos.
    """

    payer: str
    payer_name: str
    tax_id: str = field(repr=False)
    name: str = field(repr=False)
    nature: str
    kind: str
    job: str
    period: str
    currency: str
    paid_on: dt.date
    report: str
    net_cents: int
    withheld_cents: Mapping[str, int]

    @property
    def gross_cents(self) -> int:
        return self.net_cents + sum(self.withheld_cents.values())

    @property
    def is_of_individual(self) -> bool:
        return len(self.tax_id) == len("52998224725")


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What a run took back of what was booked for a payee, above zero; columns of the view `taken_back`."""

    tax_id: str = field(repr=False)
    amount_cents: int


@dataclass(frozen=True, slots=True)
class BookedPayment:
    """What one entry books as paid to a payee, less than nothing where it came back; columns of the view `paid`.

    Attributes:
        cause: Id of the submission; behind it, that of another report which the service made of the same POST.
        tax_id: "" for what was kept of payments of several.
        kept_cents: Income tax that the service kept.
    """

    number: int
    cause: str
    day: dt.date
    job: str
    period: str
    payer: str
    currency: str
    tax_id: str = field(repr=False)
    paid_cents: int
    kept_cents: int

    @property
    def submission_id(self) -> str:
        return self.cause.partition(" ")[0]

    @property
    def is_beside(self) -> bool:
        """Whether another report than the submission's own has paid it."""
        return " " in self.cause


@dataclass(frozen=True, slots=True)
class WithheldWhole:
    """A tax that took all there was of a payee; columns of the view `withheld_whole`."""

    day: dt.date
    job: str
    period: str
    payer: str
    currency: str
    tax_id: str = field(repr=False)
    tax: str
    withheld_cents: int


@dataclass(frozen=True, slots=True)
class ReferenceOfPayee:
    """What a row of a payments sheet is called, and whom it is for; columns of the view `references`."""

    tax_id: str = field(repr=False)
    reference: str


@dataclass(frozen=True, slots=True)
class RestatedEntry:
    """What an entry changed for a payee of a period that had been read before; columns of the views `restated_...`.

    Attributes:
        number: Of the entry.
        run_before: The run that read the period before.
        amount_cents: By how much more is owed since.
    """

    number: int
    day: dt.date
    period: str
    run_id: str
    run_before: str
    tax_id: str = field(repr=False)
    amount_cents: int


@dataclass(frozen=True, slots=True)
class PeriodOfPayee:
    """A period of a job of which runs knew anything of a payee; columns of the view `periods_of_payee`.

    Attributes:
        run_id: The last run that did.
    """

    job: str
    period: str
    tax_id: str = field(repr=False)
    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthSums(JournalSums):
    """The sums of one job, period and currency; columns of the view `month`.

    What is owed is less than nothing where more was paid than came in: of what earlier periods had left.

    Attributes:
        fee_cents: The service's fee, kept out of what it paid or charged beside it.
        checks_cents: What checks of accounts cost.
    """

    job: str
    period: str
    currency: str
    fee_cents: int
    checks_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthLine(MonthSums):
    """One job's period in the view over a month, with the last run of it.

    Attributes:
        exit_code: How it ended; None while it runs.
        planned_cents: What plans pay that wait for an approval: nothing of it is booked yet.
    """

    run_id: str
    state: str
    exit_code: int | None
    payments: int
    planned_cents: int


@dataclass(frozen=True, slots=True)
class MonthView:
    """One month of all jobs.

    Attributes:
        lines: Of the periods that begin in it, as they stand now.
        booked: What was booked in it, about whatever period.
    """

    month: str
    language: str
    lines: tuple[MonthLine, ...]
    booked: tuple[MonthSums, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """One payment that the service says was paid, as its payee and an accountant are shown it.

    Attributes:
        reference: As the row states it, masked; "" for royalties.
        tax_cents: Income tax that the service kept of it; None where it kept some of the report, and
            does not say of whom.
        destination: Where it was sent, masked.
        sent_at, ended_at: When it was sent, and seen as paid (UTC).
    """

    payer_name: str
    job: str
    period: str
    currency: str
    language: str
    name: str = field(repr=False)
    tax_id_masked: str
    kind: str
    reference: str
    amount_cents: int
    tax_cents: int | None
    destination: str
    report_id: str
    split_id: str
    sent_at: dt.datetime | None
    ended_at: dt.datetime | None
    approved_by: tuple[str, ...] = ()
