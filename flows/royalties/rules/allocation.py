"""Allocation of royalty lines by shares: exact, in any order, with one rounding at the end."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from flows.intake.rules.inputs import EXACT, nothing, of_all_files
from flows.royalties.rules.assets import LEVELS, Asset, Place, RowScope, day_of, folded, name_at, said_beside
from flows.royalties.rules.costs import NO_COSTS, Cost, CostBook, Unknown
from schemas.errors import UnsoundPlan
from schemas.messages import Message
from schemas.parsing.table import empty_of
from schemas.tables.model import DataFrame, names_of, records
from schemas.tables.royalties import (
    CONDITIONS,
    EARNED,
    OF_PART,
    ON_TOP,
    UNREAD_UPC,
    Earnings,
    LineTotals,
    Shares,
    TerritoryEarnings,
    earnings_frame,
    frame_of,
    territories_frame,
)
from schemas.values.costs_taken import costs_text, part_after
from schemas.values.line_conditions import LineCondition, conditions_of
from schemas.values.millionths import WHOLE, Millionths, part_of, plain, read_millionths
from schemas.values.money import allocate as allocate_whole
from schemas.values.money import exact_text, round_parts


class ShareOf(NamedTuple):
    """One payee's part of what a share row names.

    Attributes:
        share_ppm: Of the whole, or of a role's part as `base` says.
        valid_from: First day (ISO); "" is always.
        valid_to: Last day (ISO); "" is for ever.
        base: What it is taken from, as `schemas.tables.royalties` says: "" for the whole, as part of its group.
    """

    tax_id: str
    role: str
    share_ppm: Millionths
    valid_from: str
    valid_to: str
    base: str = ""
    contract: str = ""

    def holds_on(self, day: str) -> bool:
        """Whether the share is valid on a day; ISO dates compare as texts."""
        return (not self.valid_from or self.valid_from <= day) and (not self.valid_to or day <= self.valid_to)


# Stands for a share that cannot be read: whatever it is of is held.
IN_QUESTION: Final = ShareOf(tax_id="", role="in question", share_ppm=0, valid_from="", valid_to="")
# Stands for the shares of a line that does not say which of several groups is its own.
AMBIGUOUS: Final = IN_QUESTION._replace(base="ambiguous")
# Stands for the shares of a line that does not say what their conditions ask.
SILENT: Final = IN_QUESTION._replace(base="silent")
_UNKNOWN: Final[Mapping[Unknown, ShareOf]] = {"in question": IN_QUESTION, "ambiguous": AMBIGUOUS, "silent": SILENT}


_NOWHERE: Final[Place] = ("", "", 0)
# A group whose shares miss the whole by no more than this many millionths was meant to be whole.
HAIR_PPM: Final = 5_000


class _Row(NamedTuple):
    """A share, where it stands, and what it is of."""

    share: ShareOf
    place: Place
    scope: RowScope

    @property
    def conditions(self) -> tuple[LineCondition, ...]:
        return self.scope.conditions


class ShareBook:
    """All shares of a job, by what they are shares of.

    Attributes:
        overfull: Assets whose shares sum to more than 100 %, named for people -> that sum in percent.
        baseless: Assets of which a share is taken out of a role that has less, or that nobody has -> that role.
        nearly_whole: What a group is of, named for people -> its sum in percent, and one of its rows; of groups that
            miss 100 % by a hair.
        clashing: What a line is of, named for people -> the rows that meet it by different conditions, as many each.
    """

    def __init__(
        self, shares: DataFrame[Shares], in_question: pd.DataFrame | None = None, costs: CostBook = NO_COSTS
    ) -> None:
        """Index shares.

        Args:
            in_question: What held shares are of, as `flows.intake.rules.inputs.in_question` tells it.
        """
        self._costs = costs
        self.overfull: dict[str, str] = {}
        self.baseless: dict[str, str] = {}
        self.nearly_whole: dict[str, tuple[str, Place]] = {}
        self.clashing: dict[str, tuple[Place, ...]] = {}
        self._by_name: dict[tuple[str, str], list[_Row]] = {}
        self._known: dict[tuple[Asset, str], tuple[ShareOf, ...]] = {}
        ordered = shares.sort_values(["tax_id", "role", "row"])
        names = zip(*(ordered[level].tolist() for level in LEVELS), strict=True)
        read = ordered.assign(share_ppm=ordered["share_ppm"].map(read_millionths).astype(object))
        parts = map(ShareOf, *(read[column].tolist() for column in ShareOf._fields))
        places = zip(*(ordered[column].tolist() for column in ("file", "sheet", "row")), strict=True)
        asked = zip(*(ordered[column].tolist() for column in CONDITIONS), strict=True)
        for named, share, place, cells in zip(names, parts, places, asked, strict=True):
            self._add(_Row(share, place, RowScope.of(named, conditions_of(dict(zip(CONDITIONS, cells, strict=True))))))
        for row in records(in_question) if in_question is not None else ():
            self._add(_Row(IN_QUESTION, _NOWHERE, RowScope.of(row[level] for level in LEVELS)))
        used = {level for level, _ in self._by_name}
        self._levels = [level for level in (*LEVELS, "catalogue") if level in used]
        adding = {level for (level, _), rows in self._by_name.items() if any(row.share.base for row in rows)}
        self._adds, self._adds_by_upc = bool(adding), "upc" in adding

    def _add(self, row: _Row) -> None:
        self._by_name.setdefault((row.scope.level, row.scope.name), []).append(row)

    def costs_of(self, asset: Asset) -> tuple[Cost, ...]:
        """Return what is taken off a line that is shared out; of one that is held, nothing."""
        costs = self._costs.of(asset)
        return () if isinstance(costs, str) else costs

    def covering(self, asset: Asset, day: str) -> tuple[ShareOf, ...]:
        """Return the shares of an asset on a day: those of the most specific level that has any, and what is added.

        Returns:
            All of the whole, whatever they are taken from; () when nothing covers the asset.
        """
        known = self._known.get((asset, day))
        if known is None:
            known = self._known[asset, day] = self._find(asset, day)
        return known

    def _find(self, asset: Asset, day: str) -> tuple[ShareOf, ...]:
        decided = self._deciding(asset, day)
        if isinstance(decided, ShareOf):
            return (decided,)
        group, added, where = decided
        if not group:
            return ()
        if isinstance(costs := self._costs.of(asset), str):
            return (_UNKNOWN[costs],)
        shares = tuple(row.share for row in group)
        if added:
            shares = self._with_added(shares, [row.share for row in added], f"{where} ({day})")
        total = sum(share.share_ppm for share in shares)
        percent = format(Decimal(round(total)).scaleb(-4), "f")
        if total > WHOLE:
            self.overfull[f"{where} ({day})"] = percent
        elif 0 < WHOLE - total <= HAIR_PPM:
            self.nearly_whole.setdefault(where, (percent, group[0].place))
        return shares

    def _deciding(self, asset: Asset, day: str) -> tuple[list[_Row], list[_Row], str] | ShareOf:
        """Return the rows that decide, those that are added, and what the rows are of, named for people.

        Returns:
            What stands for them where they are in question, or where it cannot be known whose a line is.
        """
        group, added, where = list[_Row](), list[_Row](), ""
        for level, rows in self._matching(asset, day):
            if isinstance(rows, ShareOf):
                return rows
            added += sorted((row for row in rows if row.share.base), key=lambda row: row.place)
            if not group:
                group = [row for row in rows if not row.share.base]
                where = f"{level} {getattr(asset, level)}" if level != "catalogue" else "catalogue"
            if group and not self._adds:
                break
        if any(row.share is IN_QUESTION for row in group):
            return IN_QUESTION
        if len({row.conditions for row in group}) > 1:
            self.clashing.setdefault(where, tuple(row.place for row in group))
            return IN_QUESTION
        return group, added, where

    def _matching(self, asset: Asset, day: str) -> Iterator[tuple[str, list[_Row] | ShareOf]]:
        """Go through the groups of rows that are an asset's: the narrowest level first, of each most conditions first.

        Yields:
            For the rows what stands for them (`AMBIGUOUS`, `SILENT`) where it cannot be known whose they are.
        """
        has_group = False
        for level in self._levels:
            name = name_at(asset, level)
            if name is None:
                continue
            if level == "upc" and name == UNREAD_UPC:
                if not has_group or self._adds_by_upc:
                    yield level, AMBIGUOUS  # one of the shares by UPC may be this line's
                continue
            rows = [row for row in self._by_name.get((level, name), ()) if row.share.holds_on(day)]
            if not rows:
                continue
            if (
                len(rows) > 1
                and _is_ambiguous(rows, asset, level)
                and (not has_group or any(row.share.base for row in rows))
            ):
                yield level, AMBIGUOUS
            agreeing = [row for row in rows if row.scope.agrees(asset)]
            if any(row.share is IN_QUESTION for row in agreeing):  # of which lines it is cannot be read, either
                yield level, agreeing
                has_group = True
                continue
            if any(row.scope.is_unanswered(asset) and (row.share.base or not has_group) for row in agreeing):
                yield level, SILENT
            own = [row for row in agreeing if row.scope.is_met(asset)]
            has_group = has_group or any(not row.share.base for row in own)
            for count in sorted({len(row.conditions) for row in own}, reverse=True):
                yield level, [row for row in own if len(row.conditions) == count]

    def shut_out(self, asset: Asset, day: str) -> list[Place]:
        """Return the rows of wider groups whose payees get nothing of an asset, since a narrower group decides."""
        names = ((level, name_at(asset, level)) for level in self._levels)
        named = [rows for level, name in names if name is not None and (rows := self._by_name.get((level, name)))]
        if len(named) < 2 and not any(row.conditions for rows in named for row in rows):
            return []
        paid = {share.tax_id for share in self.covering(asset, day)}
        groups = [
            [row for row in rows if not row.share.base and row.share is not IN_QUESTION]
            for _, rows in self._matching(asset, day)
            if not isinstance(rows, ShareOf)
        ]
        wider = list(filter(None, groups))[1:]
        return [row.place for group in wider for row in group if row.share.tax_id not in paid]

    def _with_added(self, group: Sequence[ShareOf], added: Sequence[ShareOf], where: str) -> tuple[ShareOf, ...]:
        """Take what is added out of the roles it comes from: first what is of the whole, then what is of a part."""
        taken = dict[str, Millionths]()
        for share in added:
            if share.base != ON_TOP and not share.base.startswith(OF_PART):
                taken[share.base] = taken.get(share.base, 0) + share.share_ppm
        left, beside = list(group), [share for share in added if not share.base.startswith(OF_PART)]
        for role, share_ppm in taken.items():
            places = _of_role(left, role)
            of_role = [left[place].share_ppm for place in places]
            if sum(of_role) < share_ppm:
                self.baseless[where] = role
                return (IN_QUESTION,)
            for place, part in zip(places, _in_proportion(share_ppm, of_role), strict=True):
                left[place] = left[place]._replace(share_ppm=plain(left[place].share_ppm - part))
        for share in (share for share in added if share.base.startswith(OF_PART)):
            role, part = share.base.removeprefix(OF_PART), Fraction(share.share_ppm) / WHOLE
            places = _of_role(left, role)
            if not places:
                self.baseless[where] = role
                return (IN_QUESTION,)
            beside.append(share._replace(share_ppm=plain(sum(left[place].share_ppm for place in places) * part)))
            for place in places:
                left[place] = left[place]._replace(share_ppm=plain(left[place].share_ppm * (1 - part)))
        return (*(share for share in left if share.share_ppm), *beside)


def _of_role(shares: Sequence[ShareOf], role: str) -> list[int]:
    return [place for place, share in enumerate(shares) if folded(share.role) == role]


def _in_proportion(share_ppm: Millionths, parts: Sequence[Millionths]) -> list[Millionths]:
    """Part a share as others are parted: to the millionth where all are whole ones, else exactly."""
    if all(isinstance(part, int) for part in (share_ppm, *parts)):
        return list(allocate_whole(int(share_ppm), [int(part) for part in parts]))
    whole = sum(parts)
    return [plain(Fraction(share_ppm) * part / whole) if whole else 0 for part in parts]


def _is_ambiguous(rows: Iterable[_Row], asset: Asset, level: str) -> bool:
    """Whether a line is silent where rows of one name tell several things apart: whose it is cannot be known."""
    return not said_beside(asset, level) and len({row.scope.beside for row in rows if row.scope.beside}) > 1


OWNER_ROLE = "owner"
UNMATCHED_ROLE = "unmatched"
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
        has_fractions = pc.any(pc.or_(_has(self.parts["share_ppm"], "/"), _has(self.parts["costs"], "="))).as_py()
        return self.columns([*columns, "earned", *(_FACTORS if has_fractions else ())])


@cache
def nothing_earned() -> DataFrame[Earnings]:
    """Return the earnings of no lines; always the same table."""
    return earnings_frame()


@cache
def nothing_allocated() -> Allocation:
    """Return the allocation of no lines at all; always the same one."""
    return allocate(nothing(), empty_of(Shares), rates={}, first_day="")


def allocate(
    totals: LineTotals,
    shares: DataFrame[Shares],
    *,
    rates: Mapping[str, Decimal],
    first_day: str,
    in_question: pd.DataFrame | None = None,
    costs: CostBook = NO_COSTS,
) -> Allocation:
    """Give all lines, less costs, to the payees whose shares cover them, the owner, or nobody.

    Args:
        rates: Currency -> worth of one unit in the job's currency; must hold every currency of the lines.
        first_day: First day of the job's period (ISO), for lines that do not say their own.

    Returns:
        The owner's remainder bears the role "owner", costs that name nobody "owner: " and their name, lines without a
        share the role "unmatched", those with a share in question that role; all have `tax_id` "".

    Raises:
        UnsoundPlan: the shares of an asset sum to more than 100 %; every such asset is named.
    """
    book = ShareBook(shares, in_question, costs)
    sums, places = of_all_files(totals)
    parts = _shared_out(sums, book, first_day, rates, _all_parts)
    if book.overfull:  # before what one payee has in all is worked out, which may be more than millionths can hold
        named = "; ".join(f"{name}: {percent} %" for name, percent in sorted(book.overfull.items()))
        raise UnsoundPlan(Message("error.shares_above", shares=named))
    if book.clashing:
        raise UnsoundPlan(Message("error.shares_clash", shares=", ".join(sorted(book.clashing))))
    parts_of_places = _shared_out(places, book, first_day, rates, _parts_of_payees)
    whole = places.select(["territory", "currency", "amount", "units"]).take(parts_of_places["sum_number"])
    of_places = whole.rename_columns({"amount": "source_amount"})
    for name in ("tax_id", "earned"):
        of_places = of_places.append_column(name, parts_of_places[name])
    return Allocation(_with_rates(sums, rates), parts, _sum_places(of_places))


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


class _Part(NamedTuple):
    tax_id: str
    role: str
    share_ppm: Millionths
    contract: str = ""
    costs: str = ""


def _all_parts(shares: Sequence[ShareOf], costs: Sequence[Cost]) -> list[_Part]:
    """Return the parts of a whole: costs, those of shares, and the remainder; or that nobody has it."""
    if not shares or not shares[0].tax_id:
        return [_Part("", shares[0].role if shares else UNMATCHED_ROLE, WHOLE)]
    taken = [costs_text((cost.name, cost.part_ppm) for cost in costs[:count]) for count in range(len(costs) + 1)]
    found = [
        _Part(cost.tax_id, cost.name if cost.tax_id else f"{OWNER_ROLE}: {cost.name}", cost.part_ppm, "", before)
        for cost, before in zip(costs, taken, strict=False)
    ]
    paid = (share for share in shares if share.share_ppm)
    found += [_Part(share.tax_id, share.role, share.share_ppm, share.contract, taken[-1]) for share in paid]
    remainder = WHOLE - sum(share.share_ppm for share in shares)
    return [*found, _Part("", OWNER_ROLE, remainder, "", taken[-1])] if remainder > 0 else found


def _parts_of_payees(shares: Sequence[ShareOf], costs: Sequence[Cost]) -> list[_Part]:
    """Return each payee's part of the whole once, so that lines of which one payee has two shares count once."""
    of_payee = dict[str, Millionths]()
    for part in _all_parts(shares, costs):
        if part.tax_id:
            of_payee[part.tax_id] = of_payee.get(part.tax_id, 0) + part_after(part.costs, part.share_ppm)
    return [_Part(tax_id, "", plain(share_ppm)) for tax_id, share_ppm in of_payee.items()]


def _shared_out(
    sums: pa.Table,
    book: ShareBook,
    first_day: str,
    rates: Mapping[str, Decimal],
    parts_of: Callable[[Sequence[ShareOf], Sequence[Cost]], list[_Part]],
) -> pa.Table:
    """Return the parts of each sum, in order: the number of the sum, whose the part is, and what it earned."""
    numbers, first_of_each = _numbered(sums, (*Asset._fields, "period"))
    parts, firsts = list[_Part](), [0]  # all parts one after the other, and where those of each asset begin
    keys = sums.take(first_of_each)
    for *asset, period in zip(*(keys[name].to_pylist() for name in (*Asset._fields, "period")), strict=True):
        named = Asset(*asset)
        parts += parts_of(book.covering(named, day_of(period, first_day)), book.costs_of(named))
        firsts.append(len(parts))
    first, counts = np.array(firsts)[numbers], np.diff([*firsts, 0])[numbers]
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts - first, counts)
    sum_numbers = pa.array(np.repeat(np.arange(len(numbers)), counts))
    of_whole = [part_after(part.costs, part.share_ppm) for part in parts]
    is_whole = np.array([isinstance(part, int) for part in of_whole], dtype=bool)[places]
    whole = [Decimal(part if isinstance(part, int) else 0).scaleb(-6) for part in of_whole]
    millionths = pa.array(whole, _MILLIONTHS)
    rate = pa.array(rates.values(), _RATE).take(_currencies(sums, rates))
    worth = pc.multiply(sums["amount"].cast(_AMOUNT), rate).take(sum_numbers)
    earned = pc.multiply(worth, millionths.take(places)).cast(EARNED)
    if not is_whole.all():
        of_fractions = zip(worth.filter(~is_whole).to_pylist(), places[~is_whole], strict=True)
        exact = pa.array([part_of(amount, of_whole[place]) for amount, place in of_fractions], EARNED)
        earned = pc.replace_with_mask(earned, pa.array(~is_whole), exact)
    return pa.table(
        {
            "sum_number": sum_numbers,
            "tax_id": pa.array([part.tax_id for part in parts], pa.large_string()).take(places),
            "role": pa.array([part.role for part in parts], pa.large_string()).take(places),
            "share_ppm": pa.array([str(part.share_ppm) for part in parts], pa.large_string()).take(places),
            "contract": pa.array([part.contract for part in parts], pa.large_string()).take(places),
            "costs": pa.array([part.costs for part in parts], pa.large_string()).take(places),
            "earned": earned,
        }
    )


def _numbered(table: pa.Table, names: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number what some columns say together; returns each row's number, and the first row of each number."""
    numbers = firsts = np.zeros(len(table), np.int64)
    for name in names:
        coded = pc.dictionary_encode(table[name].combine_chunks())
        numbers = numbers * max(1, len(coded.dictionary)) + coded.indices.to_numpy()
        _, firsts, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    return numbers, firsts


def _currencies(sums: pa.Table, rates: Mapping[str, Decimal]) -> pa.ChunkedArray:
    return pc.index_in(sums["currency"], value_set=pa.array(list(rates), pa.large_string()))


def _sum_places(parts: pa.Table) -> DataFrame[TerritoryEarnings]:
    key, summed = ["tax_id", "territory", "currency"], ["source_amount", "units", "earned"]
    sums = parts.group_by(key).aggregate([(name, "sum") for name in summed]).rename_columns([*key, *summed])
    return territories_frame(sums.sort_by([(name, "ascending") for name in key]))


def _has(texts: pa.ChunkedArray, mark: str) -> pa.ChunkedArray:
    return pc.match_substring(texts, mark)


# What earnings of thirds, and after costs, are multiplied out again from.
_FACTORS: Final = ("share_ppm", "costs", "source_amount", "rate")


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
    owner, unmatched = exact.get(("", OWNER_ROLE), Fraction(0)), exact.get(("", UNMATCHED_ROLE), Fraction(0))
    if unmatched_to_owner:
        owner, unmatched = owner + unmatched, Fraction(0)
    held = held_cents + exact.get(("", IN_QUESTION.role), Fraction(0))
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
        of_nobody = earnings["role"].where(earnings["role"].isin([UNMATCHED_ROLE, IN_QUESTION.role]), OWNER_ROLE)
        earnings = earnings.assign(role_kind=of_nobody.where(earnings["tax_id"] == "", "payee"))
    by_factors = np.zeros(len(earnings), dtype=bool)
    if "share_ppm" in earnings:
        by_factors = (earnings["share_ppm"].str.contains("/") | (earnings["costs"] != "")).to_numpy(bool)
    found = {
        tuple(key): Fraction(EXACT.multiply(earned, 100))
        for *key, earned in _summed(earnings[~by_factors], columns, "earned")
    }
    factors = [*columns, "share_ppm", "costs", "rate"]
    for *key, share_ppm, costs, rate, amount in _summed(earnings[by_factors], factors, "source_amount"):
        part = Fraction(part_after(costs, read_millionths(share_ppm))) / WHOLE
        found[tuple(key)] = found.get(tuple(key), Fraction(0)) + Fraction(amount) * Fraction(rate) * part * 100
    return found


def _summed(earnings: pd.DataFrame, columns: Sequence[str], summed: str) -> Iterator[tuple[Any, ...]]:
    if earnings.empty:
        return iter(())
    table = pa.Table.from_pandas(earnings[[*columns, summed]], preserve_index=False)
    sums = table.group_by(list(columns)).aggregate([(summed, "sum")])
    return zip(*(sums[name].to_pylist() for name in (*columns, f"{summed}_sum")), strict=True)
