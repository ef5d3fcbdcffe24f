"""A whole house over months, as docs/rules.md has it: deals, guarantees, rounding, advances, reserves and balances.

Exact parts are of `tests.property.plain_months`, accounts of `tests.property.plain_balances`. An advance is (day,
centavos, what part of what was earned it takes at the most, "" for all, contract or ""), a guarantee (payee, day,
centavos). A reserve is given in the month after.
"""

from collections import defaultdict
from fractions import Fraction
from math import floor

from tests.property.plain_balances import Deal, PlainAccount, half_even
from tests.property.plain_deals import part
from tests.property.plain_months import PlainMonths, month_named


class PlainHouse:
    """What everybody has been paid, is owed and keeps, and what is left to the owner, and held."""

    def __init__(self, shares, costs, advances, guarantees, minimum, payees):
        self.months, self.advances, self.guarantees, self.minimum = (
            PlainMonths(shares, costs),
            advances,
            guarantees,
            minimum,
        )
        self.accounts = {name: PlainAccount() for name in payees}
        self.earned, self.owed = defaultdict(dict), defaultdict(dict)
        self.left = {}

    def run(self, month, lines, calendar_month):
        """Run a month; returns what each payee is paid by it."""
        exact = defaultdict(Fraction, self.months.run(month, lines))
        self._guarantee(month, exact)
        cents = rounded(exact, list(self.accounts))
        self.left[month] = {name: cents.get(name, 0) for name in ("owner", "held")}
        return {
            name: account.run(
                month_named(month), self._deal(month, name, exact[name], cents.get(name, 0)), calendar_month
            )
            for name, account in self.accounts.items()
        }

    def _guarantee(self, month, exact):
        """In the first month that ends on or after its day what is earned until then is brought up to the sum."""
        for number, (payee, day, cents) in enumerate(self.guarantees):
            earned, owed = self.earned[number], self.owed[number]
            due = [other for other in earned if day <= f"{month_named(other)}-31"]
            if any(other < month for other in due) or any(owed.get(other) for other in owed if other != month):
                earned.pop(month, None), owed.pop(month, None)
                continue
            earned[month] = exact[payee]
            owed[month] = Fraction(0)
            if day <= f"{month_named(month)}-31":
                owed[month] = max(Fraction(0), cents - sum(of for other, of in earned.items() if other <= month))
        for number, (payee, _, _) in enumerate(self.guarantees):
            more = self.owed[number].get(month, Fraction(0))
            exact[payee] += more
            exact["owner"] -= more

    def _deal(self, month, name, exact, earned):
        kept = {
            other: half_even(sum((cents for about, cents in sums.items() if about == ("kept", name)), Fraction(0)))
            for other, sums in self.months.sums.items()
        }
        deal = Deal(earned=earned, minimum=self.minimum, kept=kept.get(month, 0), due=kept.get(month - 1, 0))
        deal.open = sum(cents for other, cents in kept.items() if other >= month)
        gone = max(0, earned - deal.kept + deal.due)
        for reference, (day, cents, most, contract) in self.advances.get(name, {}).items():
            deal.advances[reference] = (day, cents)
            here = {of: cents for (whose, of), cents in self.months.of_contracts[month].items() if whose == name}
            here[""] = here.get("", 0) + exact - sum(here.values())  # costs that are theirs, and guarantees
            is_apart = bool(contract) and any(cents for of, cents in here.items() if of != contract)
            if is_apart or most:
                whole = here.get(contract, 0) if is_apart else Fraction(gone)
                deal.most[reference] = max(0, floor(whole * (part(most) if most else 1)))
        return deal


def rounded(exact, payees):
    """Centavos of everybody: cut, and what is missing to those that lost most; on a tie to the first in order.

    What is owed back in all, or by the first of them where all make up nothing, is what as much that is owed would be,
    with the other sign.
    """
    names = [name for name in (*payees, "owner", "held") if exact.get(name)]
    said = (sum(exact.values()), *(exact[name] for name in names))
    if next((cents for cents in said if cents), 0) < 0:
        other_way = {name: -cents for name, cents in exact.items()}
        return {name: -cents for name, cents in rounded(other_way, payees).items()}
    cut = {name: floor(exact[name]) for name in names}
    missing = half_even(sum((exact[name] for name in names), Fraction(0))) - sum(cut.values())
    for name in sorted(names, key=lambda name: cut[name] - exact[name])[:missing]:
        cut[name] += 1
    return cut
