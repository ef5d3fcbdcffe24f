"""From earnings to what is payable: recoupment, and the balance of each payee's account over all periods."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from flows.royalties.rules.allocation import RoundedEarnings
from flows.royalties.rules.recoupment import OfAdvance, Recoupable, advance_reference, advances_taken, recoup
from flows.royalties.rules.reserves import NO_RESERVE, Reserve
from flows.royalties.rules.terms import Tax, Terms, TermsOfPayees, percent_of, withhold
from schemas.issues import IssueCode
from schemas.journal import NOTHING_POSTED, AccountKind, EntryKind, JournalState
from schemas.submission import Claim
from schemas.tables.model import DataFrame, names_of
from schemas.tables.royalties import PayeeBalances
from schemas.trace import PayableWay, TaxTaken
from schemas.values.money import SignedSums


@dataclass(frozen=True, slots=True)
class History:
    """What a period finds in the journal, in centavos that are owed.

    Attributes:
        carried_in: Payee -> balance of earlier periods, with what opening balances carry into this one.
        recouped: (payee, advance) -> what other periods, and other jobs, have recouped.
        later: Payee -> balance of later periods alone: what they have paid out of this one is less than nothing.
        own_recouped: (payee, advance) -> what this period has recouped so far.
        taxed: (payee, kind of tax) -> what is withheld of this period so far.
        taxed_in_month: (payee, kind of tax) -> what any job of the payer has withheld in the month of the run.
    """

    carried_in: Mapping[str, int]
    recouped: Mapping[OfAdvance, int]
    later: Mapping[str, int] = field(default_factory=dict)
    own_recouped: Mapping[OfAdvance, int] = field(default_factory=dict)
    taxed: Mapping[tuple[str, str], int] = field(default_factory=dict)
    taxed_in_month: Mapping[tuple[str, str], int] = field(default_factory=dict)
    journal: JournalState = NOTHING_POSTED

    @property
    def payees(self) -> frozenset[str]:
        """Those who have a balance of other periods, or of whom something was posted about this period."""
        posted = {
            account.payee
            for of_kind in self.journal.posted.values()
            for account in of_kind
            if account.kind is AccountKind.PAYEE
        }
        return frozenset({*self.carried_in, *self.later, *posted})


def history_of(journal: JournalState) -> History:
    """Turn what the journal says into what is owed: there, a debt of ours is negative."""
    payees = AccountKind.PAYEE
    recouped = {(a.payee, a.reference): -cents for a, cents in journal.recouped.items()}
    own = journal.posted.get(EntryKind.RECOUP, {})
    taxed = defaultdict[tuple[str, str], int](int)
    for of_kind in journal.posted.values():
        for account, cents in of_kind.items():
            if account.kind is AccountKind.TAX:
                taxed[account.payee, account.reference] -= cents
    return History(
        carried_in={a.payee: -cents for a, cents in journal.before.items() if a.kind is payees},
        recouped=recouped,
        later={a.payee: -cents for a, cents in journal.after.items() if a.kind is payees},
        own_recouped={(a.payee, a.reference): -cents for a, cents in own.items() if a.kind is AccountKind.ADVANCE},
        taxed={about: cents for about, cents in taxed.items() if cents},
        taxed_in_month={(a.payee, a.reference): -cents for a, cents in journal.taxed_in_month.items()},
        journal=journal,
    )


class ToInvoice(NamedTuple):
    """What a payee has to invoice before tax, and what is invoiced and not paid yet, in centavos."""

    gross_cents: int
    invoiced_cents: int

    @property
    def payable_cents(self) -> int:
        """What is paid of it: the invoice, where the balance covers it."""
        return self.invoiced_cents if 0 < self.invoiced_cents <= self.gross_cents else 0

    @property
    def code(self) -> IssueCode | None:
        """What is wrong; None where both agree."""
        if self.gross_cents == self.invoiced_cents:
            return None
        return IssueCode.INVOICE_AMOUNT if self.invoiced_cents > self.gross_cents else IssueCode.INVOICE_MISSING


@dataclass(frozen=True, slots=True)
class Royalties:
    """What a period's royalties come to.

    Attributes:
        recouped: (payee, advance) -> what the period recoups in all.
        taxed: (payee, kind of tax) -> what is withheld of the period in all.
        to_withhold: Payee -> kind of tax -> what is withheld with the payment that is planned.
        to_invoice: Payee -> what is to be invoiced and what is, of payees of whom something waits for it.
        ways: Payee -> how what is due for the period became what is paid.
    """

    balances: DataFrame[PayeeBalances]
    recouped: Mapping[OfAdvance, int]
    taxed: Mapping[tuple[str, str], int]
    to_withhold: Mapping[str, Mapping[str, int]]
    to_invoice: Mapping[str, ToInvoice]
    withheld_whole: frozenset[str] = frozenset()
    paid: frozenset[str] = frozenset()
    ways: Mapping[str, PayableWay] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Why balances are paid, or stay."""

    terms: TermsOfPayees
    held: Collection[str] = ()
    unsure: Collection[str] = ()
    invoiced: Mapping[str, int] = field(default_factory=dict)
    reserves: Mapping[str, Reserve] = field(default_factory=dict)


def work_out_balances(
    rounded: RoundedEarnings,
    recoupable: Recoupable,
    history: History,
    names: Mapping[str, str],
    claims: Iterable[Claim],
    conditions: Conditions,
) -> Royalties:
    """Work out each payee's balance, and what of it is payable.

    What is payable is the balance of all periods together, if it is above nothing, reaches the minimum, is due and not
    held; of who must invoice, what is invoiced. Advances take what the period earned, and nothing that was paid.

    Args:
        names: Payee -> name, for people.
    """
    before = _Before.of(history, claims)
    ways = {
        payee: _way_of(payee, rounded, recoupable, history, before, conditions)
        for payee in sorted({*rounded.payees, *history.payees, *before.claimed})
    }
    rows = [_row_of(payee, names.get(payee, ""), rounded, history, way) for payee, way in ways.items()]
    to_withhold = {payee: way.withheld_cents for payee, way in ways.items() if way.withheld_cents}
    taxed = SignedSums(history.taxed)
    taxed.add({(payee, kind): cents for payee, taxes in to_withhold.items() for kind, cents in taxes.items()})
    return Royalties(
        balances=balances_frame(pd.DataFrame(rows, columns=names_of(PayeeBalances))),
        recouped={
            (payee, advance_reference(advance.reference, advance.scope)): advance.taken_cents
            for payee, way in ways.items()
            for advance in way.advances
            if advance.taken_cents
        },
        taxed=taxed,
        to_withhold=to_withhold,
        to_invoice={
            payee: ToInvoice(way.balance_cents, way.invoiced_cents)
            for payee, way in ways.items()
            if way.invoiced_cents is not None and way.waiting_cents and not way.is_held
        },
        withheld_whole=frozenset(
            payee for payee, taxes in to_withhold.items() if sum(taxes.values()) == ways[payee].payable_cents
        ),
        paid=frozenset(before.claimed),
        ways=ways,
    )


@dataclass(frozen=True, slots=True)
class _Before:
    """What was claimed, recouped and withheld of the period before, and withheld in the month, by payee."""

    claimed: Mapping[str, int]
    recouped: Mapping[str, Mapping[str, int]]
    taxed: Mapping[str, Mapping[str, int]]
    taxed_in_month: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(cls, history: History, claims: Iterable[Claim]) -> "_Before":
        claimed = defaultdict[str, int](int)
        for claim in claims:
            if claim.kind == "royalty":
                claimed[claim.payee] += claim.amount_cents
        return cls(claimed, *map(_by_payee, (history.own_recouped, history.taxed, history.taxed_in_month)))


def _way_of(
    payee: str,
    rounded: RoundedEarnings,
    recoupable: Recoupable,
    history: History,
    before: _Before,
    conditions: Conditions,
) -> PayableWay:
    earned, carried_in = rounded.payees.get(payee, 0), history.carried_in.get(payee, 0)
    later, terms = history.later.get(payee, 0), conditions.terms.of(payee)
    claimed, taxed = before.claimed.get(payee, 0), sum(before.taxed.get(payee, {}).values())
    gone = claimed + taxed
    reserve = conditions.reserves.get(payee, NO_RESERVE)
    to_recoup = earned - reserve.kept_cents + reserve.due_cents
    obligation, most = earned + carried_in + later - gone, terms.most_to_recoup(to_recoup, carried_in)
    unpaid = most - gone if later >= 0 else min(most - gone, obligation)  # later periods may have paid it
    unpaid = 0 if payee in conditions.unsure else unpaid
    taken = recoup(payee, most, recoupable, history.recouped, before.recouped.get(payee, {}), unpaid)
    balance = obligation - sum(taken.values()) - reserve.open_cents
    invoiced = conditions.invoiced[payee] - gone if payee in conditions.invoiced else None
    is_held = payee in conditions.held
    payable, waiting = (0, max(0, balance)) if is_held else _payable(balance, terms, invoiced)
    taxes, in_month = conditions.terms.taxes.get(payee, ()), before.taxed_in_month.get(payee, {})
    return PayableWay(
        later_cents=later,
        paid_before_cents=claimed,
        withheld_before_cents=taxed,
        balance_cents=balance,
        minimum_cents=terms.minimum_cents,
        is_due=terms.is_due,
        is_held=is_held,
        invoiced_cents=invoiced,
        payable_cents=payable,
        waiting_cents=waiting,
        reserved_cents=reserve.open_cents,
        advances=advances_taken(payee, most, recoupable, history.recouped, taken),
        taxes=_taxes_taken(taxes, in_month, withhold(taxes, payable, in_month)),
    )


def _row_of(payee: str, name: str, rounded: RoundedEarnings, history: History, way: PayableWay) -> tuple[object, ...]:
    """Return a row of `PayeeBalances`: what waits is held, with what was paid before where nothing is paid now."""
    earned, carried_in = rounded.payees.get(payee, 0), history.carried_in.get(payee, 0)
    recouped = sum(advance.taken_cents for advance in way.advances)
    withheld = sum(way.withheld_cents.values())
    paid, held = way.paid_before_cents + way.payable_cents - withheld, way.waiting_cents
    if held and not way.payable_cents:
        paid, held = 0, held + paid
    taxed = way.withheld_before_cents + withheld
    out = earned - recouped + carried_in - taxed - held - paid
    return payee, name, earned, recouped, carried_in, out, held, taxed, paid


def _taxes_taken(
    taxes: Sequence[Tax], in_month_cents: Mapping[str, int], taken: Mapping[str, int]
) -> tuple[TaxTaken, ...]:
    return tuple(
        TaxTaken(
            tax.kind,
            None if tax.amount_cents else percent_of(tax.part),
            tax.amount_cents,
            in_month_cents.get(tax.kind, 0) if tax.amount_cents else 0,
            taken.get(tax.kind, 0),
        )
        for tax in taxes
    )


def _payable(balance: int, terms: Terms, invoiced: int | None) -> tuple[int, int]:
    if not terms.pays(balance):
        return 0, 0
    if invoiced is None:
        return balance, 0
    payable = ToInvoice(balance, invoiced).payable_cents
    return payable, balance - payable


def _by_payee(sums: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    found = dict[str, dict[str, int]]()
    for (payee, name), cents in sums.items():
        if cents:
            found.setdefault(payee, {})[name] = cents
    return found


def balances_frame(rows: pd.DataFrame) -> DataFrame[PayeeBalances]:
    """Give the columns of balances their types, and check that they keep the table's promise."""
    types = {name: "int64" if name.endswith("_cents") else "str" for name in rows.columns}
    return DataFrame[PayeeBalances](rows.astype(types))
