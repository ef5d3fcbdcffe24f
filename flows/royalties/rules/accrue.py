"""From earnings to what is payable: recoupment, carry-over, the minimum, and late changes of closed periods."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import pandas as pd

from flows.royalties.rules.allocation import RoundedEarnings, exact_cents_by
from flows.royalties.rules.taxes import Tax, Withheld, withhold
from flows.royalties.rules.terms import Terms, TermsOfPayees
from schemas.accrual import Accrual
from schemas.submission import Claim
from schemas.tables.advances import Advances
from schemas.tables.contract import DataFrame, Record, records
from schemas.tables.obligations import PayeeBalances


@dataclass(frozen=True, slots=True)
class Closed:
    """What stands of a period after which another was posted.

    Attributes:
        left: (payee, kind, reference) -> centavos that it left, with what changed since it was closed.
        recouped: (payee, advance reference) -> centavos recouped by all periods, later ones too.
    """

    left: Mapping[tuple[str, str, str], int]
    recouped: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class History:
    """What a period finds when it begins, whenever it is run.

    Attributes:
        carried_in: Payee -> centavos carried out of the latest earlier period, or declared as an opening balance.
        recouped: (payee, advance reference) -> centavos recouped by earlier periods.
        closed: What stands of the period itself, once a later one has been posted; None while it is open.
    """

    carried_in: Mapping[str, int]
    recouped: Mapping[tuple[str, str], int]
    closed: Closed | None = None


@dataclass(frozen=True, slots=True)
class Recoupable:
    """What may be taken for advances, by payee.

    Attributes:
        advances: Payee -> (reference, ISRC) -> centavos advanced, oldest first; none where the job does not recoup.
        earned_from: Payee -> ISRC -> exact centavos earned from that recording; caps advances linked to it.
    """

    advances: Mapping[str, Mapping[tuple[str, str], int]]
    earned_from: Mapping[str, Mapping[str, Fraction]]


def recoupable_of(advances: DataFrame[Advances], earnings: pd.DataFrame) -> Recoupable:
    """Group advances, and what was earned from the recordings they are linked to, by payee.

    Args:
        advances: Those paid earlier; one that is not listed any more is not recouped any further.
        earnings: `tax_id`, isrc and earned of Earnings: exact, before any rounding.
    """
    paid = defaultdict[str, dict[tuple[str, str], int]](dict)
    columns = ["date", "reference", "isrc", "row", "tax_id", "amount_cents"]
    for _, reference, isrc, _, payee, cents in sorted(zip(*(advances[name] for name in columns), strict=True)):
        paid[payee][reference, isrc] = paid[payee].get((reference, isrc), 0) + cents
    linked = earnings[(earnings["tax_id"] != "") & earnings["isrc"].isin(set(advances["isrc"]) - {""})]
    earned_from = defaultdict[str, dict[str, Fraction]](dict)
    for (payee, isrc), exact_cents in exact_cents_by(linked, ["tax_id", "isrc"]).items():
        earned_from[payee][isrc] = exact_cents
    return Recoupable(paid, earned_from)


def advance_reference(reference: str, isrc: str) -> str:
    """Name an advance within its payee: the same reference on two recordings is two advances."""
    return f"{reference}|{isrc}" if isrc else reference


# (kind, reference) -> centavos that a period has left of a payee
_Left = Mapping[tuple[str, str], int]
_NOTHING: Final[_Left] = {}


def accrue(
    rounded: RoundedEarnings,
    recoupable: Recoupable,
    history: History,
    names: Mapping[str, str],
    *,
    terms: TermsOfPayees,
    held: Collection[str],
) -> tuple[DataFrame[PayeeBalances], list[Accrual]]:
    """Work out each payee's balance.

    Args:
        rounded: Earnings in centavos.
        recoupable: Advances, and what may be taken for them.
        history: Carry-over and recoupment of other periods.
        names: Payee -> name, for people.
        terms: Of everybody.
        held: Payees who cannot be paid for now.

    Returns:
        One balance per payee with earnings or carry-over, in order of tax id; and the postings to make.
    """
    rows, postings = [], []
    for payee in sorted({*rounded.payees, *history.carried_in}):
        earned, carried_in = rounded.payees.get(payee, 0), history.carried_in.get(payee, 0)
        if payee in held and earned + carried_in > 0:
            rows.append((payee, names.get(payee, ""), earned, 0, carried_in, 0, earned + carried_in, 0, 0))
            continue
        own = terms.of(payee)
        recoupments = recoup(payee, own.most_to_recoup(earned, carried_in), recoupable, history.recouped)
        recouped = sum(posting.amount_cents for posting in recoupments)
        net = earned - recouped + carried_in
        gross = net if own.pays(net) else 0
        withheld = withhold(terms.taxes.get(payee, ()), gross)
        postings += recoupments
        postings += [Accrual("taxed", payee, kind, cents) for kind, cents in withheld.items()]
        if net != gross:
            postings.append(Accrual("carried", payee, "", net - gross))
        taxed = sum(withheld.values())
        rows.append((payee, names.get(payee, ""), earned, recouped, carried_in, net - gross, 0, taxed, gross - taxed))
    return balances_frame(pd.DataFrame(rows, columns=list(PayeeBalances.columns))), postings


def balances_frame(rows: pd.DataFrame) -> DataFrame[PayeeBalances]:
    """Give the columns of balances their types, and check that they keep the table's promise."""
    types = {name: "int64" if name.endswith("_cents") else "str" for name in rows.columns}
    return DataFrame[PayeeBalances](rows.astype(types))


def recoup(
    payee: str, earned: int, recoupable: Recoupable, recouped: Mapping[tuple[str, str], int], stands: _Left = _NOTHING
) -> list[Accrual]:
    """Take outstanding advances out of positive earnings, oldest first; linked ones only from their recording.

    Args:
        payee: Whose.
        earned: Centavos that may be taken at most; nothing is taken out of less than nothing.
        recoupable: Advances, and what may be taken for them.
        recouped: (payee, advance reference) -> what has been recouped already.
        stands: What the period has left already: advances have taken their part of a recording.
    """
    advances = recoupable.advances.get(payee)
    if not advances:
        return []
    left, postings = max(earned, 0), list[Accrual]()
    earned_from = recoupable.earned_from.get(payee, {})
    left_of = dict[str, int]()
    for (reference, isrc), advanced in advances.items():
        name = advance_reference(reference, isrc)
        outstanding = advanced - recouped.get((payee, name), 0)
        limit = left
        if isrc:
            exact_cents = earned_from[isrc] - _taken_from(isrc, stands) if isrc in earned_from else Fraction(0)
            limit = min(left, left_of.setdefault(isrc, max(0, math.floor(exact_cents))))
        taken = max(0, min(outstanding, limit))
        if taken:
            left -= taken
            if isrc:
                left_of[isrc] -= taken
            postings.append(Accrual("recouped", payee, name, taken))
    return postings


def _taken_from(isrc: str, stands: _Left) -> int:
    """What advances have taken of a recording; `advance_reference` ends in it."""
    return sum(cents for (_, reference), cents in stands.items() if reference.endswith(f"|{isrc}"))


@dataclass(frozen=True, slots=True)
class ChangedPeriod:
    """A closed period that did not come to what it left.

    Attributes:
        balances: With what stands in place of what would be posted now.
        postings: What to book beside it.
        withheld: What is withheld of the period in all.
    """

    balances: DataFrame[PayeeBalances]
    postings: tuple[Accrual, ...]
    withheld: tuple[Accrual, ...] = ()


def stand_by_what_was_posted(
    balances: DataFrame[PayeeBalances],
    postings: Iterable[Accrual],
    closed: Closed,
    *,
    claims: Iterable[Claim],
    recoupable: Recoupable,
    terms: TermsOfPayees,
    held: Collection[str],
) -> ChangedPeriod | None:
    """Hold a closed period against what it left.

    Args:
        balances: As the period would come to now.
        postings: What it would leave now.
        closed: What it left.
        claims: Live claims of the period, and what was paid outside.
        recoupable: Advances, and what may be taken for them.
        terms: Of everybody.
        held: Payees who cannot be paid for now.

    Returns:
        None when it leaves just what it left.
    """
    stands = _by_payee((payee, kind, reference, cents) for (payee, kind, reference), cents in closed.left.items())
    now = _by_payee((posting.payee, posting.kind, posting.reference, posting.amount_cents) for posting in postings)
    changed = sorted(payee for payee in {*stands, *now} if stands.get(payee) != now.get(payee))
    if not changed:
        return None
    claimed = defaultdict[str, int](int)
    for claim in claims:
        claimed[claim.payee] += claim.amount_cents if claim.kind == "royalty" else 0
    rows, booked, withheld = {row["tax_id"]: row for row in records(balances)}, list[Accrual](), list[Accrual]()
    for payee in changed:
        case = _Payee(payee, rows.get(payee, {}), stands.get(payee, {}), claimed[payee])
        own = terms.of(payee)
        taken = [] if payee in held else case.recoup(recoupable, closed, own)
        settled = case.settle(taken, own, terms.taxes.get(payee, ()), held=payee in held)
        rows[payee] = case.balance(settled)
        booked += settled.postings(payee)
        withheld += case.withheld(settled)
    frame = pd.DataFrame([rows[payee] for payee in sorted(rows)], columns=list(balances.columns))
    unchanged = [posting for posting in postings if posting.kind == "taxed" and posting.payee not in changed]
    return ChangedPeriod(balances_frame(frame), tuple(booked), (*unchanged, *withheld))


@dataclass(frozen=True, slots=True)
class _Settled:
    """How what is open is settled, in centavos; together the parts are what is open."""

    recouped: Sequence[Accrual] = ()
    taxed: Withheld = field(default_factory=dict)
    payable: int = 0
    held: int = 0
    carried: int = 0

    def postings(self, payee: str) -> list[Accrual]:
        taxed = [Accrual("taxed", payee, kind, cents) for kind, cents in self.taxed.items()]
        return [*self.recouped, *taxed, *([Accrual("carried", payee, "", self.carried)] if self.carried else [])]


@dataclass(frozen=True, slots=True)
class _Payee:
    """One payee of a closed period, around what stands."""

    payee: str
    row: Record
    stands: _Left
    claimed: int

    @property
    def earned(self) -> int:
        return int(self.row.get("earned_cents", 0))

    @property
    def carried_in(self) -> int:
        return int(self.row.get("carried_in_cents", 0))

    def left(self, kind: str) -> int:
        """What stands of one kind."""
        return sum(cents for (posted, _), cents in self.stands.items() if posted == kind)

    @property
    def open(self) -> int:
        """What is neither recouped, carried, withheld nor claimed."""
        stands = self.left("recouped") + self.left("carried") + self.left("taxed")
        return self.earned + self.carried_in - stands - self.claimed

    def recoup(self, recoupable: Recoupable, closed: Closed, terms: Terms) -> list[Accrual]:
        """Take outstanding advances out of what is open, as far as they may be taken here."""
        most = min(self.open, terms.most_to_recoup(self.earned, self.carried_in) - self.left("recouped"))
        return recoup(self.payee, most, recoupable, closed.recouped, self.stands)

    def settle(self, taken: Sequence[Accrual], terms: Terms, taxes: Sequence[Tax], *, held: bool) -> _Settled:
        rest = self.open - sum(posting.amount_cents for posting in taken)
        if rest > 0 and held:
            return _Settled(held=rest)
        gross = self.claimed + self.left("taxed") + rest
        if rest > 0 and terms.pays(gross):
            more = self._more_to_withhold(taxes, gross, rest)
            return _Settled(taken, more, payable=rest - sum(more.values()))
        return _Settled(taken, carried=rest)

    def _more_to_withhold(self, taxes: Sequence[Tax], gross: int, rest: int) -> dict[str, int]:
        """Return what the whole period's taxes are above what was withheld, of what is left to pay."""
        left, more = rest, dict[str, int]()
        for kind, cents in withhold(taxes, gross).items():
            above = min(left, max(0, cents - self.stands.get(("taxed", kind), 0)))
            if above:
                more[kind] = above
                left -= above
        return more

    def withheld(self, settled: _Settled) -> list[Accrual]:
        """Return what is withheld of the period in all, by kind."""
        sums = Counter({kind: cents for (posted, kind), cents in self.stands.items() if posted == "taxed"})
        sums.update(settled.taxed)
        return [Accrual("taxed", self.payee, kind, cents) for kind, cents in sorted(sums.items()) if cents]

    def balance(self, settled: _Settled) -> Record:
        return {
            "tax_id": self.payee,
            "name": self.row.get("name", ""),
            "earned_cents": self.earned,
            "recouped_cents": self.left("recouped") + sum(posting.amount_cents for posting in settled.recouped),
            "carried_in_cents": self.carried_in,
            "carried_out_cents": self.left("carried") + settled.carried,
            "held_cents": self.claimed + settled.held if settled.held else 0,
            "taxed_cents": self.left("taxed") + sum(settled.taxed.values()),
            "payable_cents": 0 if settled.held else self.claimed + settled.payable,
        }


def _by_payee(parts: Iterable[tuple[str, str, str, int]]) -> dict[str, dict[tuple[str, str], int]]:
    found: dict[str, dict[tuple[str, str], int]] = {}
    for payee, kind, reference, cents in parts:
        if cents:
            found.setdefault(payee, {})[kind, reference] = cents
    return found
