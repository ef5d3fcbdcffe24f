"""Which rows the table of shares lacks: one for each thing that lines are about and no share covers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, NamedTuple

import pandas as pd

from flows.steps.exact import EXACT
from flows.steps.inputs import Statement
from flows.steps.match_shares import LEVELS, Asset, ShareBook, day_of
from schemas.missing_share import MissingShare, MissingShares
from schemas.tables.frames import DataFrame
from schemas.tables.shares import Shares

_COLUMNS: Final = ("isrc", "upc", "release", "artist", "title", "period", "currency", "amount", "lines")
_NOTHING: Final = Asset("", "", "", "")


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

    @property
    def asset(self) -> Asset:
        return Asset(self.isrc, self.upc, self.release, self.artist)


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
        self.lines += line.lines
        worth = None if rate is None else EXACT.multiply(line.amount, rate)
        self.amount = None if self.amount is None or worth is None else EXACT.add(self.amount, worth)
        self.shown = max(self.shown, (abs(line.amount), (line.isrc, line.upc, line.release, line.artist, line.title)))

    def missing(self) -> MissingShare:
        names = dict(zip((*LEVELS, "title"), self.shown[1], strict=True))
        for level in LEVELS:
            if level == self.level:
                break
            names[level] = ""  # a share by it would take lines from others
        return MissingShare(**names, periods=tuple(sorted(self.periods)), lines=self.lines, amount=self.amount)


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
        statements: What lines add up to, by source, and what their currencies are worth; those of files that were
            paid before are the caller's to leave out.
        shares: Who shares what.
        in_question: Shares with problems; they are not missing.
        first_day: First day of the job's period (ISO), for lines that do not say their own.
        currency: The job's.
    """
    book = ShareBook(shares, in_question)
    lines = [(line, one.rates.get(line.currency)) for one in statements for line in _lines(one.totals.by_platform)]
    covered = [(line, bool(book.covering(line.asset, day_of(line.period, first_day)))) for line, _ in lines]
    taken = _taken(book, (line for line, is_covered in covered if is_covered), first_day)
    groups: dict[tuple[str, str], _Group] = {}
    for (line, rate), (_, is_covered) in zip(lines, covered, strict=True):
        if not is_covered:
            level, name = _name_for(line, taken)
            groups.setdefault((level, name), _Group(level)).add(line, rate)
    missing = {name: group.missing() for name, group in groups.items()}
    named = [one for (level, _), one in missing.items() if level]
    nameless = [one for (level, _), one in missing.items() if not level]
    return MissingShares(currency, _largest_first(named), _largest_first(nameless))


def _lines(frame: pd.DataFrame) -> Iterator[_Line]:
    columns = [frame[name].tolist() for name in _COLUMNS]
    for values in zip(*columns, strict=True):
        line = _Line(*values)
        yield line._replace(amount=Decimal(line.amount), lines=int(line.lines))


def _names(asset: Asset) -> Iterator[tuple[str, str]]:
    """The names of an asset, the most specific first, as shares are looked up by them."""
    for level in LEVELS:
        if text := " ".join(getattr(asset, level).casefold().split()):
            yield level, text


def _taken(book: ShareBook, covered: Iterable[_Line], first_day: str) -> set[tuple[str, str]]:
    """Names by which a new share would take lines away from the wider share that covers them now."""
    taken = set[tuple[str, str]]()
    for asset, day in {(line.asset, day_of(line.period, first_day)) for line in covered}:
        for level, name in _names(asset):
            alone = Asset(**{one: getattr(asset, one) if one == level else "" for one in LEVELS})
            if book.covering(alone, day) != book.covering(_NOTHING, day):
                break
            taken.add((level, name))
    return taken


def _name_for(line: _Line, taken: set[tuple[str, str]]) -> tuple[str, str]:
    """Choose what a missing share should be of; ("", title) for a line that only the whole catalogue has."""
    names = list(_names(line.asset))
    free = (name for name in names if name not in taken)
    return next(free, names[0] if names else ("", line.title))


def _largest_first(missing: Iterable[MissingShare]) -> tuple[MissingShare, ...]:
    def order(one: MissingShare) -> tuple[Decimal, tuple[str, ...]]:
        return -abs(one.amount or Decimal(0)), (one.isrc, one.upc, one.release, one.artist, one.title)

    return tuple(sorted(missing, key=order))
