"""Money that came back: what was paid and returned, whole or in part, days later, and what becomes of it.

One return is one sum of one payment with up to three witnesses: a person who has evidence, the report that went back,
and a line of the bank. Its key, on which people decide and under which it is paid again, is that of the payment and a
number: ob-.../r1.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from schemas.approval import DecisionKind
from schemas.journal import AccountKind, JournalAccount, Series, Transfer, cause_beside
from schemas.plan import HOME_CURRENCY
from schemas.reasons import Reasons, because

_NUMBER: Final = "/r"


def return_key(obligation_key: str, number: int) -> str:
    """Name the n-th return of a payment.

    >>> return_key("ob-a", 1), is_return("ob-a/r1"), is_return("ob-a")
    ('ob-a/r1', True, False)
    """
    return f"{obligation_key}{_NUMBER}{number}"


def without_returns(key: str) -> str:
    """Return the key of what was paid first, of a payment, a return, or the return of what was paid again.

    >>> without_returns("ob-a/r1/r2"), without_returns("ob-a")
    ('ob-a', 'ob-a')
    """
    return key.partition(_NUMBER)[0]


def payment_of(key: str) -> str:
    """Return the key of the payment that a return is of.

    >>> payment_of("ob-a/r1/r2"), payment_of("ob-a/r1")
    ('ob-a/r1', 'ob-a')
    """
    return key.rpartition(_NUMBER)[0]


def is_return(key: str) -> bool:
    """Whether a key is that of a return; of what was paid again and came back once more, too."""
    return _NUMBER in key


def next_number(known: "Iterable[Returned]") -> int:
    """Return the number of the next return of a payment, of which some are known."""
    return max((each.number for each in known), default=0) + 1


class Witness(StrEnum):
    """Who says that money came back."""

    PERSON = "person"
    REPORT = "report"
    WITHDRAWN = "withdrawn"  # the report says paid again, and nobody else has said that it came back
    TAKEN_BACK = "taken_back"  # a person's word was wrong


class ReturnState(StrEnum):
    """Where a sum is that came back."""

    OPEN = "open"  # waits for another account, or for people's word
    UNCONFIRMED = "unconfirmed"  # a report alone shows it, and reports are provisional
    SENT_AGAIN = "sent_again"
    DROPPED = "dropped"  # the owner keeps it
    PAID_OUTSIDE = "paid_outside"  # by hand, say
    NOT_BACK = "not_back"  # the payee has it after all: it was recorded wrongly, or the report says paid again


_ENDED_BY: Final = {DecisionKind.DROP: ReturnState.DROPPED, DecisionKind.PAID: ReturnState.PAID_OUTSIDE}
# Of these nothing is left to pay or to decide.
ENDED_RETURNS: Final = frozenset({ReturnState.DROPPED, ReturnState.PAID_OUTSIDE, ReturnState.NOT_BACK})


@dataclass(frozen=True, slots=True)
class Returned:
    """One sum that came back, with the payment that it was.

    Attributes:
        number: Of the returns of one payment, from 1.
        base_key: Of the payment; names the row of a payments sheet.
        destination: Fingerprint of the account that it came back from.
        day: When, as whoever said it first has it.
        at: When that was said (UTC).
        seen_by: Those who say it, beside the bank.
        in_bank: Whether a line of the bank is explained by it.
        word: People's last word on it.
        claimed_by: The submission that pays it again; "" while none does.
        claimed_for: The period of that submission.
    """

    obligation_key: str
    number: int
    submission_id: str
    job: str
    payer: str
    period: str
    currency: str
    base_key: str
    reference: str
    payee: str = field(repr=False)
    destination: str
    amount_cents: int
    day: dt.date
    at: dt.datetime
    seen_by: frozenset[Witness]
    in_bank: bool = False
    word: DecisionKind | None = None
    claimed_by: str = ""
    claimed_for: str = ""

    @property
    def key(self) -> str:
        return return_key(self.obligation_key, self.number)

    @property
    def row_key(self) -> str:
        """Base key of the row of a payments sheet that it is of, whatever was paid again in between."""
        return without_returns(self.base_key)

    @property
    def new_base_key(self) -> str:
        """Base key of what pays it again: of nothing else, and from which that of its row can be read."""
        return self.row_key + self.key.removeprefix(without_returns(self.key))

    @property
    def is_nobodys(self) -> bool:
        """Whether a report shows it and nobody has said whose it is: it stands under the report's own id."""
        return self.obligation_key == self.submission_id

    @property
    def cause(self) -> str:
        """What its entries in the journal name: beside those of the report that had paid it."""
        return cause_beside(self.submission_id, self.key)

    @property
    def is_confirmed(self) -> bool:
        """Whether somebody else than the report says it: the money is in the bank."""
        return self.in_bank or Witness.PERSON in self.seen_by

    @property
    def state(self) -> ReturnState:
        if self.claimed_by:
            return ReturnState.SENT_AGAIN
        is_unsaid = Witness.WITHDRAWN in self.seen_by or self.word is DecisionKind.PAID
        if Witness.TAKEN_BACK in self.seen_by or (is_unsaid and not self.is_confirmed):
            return ReturnState.NOT_BACK
        if self.word in _ENDED_BY:
            return _ENDED_BY[self.word]
        return ReturnState.OPEN if self.is_confirmed else ReturnState.UNCONFIRMED

    @property
    def counts(self) -> bool:
        """Whether its payee is without it by what the payment itself has brought them."""
        return self.state is not ReturnState.NOT_BACK

    def is_same(self, amount_cents: int, day: dt.date) -> bool:
        """Whether what somebody says is what is on record."""
        return self.counts and (self.amount_cents, self.day) == (amount_cents, day)

    def why_waits(self, destination: str) -> Reasons:
        """Say why it is not paid again yet; nothing where it is.

        Another account than the one it came back from pays it, or people's word that the same one is right.

        Args:
            destination: Fingerprint of the account that the tables have by now; "" for none.
        """
        if self.state is ReturnState.UNCONFIRMED:
            return because("returned_unconfirmed")
        if not destination:
            return because("returned_no_account")
        if destination == self.destination and self.word is not DecisionKind.PAY:
            return because("returned")
        return ()


@dataclass(frozen=True, slots=True)
class ReportWentBack:
    """What one look at a report that was paid tells of money that came back, beside what was known.

    Attributes:
        seen: Payments of which it shows for the first time that they came back, with how much.
        borne_out: What people had recorded, and it shows as well.
        nobodys_cents: What came back and is not known of whom: a person names the payment.
        paid_again: What it showed, and shows no more.
    """

    seen: tuple[tuple[str, int], ...] = ()
    borne_out: tuple[Returned, ...] = ()
    nobodys_cents: int = 0
    paid_again: tuple[Returned, ...] = ()

    @property
    def is_news(self) -> bool:
        return bool(self.seen or self.borne_out or self.nobodys_cents or self.paid_again)


def where_it_stands(returned: Returned) -> Mapping[JournalAccount, int]:
    """Return what all entries about one return come to, beside those that pay it again.

    It is taken out of what the service says that it paid, and is owed under its own key: never netted, taxed or
    recouped. Once somebody else than the report says so, it is in the bank, and no longer the payer's at the service;
    of a foreign currency it is not known what that is worth at home.
    """
    transfer = Transfer()
    if not returned.counts or returned.is_nobodys:
        return {}
    series = Series(returned.job, returned.payer, returned.currency)
    there = series.account(AccountKind.RETURNED, returned.payee, returned.key)
    transfer.move(series.account(AccountKind.SERVICE, returned.payee), there, returned.amount_cents)
    if returned.is_confirmed and returned.currency == HOME_CURRENCY:
        at_service = series.account(AccountKind.FLOAT, reference=returned.submission_id)
        transfer.move(series.account(AccountKind.BANK), at_service, returned.amount_cents)
    if returned.state is ReturnState.DROPPED:
        transfer.move(there, series.account(AccountKind.OWNER), returned.amount_cents)
    if returned.state is ReturnState.PAID_OUTSIDE:
        transfer.move(there, series.account(AccountKind.OUTSIDE), returned.amount_cents)
    return {account: cents for account, cents in transfer.sums.items() if cents}
