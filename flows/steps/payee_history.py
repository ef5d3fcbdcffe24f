"""Whom a person should look at before a plan is approved, judged by what the ledger has paid before.

The figures of the rules are in `schemas.plan_rules`.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from statistics import median
from typing import TypeVar

from schemas.paid_before import PaidPart, PaidSum, UsedDestination
from schemas.plan import Place
from schemas.plan_rules import AMOUNTS_LOOKED_AT, MUCH_ABOVE_BY_CENTS, MUCH_ABOVE_TIMES, SLIP_TIMES
from schemas.plan_view import Notice, PayeeNotice
from schemas.tables.frames import DataFrame, records
from schemas.tables.obligations import Obligations

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
        alike = [one for one in sums.get(payee, []) if one.currency == currency]
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
    own = [one for one in earlier if one.job == this[0]]
    amounts = [one.amount_cents for one in (own or earlier)[:AMOUNTS_LOOKED_AT]]
    return _Past(None, this_period, amounts, last_parts)


def _slip(now: Collection[int], before: Collection[int]) -> int:
    """Return the earlier amount of which one is now exactly a hundred times; 0 when there is none."""
    return max((cents for cents in before if cents > 0 and cents * SLIP_TIMES in now), default=0)


def _is_much_above(now_cents: int, usual_cents: Fraction) -> bool:
    return now_cents >= MUCH_ABOVE_TIMES * usual_cents and now_cents - usual_cents >= MUCH_ABOVE_BY_CENTS


def _look_at_destination(payee: str, planned: _Planned, used: Sequence[UsedDestination]) -> Iterator[PayeeNotice]:
    """Compare with where the payee was last paid; several destinations may be used in one period."""
    latest = {one.destination for one in used if (one.job, one.period) == (used[0].job, used[0].period)}
    other = planned.destinations - latest
    if used and other:
        uses = [one.last_at for one in used if one.destination in other]
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
