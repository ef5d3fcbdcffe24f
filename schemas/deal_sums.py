"""What rows of deals come to over the periods of a series, exact: money, units, what a row gave, what a cost took."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple


class DealSumKind(StrEnum):
    """What is summed; money in units of the job's currency."""

    MONEY = "money"  # what costs left of the lines of a share with tiers
    UNITS = "units"  # the units of these lines
    WORTH = "worth"  # their units times the price of each, where a share is of the price
    GIVEN = "given"  # by a share with a cap
    KEPT = "kept"  # in reserve, of shares that are released alike
    EARNED = "earned"  # of what a guarantee is of
    OWED = "owed"  # of a guarantee, which no other period owes again
    TAKEN = "taken"  # by a cost of an amount, or with a cap


class DealSum(NamedTuple):
    """Names a sum: of a period, and of all.

    Attributes:
        payee: Tax id; "" for a cost.
        row: What tells the row from others of the payee: role or name, what it is of, and for a cap the tier; of a
            reserve in which parts it is released.
    """

    kind: DealSumKind
    payee: str
    row: str


DealSums = Mapping[DealSum, Fraction]


@dataclass(frozen=True, slots=True)
class DealsBefore:
    """What other periods of a series came to.

    Attributes:
        earlier: Of the periods before this one alone: where tiers stand when it begins.
        others: Of all other periods: what is left of costs and caps.
        periods: First day of each other period -> what it came to: when reserves are due.
    """

    earlier: DealSums = field(default_factory=dict)
    others: DealSums = field(default_factory=dict)
    periods: tuple[tuple[dt.date, DealSums], ...] = ()

    def renamed(self, payee_of: Callable[[str], str]) -> "DealsBefore":
        """Return sums under the documents that payees have by now."""
        periods = tuple((start, renamed_sums(sums, payee_of)) for start, sums in self.periods)
        return DealsBefore(renamed_sums(self.earlier, payee_of), renamed_sums(self.others, payee_of), periods)

    def joined(self, former: "DealsBefore") -> "DealsBefore":
        """Return sums with those of a series before this one."""
        periods = (*former.periods, *self.periods)
        earlier, others = joined_sums(self.earlier, former.earlier), joined_sums(self.others, former.others)
        return DealsBefore(earlier, others, periods)


NO_DEALS_BEFORE: Final = DealsBefore()


def joined_sums(sums: DealSums, more: DealSums, sign: int = 1) -> dict[DealSum, Fraction]:
    """Add sums, or take some from others; what comes to nothing is left out."""
    names = dict.fromkeys((*sums, *more))
    found = {name: sums.get(name, Fraction(0)) + sign * more.get(name, Fraction(0)) for name in names}
    return {name: quantity for name, quantity in found.items() if quantity}


def renamed_sums(sums: DealSums, payee_of: Callable[[str], str]) -> dict[DealSum, Fraction]:
    """Return sums under the documents that payees have by now."""
    found = dict[DealSum, Fraction]()
    for name, quantity in sums.items():
        now = name._replace(payee=payee_of(name.payee))
        found[now] = found.get(now, Fraction(0)) + quantity
    return found
