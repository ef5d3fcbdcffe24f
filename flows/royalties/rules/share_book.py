"""Shares of a job, by what they are shares of: which rows decide of a line, and who has how much of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.royalties.rules.assets import LEVELS, Asset, Place, RowScope, folded, name_at, price_of, said_beside
from flows.royalties.rules.costs import NO_COSTS, Cost, CostBook, Unknown
from flows.royalties.rules.plain_shares import ADDED_TO, NOT_PLAIN, OF_NOBODY, PlainShares, scopes_of
from schemas.tables.model import DataFrame, records
from schemas.tables.royalties import CONDITIONS, OF_PART, ON_TOP, UNREAD_UPC, Shares
from schemas.values.line_conditions import LineCondition, conditions_of
from schemas.values.millionths import OF_PRICE, WHOLE, Millionths, number_text, plain, read_millionths
from schemas.values.money import allocate as allocate_whole
from schemas.values.share_terms import ShareTerms, read_terms
from schemas.values.tier_bounds import read_bound


class ShareOf(NamedTuple):
    """One payee's part of what a share row names.

    Attributes:
        share_ppm: Of the whole, or of a role's part as `base` says.
        valid_from: First day (ISO); "" is always.
        valid_to: Last day (ISO); "" is for ever.
        per_unit: Money a unit, exact, perhaps a fraction; "" for a part of the money.
        base: What it is taken from, as `schemas.tables.royalties` says: "" for the whole, as part of its group.
        tier_from, tier_to, cap, reserve_ppm, given_back: As `schemas.tables.royalties` says; "" for none.
        terms: Why it is another part than stated, as `schemas.values.share_terms` keeps it.
        ladder: What tells the tiers of one ladder from those of others of the payee: role, and what they are of.
    """

    tax_id: str
    role: str
    share_ppm: Millionths
    valid_from: str
    valid_to: str
    base: str = ""
    contract: str = ""
    per_unit: str = ""
    tier_from: str = ""
    tier_to: str = ""
    cap: str = ""
    reserve_ppm: str = ""
    given_back: str = ""
    ladder: str = ""
    terms: str = ""
    place: Place = ("", "", 0)

    @property
    def has_tier(self) -> bool:
        return bool(self.tier_from or self.tier_to)

    @property
    def price_ppm(self) -> Millionths:
        """Of the price of each unit, as the row states it; 0 for none."""
        stated = self.per_unit.startswith(OF_PRICE)
        return read_millionths(self.per_unit.removeprefix(OF_PRICE)) if stated else 0

    @property
    def is_tier_of_units(self) -> bool:
        return read_bound(self.tier_from).in_units or read_bound(self.tier_to).in_units

    @property
    def row_name(self) -> str:
        """What tells the row from others of the payee."""
        return f"{self.ladder}|{self.tier_from}|{self.tier_to}"

    def at(self, price: str) -> "ShareOf":
        """Return the share of lines of a price: money a unit, and as its terms which part of which price that is.

        Args:
            price: Of one unit, in the job's currency, perhaps as a product ("20*5.4").
        """
        if not self.price_ppm:
            return self
        unit = number_text(Fraction(self.price_ppm) / WHOLE * price_of(price))
        return self._replace(per_unit=unit, terms=ShareTerms(f"{self.per_unit}@{price}").text)

    def times(self, factor: Fraction) -> "ShareOf":
        """Return so much of the share."""
        if factor == 1:
            return self
        unit = number_text(Fraction(self.per_unit) * factor) if self.per_unit and factor else ""
        return self._replace(share_ppm=plain(self.share_ppm * factor), per_unit=unit)

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


_ON_PERIODS: Final = ("tier_from", "tier_to", "cap", "reserve_ppm")
_NOWHERE: Final[Place] = ("", "", 0)
# A group whose shares miss the whole by no more than this many millionths was meant to be whole.
HAIR_PPM: Final = 5_000


def resting_on_periods(shares: pd.DataFrame) -> pd.Series:
    """Tell which rows rest on all lines of a period, and on other periods."""
    return (shares[[*_ON_PERIODS]] != "").any(axis=1)


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
        columns: Of what a line says, all that tells which shares are its own; lines that agree in it have the same.
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
        self._tiers: Mapping[Place, Fraction] = {}
        self._caps: Mapping[Place, Fraction] = {}
        self.overfull: dict[str, str] = {}
        self.baseless: dict[str, str] = {}
        self.nearly_whole: dict[str, tuple[str, Place]] = {}
        self.clashing: dict[str, tuple[Place, ...]] = {}
        self._by_name: dict[tuple[str, str], list[_Row]] = {}
        self._known: dict[tuple[str, ...], tuple[ShareOf, ...]] = {}
        self._kinds_of_scope = set[tuple[str, tuple[LineCondition, ...]]]()
        rows_in_question = records(in_question) if in_question is not None else []
        asked = [RowScope.of(row[level] for level in LEVELS) for row in rows_in_question]
        ordered = shares.sort_values(["tax_id", "role", "row"])
        scopes, is_alone = scopes_of(ordered)
        others = {scope for scope, alone in zip(scopes, is_alone.tolist(), strict=True) if not alone}
        others |= {(scope.level, scope.name) for scope in asked}
        is_plain = is_alone & np.array([scope not in others for scope in scopes], dtype=bool)
        self.plain = PlainShares(ordered[is_plain], [scopes[at] for at in np.flatnonzero(is_plain)])
        self._kinds_of_scope |= {(level, ()) for level in self.plain.levels}
        for row in _rows_of(ordered[~is_plain]):
            self._add(row)
        for scope in asked:
            self._add(_Row(IN_QUESTION, _NOWHERE, scope))
        self._names = {level: dict(names) for level, names in self.plain.names.items()}
        adding = {scope for scope, rows in self._by_name.items() if any(row.share.base for row in rows)}
        self._adds, self._adds_by_upc = bool(adding), any(level == "upc" for level, _ in adding)
        for level, name in self._by_name:
            self._names[level][name] = ADDED_TO if (level, name) in adding else NOT_PLAIN
        if self._names["upc"]:
            self._names["upc"][UNREAD_UPC] = ADDED_TO if self._adds_by_upc else NOT_PLAIN
        self._levels = [level for level, names in self._names.items() if names]
        self.columns = self._columns_that_tell(shares)
        self._told_at = [at for at, name in enumerate((*Asset._fields, "period")) if name in self.columns]

    def _columns_that_tell(self, shares: DataFrame[Shares]) -> tuple[str, ...]:
        asked = self._costs.columns.union(
            *(RowScope(level, "", "", conditions).columns for level, conditions in self._kinds_of_scope)
        )
        if shares["per_unit"].str.startswith(OF_PRICE).any():
            asked |= {"price"}
        if (shares[["valid_from", "valid_to"]] != "").any(axis=None):
            asked |= {"period"}
        return tuple(name for name in (*Asset._fields, "period") if name in asked)

    def _add(self, row: _Row) -> None:
        self._kinds_of_scope.add((row.scope.level, row.scope.conditions))
        self._by_name.setdefault((row.scope.level, row.scope.name), []).append(row)

    def _rows_at(self, level: str, name: str) -> list[_Row]:
        number = self._names[level].get(name, NOT_PLAIN)
        return self._by_name.get((level, name), []) if number < 0 else self._plain_rows(number)

    def _plain_rows(self, number: int) -> list[_Row]:
        return self._rows_of_plain[self.plain.rows_of(number)]

    @cached_property
    def _rows_of_plain(self) -> list[_Row]:
        """Rows of groups of percentages, made all at once, for lines that have costs or another group besides."""
        return list(_rows_of(self.plain.rows))

    def shares(self) -> list[ShareOf]:
        """Return all shares, by where they stand."""
        named = [(level, name) for level, names in self._names.items() for name in names]
        rows = (row for level, name in named for row in self._rows_at(level, name))
        return sorted((row.share for row in rows), key=lambda share: share.place)

    def plain_groups(self, lines: Mapping[str, Sequence[str]], days: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return of each line the number of its group in `plain`; `OF_NOBODY`, or `NOT_PLAIN` for `covering` to say.

        Args:
            lines: Column of `Asset` -> what each line says there.
            days: On which shares must hold, for each line.
        """
        found, is_added_to = np.full(len(days), OF_NOBODY, dtype=np.int64), np.zeros(len(days), dtype=bool)
        for level in reversed(self._levels):  # the narrowest at last, which decides
            texts = map(folded, lines[level]) if level in LEVELS else repeat("", len(days))
            numbers, of_level = self._names[level], np.empty(len(days), dtype=np.int64)
            of_level[:] = [numbers.get(name, OF_NOBODY) for name in texts]
            found[of_level != OF_NOBODY] = of_level[of_level != OF_NOBODY]
            is_added_to |= of_level == ADDED_TO
        found[is_added_to] = NOT_PLAIN
        if self.has_costs:
            costs = (self._costs.of(asset) for asset in map(Asset, *(lines[name] for name in Asset._fields)))
            found[(found >= 0) & [isinstance(taken, str) for taken in costs]] = NOT_PLAIN  # nobody knows what is left
        left_ppm = WHOLE - self.plain.totals_ppm
        is_odd = np.append((left_ppm < 0) | ((left_ppm > 0) & (left_ppm <= HAIR_PPM)), [False, False])
        for at in np.flatnonzero(is_odd[found]).tolist():  # of the last two, nobody's and not plain, nothing is known
            group = int(found[at])
            level = self.plain.levels[group]
            where = f"{level} {lines[level][at]}" if level in LEVELS else level
            place = self._plain_rows(group)[0].place
            self._tell_total(where, days[at], int(self.plain.totals_ppm[group]), place)
        return found

    @property
    def has_costs(self) -> bool:
        return not self._costs.takes_nothing

    def shares_of_group(self, number: int) -> tuple[ShareOf, ...]:
        """Return the shares of a group of percentages alone."""
        return tuple(row.share for row in self._plain_rows(number))

    def _tell_total(self, where: str, day: str, total_ppm: Millionths, place: Place) -> None:
        percent = format(Decimal(round(total_ppm)).scaleb(-4), "f")
        if total_ppm > WHOLE:
            self.overfull[f"{where} ({day})"] = percent
        elif 0 < WHOLE - total_ppm <= HAIR_PPM:
            self.nearly_whole.setdefault(where, (percent, place))

    def settled(self, tiers: Mapping[Place, Fraction], caps: Mapping[Place, Fraction]) -> "ShareBook":
        """Return the book of a period, in which tiers have a part of their lines and caps leave a part of shares.

        What is more than 100 % is told by what the table states: of a period a retroactive tier may give more.
        """
        if not tiers and not caps:
            return self
        book = copy(self)
        vars(book).update(_tiers=tiers, _caps=caps, _known={}, overfull={}, nearly_whole={})
        return book

    def costs_of(self, asset: Asset) -> tuple[Cost, ...]:
        """Return what is taken off a line that is shared out; of one that is held, nothing."""
        costs = self._costs.of(asset)
        return () if isinstance(costs, str) else costs

    def covering(self, asset: Asset, day: str) -> tuple[ShareOf, ...]:
        """Return the shares of an asset on a day: those of the most specific level that has any, and what is added.

        Returns:
            All of the whole, whatever they are taken from; () when nothing covers the asset.
        """
        said = (*asset, day)
        key = tuple([said[at] for at in self._told_at])
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._find(asset, day)
        return known

    def stated(self, asset: Asset, day: str) -> list[ShareOf]:
        """Return the shares of an asset on a day as their rows state them, before any is taken out of another."""
        decided = self._deciding(asset, day)
        return [] if isinstance(decided, ShareOf) else [row.share for rows in decided[:2] for row in rows]

    def _find(self, asset: Asset, day: str) -> tuple[ShareOf, ...]:
        decided = self._deciding(asset, day)
        if isinstance(decided, ShareOf):
            return (decided,)
        group, added, where = decided
        if not group:
            return ()
        if isinstance(costs := self._costs.of(asset), str):
            return (_UNKNOWN[costs],)
        stated, adding = ([row.share.at(asset.price) for row in rows] for rows in (group, added))
        if (role := _missing_role(stated, adding)) is not None:
            self.baseless[f"{where} ({day})"] = role
            return (IN_QUESTION,)
        shares = _with_added(stated, adding)
        self._tell_total(where, day, _most_at_once(shares), group[0].place)
        if not self._tiers and not self._caps:
            return shares
        in_tier = _with_added(list(map(self._in_tier, stated)), list(map(self._in_tier, adding)))
        return tuple(map(self._given, in_tier))

    def _given(self, share: ShareOf) -> ShareOf:
        """Return what a period gives of a share that is in its tier already, and why it is not what is stated."""
        of_tier, of_cap = self._tiers.get(share.place, Fraction(1)), self._caps.get(share.place, Fraction(1))
        if of_tier * of_cap in {0, 1}:
            return share.times(of_cap)
        of_price = read_terms(share.terms)
        unit = f"@{number_text(Fraction(share.per_unit) / of_tier)}" if share.per_unit else ""
        stated = of_price.stated if of_price else unit or str(plain(Fraction(share.share_ppm) / of_tier))
        terms = ShareTerms(stated, of_tier * of_cap, share.tier_from, share.tier_to, share.cap if of_cap != 1 else "")
        return share.times(of_cap)._replace(terms=terms.text)

    def _in_tier(self, share: ShareOf) -> ShareOf:
        return share.times(self._tiers[share.place]) if share.place in self._tiers else share

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
        if not asset.price and any(row.share.price_ppm for row in (*group, *added)):
            return SILENT
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
            rows = [row for row in self._rows_at(level, name) if row.share.holds_on(day)]
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

    @property
    def has_wider_groups(self) -> bool:
        """Whether a line may be of several groups of shares."""
        return len(self._levels) > 1 or any(conditions for _, conditions in self._kinds_of_scope)

    def shut_out(self, asset: Asset, day: str) -> list[Place]:
        """Return the rows of wider groups whose payees get nothing of an asset, since a narrower group decides."""
        names = ((level, name_at(asset, level)) for level in self._levels)
        named = [rows for level, name in names if name is not None and (rows := self._rows_at(level, name))]
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


def _rows_of(shares: pd.DataFrame) -> Iterator[_Row]:
    """Make rows of a table of shares, in its order."""
    names = zip(*(shares[level].tolist() for level in LEVELS), strict=True)
    read = shares.assign(share_ppm=shares["share_ppm"].map(read_millionths).astype(object))
    places = list(zip(*(shares[column].tolist() for column in ("file", "sheet", "row")), strict=True))
    of_rows = (read[column].tolist() for column in ShareOf._fields[:-3])
    parts = map(ShareOf, *of_rows, repeat(""), repeat(""), places)
    asked = zip(*(shares[column].tolist() for column in CONDITIONS), strict=True)
    moving = resting_on_periods(shares).tolist()
    for named, share, cells, is_moving in zip(names, parts, asked, moving, strict=True):
        scope = RowScope.of(named, conditions_of(dict(zip(CONDITIONS, cells, strict=True))) if any(cells) else ())
        ladder = "|".join((folded(share.role), scope.text, share.base)) if is_moving else ""
        yield _Row(share._replace(ladder=ladder), share.place, scope)


def _missing_role(group: Sequence[ShareOf], added: Sequence[ShareOf]) -> str | None:
    """Return a role from which more is taken than its shares state, or that nobody has; None where there is none."""
    for role, share_ppm in _taken_out_of(added).items():
        if sum(group[place].share_ppm for place in _of_role(group, role)) < share_ppm:
            return role
    roles = (share.base.removeprefix(OF_PART) for share in added if share.base.startswith(OF_PART))
    return next((role for role in roles if not _of_role(group, role)), None)


def _with_added(group: Sequence[ShareOf], added: Sequence[ShareOf]) -> tuple[ShareOf, ...]:
    """Take what is added out of the roles it comes from: first what is of the whole, then what is of a part.

    Of a role that has less than it states, since a tier is not reached, no more is taken than it has.
    """
    if not added:
        return tuple(group)
    left, beside = list(group), [share for share in added if not share.base.startswith(OF_PART)]
    for role, share_ppm in _taken_out_of(added).items():
        places = _of_role(left, role)
        of_role = [left[place].share_ppm for place in places]
        out_of_role = min(share_ppm, sum(of_role))
        if out_of_role < share_ppm:
            given = Fraction(out_of_role) / share_ppm
            beside = [share.times(given) if share.base == role else share for share in beside]
        for place, part in zip(places, _in_proportion(out_of_role, of_role), strict=True):
            left[place] = left[place]._replace(share_ppm=plain(left[place].share_ppm - part))
    for share in (share for share in added if share.base.startswith(OF_PART)):
        places, part = _of_role(left, share.base.removeprefix(OF_PART)), Fraction(share.share_ppm) / WHOLE
        beside.append(share._replace(share_ppm=plain(sum(left[place].share_ppm for place in places) * part)))
        for place in places:
            left[place] = left[place]._replace(share_ppm=plain(left[place].share_ppm * (1 - part)))
    return (*(share for share in left if share.share_ppm or share.per_unit), *beside)


def _taken_out_of(added: Sequence[ShareOf]) -> dict[str, Millionths]:
    """Sum what is taken out of each role, of the whole."""
    taken = dict[str, Millionths]()
    for share in added:
        if share.base != ON_TOP and not share.base.startswith(OF_PART):
            taken[share.base] = taken.get(share.base, 0) + share.share_ppm
    return taken


def _most_at_once(shares: Sequence[ShareOf]) -> Millionths:
    """Return the most that shares come to, wherever ladders of tiers stand: of a ladder, no two tiers at once."""
    ladders = defaultdict[tuple[str, str], list[ShareOf]](list)
    for share in shares:
        if share.has_tier:
            ladders[share.tax_id, share.ladder].append(share)
    total: Millionths = sum(share.share_ppm for share in shares if not share.has_tier)
    for tiers in ladders.values():
        bounds = [(read_bound(share.tier_from).value, share.tier_to, share.share_ppm) for share in tiers]
        total += max(
            sum(part for low, last, part in bounds if low <= start and (not last or start < read_bound(last).value))
            for start, _, _ in bounds
        )
    return total


def _of_role(shares: Sequence[ShareOf], role: str) -> list[int]:
    return [place for place, share in enumerate(shares) if folded(share.role) == role]


def _in_proportion(share_ppm: Millionths, parts: Sequence[Millionths]) -> list[Millionths]:
    """Part a share as others are parted: to the millionth where all are whole ones, else exactly."""
    whole = sum(parts)
    if not whole:
        return [0] * len(parts)
    if all(isinstance(part, int) for part in (share_ppm, *parts)):
        return list(allocate_whole(int(share_ppm), [int(part) for part in parts]))
    return [plain(Fraction(share_ppm) * part / whole) for part in parts]


def _is_ambiguous(rows: Iterable[_Row], asset: Asset, level: str) -> bool:
    """Whether a line is silent where rows of one name tell several things apart: whose it is cannot be known."""
    return not said_beside(asset, level) and len({row.scope.beside for row in rows if row.scope.beside}) > 1
