"""Allocation of royalty lines by shares: exact, in any order, with one rounding at the end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from flows.intake.rules.inputs import EXACT, nothing, of_all_files
from flows.royalties.rules.assets import with_worth_of_prices
from flows.royalties.rules.deals import IN_QUESTION, UNMATCHED, Deals
from flows.royalties.rules.deals_over_periods import NOTHING_SETTLED, SettledDeals
from flows.royalties.rules.parts import OWNER_ROLE, PartsOfLines, parts_of
from schemas.errors import UnsoundPlan
from schemas.messages import Message
from schemas.parsing.table import empty_of
from schemas.tables.model import DataFrame, names_of
from schemas.tables.payees import GUARANTEE
from schemas.tables.royalties import (
    EARNED,
    Earnings,
    LineTotals,
    Shares,
    TerritoryEarnings,
    earnings_frame,
    frame_of,
    territories_frame,
)
from schemas.values.costs_taken import part_after
from schemas.values.millionths import WHOLE, Millionths, number_text, part_of, plain, read_millionths
from schemas.values.money import exact_text, round_parts

# An amount is below 10**29 and has 18 decimals, a rate 20 digits and a part six decimals: what it earns has 76 digits.
# Of a share in fractions of millionths, `part_of` says what it earns.
_AMOUNT: Final = pa.decimal256(47, 18)
_RATE: Final = pa.decimal256(20, 12)
_MILLIONTHS: Final = pa.decimal256(7, 6)


@dataclass(frozen=True, slots=True)
class RoundedEarnings:
    """Earnings in centavos; payees, owner and held together are the exact total, rounded once.

    Attributes:
        payees: Tax id -> centavos, in order of tax id.
        aside_cents: Code -> lines that are sound and not paid all the same, for what they are beside others.
    """

    payees: dict[str, int]
    owner_cents: int
    unmatched_cents: int
    aside_cents: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Allocation:
    """Who earned what, exactly, told in two ways that come to the same for each payee and currency."""

    sums: pa.Table
    parts: pa.Table
    territories: DataFrame[TerritoryEarnings]

    def columns(self, names: Sequence[str]) -> pd.DataFrame:
        """Return some columns of the earnings; all of them need many times the memory."""
        if not len(self.parts):
            return nothing_earned()[list(names)]
        parts = self.parts.select([name for name in names if name in self.parts.column_names])
        shared = self.sums.select([name for name in names if name in self.sums.column_names])
        for name, column in zip(shared.column_names, shared.take(self.parts["sum_number"]).columns, strict=True):
            parts = parts.append_column(name, column)
        return frame_of(parts)

    @property
    def earnings(self) -> DataFrame[Earnings]:
        """One row per payee, asset, platform, period and share; made anew each time."""
        if not len(self.parts):
            return nothing_earned()
        columns = names_of(Earnings)
        return DataFrame[Earnings](self.columns(columns)[columns])

    def earned_by(self, columns: Sequence[str]) -> pd.DataFrame:
        """Return some columns of the earnings, and what `exact_cents_by` needs to sum them exactly."""
        marks = {"share_ppm": "/", "costs": "=", "per_unit": "/"}
        has_fractions = any(pc.any(pc.match_substring(self.parts[name], mark)).as_py() for name, mark in marks.items())
        return self.columns([*columns, "earned", *(_FACTORS if has_fractions else ())])


def with_guarantees(allocation: Allocation, owed: Mapping[tuple[str, str], Fraction], currency: str) -> Allocation:
    """Add what the owner owes payees beside their shares: once each, as money for a unit of no line.

    Args:
        owed: Payee and what it is called -> exact, in the job's currency.
    """
    if not owed:
        return allocation
    blank = {field.name: "" if pa.types.is_large_string(field.type) else 0 for field in allocation.sums.schema}
    sums = [blank | {"title": name, "currency": currency, "units": 1, "rate": "1"} for _, name in owed]
    parts = list[dict[str, object]]()
    for number, ((payee, _), sum_) in enumerate(owed.items(), start=len(allocation.sums)):
        for tax_id, role, share in ((payee, GUARANTEE, sum_), ("", OWNER_ROLE, -sum_)):
            nothing = {field.name: "" for field in allocation.parts.schema}
            earned = part_of(Decimal(1), plain(share * WHOLE))
            about = {"sum_number": number, "tax_id": tax_id, "role": role, "share_ppm": "0"}
            parts.append(nothing | about | {"per_unit": number_text(share), "earned": earned})
    places = [
        {"tax_id": part["tax_id"], "territory": "", "currency": currency, "source_amount": 0, "units": 0}
        | {"earned": part["earned"]}
        for part in parts
        if part["tax_id"]
    ]
    known = pa.Table.from_pandas(allocation.territories, preserve_index=False)
    return Allocation(
        pa.concat_tables([allocation.sums, pa.Table.from_pylist(sums, allocation.sums.schema)]),
        pa.concat_tables([allocation.parts, pa.Table.from_pylist(parts, allocation.parts.schema)]),
        _sum_places(pa.concat_tables([known, pa.Table.from_pylist(places, known.schema)])),
    )


@cache
def nothing_earned() -> DataFrame[Earnings]:
    """Return the earnings of no lines; always the same table."""
    return earnings_frame()


@cache
def nothing_allocated() -> Allocation:
    """Return the allocation of no lines at all; always the same one."""
    return allocate(nothing(), Deals(empty_of(Shares)), rates={}, first_day="")


def allocate(
    totals: LineTotals,
    deals: Deals,
    *,
    rates: Mapping[str, Decimal],
    first_day: str,
    settled: SettledDeals = NOTHING_SETTLED,
) -> Allocation:
    """Give all lines, less costs, to the payees whose shares cover them, the owner, or nobody.

    Args:
        rates: Currency -> worth of one unit in the job's currency; must hold every currency of the lines.
        first_day: First day of the job's period (ISO), for lines that do not say their own.
        settled: What the period takes for costs, and makes of tiers and caps.

    Returns:
        The owner's remainder bears the role "owner", costs that name nobody "owner: " and their name, lines without a
        share the role "unmatched", those with a share in question that role; all have `tax_id` "".

    Raises:
        UnsoundPlan: the shares of an asset sum to more than 100 %; every such asset is named.
    """
    sums, places = of_all_files(totals)
    decisions = deals.decide(with_worth_of_prices(sums, rates), first_day)
    if overfull := decisions.complaints.overfull:
        named = "; ".join(f"{name}: {percent} %" for name, percent in sorted(overfull.items()))
        raise UnsoundPlan(Message("error.shares_above", shares=named))
    if clashing := decisions.complaints.clashing:
        raise UnsoundPlan(Message("error.shares_clash", shares=", ".join(sorted(clashing))))
    parts = _shared_out(sums, decisions.of_lines, parts_of(decisions, settled), rates)
    of_places = deals.decide(with_worth_of_prices(places, rates), first_day)
    of_payees = _shared_out(places, of_places.of_lines, parts_of(of_places, settled).by_payee(), rates)
    whole = places.select(["territory", "currency", "amount", "units"]).take(of_payees["sum_number"])
    by_territory = whole.rename_columns({"amount": "source_amount"})
    for name in ("tax_id", "earned"):
        by_territory = by_territory.append_column(name, of_payees[name])
    return Allocation(_with_rates(sums, rates), parts, _sum_places(by_territory))


def _with_rates(sums: pa.Table, rates: Mapping[str, Decimal]) -> pa.Table:
    texts = pa.array([exact_text(rate) for rate in rates.values()], pa.large_string())
    units = sums["units"].cast(pa.int64())
    named = sums.set_column(sums.column_names.index("units"), "units", units)
    rate = texts.take(_currencies(sums, rates))
    return named.rename_columns({"amount": "source_amount"}).append_column("rate", rate)


def join_allocations(found: Sequence[Allocation]) -> Allocation:
    """Put together what sources come to, each with its own rates."""
    if len(found) <= 1:
        return found[0] if found else nothing_allocated()
    firsts = accumulate((len(allocation.sums) for allocation in found), initial=0)
    parts = [
        allocation.parts.set_column(0, "sum_number", pc.add(allocation.parts["sum_number"], first))
        for allocation, first in zip(found, firsts, strict=False)
    ]
    places = pd.concat([allocation.territories for allocation in found], ignore_index=True)
    return Allocation(
        pa.concat_tables([allocation.sums for allocation in found]),
        pa.concat_tables(parts),
        _sum_places(pa.Table.from_pandas(places, preserve_index=False)),
    )


def _shared_out(
    sums: pa.Table, decisions: npt.NDArray[np.int64], parts: PartsOfLines, rates: Mapping[str, Decimal]
) -> pa.Table:
    """Return the parts of each sum, in order: the number of the sum, whose the part is, and what it earned.

    Args:
        decisions: The number of what decides of each sum.
    """
    first = parts.firsts[decisions]
    counts = parts.firsts[decisions + 1] - first
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts - first, counts)
    sum_numbers = pa.array(np.repeat(np.arange(len(decisions)), counts))
    of_whole, per_unit = parts.of_whole, parts.columns["per_unit"]
    is_plain = [
        isinstance(whole, int) and abs(whole) <= WHOLE and not unit
        for unit, whole in zip(per_unit, of_whole, strict=True)
    ]
    is_whole = np.array(is_plain, dtype=bool)[places]
    millionths = pa.array(
        [Decimal(int(part) if plain_ else 0).scaleb(-6) for part, plain_ in zip(of_whole, is_plain, strict=True)],
        _MILLIONTHS,
    )
    rate = pa.array(rates.values(), _RATE).take(_currencies(sums, rates))
    worth = pc.multiply(sums["amount"].cast(_AMOUNT), rate).take(sum_numbers)
    earned = pc.multiply(worth, millionths.take(places)).cast(EARNED)
    if not is_whole.all():
        units = sums["units"].take(sum_numbers).filter(~is_whole).to_pylist()
        others = zip(worth.filter(~is_whole).to_pylist(), units, places[~is_whole], strict=True)
        exact = [_earned(amount, count, of_whole[place], per_unit[place]) for amount, count, place in others]
        earned = pc.replace_with_mask(earned, pa.array(~is_whole), pa.array(exact, EARNED))
    told = {name: pa.array(texts, pa.large_string()).take(places) for name, texts in parts.columns.items()}
    return pa.table({"sum_number": sum_numbers, **told, "earned": earned})


def _earned(worth: Decimal, units: Decimal, share_ppm: Millionths, per_unit: str) -> Decimal:
    """Return what a part has of a sum: of its money, and for its units."""
    of_units = part_of(units, plain(Fraction(per_unit or 0) * WHOLE))
    return EXACT.add(part_of(worth, share_ppm), of_units)


def _currencies(sums: pa.Table, rates: Mapping[str, Decimal]) -> pa.ChunkedArray:
    return pc.index_in(sums["currency"], value_set=pa.array(list(rates), pa.large_string()))


def _sum_places(parts: pa.Table) -> DataFrame[TerritoryEarnings]:
    key, summed = ["tax_id", "territory", "currency"], ["source_amount", "units", "earned"]
    sums = parts.group_by(key).aggregate([(name, "sum") for name in summed]).rename_columns([*key, *summed])
    return territories_frame(sums.sort_by([(name, "ascending") for name in key]))


# What earnings of thirds, and after costs, are multiplied out again from.
_FACTORS: Final = ("share_ppm", "costs", "per_unit", "source_amount", "units", "rate")


def round_earnings(
    earnings: pd.DataFrame,
    *,
    held_cents: Fraction = Fraction(0),
    aside_cents: Mapping[str, Fraction] = MappingProxyType({}),
    unmatched_to_owner: bool = False,
) -> RoundedEarnings:
    """Round to centavos, once, by largest remainder over payees, owner and held together.

    Ties go to the payee whose tax id comes first; owner and held come after all payees.

    Args:
        earnings: Earnings of all statements: `tax_id`, role, and what `exact_cents_by` needs.
        held_cents: Exact centavos of lines that have problems; they are held beside the unmatched ones.
        aside_cents: Code -> exact centavos of sound lines that are not paid.
    """
    exact = exact_cents_by(earnings, ["tax_id", "role_kind"])
    payees = sorted({tax_id for tax_id, kind in exact if kind == "payee"})
    owner, unmatched = exact.get(("", OWNER_ROLE), Fraction(0)), exact.get(("", UNMATCHED), Fraction(0))
    if unmatched_to_owner:
        owner, unmatched = owner + unmatched, Fraction(0)
    held = held_cents + exact.get(("", IN_QUESTION), Fraction(0))
    codes = sorted(aside_cents)
    aside = [aside_cents[code] for code in codes]
    cents = round_parts([*(exact[tax_id, "payee"] for tax_id in payees), owner, unmatched + held, *aside])
    paid, (owner_cents, unmatched_cents), left = (
        cents[: len(payees)],
        cents[len(payees) :][:2],
        cents[len(payees) + 2 :],
    )
    return RoundedEarnings(
        dict(zip(payees, paid, strict=True)), owner_cents, unmatched_cents, dict(zip(codes, left, strict=True))
    )


def exact_cents_by(earnings: pd.DataFrame, columns: Sequence[str]) -> dict[tuple[str, ...], Fraction]:
    """Sum exact earnings in centavos by some columns; "role_kind" is payee, owner, unmatched or in question.

    Args:
        earnings: With `earned`; where any part is no whole millionth, with what it is multiplied out of as well.
    """
    if "role_kind" in columns:
        of_nobody = earnings["role"].where(earnings["role"].isin([UNMATCHED, IN_QUESTION]), OWNER_ROLE)
        earnings = earnings.assign(role_kind=of_nobody.where(earnings["tax_id"] == "", "payee"))
    by_factors = np.zeros(len(earnings), dtype=bool)
    if "share_ppm" in earnings:
        is_third = earnings["share_ppm"].str.contains("/") | earnings["per_unit"].str.contains("/")
        by_factors = (is_third | (earnings["costs"] != "")).to_numpy(bool)
    found = {
        tuple(key): Fraction(EXACT.multiply(earned, 100))
        for *key, earned in _summed(earnings[~by_factors], columns, ["earned"])
    }
    factors = [*columns, "share_ppm", "costs", "per_unit", "rate"]
    sums = _summed(earnings[by_factors], factors, ["source_amount", "units"])
    for *key, share_ppm, costs, per_unit, rate, amount, units in sums:
        part = Fraction(part_after(costs, read_millionths(share_ppm))) / WHOLE
        earned = Fraction(amount) * Fraction(rate) * part + units * Fraction(per_unit or 0)
        found[tuple(key)] = found.get(tuple(key), Fraction(0)) + earned * 100
    return found


def _summed(earnings: pd.DataFrame, columns: Sequence[str], summed: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    if earnings.empty:
        return iter(())
    table = pa.Table.from_pandas(earnings[[*columns, *summed]], preserve_index=False)
    sums = table.group_by(list(columns)).aggregate([(name, "sum") for name in summed])
    return zip(*(sums[name].to_pylist() for name in (*columns, *(f"{name}_sum" for name in summed))), strict=True)
