"""Accounts of payees, the plain way: what the rules say, in centavos and fractions, written without the program."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

QUARTERS = (3, 6, 9, 12)


def half_even(exact: Fraction) -> int:
    """Round half a centavo to the even one."""
    whole, rest = divmod(exact.numerator * 2, exact.denominator * 2)
    above, half = rest * 2 > exact.denominator * 2, rest * 2 == exact.denominator * 2
    return whole + (1 if above or (half and whole % 2) else 0)


@dataclass
class Deal:
    """What a run is told of one payee.

    Attributes:
        earned: Centavos of the month, as its files say now.
        advances: Name -> (day it was paid, centavos).
        minimum: Less is not paid.
        is_quarterly: Whether royalties are due at the ends of quarters alone.
        is_held: Whether the payee cannot be paid now.
        rate: Percentage that is withheld of each payment.
        fixed: Centavos that are withheld once in a calendar month.
        invoiced: Centavos invoiced for the month; None for who needs not.
        most: Name of an advance -> centavos that the month may recoup of it at the most.
        kept, due, open: Centavos of reserves: kept of the month, given in it, and not due by it.
    """

    earned: int = 0
    advances: dict[str, tuple[str, int]] = field(default_factory=dict)
    minimum: int = 0
    is_quarterly: bool = False
    is_held: bool = False
    rate: Fraction = Fraction(0)
    fixed: int = 0
    invoiced: int | None = None
    most: dict[str, int] = field(default_factory=dict)
    kept: int = 0
    due: int = 0
    open: int = 0

    def __str__(self) -> str:
        """Only what is said."""
        usual = Deal()
        said = {name: value for name, value in vars(self).items() if value != getattr(usual, name)}
        return " ".join(f"{name}={value}" for name, value in said.items()) or "nothing"


@dataclass
class Month:
    """What stands of one month of a payee, in centavos."""

    earned: int = 0
    recouped: dict[str, int] = field(default_factory=dict)
    paid: int = 0
    percentage: int = 0
    fixed: int = 0
    fixed_in: dict[int, int] = field(default_factory=dict)
    whole: list[tuple[int, int, int]] = field(default_factory=list)  # calendar month, percentage, fixed

    @property
    def gone(self) -> int:
        """What was paid and withheld."""
        return self.paid + self.percentage + self.fixed

    @property
    def left(self) -> int:
        """What the month has added to the balance."""
        return self.earned - sum(self.recouped.values()) - self.gone


class PlainAccount:
    """One payee's account with one job."""

    def __init__(self) -> None:
        self.months: dict[str, Month] = defaultdict(Month)

    @property
    def balance(self) -> int:
        """What is owed, over all months."""
        return sum(month.left for month in self.months.values())

    def recouped(self, name: str) -> int:
        """What all months have taken of an advance."""
        return sum(month.recouped.get(name, 0) for month in self.months.values())

    def run(self, label: str, deal: Deal, calendar_month: int) -> int:
        """Run a month; returns what is paid by it."""
        month = self.months[label]
        month.earned = deal.earned
        self._recoup(label, month, deal)
        payable = self._payable(label, month, deal)
        if payable <= 0:
            return 0
        in_month = sum(other.fixed_in.get(calendar_month, 0) for other in self.months.values())
        fixed = min(payable, max(0, deal.fixed - in_month))  # INSS comes before IRRF
        percentage = min(payable - fixed, half_even(deal.rate * payable / 100))
        month.fixed += fixed
        month.fixed_in[calendar_month] = month.fixed_in.get(calendar_month, 0) + fixed
        month.percentage += percentage
        if fixed + percentage == payable:
            month.whole.append((calendar_month, percentage, fixed))
        month.paid += payable - fixed - percentage
        return payable - fixed - percentage

    def _recoup(self, label: str, month: Month, deal: Deal) -> None:
        """Advances take what the month earned, oldest first, and nothing that was paid."""
        later = sum(other.left for name, other in self.months.items() if name > label)
        others = sum(other.left for name, other in self.months.items() if name != label)
        most = max(0, deal.earned - deal.kept + deal.due)
        unpaid = most - month.gone
        if later < 0:
            unpaid = min(unpaid, deal.earned + others - month.gone)
        gone_from_table = {name: cents for name, cents in month.recouped.items() if name not in deal.advances}
        left = most - sum(gone_from_table.values())
        found = dict(gone_from_table)
        listed = [
            (name, cents - (self.recouped(name) - month.recouped.get(name, 0)))
            for name, (day, cents) in sorted(deal.advances.items(), key=lambda item: (item[1][0], item[0]))
            if day <= f"{label}-31"
        ]
        for name, outstanding in listed:  # what was taken stays, as far as there is that much
            found[name] = max(0, min(outstanding, left, deal.most.get(name, left), month.recouped.get(name, 0)))
            left -= found[name]
        spare = max(0, unpaid - sum(found.values()))
        for name, outstanding in listed:
            room = deal.most.get(name, found[name] + left) - found[name]
            more = max(0, min(outstanding - found[name], left, spare, room))
            found[name] += more
            left -= more
            spare -= more
        month.recouped = {name: cents for name, cents in found.items() if cents}

    def _payable(self, label: str, month: Month, deal: Deal) -> int:
        """The balance, where it may be paid; of who must invoice, what is invoiced and covered."""
        is_due = not deal.is_quarterly or int(label[-2:]) in QUARTERS
        balance = self.balance - deal.open
        if deal.is_held or not is_due or balance < max(1, deal.minimum):
            return 0
        if deal.invoiced is None:
            return balance
        asked = deal.invoiced - month.gone
        return asked if 0 < asked <= balance else 0

    def fail(self, label: str) -> None:
        """Nothing of a month was paid after all; taxes that had left nothing to pay stay withheld."""
        month = self.months[label]
        month.paid, month.fixed_in = 0, {}
        month.percentage = sum(percentage for _, percentage, _ in month.whole)
        month.fixed = sum(fixed for _, _, fixed in month.whole)
        for calendar_month, _, fixed in month.whole:
            month.fixed_in[calendar_month] = month.fixed_in.get(calendar_month, 0) + fixed
