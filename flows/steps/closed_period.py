"""A period run again after a later one was posted: it gives the same again, and what changed in it reaches the later.

It finds what it found when it was open: recoupment and carry-over of earlier periods alone. Run on the same files it
thus comes to the same, to the byte. What it left in the ledger, later periods were built upon, and it stands for ever:
a later minimum, an advance added since, a statement corrected since do not rewrite it. Where a payee would leave
something else by now, what is still open between them and what stands is settled:

* what they are owed beyond it has the advances still outstanding taken out, as of today, and only from recordings that
  earned it where linked; the rest is paid in the closed period's name, as a difference, when with what was paid before
  it reaches the minimum, and is carried into the later period when it does not;
* what they got too much is carried into the later period.

Such recoupments and carry-overs are booked beside what stands, with the latest posted period, and so reach the one
after it, once: run again, they stand too. What was held in the closed period is paid there once corrected: held stays
open in its own period, and is not carried.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from flows.steps.accrue import Closed, Posting, balances_frame, recoup
from schemas.submission import Claim
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import PayeeBalances

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
    postings: tuple[Posting, ...]


def stand_by_what_was_posted(
    balances: DataFrame[PayeeBalances],
    postings: Iterable[Posting],
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
    now = _by_payee((one.payee, one.kind, one.reference, one.amount_cents) for one in postings)
    changed = sorted(payee for payee in {*stands, *now} if stands.get(payee) != now.get(payee))
    if not changed:
        return None
    claimed = defaultdict[str, int](int)
    for one in claims:
        claimed[one.payee] += one.amount_cents if one.kind == "royalty" else 0
    rows, booked = {row["tax_id"]: row for row in records(balances)}, list[Posting]()
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

    recouped: Sequence[Posting] = ()
    payable: int = 0
    held: int = 0
    carried: int = 0

    def postings(self, payee: str) -> list[Posting]:
        return [*self.recouped, *([Posting(payee, "carried", "", self.carried)] if self.carried else [])]


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
    ) -> list[Posting]:
        """Take outstanding advances out of what is open, as far as it was earned here."""
        left_of = {(payee, isrc): cents - self._taken_from(isrc) for (payee, isrc), cents in linked.items()}
        most = min(self.open, self.earned - self.left("recouped"))
        return recoup(self.payee, most, left_of, advances, closed.recouped)

    def _taken_from(self, isrc: str) -> int:
        """What advances have taken of a recording; `advance_reference` ends in it."""
        return sum(cents for (_, reference), cents in self.stands.items() if isrc and reference.endswith(f"|{isrc}"))

    def settle(self, taken: Sequence[Posting], minimum_cents: int, *, held: bool) -> _Settled:
        rest = self.open - sum(one.amount_cents for one in taken)
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
            "recouped_cents": self.left("recouped") + sum(one.amount_cents for one in settled.recouped),
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
