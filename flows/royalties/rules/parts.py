"""Parts of lines: what costs take, what payees have by their shares, and what is left to the owner, of a whole."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from flows.royalties.rules.deals import IN_QUESTION, UNMATCHED, DecidedLines, DecidingRows
from flows.royalties.rules.deals_over_periods import SettledDeals
from schemas.values.costs_taken import CostTaken, keep_costs, part_after
from schemas.values.millionths import WHOLE, Millionths, number_text, plain

# What the rest is called.
OWNER_ROLE: Final = "owner"


class _Part(NamedTuple):
    tax_id: str
    role: str
    share_ppm: Millionths
    contract: str = ""
    costs: str = ""
    per_unit: str = ""
    terms: str = ""


@dataclass(frozen=True, slots=True)
class PartsOfLines:
    """The parts of all that decides of lines, those of each number together.

    Attributes:
        firsts: Where the parts of each number begin; one more at the end.
        columns: What earnings say of each part.
        of_whole: What each is of the whole, in millionths.
    """

    firsts: npt.NDArray[np.int64]
    columns: Mapping[str, Sequence[str]]
    of_whole: Sequence[Millionths]

    def by_payee(self) -> "PartsOfLines":
        """Return what each payee has of each number, in one, so that lines count once; nothing of what is nobody's."""
        numbers = np.repeat(np.arange(len(self.firsts) - 1), np.diff(self.firsts)).tolist()
        sums, by_unit = dict[tuple[int, str], Millionths](), dict[tuple[int, str], Fraction]()
        said = zip(numbers, self.columns["tax_id"], self.columns["per_unit"], self.of_whole, strict=True)
        for number, tax_id, per_unit, part in said:
            if tax_id:
                sums[number, tax_id] = sums.get((number, tax_id), 0) + part
            if tax_id and per_unit:
                by_unit[number, tax_id] = by_unit.get((number, tax_id), Fraction(0)) + Fraction(per_unit)
        columns = {
            "tax_id": [tax_id for _, tax_id in sums],
            "per_unit": [number_text(by_unit[of]) if by_unit.get(of) else "" for of in sums],
        }
        firsts = np.searchsorted(np.array([number for number, _ in sums], dtype=np.int64), np.arange(len(self.firsts)))
        return PartsOfLines(firsts, columns, list(map(plain, sums.values())))


def parts_of(decisions: DecidedLines, settled: SettledDeals) -> PartsOfLines:
    """Part the whole of whatever is decided alike: costs, shares, and what they leave; or all of it is nobody's.

    Args:
        settled: What the period takes for costs, and makes of tiers and caps.
    """
    is_plain, statuses = decisions.is_plain, decisions.statuses
    given = is_plain[decisions.groups] & (decisions.stated_ppm != 0)
    rows = decisions.shares.iloc[decisions.rows[given]]
    rest = np.flatnonzero(is_plain & (decisions.left_ppm != 0)).tolist()
    of_nobody = [number for number, status in enumerate(statuses) if status]
    others = [
        (number, part)
        for number, decision in decisions.others.items()
        if not is_plain[number] and not statuses[number]
        for part in _parts_of(decision, settled)
    ]
    of_whole: list[Millionths] = [
        *decisions.stated_ppm[given].tolist(),
        *decisions.left_ppm[rest].tolist(),
        *[WHOLE] * len(of_nobody),
        *(part_after(part.costs, part.share_ppm) for _, part in others),
    ]
    alone = len(of_whole) - len(others)
    roles = [*[OWNER_ROLE] * len(rest), *(UNMATCHED if statuses[at] == UNMATCHED else IN_QUESTION for at in of_nobody)]
    texts: dict[str, list[str]] = {
        "tax_id": [*rows["tax_id"], *[""] * len(roles)],
        "role": [*rows["role"], *roles],
        "share_ppm": [str(part) for part in of_whole[:alone]],
        "contract": [*rows["contract"], *[""] * len(roles)],
        **{name: [""] * alone for name in ("costs", "per_unit", "terms")},
    }
    for name, told in texts.items():
        told += [str(getattr(part, name)) for _, part in others]
    numbers = np.array(
        [*decisions.groups[given].tolist(), *rest, *of_nobody, *(at for at, _ in others)], dtype=np.int64
    )
    order = np.argsort(numbers, kind="stable")
    columns = {name: np.array(told, dtype=object)[order].tolist() for name, told in texts.items()}
    firsts = np.searchsorted(numbers[order], np.arange(len(statuses) + 1))
    return PartsOfLines(firsts, columns, [of_whole[at] for at in order.tolist()])


def _parts_of(decision: DecidingRows, settled: SettledDeals) -> Iterator[_Part]:
    """Go through the parts of what is decided row by row: money a unit is out of the rest."""
    parts = [settled.costs.get(cost.place, cost.part_ppm) for cost in decision.costs]
    costs = [cost._replace(part_ppm=part) for cost, part in zip(decision.costs, parts, strict=True) if part]
    named = [CostTaken(cost.name, cost.part_ppm, bool(cost.amount)) for cost in costs]
    taken = [keep_costs(named[:count]) for count in range(len(costs) + 1)]
    for cost, before in zip(costs, taken, strict=False):
        role = cost.name if cost.tax_id else f"{OWNER_ROLE}: {cost.name}"
        yield _Part(cost.tax_id, role, cost.part_ppm, costs=before)
    shares = decision.given(settled.tiers, settled.caps)
    for share in (share for share in shares if share.share_ppm):
        yield _Part(share.tax_id, share.role, share.share_ppm, share.contract, taken[-1], terms=share.terms)
    for share in (share for share in shares if share.per_unit):
        yield _Part(share.tax_id, share.role, 0, share.contract, "", share.per_unit, share.terms)
        yield _Part("", OWNER_ROLE, 0, per_unit=number_text(-Fraction(share.per_unit)))
    rest = plain(WHOLE - sum(share.share_ppm for share in shares))
    if rest:
        yield _Part("", OWNER_ROLE, rest, costs=taken[-1])
