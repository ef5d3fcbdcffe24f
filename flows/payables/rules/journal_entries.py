"""What a run posts: what its inputs say now, less what was posted of them, as entries of the journal."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Final

from flows.payables.rules.claims import PAID_BESIDE
from flows.payables.rules.left_out import REASON as REPEATED
from flows.royalties.rules.allocation import RoundedEarnings
from flows.royalties.rules.balances import History, Royalties, history_of
from flows.royalties.rules.recoupment import Recoupable, advance_reference
from schemas.deal_sums import DealSums, joined_sums
from schemas.issues import IssueCode
from schemas.journal import (
    AccountKind,
    EntryKind,
    JournalAccount,
    JournalEntry,
    JournalState,
    Series,
    Sums,
    Transfer,
    currency_move,
    difference,
    entry_id,
    given_up,
    payee_move,
    postings_of,
    series_move,
)
from schemas.obligation import Obligation
from schemas.plan import JobIdentity, Place
from schemas.submission import Claim
from schemas.values.money import SignedSums, round_half_even_cents

A = AccountKind
_UNREADABLE: Final = "unreadable"
_LONGEST_TAX_ID: Final = 32
# What an account's owner takes along to another account; what was withheld or sent stays where it was.
Rename = Callable[[JournalAccount], JournalAccount]
_MOVED: Final = frozenset({A.PAYEE, A.PAYMENT, A.ADVANCE})


@dataclass(frozen=True, slots=True)
class PeriodToPost:
    """All that a run has worked out of a period, for the journal.

    Attributes:
        paid_outside: Base key of a payments row -> centavos that an opening balance says were paid for it.
        statements: Names what the statements hold, see `cause_of_statements`; "" without any.
        doubtful_advances: Payees of whose advances nothing is posted until people have said which are which.
    """

    identity: JobIdentity
    start: dt.date
    history: History
    rounded: RoundedEarnings
    recoupable: Recoupable
    royalties: Royalties
    obligations: Iterable[Obligation]
    claims: Iterable[Claim]
    paid_outside: Mapping[str, int]
    owner_of_rows_cents: int
    statements: str = ""
    opening_gone: Collection[str] = ()
    doubtful_advances: Collection[str] = ()
    deal_sums: DealSums = field(default_factory=dict)

    @property
    def series(self) -> Series:
        return Series(self.identity.job, self.identity.payer, self.identity.currency)


def entries_of(period: PeriodToPost) -> tuple[JournalEntry, ...]:
    """Return what a run posts about its period: nothing where its inputs say what they said."""
    state, series = period.history.journal, period.series
    posted = {kind: state.posted.get(kind, {}) for kind in EntryKind}
    source, outside = series.account(A.SOURCE), series.account(A.OUTSIDE)
    claimed = SignedSums[str]()
    for claim in period.claims:
        claimed[claim.base_key] += claim.amount_cents
    ahead = paid_ahead(series, period.recoupable, period.royalties.recouped, state)
    advances = {account: cents for account, cents in ahead.items() if account.payee not in period.doubtful_advances}
    changes = [
        (EntryKind.OPENING, _change(_opening(period), posted[EntryKind.OPENING], {A.PAYEE}, lambda _: outside)),
        (EntryKind.OPENING, _mirrored(advances, lambda _: outside)),
        (EntryKind.READ, _change(_read(period, claimed), posted[EntryKind.READ], _READ, lambda _: source)),
        (
            EntryKind.RECOUP,
            _change(
                {
                    series.account(A.ADVANCE, payee, name): -cents
                    for (payee, name), cents in period.royalties.recouped.items()
                },
                posted[EntryKind.RECOUP],
                {A.ADVANCE},
                lambda account: series.account(A.PAYEE, account.payee),
            ),
        ),
        (
            EntryKind.DECISION,
            _change(_settled(period, claimed), posted[EntryKind.DECISION], {A.PAYMENT, A.OUTSIDE}, lambda _: outside),
        ),
        (EntryKind.WITHHOLD, _withheld_whole(period)),
    ]
    return tuple(_entries(period, changes))


_READ: Final = frozenset({A.PAYEE, A.PAYMENT, A.OWNER, A.UNASSIGNED})


def _entries(period: PeriodToPost, changes: Iterable[tuple[EntryKind, Sums]]) -> Iterator[JournalEntry]:
    """Name each after its period, and the number of such entries before it.

    Other statements that come to the same are read, and paid for, as well: an entry without a posting says so.
    """
    state, identity = period.history.journal, period.identity
    numbers = SignedSums(state.entries)
    for kind, change in changes:
        postings = postings_of(change)
        is_new = kind is EntryKind.READ and period.statements not in {"", state.statements}
        deals = joined_sums(period.deal_sums, state.deals_here, -1) if kind is EntryKind.READ else {}
        if postings or is_new or deals:
            numbers[kind] += 1
            about = (identity.job, identity.payer, identity.currency, identity.period, numbers[kind])
            own = period.statements if kind is EntryKind.READ else ""
            cause = own or f"{kind.value} {identity.period} {numbers[kind]}"
            name = entry_id(kind, *about)
            yield JournalEntry(
                id=name,
                kind=kind,
                series=period.series,
                period=identity.period,
                period_start=period.start,
                cause=cause,
                postings=postings,
                deal_sums=tuple(deals.items()),
            )


def _change(
    target: Sums, posted: Sums, kinds: Collection[AccountKind], other: Callable[[JournalAccount], JournalAccount]
) -> Sums:
    """Return what brings accounts of some kinds to where they should be, each against another account."""
    mine = {account: cents for account, cents in posted.items() if account.kind in kinds}
    return _mirrored(difference(target, mine), other)


def _mirrored(change: Sums, other: Callable[[JournalAccount], JournalAccount]) -> Sums:
    transfer = Transfer()
    for account, cents in change.items():
        if cents:
            transfer.move(account, other(account), cents)
    return transfer.sums


def _read(period: PeriodToPost, claimed: Mapping[str, int]) -> Sums:
    """What came in, by whose it is; of payments rows that are gone, what was paid of them stays."""
    series, rounded, found = period.series, period.rounded, SignedSums[JournalAccount]()
    for payee, cents in rounded.payees.items():
        found[series.account(A.PAYEE, payee)] -= cents
    found[series.account(A.OWNER)] -= rounded.owner_cents + period.owner_of_rows_cents
    found[series.account(A.UNASSIGNED, reference=IssueCode.SHARE_UNMATCHED.value)] -= rounded.unmatched_cents
    for code, cents in rounded.aside_cents.items():
        if code != REPEATED:
            found[series.account(A.UNASSIGNED, reference=code)] -= cents
    there, others = set[str](), set[str]()
    for obligation in period.obligations:
        if obligation.kind != "payment" or (obligation.place is Place.DUPLICATE and not obligation.base_key):
            continue
        account = account_of(period.identity, obligation)
        there.add(account.reference)
        found[account] -= obligation.amount_cents
        if obligation.reason == PAID_BESIDE and account.reference not in others:
            others.add(account.reference)
            found[account] -= claimed.get(account.reference, 0)
    for account in period.history.journal.posted.get(EntryKind.READ, {}):
        if account.kind is A.PAYMENT and account.reference not in there:
            found[account] -= claimed.get(account.reference, 0)
    return found


def account_of(identity: JobIdentity, obligation: Obligation) -> JournalAccount:
    """Return the account of what is owed; a payments row of which it cannot be read whose it is, is nobody's."""
    series, tax_id = Series(identity.job, identity.payer, identity.currency), obligation.payee.tax_id
    if obligation.kind == "unmatched":
        return series.account(A.UNASSIGNED, reference=obligation.reason)
    if obligation.kind == "returned":
        return series.account(A.RETURNED, tax_id, obligation.key)
    if obligation.kind != "payment":
        return series.account(A.PAYEE, tax_id)
    if not tax_id or len(tax_id) > _LONGEST_TAX_ID:
        return series.account(A.UNASSIGNED, reference=_UNREADABLE)
    return series.account(A.PAYMENT, tax_id, obligation.base_key or identity.payment_key(tax_id, obligation.reference))


def _opening(period: PeriodToPost) -> Sums:
    series, found = period.series, SignedSums[JournalAccount]()
    before = history_of(period.history.journal).carried_in
    for payee, cents in period.history.carried_in.items():
        found[series.account(A.PAYEE, payee)] -= cents - before.get(payee, 0)
    for claim in period.claims:
        if not claim.submission_id and claim.kind == "royalty":
            found[series.account(A.PAYEE, claim.payee)] += claim.amount_cents
    for account, cents in period.history.journal.posted.get(EntryKind.OPENING, {}).items():
        if account.kind is A.PAYEE and period.identity.royalty_key(account.payee) in period.opening_gone:
            found[account] = cents
    return found


def paid_ahead(
    series: Series, recoupable: Recoupable, recouped: Mapping[tuple[str, str], int], state: JournalState
) -> Sums:
    """Return what changes of advances that were paid: never before their date, see `Recoupable`.

    An advance that is gone from the table has nothing left to recoup; of one that other jobs know too, that is so where
    this job alone has posted it.
    """
    found, listed = SignedSums[JournalAccount](), set[JournalAccount]()
    for payee, advances in recoupable.advances.items():
        for advance, cents in advances.items():
            account = series.account(A.ADVANCE, payee, advance_reference(*advance))
            listed.add(account)
            found[account] = cents - state.paid_ahead.get(account, 0)
    later = recoupable.later
    for account, cents in state.paid_ahead_here.items():
        if account in listed or (account.payee, account.reference) in later or cents != state.paid_ahead.get(account):
            continue
        taken = recouped.get((account.payee, account.reference), 0) - state.recouped.get(account, 0)
        found[account] = taken - cents
    return {account: cents for account, cents in found.items() if cents}


def _settled(period: PeriodToPost, claimed: Mapping[str, int]) -> Sums:
    """What people say of payments rows: paid outside, or given up."""
    found = SignedSums[JournalAccount]()
    for obligation in period.obligations:
        if obligation.kind != "payment" or not obligation.base_key:
            continue
        account = period.series.account(A.PAYMENT, obligation.payee.tax_id, obligation.base_key)
        if obligation.base_key in period.paid_outside:
            found[account] = period.paid_outside[obligation.base_key]
        elif obligation.code == "decided" and not obligation.submission_id:
            found[account] = max(0, obligation.amount_cents - claimed.get(obligation.base_key, 0))
            if obligation.place is Place.EXCLUDED:
                found[given_up(account)] = -found[account]
    for account, cents in period.history.journal.posted.get(EntryKind.DECISION, {}).items():
        if account.kind is A.PAYMENT and account.reference in period.opening_gone:
            found[account] = cents
    return found


def _withheld_whole(period: PeriodToPost) -> Sums:
    """The taxes that take all there is: no payment goes with them."""
    transfer, series = Transfer(), period.series
    for payee in period.royalties.withheld_whole:
        for kind, cents in period.royalties.to_withhold[payee].items():
            transfer.move(series.account(A.PAYEE, payee), series.account(A.TAX, payee, kind), cents)
    return transfer.sums


class AccountMoves:
    """The entries that bring accounts to where they are by now; each moves what those before it have left."""

    def __init__(self, series: Series, state: JournalState) -> None:
        self.entries: tuple[JournalEntry, ...] = ()
        self._series, self._state = series, state
        self._moved = SignedSums[JournalAccount]()

    def of_payees(self, moves: Mapping[str, str], rename: Rename) -> None:
        """Move the accounts of payees whose document is another now: what the old one had is the new one's.

        Args:
            moves: Document before -> document since.
        """
        balances = self._balances(self._state)
        for old, new in moves.items():
            owned = {account: cents for account, cents in balances.items() if account.payee == old and cents}
            if owned or self._state.moves.get(old) != new:
                self._move(payee_move(old, new), owned, rename)

    def of_rows(self, period: str, rename: Rename) -> None:
        """Move rows of payments sheets of the period whose key is another now."""
        rows = {account: cents for account, cents in self._balances(self._state).items() if account.kind is A.PAYMENT}
        if any(cents and rename(account) != account for account, cents in rows.items()):
            self._move(f"rows {period}", rows, rename)

    def of_series(self, former: Series, state: JournalState, rename: Rename) -> None:
        """Move all accounts of a series that goes on under another name or payer."""
        owned = {account: cents for account, cents in self._balances(state).items() if cents}
        if state.moved_to != self._series or any(
            account.kind in _MOVED and rename(account) != account for account in owned
        ):
            self._move(series_move(former), owned, rename)

    def of_currency(self, former: Series, state: JournalState, rate: Decimal) -> Sums:
        """Move what payees are owed in the currency that reports had before, each sum at a rate, to the centavo.

        What was advanced in it is listed anew in the present one; rows of payments sheets stay what they are.

        Returns:
            What the payees are owed of it in the present currency.
        """
        left, taken = Transfer(), Transfer()
        for account, cents in self._balances(state).items():
            if account.kind is A.PAYEE and cents:
                left.move(former.account(A.OUTSIDE), account, cents)
                worth = round_half_even_cents(Fraction(rate) * abs(cents)) * (1 if cents > 0 else -1)
                taken.move(self._series.account(A.PAYEE, account.payee), self._series.account(A.OUTSIDE), worth)
        if not any(left.sums.values()):
            return {}
        number = state.move_entries + 1
        self.entries += (_move(former, currency_move(self._series), left, number),)
        self._post(currency_move(former), taken)
        return taken.sums

    def _balances(self, state: JournalState) -> SignedSums[JournalAccount]:
        """Return balances less what was moved already: an advance that jobs share stands in each of theirs."""
        return SignedSums({account: cents + self._moved[account] for account, cents in state.balances.items()})

    def _move(self, cause: str, balances: Sums, rename: Rename) -> None:
        transfer = Transfer()
        for account, cents in balances.items():
            if account.kind in _MOVED and rename(account) != account:
                transfer.move(rename(account), account, cents)
        self._post(cause, transfer)

    def _post(self, cause: str, transfer: Transfer) -> None:
        number = self._state.move_entries + sum(entry.series == self._series for entry in self.entries) + 1
        self.entries += (_move(self._series, cause, transfer, number),)
        self._moved.add(transfer.sums)


def _move(series: Series, cause: str, transfer: Transfer, number: int) -> JournalEntry:
    name = entry_id(EntryKind.MOVE, series.job, series.payer, series.currency, number)
    return JournalEntry(name, EntryKind.MOVE, series, "", None, cause, postings_of(transfer.sums))
