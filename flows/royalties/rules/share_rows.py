"""Rows of shares, and what rows give together that are of the same lines."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from types import MappingProxyType
from typing import Final, NamedTuple

import pandas as pd

from flows.royalties.rules.assets import SCOPE, Place, folded, price_of, scope_text
from schemas.tables.royalties import OF_PART, ON_TOP
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


_ON_PERIODS: Final = ("tier_from", "tier_to", "cap", "reserve_ppm")


def resting_on_periods(shares: pd.DataFrame) -> pd.Series:
    """Tell which rows rest on all lines of a period, and on other periods."""
    return (shares[[*_ON_PERIODS]] != "").any(axis=1)


def share_rows(shares: pd.DataFrame) -> list[ShareOf]:
    """Make objects of a table of shares, in its order."""
    read = shares.assign(share_ppm=shares["share_ppm"].map(read_millionths).astype(object))
    places = list(zip(*(shares[column].tolist() for column in ("file", "sheet", "row")), strict=True))
    of_rows = (read[column].tolist() for column in ShareOf._fields[:-3])
    parts = map(ShareOf, *of_rows, repeat(""), repeat(""), places)
    cells = zip(*(shares[column].tolist() for column in SCOPE), strict=True)
    moving = resting_on_periods(shares).tolist()
    return [
        share._replace(ladder="|".join((folded(share.role), scope_text(*scope), share.base))) if is_moving else share
        for share, scope, is_moving in zip(parts, cells, moving, strict=True)
    ]


def given_together(
    group: Sequence[ShareOf],
    added: Sequence[ShareOf],
    price: str,
    tiers: Mapping[Place, Fraction] = MappingProxyType({}),
    caps: Mapping[Place, Fraction] = MappingProxyType({}),
) -> tuple[ShareOf, ...]:
    """Return what rows give of the lines that they are of together, all of the whole, whatever they are taken from.

    Args:
        group: The rows that decide.
        added: Rows with a base, which are taken out of roles that have as much, or are beside the group.
        price: Of a unit of the lines, where a row asks for it.
        tiers: Where a row stands -> how much of its lines its tier has in the period.
        caps: Where a row stands -> how much of what it would give its cap leaves.
    """
    in_tier = ([row.at(price).times(tiers.get(row.place, Fraction(1))) for row in rows] for rows in (group, added))
    return tuple(_given(share, tiers, caps) for share in _with_added(*in_tier))


def _given(share: ShareOf, tiers: Mapping[Place, Fraction], caps: Mapping[Place, Fraction]) -> ShareOf:
    """Return what a period gives of a share that is in its tier already, and why it is not what is stated."""
    of_tier, of_cap = tiers.get(share.place, Fraction(1)), caps.get(share.place, Fraction(1))
    if of_tier * of_cap in {0, 1}:
        return share.times(of_cap)
    of_price = read_terms(share.terms)
    unit = f"@{number_text(Fraction(share.per_unit) / of_tier)}" if share.per_unit else ""
    stated = of_price.stated if of_price else unit or str(plain(Fraction(share.share_ppm) / of_tier))
    terms = ShareTerms(stated, of_tier * of_cap, share.tier_from, share.tier_to, share.cap if of_cap != 1 else "")
    return share.times(of_cap)._replace(terms=terms.text)


def missing_role(group: Sequence[ShareOf], added: Sequence[ShareOf]) -> str | None:
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


def most_at_once(shares: Sequence[ShareOf]) -> Millionths:
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
