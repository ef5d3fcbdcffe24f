"""Deals that rest on more than a line: costs of an amount, tiers and caps, settled for one period of a series.

What a period takes for a cost, in which tier it falls and what a cap leaves of a share are parts of all the lines
concerned alike; so each becomes a factor, and no order of lines matters.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

import pyarrow as pa

from flows.intake.rules.inputs import of_all_files
from flows.royalties.rules.assets import Place, price_of, with_worth_of_prices
from flows.royalties.rules.costs import Cost
from flows.royalties.rules.deals import Deals, DecidingRows
from flows.royalties.rules.share_rows import ShareOf, resting_on_periods
from schemas.deal_sums import DealsBefore, DealSum, DealSumKind, DealSums
from schemas.tables.royalties import LineTotals
from schemas.values.millionths import WHOLE, Millionths, plain, read_millionths
from schemas.values.tier_bounds import read_bound


@dataclass(frozen=True, slots=True)
class SettledDeals:
    """What a period makes of rows of shares and costs.

    Attributes:
        costs: Where a cost stands -> its part, in millionths, of what those before left of its lines.
        tiers: Where a share with tiers stands -> how much of its lines the tier has.
        caps: Where a share with a cap stands -> how much of what it would give the cap leaves.
        sums: What the period came to, for the periods after it.
        ladders: The shares with tiers that lines of the period are of.
    """

    costs: Mapping[Place, Millionths] = field(default_factory=dict)
    tiers: Mapping[Place, Fraction] = field(default_factory=dict)
    caps: Mapping[Place, Fraction] = field(default_factory=dict)
    sums: DealSums = field(default_factory=dict)
    ladders: tuple[ShareOf, ...] = ()


NOTHING_SETTLED: Final = SettledDeals()


@dataclass(slots=True)
class _LinesOfDeal:
    """What lines of one decision come to, in the job's currency: at first, and less the costs taken so far."""

    decision: DecidingRows
    left: Fraction = Fraction(0)
    units: Fraction = Fraction(0)


def settle_deals(
    statements: Iterable[tuple[LineTotals, Mapping[str, Decimal]]],
    deals: Deals,
    *,
    first_day: str,
    last_day: str,
    before: DealsBefore,
) -> SettledDeals:
    """Settle what rests on all lines of a period, and on other periods; nothing where no row of a deal does.

    Args:
        statements: Sums of lines, and the worth of each currency in the job's.
        first_day, last_day: Of the period (ISO).
    """
    if (
        not any(cost.rests_on_periods or cost.date for cost in deals.costs)
        and not resting_on_periods(deals.shares).any()
    ):
        return NOTHING_SETTLED
    lines = [found for totals, rates in statements for found in _lines_shared_out(totals, rates, deals, first_day)]
    parts, sums = _settle_costs(lines, deals.costs, last_day, before)
    ladders = {share.place: share for of in lines for share in of.decision.stated if share.has_tier}
    tiers, of_tiers = _settle_tiers(lines, before)
    capped, of_caps = _settle_caps(lines, tiers, before)
    return SettledDeals(parts, tiers, capped, {**sums, **of_tiers, **of_caps}, tuple(ladders.values()))


def _lines_shared_out(
    totals: LineTotals, rates: Mapping[str, Decimal], deals: Deals, first_day: str
) -> list[_LinesOfDeal]:
    """Sum lines by what decides of them, without those that are percentages alone, held or nobody's."""
    sums = with_worth_of_prices(of_all_files(totals)[0], rates)
    decisions = deals.decide(sums, first_day)
    known = {at: _LinesOfDeal(of) for at, of in decisions.others.items() if not decisions.statuses[at]}
    numbered = pa.table({name: sums[name] for name in ("currency", "amount", "units")})
    numbered = numbered.append_column("decision", pa.array(decisions.of_lines))
    grouped = numbered.group_by(["decision", "currency"]).aggregate([("amount", "sum"), ("units", "sum")])
    for at, currency, amount, units in zip(*(column.to_pylist() for column in grouped.columns), strict=True):
        if at in known:
            known[at].left += Fraction(amount) * Fraction(rates[currency])
            known[at].units += int(units)
    return list(known.values())


def _settle_costs(
    lines: Sequence[_LinesOfDeal], costs: Sequence[Cost], last_day: str, before: DealsBefore
) -> tuple[dict[Place, Millionths], dict[DealSum, Fraction]]:
    """Take costs off the top, in order; what several rows of one name have had fills the first of them first."""
    taken_from = defaultdict[Place, list[_LinesOfDeal]](list)
    for of in lines:
        for cost in of.decision.costs:
            taken_from[cost.place].append(of)
    parts, sums = dict[Place, Millionths](), defaultdict[DealSum, Fraction](Fraction)
    had = dict(before.others)
    for cost in costs:
        whole = sum((of.left for of in taken_from[cost.place]), Fraction(0))
        is_due = not cost.date or cost.date <= last_day
        part = Fraction(cost.part_ppm, WHOLE) if is_due else Fraction(0)
        if cost.rests_on_periods:
            most = Fraction(cost.amount or cost.cap)
            filled = min(most, max(Fraction(0), had.get(cost.sum, Fraction(0)))) if is_due else Fraction(0)
            had[cost.sum] = had.get(cost.sum, Fraction(0)) - filled
            part = _part_taken(cost, whole, most - filled if is_due else Fraction(0), part)
            sums[cost.sum] += whole * part
        parts[cost.place] = plain(part * WHOLE)
        for of in taken_from[cost.place]:
            of.left *= 1 - part
    return parts, dict(sums)


def _part_taken(cost: Cost, whole: Fraction, room: Fraction, part: Fraction) -> Fraction:
    """Return which part of its lines a cost takes: of an amount what is open, of a percentage up to its cap."""
    if cost.amount:
        return min(room, whole) / whole if whole > 0 else Fraction(0)
    return min(part, room / whole) if whole > 0 else part


def _settle_tiers(
    lines: Sequence[_LinesOfDeal], before: DealsBefore
) -> tuple[dict[Place, Fraction], dict[DealSum, Fraction]]:
    """Say how much of its lines each row of a ladder of tiers has: they move the ladder's sums from here to there."""
    rows, sums = dict[Place, ShareOf](), defaultdict[DealSum, Fraction](Fraction)
    for of in lines:
        tiered = [share for share in of.decision.stated if share.has_tier]
        rows |= {share.place: share for share in tiered}
        for payee, ladder in {(share.tax_id, share.ladder) for share in tiered}:
            sums[DealSum(DealSumKind.MONEY, payee, ladder)] += of.left
            sums[DealSum(DealSumKind.UNITS, payee, ladder)] += of.units
        for payee, ladder in {(share.tax_id, share.ladder) for share in tiered if share.price_ppm}:
            sums[DealSum(DealSumKind.WORTH, payee, ladder)] += of.units * price_of(of.decision.price)
    tiers = dict[Place, Fraction]()
    for place, share in rows.items():
        kind = DealSumKind.UNITS if share.is_tier_of_units else DealSumKind.MONEY
        name = DealSum(kind, share.tax_id, share.ladder)
        start = before.earlier.get(name, Fraction(0))
        tiers[place] = _part_in_tier(share, start, start + sums[name])
    return tiers, dict(sums)


def _part_in_tier(share: ShareOf, start: Fraction, end: Fraction) -> Fraction:
    """Return how much of the way of a ladder's sum from here to there lies in a tier.

    Where the sum ends as it began, it is all or nothing, by where it is. A retroactive tier has everything so far once
    it is reached, less what it had before, which is another part of what the period brings.

    >>> tier = ShareOf("", "", 0, "", "", tier_from="100", tier_to="300")
    >>> _part_in_tier(tier, Fraction(0), Fraction(400)), _part_in_tier(tier, Fraction(200), Fraction(50))
    (Fraction(1, 2), Fraction(2, 3))
    """
    since, until = read_bound(share.tier_from), read_bound(share.tier_to)
    low = since.value or None
    high = until.value if share.tier_to else None

    def is_within(stand: Fraction) -> bool:
        return (low is None or low <= stand) and (high is None or stand < high)

    if start == end:
        return Fraction(is_within(start))
    if since.is_retroactive:
        return ((end if is_within(end) else 0) - (start if is_within(start) else 0)) / (end - start)
    first, last = min(start, end), max(start, end)
    within = (last if high is None else min(last, high)) - (first if low is None else max(first, low))
    return max(Fraction(0), within) / (last - first)


_OF_LADDERS: Final = (DealSumKind.MONEY, DealSumKind.UNITS, DealSumKind.WORTH)


class MovedTier(NamedTuple):
    """What a payee has more, or less, of a later period, since a ladder does not stand any more where it began."""

    payee: str
    start: dt.date
    change_cents: int


def moved_tiers(settled: SettledDeals, posted: DealSums, before: DealsBefore, start: dt.date) -> list[MovedTier]:
    """Say of which later periods tiers give something else, by what this period comes to now; in their order.

    Args:
        posted: What this period came to before.
        start: Its first day.
    """
    found = defaultdict[tuple[str, dt.date], Fraction](Fraction)
    later = [(first, sums) for first, sums in before.periods if first > start]
    for share in settled.ladders:
        names = {kind: DealSum(kind, share.tax_id, share.ladder) for kind in _OF_LADDERS}
        name = names[DealSumKind.UNITS if share.is_tier_of_units else DealSumKind.MONEY]
        stand = before.earlier.get(name, Fraction(0)) + posted.get(name, Fraction(0))
        moved = settled.sums.get(name, Fraction(0)) - posted.get(name, Fraction(0))
        for first, sums in later if moved else ():
            came = sums.get(name, Fraction(0))
            now, then = (_part_in_tier(share, begun, begun + came) for begun in (stand + moved, stand))
            money, units, worth = (sums.get(of_kind, Fraction(0)) for of_kind in names.values())
            of_price = worth * Fraction(share.price_ppm) / WHOLE
            of_lines = of_price if share.price_ppm else _given_by(share, money, units)
            found[share.tax_id, first] += of_lines * (now - then)
            stand += came
    changed = {about: round(change * 100) for about, change in found.items()}
    return [MovedTier(*about, cents) for about, cents in sorted(changed.items()) if cents]


def _settle_caps(
    lines: Sequence[_LinesOfDeal], tiers: Mapping[Place, Fraction], before: DealsBefore
) -> tuple[dict[Place, Fraction], dict[DealSum, Fraction]]:
    """Say how much of what it would give a cap leaves of each share that has one, and what is kept in reserve."""
    wished, rows = defaultdict[Place, Fraction](Fraction), dict[Place, ShareOf]()
    for of in lines:
        for share in of.decision.given(tiers):
            if share.cap or share.reserve_ppm:
                rows[share.place] = share
                wished[share.place] += _given_by(share, of.left, of.units)
    caps, sums = dict[Place, Fraction](), defaultdict[DealSum, Fraction](Fraction)
    had = dict(before.others)
    for place, share in sorted(rows.items()):
        name, wish = DealSum(DealSumKind.GIVEN, share.tax_id, share.row_name), wished[place]
        if share.cap:
            filled = min(Fraction(share.cap), max(Fraction(0), had.get(name, Fraction(0))))
            had[name] = had.get(name, Fraction(0)) - filled
            room = Fraction(share.cap) - filled
            caps[place] = min(Fraction(1), room / wish) if wish > 0 else Fraction(1)
            wish *= caps[place]
            sums[name] += wish
        if share.reserve_ppm and wish > 0:
            kept = DealSum(DealSumKind.KEPT, share.tax_id, share.given_back)
            sums[kept] += wish * Fraction(read_millionths(share.reserve_ppm)) / WHOLE
    return caps, dict(sums)


def _given_by(share: ShareOf, left: Fraction, units: Fraction) -> Fraction:
    """Return what a share has of lines: of what costs left of them, and for their units."""
    return left * Fraction(share.share_ppm) / WHOLE + units * Fraction(share.per_unit or 0)
