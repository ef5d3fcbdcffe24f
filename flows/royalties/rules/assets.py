"""What statement lines are about, and how a row of shares or costs names them."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables.royalties import TOGETHER, UNREAD_UPC
from schemas.values.line_conditions import LineCondition

LEVELS: Final = ("isrc", "upc", "release", "artist")
# File, sheet and row.
Place = tuple[str, str, int]
# What a row may say beside the name it is of, and a line may contradict: codes by codes, texts by texts.
BESIDE: Final[Mapping[str, str]] = {"isrc": "upc", "release": "artist"}


class Asset(NamedTuple):
    """What a line is about; "" where the statement does not say, `TOGETHER` where no row asks."""

    isrc: str
    upc: str
    release: str
    artist: str
    territory: str = TOGETHER
    income: str = TOGETHER
    platform: str = TOGETHER
    format: str = TOGETHER
    price: str = TOGETHER


def day_of(period: str, first_day: str) -> str:
    """Return the day on which shares must hold for a line: its own day, its month's first, or the job's first.

    >>> day_of("2026-09", "2026-10-01"), day_of("", "2026-10-01")
    ('2026-09-01', '2026-10-01')
    """
    return f"{period}-01" if len(period) == len("2026-10") else period or first_day


def with_worth_of_prices(sums: pa.Table, rates: Mapping[str, Decimal]) -> pa.Table:
    """Return sums whose prices are in the job's currency: times the rate, as a product ("20*5.4"), where it is not 1.

    Args:
        rates: Currency of lines -> its worth in the job's.
    """
    if not pc.any(pc.not_equal(pc.utf8_trim_whitespace(sums["price"]), "")).as_py():
        return sums
    said = zip(sums["price"].to_pylist(), sums["currency"].to_pylist(), strict=True)
    worth = [price if not price.strip() or rates[of] == 1 else f"{price}*{rates[of]:f}" for price, of in said]
    return sums.set_column(sums.column_names.index("price"), "price", pa.array(worth, pa.large_string()))


def price_of(price: str) -> Fraction:
    """Read a price in the job's currency, perhaps as a product.

    >>> price_of("20*5.5")
    Fraction(110, 1)
    """
    return prod(map(Fraction, price.split("*")), start=Fraction(1))


def folded(text: str) -> str:
    """Write a name as names are compared: without regard to case and blanks."""
    return " ".join(text.casefold().split())


class RowScope(NamedTuple):
    """What a row is of: the narrowest level it names, what it names there and says beside, and of which lines alone."""

    level: str
    name: str
    beside: str
    conditions: tuple[LineCondition, ...] = ()

    @classmethod
    def of(cls, named: Iterable[str], conditions: tuple[LineCondition, ...] = ()) -> "RowScope":
        """Tell from the cells of `LEVELS`."""
        isrc, upc, release, artist = named
        if isrc:
            return cls("isrc", folded(isrc), upc, conditions)
        if upc:
            return cls("upc", folded(upc), "", conditions)
        if release:
            return cls("release", folded(release), folded(artist), conditions)
        return cls("artist", folded(artist), "", conditions) if artist else cls("catalogue", "", "", conditions)

    @property
    def columns(self) -> set[str]:
        """Of what a line says, all that tells whether the row is of it."""
        beside = {BESIDE[self.level]} if self.level in BESIDE else set()
        named = {self.level} if self.level in LEVELS else set()
        return named | beside | {condition.column for condition in self.conditions}

    @property
    def text(self) -> str:
        """What it is of, as one text."""
        asked = (condition.text for condition in self.conditions)
        return ";".join((self.level, self.name, self.beside, *asked))

    def agrees(self, asset: Asset) -> bool:
        """Whether a line says nothing else than the row does beside the name it is of; a silent line agrees."""
        stated = said_beside(asset, self.level)
        return not self.beside or not stated or self.beside == stated

    def is_unanswered(self, asset: Asset) -> bool:
        """Whether a line does not say what the row asks."""
        return any(not getattr(asset, condition.column).strip() for condition in self.conditions)

    def is_met(self, asset: Asset) -> bool:
        return all(condition.is_met(getattr(asset, condition.column)) for condition in self.conditions)


def name_at(asset: Asset, level: str) -> str | None:
    """Return what a line names at a level, folded, "" for the whole catalogue; None where it names nothing there."""
    return "" if level == "catalogue" else folded(getattr(asset, level)) or None


def said_beside(asset: Asset, level: str) -> str:
    """Return what a line says beside the name that it has at a level."""
    stated = folded(getattr(asset, BESIDE.get(level, ""), ""))
    return "" if stated == UNREAD_UPC else stated
