"""What a person should see of a plan before saying yes: what changed, whom to look at, and what is not paid."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from statistics import median
from types import MappingProxyType
from typing import Final, TypeVar

import pandas as pd

from schemas.plan import Place
from schemas.plan_view import (
    AMOUNTS_LOOKED_AT,
    MUCH_ABOVE_BY_CENTS,
    MUCH_ABOVE_TIMES,
    SLIP_TIMES,
    Change,
    ChangeKind,
    Notice,
    NotPaid,
    PayeeNotice,
    PlanRow,
    RateChange,
)
from schemas.tables.contract import DataFrame, Record, records
from schemas.tables.obligations import Obligations
from schemas.used_before import PaidAlike, PaidPart, PaidSum, UsedDestination
from schemas.values.masking import mask_tax_id

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


_Dated = TypeVar("_Dated", PaidSum, UsedDestination)


@dataclass(frozen=True, slots=True)
class PaidBefore:
    """What the ledger has paid, as far as it bears on the people of a plan.

    Attributes:
        sums: Sums by job and period of the plan's payees, the latest first.
        destinations: Where they were paid.
        last_period: Payments of the job's last earlier period; empty when there is none.
    """

    sums: Sequence[PaidSum] = ()
    destinations: Sequence[UsedDestination] = ()
    last_period: Sequence[PaidPart] = ()


@dataclass(slots=True)
class _Planned:
    """What a plan pays one payee."""

    name: str = ""
    cents: int = 0
    parts: set[int] = field(default_factory=set)
    destinations: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Past:
    """What one payee got before.

    Attributes:
        last_paid_at: When they were last paid by this ledger, for whatever job; None for never.
        this_period_cents: What the job has paid them for this period already.
        amounts: Sums of earlier periods, the latest first.
        last_parts: Single payments of the job's last period.
    """

    last_paid_at: dt.datetime | None
    this_period_cents: int
    amounts: Sequence[int]
    last_parts: Collection[int]


def notices_of(
    obligations: DataFrame[Obligations],
    before: PaidBefore,
    names: Mapping[str, str],
    *,
    job: str,
    period: str,
    currency: str,
) -> tuple[PayeeNotice, ...]:
    """Name the payees a person should look at, the most urgent first, the largest first among equals.

    Sums are compared period by period, with what this period has been paid already: a late statement's small payment
    hides no jump, and is none itself. Amounts of the same job are compared; those of others where it has none.

    Args:
        obligations: As a plan would leave them, each in its place.
        before: What was paid before.
        names: Tax id -> name, for those whom the plan does not name.
        job: Name of the job.
        period: Label of the period.
        currency: Currency of the reports; only amounts in it are compared.
    """
    sums, used = _by_payee(before.sums), _by_payee(before.destinations)
    last = defaultdict[str, list[PaidPart]](list)
    for part in before.last_period:
        last[part.payee].append(part)
    found: list[PayeeNotice] = []
    for payee, planned in _planned(obligations).items():
        alike = [paid for paid in sums.get(payee, []) if paid.currency == currency]
        past = _past(alike, (job, period), [part.amount_cents for part in last.get(payee, [])])
        known = sums.get(payee)
        found += _look(payee, planned, replace(past, last_paid_at=known[0].last_at) if known else past)
        found += _look_at_destination(payee, planned, used.get(payee, []))
    found += _disappeared(last, set(obligations["tax_id"]), names)
    urgency = list(Notice)
    return tuple(
        sorted(found, key=lambda one: (urgency.index(one.notice), -one.now_cents, -one.before_cents, one.tax_id))
    )


def _by_payee(rows: Iterable[_Dated]) -> dict[str, list[_Dated]]:
    """Group by payee, the latest first."""
    grouped: dict[str, list[_Dated]] = {}
    for row in sorted(rows, key=lambda one: one.last_at, reverse=True):
        grouped.setdefault(row.payee, []).append(row)
    return grouped


def _planned(obligations: DataFrame[Obligations]) -> dict[str, _Planned]:
    payees: dict[str, _Planned] = {}
    chosen = obligations[(obligations["place"] == Place.PLANNED.value) & (obligations["kind"] != "owner")]
    for row in records(chosen):
        one = payees.setdefault(row["tax_id"], _Planned())
        one.name = one.name or row["name"]
        one.cents += int(row["amount_cents"])
        one.parts.add(int(row["amount_cents"]))
        one.destinations.add(row["destination"])
    return payees


def _look(payee: str, planned: _Planned, past: _Past) -> Iterator[PayeeNotice]:
    """Judge one payee's sum by what they got before."""
    if past.last_paid_at is None:
        yield PayeeNotice(Notice.NEW, payee, planned.name, planned.cents)
        return
    now = planned.cents + past.this_period_cents
    slip = _slip({now, *planned.parts}, {*past.amounts[:1], *past.last_parts, past.this_period_cents})
    seen = len(past.amounts)
    if slip:
        times = slip * SLIP_TIMES
        yield PayeeNotice(Notice.TIMES_100, payee, planned.name, times, slip, seen, past.last_paid_at)
    elif past.amounts and _is_much_above(now, usual := median(map(Fraction, past.amounts))):
        yield PayeeNotice(Notice.MUCH_ABOVE, payee, planned.name, now, int(usual), seen, past.last_paid_at)


def _past(sums: Sequence[PaidSum], this: tuple[str, str], last_parts: Collection[int]) -> _Past:
    """Part one payee's sums, the latest first, into this period's and those it is compared with."""
    this_period = sum(one.amount_cents for one in sums if (one.job, one.period) == this)
    earlier = [one for one in sums if (one.job, one.period) != this]
    own = [paid for paid in earlier if paid.job == this[0]]
    amounts = [paid.amount_cents for paid in (own or earlier)[:AMOUNTS_LOOKED_AT]]
    return _Past(None, this_period, amounts, last_parts)


def _slip(now: Collection[int], before: Collection[int]) -> int:
    """Return the earlier amount of which one is now exactly a hundred times; 0 when there is none."""
    return max((cents for cents in before if cents > 0 and cents * SLIP_TIMES in now), default=0)


def _is_much_above(now_cents: int, usual_cents: Fraction) -> bool:
    return now_cents >= MUCH_ABOVE_TIMES * usual_cents and now_cents - usual_cents >= MUCH_ABOVE_BY_CENTS


def _look_at_destination(payee: str, planned: _Planned, used: Sequence[UsedDestination]) -> Iterator[PayeeNotice]:
    """Compare with where the payee was last paid; several destinations may be used in one period."""
    latest = {
        destination.destination
        for destination in used
        if (destination.job, destination.period) == (used[0].job, used[0].period)
    }
    other = planned.destinations - latest
    if used and other:
        uses = [destination.last_at for destination in used if destination.destination in other]
        last_used_at = max(uses, default=None)
        paid_at = used[0].last_at
        notice = PayeeNotice(Notice.DESTINATION, payee, planned.name, planned.cents, last_paid_at=paid_at)
        yield replace(notice, last_used_at=last_used_at)


def _disappeared(
    last: Mapping[str, Sequence[PaidPart]], here: Collection[str], names: Mapping[str, str]
) -> Iterator[PayeeNotice]:
    """People of the last period of whom this one knows nothing: neither paid, nor held, nor carried."""
    for payee, parts in last.items():
        if parts and payee not in here:
            lost = sum(part.amount_cents for part in parts)
            yield PayeeNotice(Notice.DISAPPEARED, payee, names.get(payee, ""), 0, lost)


def rows_of(
    obligations: DataFrame[Obligations],
    notices: Iterable[PayeeNotice],
    names: Mapping[str, str],
    alike: Mapping[str, tuple[PaidAlike, ...]] = MappingProxyType({}),
) -> tuple[tuple[PlanRow, ...], tuple[PlanRow, ...]]:
    """Return the rows of what is planned and of what is not, each the largest first.

    Args:
        obligations: Each in its place.
        notices: Whom to look at.
        names: Tax id -> name, for rows that have none of their own.
        alike: Obligation key -> what a planned row looks like that looks paid before.
    """
    by_payee = defaultdict[str, list[Notice]](list)
    for notice in notices:
        by_payee[notice.tax_id].append(notice.notice)
    planned, others = list[PlanRow](), list[PlanRow]()
    for row in records(obligations):
        is_planned = row["place"] == Place.PLANNED.value
        told = tuple(by_payee.get(row["tax_id"], ())) if is_planned else ()
        found = alike.get(row["key"], ()) if is_planned else ()
        told = (Notice.PAID_BEFORE, *told) if found else told
        (planned if is_planned else others).append(_row(row, told, names, found))
    return _largest_first(planned), _largest_first(others)


def notices_of_rows(
    obligations: DataFrame[Obligations], alike: Mapping[str, tuple[PaidAlike, ...]]
) -> tuple[PayeeNotice, ...]:
    """Name each row that looks paid before, the largest first."""
    rows = [row for row in records(obligations[obligations["key"].isin(list(alike))]) if row["key"] in alike]
    rows.sort(key=lambda row: (-row["amount_cents"], row["tax_id"], row["key"]))
    return tuple(
        PayeeNotice(
            Notice.PAID_BEFORE,
            row["tax_id"],
            row["name"],
            row["amount_cents"],
            row["amount_cents"],
            alike=alike[row["key"]],
        )
        for row in rows
    )


def not_paid_of(obligations: DataFrame[Obligations]) -> tuple[NotPaid, ...]:
    """Sum up what is not planned by place and reason, the largest first.

    What another submission claims is told by its place alone, whatever that submission is called.
    """
    counts, sums = defaultdict[tuple[str, str], int](int), defaultdict[tuple[str, str], int](int)
    for row in records(obligations[obligations["place"] != Place.PLANNED.value]):
        name = (row["place"], "claimed" if row["submission_id"] else row["reason"])
        counts[name] += 1
        sums[name] += int(row["amount_cents"])
    found = [NotPaid(Place(place), reason, counts[place, reason], sums[place, reason]) for place, reason in counts]
    return tuple(sorted(found, key=lambda one: (-abs(one.amount_cents), one.place, one.reason)))


def _row(row: Record, notices: tuple[Notice, ...], names: Mapping[str, str], alike: tuple[PaidAlike, ...]) -> PlanRow:
    return PlanRow(
        name=row["name"] or names.get(row["tax_id"], ""),
        tax_id_masked=mask_tax_id(row["tax_id"]) if row["tax_id"] else "",
        kind=row["kind"],
        reference=row["reference"],
        amount_cents=int(row["amount_cents"]),
        place=Place(row["place"]),
        reason=row["reason"],
        file=row["file"],
        sheet=row["sheet"],
        row=int(row["row"]),
        notices=notices,
        alike=alike,
    )


def _largest_first(rows: list[PlanRow]) -> tuple[PlanRow, ...]:
    return tuple(sorted(rows, key=lambda row: (-abs(row.amount_cents), row.tax_id_masked, row.reference)))
