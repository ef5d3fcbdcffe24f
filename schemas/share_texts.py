"""Parts of a whole, and costs that were taken before them, as people read them in their own language."""

from decimal import Decimal
from fractions import Fraction

from schemas.messages import Listed, Message, Money
from schemas.tables.payees import GUARANTEE
from schemas.values.costs_taken import read_costs
from schemas.values.millionths import OF_PRICE, WHOLE, decimal_of, fraction_text, percent_of, read_millionths
from schemas.values.share_terms import read_terms
from schemas.values.tier_bounds import read_bound


def share_text(share_ppm: str) -> Listed | str:
    """Write a part, as tables keep it, in percent where a decimal says it, else as a fraction."""
    part = read_millionths(share_ppm)
    percent = percent_of(part)
    return fraction_text(part) if percent is None else Listed((percent.normalize(), "%"), " ")


def role_text(role: str) -> Message | str:
    """Write a role: as people wrote it, or what a payee has beside all shares."""
    return Message("deal.role_guarantee") if role == GUARANTEE else role


def unit_amount(per_unit: str) -> Decimal | str:
    """Return money a unit: exact, as a fraction where no decimal says it."""
    return decimal_of(Fraction(per_unit)) or per_unit


def costs_text(costs: str, worth: Decimal, currency: str) -> Listed:
    """Write costs, as tables keep them, in the order in which they were taken: by part, or the amount taken here.

    Args:
        worth: What they were taken of, in the job's currency.
    """
    found, left = list[Listed](), Fraction(worth)
    for name, part_ppm, is_amount in read_costs(costs):
        taken = left * Fraction(part_ppm) / WHOLE
        left -= taken
        said = Money(round(taken * 100), currency) if is_amount else share_text(str(part_ppm))
        found.append(Listed((name, said), " "))
    return Listed(tuple(found))


def terms_text(terms: str, currency: str) -> Listed:
    """Write what a share states and how much of it a period gives, with the tier and the cap that say so."""
    given, why = terms_texts(terms, currency)
    return Listed((given, Listed(("(", why, ")"), "")), " ") if why.parts else given


def terms_texts(terms: str, currency: str) -> tuple[Listed, Listed]:
    """Write what a share states and how much of it a period gives; and why."""
    found = read_terms(terms)
    if found is None:
        return Listed(()), Listed(())
    why = Listed(tuple(tier_texts(found.tier_from, found.tier_to, found.cap, currency)))
    part = (decimal_of(found.part) or str(found.part),) if found.part != 1 else ()
    return Listed((*_stated_texts(found.stated), *part), " x "), why


def _stated_texts(stated: str) -> tuple[object, ...]:
    """Write what a share states, as factors."""
    share, _, of = stated.partition("@")
    if share.startswith(OF_PRICE):
        factors = tuple(decimal_of(Fraction(factor)) or factor for factor in of.split("*"))
        return Message("deal.of_price", part=share_text(share.removeprefix(OF_PRICE))), *factors
    return (Message("deal.a_unit", amount=unit_amount(of)) if of else share_text(share),)


def bound_text(bound: str, currency: str) -> Message | Money:
    """Write a bound of a tier: units, or an amount."""
    found = read_bound(bound)
    return Message("deal.units", count=int(found.value)) if found.in_units else money_of(str(found.value), currency)


def money_of(amount: str, currency: str) -> Money:
    """Write an amount of a deal, as tables keep it."""
    return Money(int(Fraction(amount) * 100), currency)


def tier_texts(tier_from: str, tier_to: str, cap: str, currency: str) -> list[Message]:
    """Say of what a share is, and its most: nothing of one without tiers and cap."""
    found = list[Message]()
    if tier_from:
        kind = "retroactive" if read_bound(tier_from).is_retroactive else "tier_from"
        found.append(Message(f"deal.{kind}", bound=bound_text(tier_from, currency)))
    if tier_to:
        found.append(Message("deal.tier_to", bound=bound_text(tier_to, currency)))
    if cap:
        found.append(Message("deal.cap", amount=money_of(cap, currency)))
    return found
