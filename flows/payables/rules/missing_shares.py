"""Shares that are missing: one row for each thing that lines are about and no share covers, for a person to fill in."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.intake.rules.inputs import EXACT, Statement
from flows.royalties.rules.assets import LEVELS, LINE_IS_OF, folded
from flows.royalties.rules.deals import UNMATCHED, Deals, lines_of
from schemas.corrections import MissingShare, MissingShares
from schemas.layouts.layout import fold
from schemas.tables.model import DataFrame
from schemas.tables.royalties import UNREAD_UPC, Shares


class _Line(NamedTuple):
    isrc: str
    upc: str
    release: str
    artist: str
    title: str
    period: str
    currency: str
    amount: Decimal
    lines: int


@dataclass(slots=True)
class _Group:
    """Lines that one share would cover; shown by the names of the largest of them."""

    level: str
    periods: set[str] = field(default_factory=set)
    lines: int = 0
    amount: Decimal | None = Decimal(0)
    shown: tuple[Decimal, tuple[str, ...]] = (Decimal(-1), ())

    def add(self, line: _Line, rate: Decimal | None) -> None:
        self.periods.add(line.period)
        self.lines += int(line.lines)
        worth = None if rate is None else EXACT.multiply(Decimal(line.amount), rate)
        self.amount = None if self.amount is None or worth is None else EXACT.add(self.amount, worth)
        self.shown = max(self.shown, (abs(line.amount), (line.isrc, line.upc, line.release, line.artist, line.title)))

    def missing(self) -> MissingShare:
        names = dict(zip((*LEVELS, "title"), self.shown[1], strict=True))
        names["upc"] = names["upc"].replace(UNREAD_UPC, "")
        for level in LEVELS:
            if level == self.level:
                break
            names[level] = ""  # a share by it would take lines from others
        return MissingShare(**names, periods=tuple(sorted(self.periods)), lines=self.lines, amount=self.amount)


def codes_of_titles(statements: Iterable[Statement]) -> Mapping[tuple[str, str], str]:
    """Return title and artist, as people compare them -> the one ISRC that statements have; "" for any artist's."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for statement in statements:
        named = statement.totals.by_platform[["title", "artist", "isrc"]].drop_duplicates()
        for title, artist, isrc in named[(named["title"] != "") & (named["isrc"] != "")].itertuples(index=False):
            found[fold(title), fold(artist)].add(isrc)
            found[fold(title), ""].add(isrc)
    return {name: isrcs.pop() for name, isrcs in found.items() if len(isrcs) == 1}


def list_missing_shares(
    statements: Iterable[Statement],
    shares: DataFrame[Shares],
    in_question: pd.DataFrame | None = None,
    *,
    first_day: str,
    currency: str,
) -> MissingShares:
    """List what no share covers, so that a person can add every missing share in one go.

    A row stands for one ISRC; without an ISRC for one UPC, then release, then artist. Where lines of the same ISRC are
    covered by a wider share already, the row stands for the UPC instead, and so on: a share by ISRC would take those
    lines away from whom they belong to.

    Args:
        first_day: First day of the job's period (ISO), for lines that do not say their own.
    """
    deals, found = Deals(shares, None, in_question), list[tuple[pd.DataFrame, npt.NDArray[np.bool_], Statement]]()
    for statement in statements:
        sums: pd.DataFrame = statement.totals.by_platform
        found.append((sums, deals.decide(lines_of(sums), first_day).are(UNMATCHED), statement))
    if not any(is_bare.any() for _, is_bare, _ in found):
        return MissingShares(currency, (), ())
    covered = pd.concat([sums.loc[~is_bare, [*LINE_IS_OF]] for sums, is_bare, _ in found]).drop_duplicates()
    taken = _taken(deals, covered, first_day)
    groups: dict[tuple[str, str], _Group] = {}
    for sums, is_bare, statement in found:
        for line in map(_Line._make, zip(*(sums.loc[is_bare, name].tolist() for name in _Line._fields), strict=True)):
            level, name = _name_for(line, taken)
            groups.setdefault((level, name), _Group(level)).add(line, statement.rates.get(line.currency))
    missing = {name: group.missing() for name, group in groups.items()}
    named = [share for (level, _), share in missing.items() if level]
    nameless = [share for (level, _), share in missing.items() if not level]
    return MissingShares(currency, _largest_first(named), _largest_first(nameless))


def _taken(deals: Deals, covered: pd.DataFrame, first_day: str) -> set[tuple[str, str]]:
    """Return names by which a new share would take covered lines: of each, up to the first that covers it by itself."""

    def rows_by(kept: str) -> list[object]:
        alone = covered.assign(**{level: "" for level in LEVELS if level != kept})
        return deals.decide(lines_of(alone), first_day).rows_of_lines()

    taken, by_nothing, is_open = set[tuple[str, str]](), rows_by(""), [True] * len(covered)
    for level in LEVELS:
        for at, (text, by_name) in enumerate(zip(covered[level].tolist(), rows_by(level), strict=True)):
            name = folded(text)
            if not is_open[at] or not name or text == UNREAD_UPC:
                continue
            is_open[at] = by_name == by_nothing[at]
            if is_open[at]:
                taken.add((level, name))
    return taken


def _name_for(line: _Line, taken: set[tuple[str, str]]) -> tuple[str, str]:
    """Choose what a missing share should be of; ("", title) for a line that only the whole catalogue has."""
    texts = ((level, getattr(line, level)) for level in LEVELS)
    names = [(level, folded(text)) for level, text in texts if folded(text) and text != UNREAD_UPC]
    free = (name for name in names if name not in taken)
    return next(free, names[0] if names else ("", line.title))


def _largest_first(missing: Iterable[MissingShare]) -> tuple[MissingShare, ...]:
    def order(share: MissingShare) -> tuple[Decimal, tuple[str, ...]]:
        return -abs(share.amount or Decimal(0)), (share.isrc, share.upc, share.release, share.artist, share.title)

    return tuple(sorted(missing, key=order))
