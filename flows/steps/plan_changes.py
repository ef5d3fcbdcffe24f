"""What is not as it was: a plan held against the last one of its period, or against the last period."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import pandas as pd

from schemas.paid_before import PaidPart
from schemas.plan import Place
from schemas.plan_view import Change, ChangeKind, RateChange
from schemas.tables.frames import DataFrame, records
from schemas.tables.obligations import Obligations

_PAID_KINDS: Final = ("payment", "royalty", "owner")
# What a plan does not pay, of the kinds that are paid.
_NOT_PAID: Final = frozenset({Place.HELD.value, Place.CONFLICT.value, Place.CARRIED.value, Place.RECOUPED.value})
_SHARE: Final = ["tax_id", "role", "isrc", "upc", "release", "artist"]


@dataclass(frozen=True, slots=True)
class Item:
    """What a plan pays, and what was sent before it, for one thing that is owed.

    Attributes:
        tax_id: The payee.
        name: As the tables have it; "" when it is not known.
        reference: Tells two payments of one payee apart.
        amount_cents: The sum of its parts.
        destination: Where what is still to be paid goes; where the last part went when all was sent.
    """

    tax_id: str
    name: str
    reference: str
    amount_cents: int
    destination: str


Items = Mapping[str, Item]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where something is that a plan does not pay, and why."""

    place: Place
    reason: str


def items_of(obligations: DataFrame[Obligations]) -> dict[str, Item]:
    """Sum up, by base key, what is to be paid: planned and already sent parts of payments, royalties, owner's part."""
    items: dict[str, Item] = {}
    for row in records(obligations[_is_paid(obligations)]):
        here = Item(row["tax_id"], row["name"], row["reference"], int(row["amount_cents"]), row["destination"])
        items[row["base_key"]] = _joined(items.get(row["base_key"]), here, last=row["place"] == Place.PLANNED.value)
    return items


def items_by_payee(obligations: DataFrame[Obligations]) -> dict[str, Item]:
    """Sum up what is to be paid by payee, the owner's part aside."""
    items: dict[str, Item] = {}
    for row in records(obligations[_is_paid(obligations) & (obligations["kind"] != "owner")]):
        here = Item(row["tax_id"], row["name"], "", int(row["amount_cents"]), row["destination"])
        items[row["tax_id"]] = _joined(items.get(row["tax_id"]), here, last=row["place"] == Place.PLANNED.value)
    return items


def items_paid(parts: Iterable[PaidPart], names: Mapping[str, str]) -> dict[str, Item]:
    """Sum up by payee what was paid for a period.

    Args:
        parts: Its payments.
        names: Tax id -> name, of those that are known.
    """
    items: dict[str, Item] = {}
    for part in parts:
        here = Item(part.payee, names.get(part.payee, ""), "", part.amount_cents, part.destination)
        items[part.payee] = _joined(items.get(part.payee), here, last=True)
    return items


def elsewhere_of(obligations: DataFrame[Obligations]) -> dict[str, Elsewhere]:
    """Tell, by tax id, where what is owed to people is while it is not paid: held, in conflict, carried.

    A row that was held for its own problems has no key yet, so that people are the only thing to find it by.
    """
    others = obligations[obligations["place"].isin(_NOT_PAID - {Place.RECOUPED.value}) & (obligations["tax_id"] != "")]
    found: dict[str, Elsewhere] = {}
    for row in records(others):
        found.setdefault(row["tax_id"], Elsewhere(Place(row["place"]), row["reason"]))
    return found


def changes_between(
    before: Items,
    now: Items,
    *,
    held_before: Mapping[str, Elsewhere] | None = None,
    held_now: Mapping[str, Elsewhere] | None = None,
    destinations: bool = True,
) -> tuple[Change, ...]:
    """Say what was added, removed, or changed in amount or destination; the largest differences first.

    Args:
        before: What was to be paid.
        now: What is to be paid, under the same kind of key.
        held_before: By tax id, where what was not paid was: tells where something comes from.
        held_now: By tax id, where what is not paid is: tells where something went.
        destinations: Whether another destination is a change.
    """
    changes: list[Change] = []
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if old is None and new is not None:
            added = Change(ChangeKind.ADDED, new.tax_id, new.name, new.reference, 0, new.amount_cents)
            changes.append(_placed(added, held_before))
        elif new is None and old is not None:
            removed = Change(ChangeKind.REMOVED, old.tax_id, old.name, old.reference, old.amount_cents, 0)
            changes.append(_placed(removed, held_now))
        elif old is not None and new is not None:
            changes += _differences(old, new, destinations=destinations)
    order = list(ChangeKind)
    return tuple(sorted(changes, key=lambda one: (-abs(one.difference_cents), order.index(one.kind), one.tax_id)))


def _differences(old: Item, new: Item, *, destinations: bool) -> list[Change]:
    who = (new.tax_id, new.name or old.name, new.reference, old.amount_cents, new.amount_cents)
    found = []
    if old.amount_cents != new.amount_cents:
        found.append(Change(ChangeKind.AMOUNT, *who))
    if destinations and new.destination and old.destination and old.destination != new.destination:
        same = replace(Change(ChangeKind.DESTINATION, *who), before_cents=new.amount_cents)
        found.append(same)  # a difference in the amount is told once
    return found


def _placed(change: Change, where: Mapping[str, Elsewhere] | None) -> Change:
    found = (where or {}).get(change.tax_id)
    return replace(change, elsewhere=found.place, reason=found.reason) if found else change


def rates_between(before: pd.DataFrame, now: pd.DataFrame) -> tuple[RateChange, ...]:
    """Say which currencies have other exchange rates than before, by the earnings of both plans.

    Several sources may give one currency several rates: they are told together.
    """
    old, new = _rates(before), _rates(now)
    return tuple(
        RateChange(currency, old.get(currency, ""), new.get(currency, ""))
        for currency in sorted(old.keys() & new.keys())
        if old[currency] != new[currency]
    )


def _rates(earnings: pd.DataFrame) -> dict[str, str]:
    found = defaultdict[str, set[str]](set)
    for currency, rate in zip(earnings["currency"], earnings["rate"], strict=True):
        found[str(currency)].add(str(rate))
    return {currency: " / ".join(sorted(rates)) for currency, rates in found.items()}


def shares_changed(before: pd.DataFrame, now: pd.DataFrame) -> int:
    """Count the shares that differ, of assets that both plans have earnings of; the owner's remainder follows them."""
    old, new = _shares(before), _shares(now)
    assets = {key[2:] for key in old} & {key[2:] for key in new}
    return sum(old.get(key) != new.get(key) for key in old.keys() | new.keys() if key[2:] in assets)


def _shares(earnings: pd.DataFrame) -> dict[tuple[str, ...], frozenset[int]]:
    found = defaultdict[tuple[str, ...], set[int]](set)
    payees = earnings[earnings["tax_id"] != ""]
    for *key, share in payees[[*_SHARE, "share_ppm"]].itertuples(index=False, name=None):
        found[tuple(key)].add(int(share))
    return {key: frozenset(shares) for key, shares in found.items()}


def period_before(periods: Iterable[str], label: str) -> str:
    """Return the last of some periods that began before another; "" when none did. Labels begin with their first day.

    >>> period_before(["2026-09", "2026-08", "2026-11"], "2026-10")
    '2026-09'
    """
    return max((period for period in periods if period < label), default="")


def names_in(*tables: pd.DataFrame) -> dict[str, str]:
    """Tell people's names by tax id, the first table's first."""
    names: dict[str, str] = {}
    for table in tables:
        for tax_id, name in zip(table["tax_id"], table["name"], strict=True):
            if name:
                names.setdefault(str(tax_id), str(name))
    return names


def _is_paid(obligations: pd.DataFrame) -> pd.Series:
    paid = obligations["kind"].isin(_PAID_KINDS) & ~obligations["place"].isin(_NOT_PAID)
    dropped = (obligations["place"] == Place.EXCLUDED.value) & (obligations["submission_id"] == "")
    return paid & ~dropped & (obligations["base_key"] != "")


def _joined(there: Item | None, here: Item, *, last: bool) -> Item:
    if there is None:
        return here
    amount = there.amount_cents + here.amount_cents
    destination = here.destination if last else there.destination
    return replace(there, name=there.name or here.name, amount_cents=amount, destination=destination)


def sum_of(items: Items) -> int:
    """Sum of all amounts, in centavos."""
    return sum(item.amount_cents for item in items.values())
