"""Recoupment: what a period takes for advances, of what a payee has earned."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pandas as pd

from flows.royalties.rules.allocation import exact_cents_by
from schemas.tables.model import DataFrame
from schemas.tables.payees import Advances
from schemas.tables.recoup_scope import fold_name, names_in_scope
from schemas.trace import AdvanceTaken
from schemas.values.millionths import WHOLE, Millionths, read_millionths

# Payee and advance, as `advance_reference` names it.
OfAdvance = tuple[str, str]
# Reference and scope, as `schemas.tables.recoup_scope` keeps it.
_Advance = tuple[str, str]


def advance_reference(reference: str, scope: str) -> str:
    """Name an advance within its payee: the same reference on two recordings is two advances."""
    return f"{reference}|{scope}" if scope else reference


def columns_of_scopes(advances: pd.DataFrame) -> list[str]:
    """Return the columns of earnings that the scopes of advances name."""
    return sorted({column for scope in advances["scope"].unique() for column in names_in_scope(scope)})


@dataclass(frozen=True, slots=True)
class EarnedApart:
    """What one payee earned, exact centavos, by what scopes name: the texts of `columns`, folded."""

    columns: tuple[str, ...]
    cents: Mapping[tuple[str, ...], Fraction]

    def of(self, scope: str, without: str | None = None) -> Fraction:
        """Sum what was earned within a scope, and not within another."""
        return sum(
            (
                cents
                for said, cents in self.cents.items()
                if self._is_within(said, scope) and (without is None or not self._is_within(said, without))
            ),
            Fraction(0),
        )

    def is_all(self, scope: str) -> bool:
        """Whether a scope that names more than a recording leaves nothing out that has earned anything."""
        return "=" in scope and all(self._is_within(said, scope) for said, cents in self.cents.items() if cents)

    def _is_within(self, said: tuple[str, ...], scope: str) -> bool:
        about = dict(zip(self.columns, said, strict=True))
        return all(about.get(column) == name for column, name in names_in_scope(scope).items())


_NOTHING_EARNED = EarnedApart((), {})


@dataclass(frozen=True, slots=True)
class Recoupable:
    """What may be taken for advances, by payee.

    Attributes:
        advances: Payee -> (reference, scope) -> centavos advanced, oldest first; none where the job does not recoup.
        earned: Payee -> what they earned, by what the scopes of their advances name.
        parts: Payee -> (reference, scope) -> how much of what was earned there it takes at the most.
    """

    advances: Mapping[str, Mapping[_Advance, int]]
    earned: Mapping[str, EarnedApart]
    parts: Mapping[str, Mapping[_Advance, Millionths]] = field(default_factory=dict)
    later: frozenset[OfAdvance] = frozenset()

    def ceiling(self, payee: str, advance: _Advance, most: int) -> int | None:
        """Return the most that a period takes for an advance, in centavos; None where nothing but `most` bounds it."""
        earned, part = self._earned(payee), self.parts.get(payee, {}).get(advance)
        is_apart = bool(advance[1]) and not earned.is_all(advance[1])
        if not is_apart and part is None:
            return None
        whole = earned.of(advance[1]) if is_apart else Fraction(most)
        return max(0, math.floor(whole * (WHOLE if part is None else part) / WHOLE))

    def room(self, payee: str, scope: str, taken: Mapping[str, int], left: int) -> int:
        """Return what is left within a scope when advances of others (scope -> centavos) have taken theirs.

        What several advances may take of, the others have taken elsewhere as far as they earned enough there.
        """
        earned = self._earned(payee)
        if not scope or earned.is_all(scope):
            return left
        gone = sum(
            max(0, cents - max(0, math.floor(earned.of(other, without=scope))))
            for other, cents in taken.items()
            if other
        )
        return min(left, max(0, math.floor(earned.of(scope))) - gone)

    def _earned(self, payee: str) -> EarnedApart:
        return self.earned.get(payee, _NOTHING_EARNED)


def recoupable_of(advances: DataFrame[Advances], earnings: pd.DataFrame, last_day: str = "9999") -> Recoupable:
    """Group advances, and what was earned within their scopes, by payee.

    Args:
        earnings: `tax_id`, the columns that scopes name, and what `exact_cents_by` needs: before any rounding.
        last_day: Of the period, in ISO format: an advance that was paid later is not recouped in it.
    """
    paid = defaultdict[str, dict[_Advance, int]](dict)
    parts, later = defaultdict[str, dict[_Advance, Millionths]](dict), set[OfAdvance]()
    columns = ["date", "reference", "scope", "row", "tax_id", "amount_cents", "recoup_ppm"]
    for day, reference, scope, _, payee, cents, part in sorted(zip(*(advances[name] for name in columns), strict=True)):
        if day <= last_day:
            paid[payee][reference, scope] = paid[payee].get((reference, scope), 0) + cents
            if part:
                parts[payee][reference, scope] = read_millionths(part)
        else:
            later.add((payee, advance_reference(reference, scope)))
    named = columns_of_scopes(advances)
    apart = set(advances.loc[advances["scope"] != "", "tax_id"]) - {""}
    return Recoupable(paid, earned_apart(earnings, named, apart), parts, frozenset(later))


def earned_apart(earnings: pd.DataFrame, named: Sequence[str], payees: Collection[str]) -> dict[str, EarnedApart]:
    """Sum what some payees earned by what scopes name.

    Args:
        named: The columns that scopes name.
    """
    earned = defaultdict[str, dict[tuple[str, ...], Fraction]](dict)
    for (payee, *said), cents in exact_cents_by(earnings[earnings["tax_id"].isin(payees)], ["tax_id", *named]).items():
        folded = tuple(text if name == "isrc" else fold_name(text) for name, text in zip(named, said, strict=True))
        earned[payee][folded] = earned[payee].get(folded, Fraction(0)) + cents
    return {payee: EarnedApart(tuple(named), cents) for payee, cents in earned.items()}


def recoup(
    payee: str,
    most: int,
    recoupable: Recoupable,
    recouped: Mapping[OfAdvance, int],
    own: Mapping[str, int],
    unpaid: int,
) -> dict[str, int]:
    """Return what a period recoups in all, by advance: of positive earnings, oldest advance first.

    Advances with a scope take from what was earned there alone, and no more than their part of it. What the period took
    before stays, as far as there is that much to take; what is taken beyond it comes out of what was not paid. So the
    same again is the same. An advance that is not listed any more stays recouped as it was.

    Args:
        own: Advance -> what this period has recouped so far.
    """
    advances = recoupable.advances.get(payee, {})
    if not advances and not own:
        return {}
    listed = {advance_reference(*advance) for advance in advances}
    gone = {name for name in own if name not in listed and (payee, name) not in recoupable.later}
    found = {name: own[name] for name in gone if own[name]}
    left = max(most, 0) - sum(found.values())
    of_scopes = defaultdict[str, int](int)
    spare = left
    for stage in ("kept", "more"):  # first what stays of what was taken, then what else there is
        for advance, advanced in advances.items():
            name = advance_reference(*advance)
            limit = recoupable.room(payee, advance[1], of_scopes, left)
            ceiling = recoupable.ceiling(payee, advance, most)
            if ceiling is not None:
                limit = min(limit, ceiling - found.get(name, 0))
            outstanding = advanced - recouped.get((payee, name), 0) - found.get(name, 0)
            taken = max(0, min(outstanding, limit, own.get(name, 0) if stage == "kept" else spare))
            if taken:
                found[name] = found.get(name, 0) + taken
                of_scopes[advance[1]] += taken
                left -= taken
                spare -= taken
        spare = max(0, unpaid - sum(found.values()))
    return found


def advances_taken(
    payee: str, most: int, recoupable: Recoupable, recouped: Mapping[OfAdvance, int], taken: Mapping[str, int]
) -> tuple[AdvanceTaken, ...]:
    """Tell of each advance of a payee what there was to take, and what was taken."""
    listed = {advance_reference(*advance): advance for advance in recoupable.advances.get(payee, {})}
    found = list[AdvanceTaken]()
    for name in dict.fromkeys((*listed, *taken)):
        advance = listed.get(name) or _named(name)
        part = recoupable.parts.get(payee, {}).get(advance)
        found.append(
            AdvanceTaken(
                *advance,
                part_ppm=None if part is None else str(part),
                advanced_cents=recoupable.advances[payee][advance] if name in listed else None,
                elsewhere_cents=recouped.get((payee, name), 0),
                ceiling_cents=recoupable.ceiling(payee, advance, max(0, most)),
                taken_cents=taken.get(name, 0),
            )
        )
    return tuple(found)


def _named(name: str) -> _Advance:
    reference, _, scope = name.partition("|")
    return reference, scope
