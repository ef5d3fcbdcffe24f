"""The journal: double-entry bookkeeping of every centavo. Debits are positive, credits negative, as in beancount.

An entry is one event, and its postings sum to zero in each currency. A liability's balance is negative while it is
owed. Nothing here reads or writes; the ledger keeps entries and never changes one.
"""

import datetime as dt
import hashlib
from base64 import b32encode
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Final

from schemas.approval import DecisionKind
from schemas.deal_sums import NO_DEALS_BEFORE, DealsBefore, DealSum, DealSums, joined_sums, renamed_sums
from schemas.errors import BrokenInvariant
from schemas.messages import Message
from schemas.submission import LIVE, UNTOLD, SubmissionState
from schemas.values.money import SignedSums


class AccountKind(StrEnum):
    """Where centavos stand."""

    SOURCE = "source"  # what statements and sheets say came in
    PAYEE = "payee"  # owed to a payee in royalties, over all periods of a series
    PAYMENT = "payment"  # owed for one row of a payments sheet; never netted with anything
    OWNER = "owner"  # the payer's own part, and what of it reports have stated
    UNASSIGNED = "unassigned"  # lines and rows that nobody is known for, by reason
    ADVANCE = "advance"  # paid ahead and still to be recouped
    TAX = "tax"  # withheld, by kind of tax
    TRANSIT = "transit"  # claimed: approved, being sent, in doubt, being processed, undetermined
    SERVICE = "service"  # the service says that it paid, less what it kept
    SERVICE_TAX = "service_tax"  # income tax that the service kept
    SERVICE_HELD = "service_held"  # held back by the service, as people asked
    SERVICE_FEE = "service_fee"  # the service's fee, where it was kept out of what was paid
    EXPENSE = "expense"  # what the service charges beside what it pays: checks of accounts, and its fee
    FLOAT = "float"  # the payer's money at the service, by report; and out of which it takes what checks cost
    BANK = "bank"  # the payer's bank, as far as money went to the service
    RETURNED = "returned"  # was paid and came back, by return; never netted, taxed or recouped
    OUTSIDE = "outside"  # paid, received or given up outside Repasse


class EntryKind(StrEnum):
    """What has happened."""

    READ = "read"
    RECOUP = "recoup"
    WITHHOLD = "withhold"
    SEND = "send"
    RELEASE = "release"
    REPORT = "report"
    RETURN = "return"
    DECISION = "decision"
    OPENING = "opening"
    MOVE = "move"
    COST = "cost"
    FUND = "fund"


# What the owner's account says of itself: its own part, and what reports have stated of it.
STATED: Final = "stated"
DROPPED: Final = "dropped"
# What an expense is for.
CHECKS: Final = "checks"
FEE: Final = "fee"
# How the reference begins of what people gave up of a payments row that no report claims.
GIVEN_UP: Final = "given up "


@dataclass(frozen=True, slots=True, order=True)
class JournalAccount:
    """Where centavos stand.

    Attributes:
        job: Name of the job; "" for an advance with a reference, which all jobs of a payer recoup.
        payee: Tax id; "" where it is nobody's.
        reference: Key of a payments row, name of an advance, kind of tax, reason; "" for none.
        currency: ISO code.
    """

    kind: AccountKind
    job: str
    payer: str
    payee: str
    reference: str
    currency: str


def payee_code(first_account: int) -> str:
    """Name a payee where nobody may be named: after the number of the first account they ever had in the ledger."""
    return f"P{first_account}"


Sums = Mapping[JournalAccount, int]


@dataclass(frozen=True, slots=True)
class Series:
    """The periods of one job, for one payer in one currency: what is owed in one of them is owed in all."""

    job: str
    payer: str
    currency: str

    def account(self, kind: AccountKind, payee: str = "", reference: str = "") -> JournalAccount:
        """Return one of its accounts; an advance with a reference of its own is the payer's, not the job's."""
        job = "" if kind is AccountKind.ADVANCE and is_shared_advance(reference) else self.job
        return JournalAccount(kind, job, self.payer, payee, reference, self.currency)


def given_up(row: JournalAccount) -> JournalAccount:
    """Return where that stands which people gave up of a payments row."""
    return replace(row, kind=AccountKind.OUTSIDE, reference=GIVEN_UP + row.reference)


def is_shared_advance(name: str) -> bool:
    """Whether an advance has a reference, by which other jobs of its payer know it too; see `advance_reference`."""
    return bool(name) and not name.startswith("|")


@dataclass(frozen=True, slots=True)
class Posting:
    """One leg of an entry."""

    account: JournalAccount
    amount_cents: int


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One event of the journal.

    Attributes:
        period: Label of the period it is about; "" for none. Never decides a balance.
        period_start: Its first day; None for none.
        deal_sums: What it adds to sums that deals rest on.

    Raises:
        BrokenInvariant: the postings do not sum to zero in each currency, one is nothing, or two are of one account.
    """

    id: str
    kind: EntryKind
    series: Series
    period: str
    period_start: dt.date | None
    cause: str
    postings: tuple[Posting, ...]
    reason: Message | None = None
    deal_sums: tuple[tuple[DealSum, Fraction], ...] = ()

    def __post_init__(self) -> None:
        sums = SignedSums[str]()
        for posting in self.postings:
            sums[posting.account.currency] += posting.amount_cents
        if any(sums.values()):
            raise BrokenInvariant(f"the postings of a {self.kind} entry do not sum to zero")
        accounts = {posting.account for posting in self.postings}
        if len(accounts) != len(self.postings) or not all(posting.amount_cents for posting in self.postings):
            raise BrokenInvariant(f"a {self.kind} entry has a posting of nothing, or two of one account")


def entry_id(kind: EntryKind, *cause: object) -> str:
    """Name an entry after its cause.

    >>> len({entry_id(EntryKind.SEND, "rp-1", number) for number in (1, 1, 2)})
    2
    """
    text = "\x1f".join(map(str, (kind.value, *cause)))
    return "je-" + b32encode(hashlib.sha256(text.encode()).digest())[:26].decode().lower()


def postings_of(sums: Sums) -> tuple[Posting, ...]:
    """Return sums as postings, in order of accounts, without those of nothing."""
    return tuple(Posting(account, cents) for account, cents in sorted(sums.items()) if cents)


def difference(target: Sums, posted: Sums) -> dict[JournalAccount, int]:
    """Return what is to be posted where something else was posted before."""
    found = SignedSums(target)
    found.add({account: -cents for account, cents in posted.items()})
    return {account: cents for account, cents in found.items() if cents}


class Transfer:
    """Sums of accounts, put together from moves, each of which takes from one account what it puts in another."""

    def __init__(self) -> None:
        self.sums = SignedSums[JournalAccount]()

    def move(self, debit: JournalAccount, credit: JournalAccount, amount_cents: int) -> None:
        self.sums[debit] += amount_cents
        self.sums[credit] -= amount_cents


@dataclass(frozen=True, slots=True)
class ClaimedSum:
    """What a submission pays of one account.

    Attributes:
        taxes_cents: Kind of tax -> centavos that are withheld with it.
    """

    obligation_key: str
    base_key: str
    kind: str
    payee: str
    amount_cents: int
    taxes_cents: Mapping[str, int]
    is_held_back: bool = False


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """What a report says of the money, in centavos; None where it does not."""

    paid_cents: int | None = None
    tax_cents: int | None = None
    fee_cents: int | None = None
    held_nothing: bool = False

    def bear_out(self, sent_cents: int) -> bool:
        """Whether what was sent is what was paid and what was kept of it; a fee may be charged beside it."""
        if self.paid_cents is None:
            return False
        rest_cents = sent_cents - self.paid_cents - (self.tax_cents or 0)
        return rest_cents in {0, self.fee_cents or 0}


NO_FIGURES: Final = ReportFigures()


def where_claims_are(
    series: Series,
    claims: Collection[ClaimedSum],
    state: SubmissionState,
    figures: ReportFigures = NO_FIGURES,
    decisions: Mapping[str, DecisionKind] | None = None,
    report: str = "",
) -> dict[JournalAccount, int]:
    """Return what all entries of one submission come to, as it stands.

    Money that is claimed has left its payee, and is in transit until the service says it is paid; what a report ended
    without telling stays there until people say what became of it. What was never sent, or failed, is the payee's.

    Args:
        decisions: Obligation key -> the last word on what an untold report did for it.
        report: Whose money at the service a fee beside what it pays is taken from.
    """
    if state not in LIVE:
        return {}
    transfer, decided = Transfer(), decisions if decisions is not None and state in UNTOLD else {}
    paid_cents = 0
    for claim in claims:
        decision = decided.get(claim.obligation_key)
        if decision is DecisionKind.PAY:  # it was not made
            continue
        if claim.kind == "owner":
            owner = series.account(AccountKind.OWNER)
            transfer.move(owner, series.account(AccountKind.OWNER, reference=STATED), claim.amount_cents)
            continue
        owed = _owed_before(series, claim)
        for tax, cents in claim.taxes_cents.items():
            transfer.move(owed, series.account(AccountKind.TAX, claim.payee, tax), cents)
        is_paid = state is SubmissionState.PAID or decision is DecisionKind.PAID
        if decision is DecisionKind.DROP:
            there = series.account(AccountKind.OUTSIDE, claim.payee, DROPPED)
        elif is_paid and claim.is_held_back and not figures.held_nothing:
            there = series.account(AccountKind.SERVICE_HELD, claim.payee)
        elif is_paid:
            there, paid_cents = series.account(AccountKind.SERVICE, claim.payee), paid_cents + claim.amount_cents
        else:
            there = series.account(AccountKind.TRANSIT, claim.payee)
        transfer.move(owed, there, claim.amount_cents)
    is_told = bool(decided) and all(claim.kind == "owner" or claim.obligation_key in decided for claim in claims)
    if state is SubmissionState.PAID or (is_told and figures.bear_out(paid_cents)):
        people = {claim.payee for claim in claims if claim.kind != "owner"}
        payee = people.pop() if len(people) == 1 else ""
        _keep_back(transfer, series.account(AccountKind.SERVICE, payee), paid_cents, figures, report)
    return {account: cents for account, cents in transfer.sums.items() if cents}


def _owed_before(series: Series, claim: ClaimedSum) -> JournalAccount:
    """Return where a sum was owed before it was claimed: each row, and each return, has an account of its own."""
    match claim.kind:
        case "payment":
            return series.account(AccountKind.PAYMENT, claim.payee, claim.base_key)
        case "returned":
            return series.account(AccountKind.RETURNED, claim.payee, claim.obligation_key)
        case _:
            return series.account(AccountKind.PAYEE, claim.payee)


def _keep_back(
    transfer: Transfer, service: JournalAccount, paid_cents: int, figures: ReportFigures, report: str
) -> None:
    """Take out of what a report paid what the service kept of it; of one payee alone it is known of whose.

    Only what the report's own figures bear out: it says what it paid, or the tax it kept, and in any case not more than
    there is. A fee that was not kept out of it is an expense beside it.
    """
    kept_cents = min(figures.tax_cents or 0, paid_cents)
    transfer.move(service, replace(service, kind=AccountKind.SERVICE_TAX), kept_cents)
    rest_cents = 0 if figures.paid_cents is None else paid_cents - kept_cents - figures.paid_cents
    if rest_cents and rest_cents == (figures.fee_cents or 0):
        transfer.move(service, replace(service, kind=AccountKind.SERVICE_FEE), rest_cents)
    elif figures.fee_cents:
        series = Series(service.job, service.payer, service.currency)
        charge(transfer, series, FEE, figures.fee_cents, report)


def charge(transfer: Transfer, series: Series, what_for: str, amount_cents: int, report: str = "") -> None:
    """Say that the service has charged something, beside what it pays of a report, or of none."""
    expense = series.account(AccountKind.EXPENSE, reference=what_for)
    transfer.move(expense, series.account(AccountKind.FLOAT, reference=report or what_for), amount_cents)


@dataclass(frozen=True, slots=True)
class JournalState:
    """What the journal says of a series when one of its periods is worked out.

    Attributes:
        before: Payees' accounts, of entries that are about earlier periods or about none.
        owner: Other period -> the owner's part of it, and what was stated, in centavos.
        statements: Cause of the last entry about what its statements hold; "" for none.
        moves: Document before -> document since, of payees whose accounts have moved.
        deals: What deals of other periods came to.
        deals_here: What is posted of this period's.
        moved_to: The series under which this one goes on; None while it does not.
    """

    before: Sums = field(default_factory=dict)
    after: Sums = field(default_factory=dict)
    posted: Mapping[EntryKind, Sums] = field(default_factory=dict)
    recouped: Sums = field(default_factory=dict)
    paid_ahead: Sums = field(default_factory=dict)
    paid_ahead_here: Sums = field(default_factory=dict)
    taxed_in_month: Sums = field(default_factory=dict)
    owner: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    periods: tuple[tuple[dt.date, str], ...] = ()
    entries: Mapping[EntryKind, int] = field(default_factory=dict)
    statements: str = ""
    balances: Sums = field(default_factory=dict)
    moves: Mapping[str, str] = field(default_factory=dict)
    moved_to: Series | None = None
    former: tuple[Series, ...] = ()
    move_entries: int = 0
    deals: DealsBefore = NO_DEALS_BEFORE
    deals_here: DealSums = field(default_factory=dict)

    def renamed(self, rename: Callable[[JournalAccount], JournalAccount]) -> "JournalState":
        """Return the state with some accounts under the names of others, added to what these have."""

        def payee_of(payee: str) -> str:
            return rename(JournalAccount(AccountKind.PAYEE, "", "", payee, "", "")).payee

        return replace(
            self,
            before=_renamed(self.before, rename),
            after=_renamed(self.after, rename),
            posted={kind: _renamed(of_kind, rename) for kind, of_kind in self.posted.items()},
            recouped=_renamed(self.recouped, rename),
            paid_ahead=_renamed(self.paid_ahead, rename),
            paid_ahead_here=_renamed(self.paid_ahead_here, rename),
            taxed_in_month=_renamed(self.taxed_in_month, rename),
            deals=self.deals.renamed(payee_of),
            deals_here=renamed_sums(self.deals_here, payee_of),
        )

    def without_what_payers_share(self) -> "JournalState":
        """Return the state without what is the same for all jobs of a payer: advances with a reference, taxes."""
        recouped, paid_ahead = _of_one_job(self.recouped), _of_one_job(self.paid_ahead)
        return replace(self, recouped=recouped, paid_ahead=paid_ahead, taxed_in_month={})

    def joined(self, former: "JournalState") -> "JournalState":
        """Return the state with what is posted of a former series, whose accounts have been renamed to these."""
        kinds = {*self.posted, *former.posted}
        posted = {kind: _added(self.posted.get(kind, {}), former.posted.get(kind, {})) for kind in kinds}
        owner = dict(former.owner)
        for period, (own, stated) in self.owner.items():
            known = owner.get(period, (0, 0))
            owner[period] = (known[0] + own, known[1] + stated)
        periods = tuple(sorted({*self.periods, *former.periods}))
        return replace(
            self,
            before=_added(self.before, former.before),
            after=_added(self.after, former.after),
            posted=posted,
            recouped=_added(self.recouped, former.recouped),
            paid_ahead=_added(self.paid_ahead, former.paid_ahead),
            paid_ahead_here=_added(self.paid_ahead_here, former.paid_ahead_here),
            taxed_in_month=_added(self.taxed_in_month, former.taxed_in_month),
            owner=owner,
            periods=periods,
            deals=self.deals.joined(former.deals),
            deals_here=joined_sums(self.deals_here, former.deals_here),
        )


def _added(sums: Sums, more: Sums) -> dict[JournalAccount, int]:
    found = SignedSums(sums)
    found.add(more)
    return {account: cents for account, cents in found.items() if cents}


def _of_one_job(sums: Sums) -> dict[JournalAccount, int]:
    return {account: cents for account, cents in sums.items() if account.job}


def _renamed(sums: Sums, rename: Callable[[JournalAccount], JournalAccount]) -> dict[JournalAccount, int]:
    found = SignedSums[JournalAccount]()
    for account, cents in sums.items():
        found[rename(account)] += cents
    return {account: cents for account, cents in found.items() if cents}


NOTHING_POSTED: Final = JournalState()
STATEMENTS: Final = "statements "


def cause_of_statements(content_hashes: Iterable[str]) -> str:
    """Write the cause of an entry about what statements hold; "" without any."""
    distinct = sorted(set(content_hashes))
    return STATEMENTS + hashlib.sha256("".join(distinct).encode()).hexdigest() if distinct else ""


def cause_beside(submission_id: str, split_id: str) -> str:
    """Write the cause of what another report has paid that the service made of the same POST."""
    return f"{submission_id} {split_id}"


def payee_move(old: str, new: str) -> str:
    """Write the cause of a move from one document to another."""
    return f"payee {old} {new}"


def series_move(former: Series) -> str:
    """Write the cause of a move from one series to another."""
    return f"series {former.job} {former.payer} {former.currency}"


def currency_move(former: Series) -> str:
    """Write the cause of a move from one currency to another."""
    return f"currency {former.currency}"


def series_of_cause(cause: str) -> Series | None:
    """Read which series a move was from; None for another cause."""
    kind, *name = cause.split(" ")
    return Series(*name) if kind == "series" else None


def moves_of_causes(causes: Iterable[str]) -> dict[str, str]:
    """Read who has moved, the last word on each, and each to where they are in the end."""
    parts = (cause.split(" ", 2) for cause in causes if cause.startswith("payee "))
    return to_the_last({old: new for _, old, new in parts})


def to_the_last(moves: Mapping[str, str]) -> dict[str, str]:
    """Follow moves of one who has moved several times: each document to the one that they have in the end."""

    def last(name: str) -> str:
        seen = {name}
        while (name := moves[name]) in moves and name not in seen:
            seen.add(name)
        return name

    return {old: last(old) for old in moves}
