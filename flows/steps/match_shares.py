"""Which shares cover a line: the most specific of ISRC, UPC, release, artist and catalogue, within their dates."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import pandas as pd

from schemas.tables.frames import DataFrame, records
from schemas.tables.shares import Shares

LEVELS: Final = ("isrc", "upc", "release", "artist")
WHOLE = 1_000_000


@dataclass(frozen=True, slots=True)
class Asset:
    """What a line is about; "" where the statement does not say."""

    isrc: str
    upc: str
    release: str
    artist: str


@dataclass(frozen=True, slots=True)
class ShareOf:
    """One payee's part of what a share row names.

    Attributes:
        tax_id: The payee.
        role: Composer, producer, ... as the sheet says.
        share_ppm: Part in millionths.
        valid_from: First day (ISO); "" is always.
        valid_to: Last day (ISO); "" is for ever.
    """

    tax_id: str
    role: str
    share_ppm: int
    valid_from: str
    valid_to: str

    def holds_on(self, day: str) -> bool:
        """Whether the share is valid on a day; ISO dates compare as texts."""
        return (not self.valid_from or self.valid_from <= day) and (not self.valid_to or day <= self.valid_to)


# Stands for a share that cannot be read: whatever it is of is held.
IN_QUESTION: Final = ShareOf(tax_id="", role="in question", share_ppm=0, valid_from="", valid_to="")


def day_of(period: str, first_day: str) -> str:
    """Return the day on which shares must hold for a line: its own day, its month's first, or the job's first.

    >>> day_of("2026-09", "2026-10-01"), day_of("", "2026-10-01")
    ('2026-09-01', '2026-10-01')
    """
    return f"{period}-01" if len(period) == len("2026-10") else period or first_day


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


class ShareBook:
    """All shares of a job, by what they are shares of.

    Attributes:
        overfull: Assets whose shares sum to more than 100 %, named for people -> that sum in percent.
    """

    def __init__(self, shares: DataFrame[Shares], in_question: pd.DataFrame | None = None) -> None:
        """Index shares.

        Args:
            shares: Sound ones.
            in_question: isrc, upc, release, artist of those with problems: what they name belongs to nobody until
                they are put right, for with a part unknown the remainder is unknown, too.
        """
        self.overfull: dict[str, str] = {}
        self._by_name: dict[tuple[str, str], list[ShareOf]] = {}
        self._known: dict[tuple[Asset, str], tuple[ShareOf, ...]] = {}
        for row in records(shares.sort_values(["tax_id", "role", "row"])):
            level = next((name for name in LEVELS if row[name]), "catalogue")
            name = _folded(row.get(level, ""))
            share = ShareOf(row["tax_id"], row["role"], row["share_ppm"], row["valid_from"], row["valid_to"])
            self._by_name.setdefault((level, name), []).append(share)
        for row in records(in_question) if in_question is not None else ():
            level = next((name for name in LEVELS if row[name]), "catalogue")
            self._by_name.setdefault((level, _folded(row.get(level, ""))), []).append(IN_QUESTION)

    def covering(self, asset: Asset, day: str) -> tuple[ShareOf, ...]:
        """Return the shares of the most specific level that has any on that day; () when nothing covers the asset."""
        if (asset, day) not in self._known:
            self._known[asset, day] = self._find(asset, day)
        return self._known[asset, day]

    def _find(self, asset: Asset, day: str) -> tuple[ShareOf, ...]:
        names = [*((level, _folded(getattr(asset, level))) for level in LEVELS), ("catalogue", "")]
        for level, name in names:
            if level != "catalogue" and not name:
                continue
            shares = tuple(share for share in self._by_name.get((level, name), ()) if share.holds_on(day))
            if IN_QUESTION in shares:
                return (IN_QUESTION,)
            if shares:
                total = sum(share.share_ppm for share in shares)
                if total > WHOLE:
                    where = f"{level} {getattr(asset, level)}" if level != "catalogue" else "catalogue"
                    self.overfull[f"{where} ({day})"] = format(Decimal(total).scaleb(-4), "f")
                return shares
        return ()
