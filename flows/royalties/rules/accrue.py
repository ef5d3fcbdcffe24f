"""From earnings to what is payable: advances recouped, carry-over, the minimum, and late changes of closed periods."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from flows.royalties.rules.allocation import RoundedEarnings
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
class AccrualRules:
    """The job's words on advances and minimum."""

    minimum_payout_cents: int
    recoup_advances: bool


def advance_reference(reference: str, isrc: str) -> str:
    """Name an advance within its payee: the same reference on two recordings is two advances."""
    return f"{reference}|{isrc}" if isrc else reference


def accrue(
    rounded: RoundedEarnings,
    linked: Mapping[tuple[str, str], Fraction],
    advances: DataFrame[Advances],
    history: History,
    rules: AccrualRules,
    names: Mapping[str, str],
    held: Collection[str],
) -> tuple[DataFrame[PayeeBalances], list[Accrual]]:
    """Work out each payee's balance.

    Args:
        rounded: Earnings in centavos.
        linked: (payee, ISRC) -> exact centavos earned from that recording; caps advances linked to it.
        advances: Advances paid earlier.
        history: Carry-over and recoupment of other periods.
        rules: Minimum and whether advances are recouped.
        names: Payee -> name, for people.
        held: Payees who cannot be paid for now.

    Returns:
        One balance per payee with earnings or carry-over, in order of tax id; and the postings to make.
    """
    rows, postings = [], []
    for payee in sorted({*rounded.payees, *history.carried_in}):
        earned, carried_in = rounded.payees.get(payee, 0), history.carried_in.get(payee, 0)
        if payee in held and earned + carried_in > 0:
            rows.append((payee, names.get(payee, ""), earned, 0, carried_in, 0, earned + carried_in, 0))
            continue
        recoupments = recoup(payee, earned, linked, advances, history.recouped) if rules.recoup_advances else []
        recouped = sum(posting.amount_cents for posting in recoupments)
        net = earned - recouped + carried_in
        payable = net if net > 0 and net >= rules.minimum_payout_cents else 0
        postings += recoupments
        if net != payable:
            postings.append(Accrual("carried", payee, "", net - payable))
        rows.append((payee, names.get(payee, ""), earned, recouped, carried_in, net - payable, 0, payable))
    return balances_frame(pd.DataFrame(rows, columns=list(PayeeBalances.to_schema().columns))), postings


def balances_frame(rows: pd.DataFrame) -> DataFrame[PayeeBalances]:
    """Give the columns of balances their types, and check that they keep the table's promise."""
    types = {name: "int64" if name.endswith("_cents") else "str" for name in rows.columns}
    return DataFrame[PayeeBalances](rows.astype(types))


def recoup(
    payee: str,
    earned: int,
    linked: Mapping[tuple[str, str], Fraction],
    advances: pd.DataFrame,
    recouped: Mapping[tuple[str, str], int],
) -> list[Accrual]:
    """Take outstanding advances out of positive earnings, oldest first; linked ones only from their recording.

    Args:
        payee: Whose.
        earned: Centavos that may be taken at most; nothing is taken out of less than nothing.
        linked: (payee, ISRC) -> exact centavos of the recording that may be taken at most.
        advances: `schemas.tables.advances.Advances`; one that is not listed any more is not recouped any further.
        recouped: (payee, advance reference) -> what has been recouped already.
    """
    left, left_of = max(earned, 0), dict[str, int]()
    postings = []
    own = advances[advances["tax_id"] == payee].sort_values(["date", "reference", "isrc", "row"])
    paid: dict[tuple[str, str], int] = {}
    for reference, isrc, cents in own[["reference", "isrc", "amount_cents"]].itertuples(index=False, name=None):
        paid[reference, isrc] = paid.get((reference, isrc), 0) + cents
    for (reference, isrc), advanced in paid.items():
        name = advance_reference(reference, isrc)
        outstanding = advanced - recouped.get((payee, name), 0)
        limit = left
        if isrc:
            limit = min(left, left_of.setdefault(isrc, max(0, int(linked.get((payee, isrc), Fraction(0)) // 1))))
        taken = max(0, min(outstanding, limit))
        if taken:
            left -= taken
            if isrc:
                left_of[isrc] -= taken
            postings.append(Accrual("recouped", payee, name, taken))
    return postings


_Left = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Recoupable:
    """Advances, and the recordings they may be linked to.

    Attributes:
        advances: `schemas.tables.advances.Advances`; none where the job does not recoup.
        linked: (payee, ISRC) -> exact centavos earned from that recording.
    """

    advances: pd.DataFrame
    linked: Mapping[tuple[str, str], Fraction]

    def by_payee(self) -> Mapping[str, Mapping[tuple[str, str], Fraction]]:
        """Part what was earned by payee."""
        parts = defaultdict[str, dict[tuple[str, str], Fraction]](dict)
        for (payee, isrc), cents in self.linked.items():
            parts[payee][payee, isrc] = cents
        return parts


@dataclass(frozen=True, slots=True)
class ChangedPeriod:
    """A closed period that did not come to what it left.

    Attributes:
        balances: With what stands in place of what would be posted now.
        postings: What to book beside it.
    """

    balances: DataFrame[PayeeBalances]
    postings: tuple[Accrual, ...]


def stand_by_what_was_posted(
    balances: DataFrame[PayeeBalances],
    postings: Iterable[Accrual],
    closed: Closed,
    *,
    claims: Iterable[Claim],
    recoupable: Recoupable,
    minimum_cents: int,
    held: Collection[str],
) -> ChangedPeriod | None:
    """Hold a closed period against what it left.

    Args:
        balances: As the period would come to now.
        postings: What it would leave now.
        closed: What it left.
        claims: Live claims of the period, and what was paid outside.
        recoupable: Advances, and what may be taken for them.
        minimum_cents: What is below it is carried.
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
    rows, booked = {row["tax_id"]: row for row in records(balances)}, list[Accrual]()
    earned_from = recoupable.by_payee()
    for payee in changed:
        case = _Payee(payee, rows.get(payee, {}), stands.get(payee, {}), claimed[payee])
        linked = earned_from.get(payee, {})
        taken = [] if payee in held else case.recoupable(linked, recoupable.advances, closed)
        settled = case.settle(taken, minimum_cents, held=payee in held)
        rows[payee] = case.balance(settled)
        booked += settled.postings(payee)
    frame = pd.DataFrame([rows[payee] for payee in sorted(rows)], columns=list(balances.columns))
    return ChangedPeriod(balances_frame(frame), tuple(booked))


@dataclass(frozen=True, slots=True)
class _Settled:
    """How what is open is settled, in centavos; together the parts are what is open."""

    recouped: Sequence[Accrual] = ()
    payable: int = 0
    held: int = 0
    carried: int = 0

    def postings(self, payee: str) -> list[Accrual]:
        return [*self.recouped, *([Accrual("carried", payee, "", self.carried)] if self.carried else [])]


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
        return sum(cents for (one, _), cents in self.stands.items() if one == kind)

    @property
    def open(self) -> int:
        """What is neither recouped, carried nor claimed."""
        return self.earned + self.carried_in - self.left("recouped") - self.left("carried") - self.claimed

    def recoupable(
        self, linked: Mapping[tuple[str, str], Fraction], advances: pd.DataFrame, closed: Closed
    ) -> list[Accrual]:
        """Take outstanding advances out of what is open, as far as it was earned here."""
        left_of = {(payee, isrc): cents - self._taken_from(isrc) for (payee, isrc), cents in linked.items()}
        most = min(self.open, self.earned - self.left("recouped"))
        return recoup(self.payee, most, left_of, advances, closed.recouped)

    def _taken_from(self, isrc: str) -> int:
        """What advances have taken of a recording; `advance_reference` ends in it."""
        return sum(cents for (_, reference), cents in self.stands.items() if isrc and reference.endswith(f"|{isrc}"))

    def settle(self, taken: Sequence[Accrual], minimum_cents: int, *, held: bool) -> _Settled:
        rest = self.open - sum(posting.amount_cents for posting in taken)
        if rest > 0 and held:
            return _Settled(held=rest)
        if rest > 0 and self.claimed + rest >= minimum_cents:
            return _Settled(taken, payable=rest)
        return _Settled(taken, carried=rest)

    def balance(self, settled: _Settled) -> Record:
        return {
            "tax_id": self.payee,
            "name": self.row.get("name", ""),
            "earned_cents": self.earned,
            "recouped_cents": self.left("recouped") + sum(posting.amount_cents for posting in settled.recouped),
            "carried_in_cents": self.carried_in,
            "carried_out_cents": self.left("carried") + settled.carried,
            "held_cents": self.claimed + settled.held if settled.held else 0,
            "payable_cents": 0 if settled.held else self.claimed + settled.payable,
        }


def _by_payee(parts: Iterable[tuple[str, str, str, int]]) -> dict[str, _Left]:
    found: dict[str, _Left] = {}
    for payee, kind, reference, cents in parts:
        if cents:
            found.setdefault(payee, {})[kind, reference] = cents
    return found
