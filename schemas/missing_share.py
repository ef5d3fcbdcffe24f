"""Lines that no share covers, by what a share would have to name."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class MissingShare:
    """One row that the table of shares lacks.

    Attributes:
        isrc, upc, release, artist: As the statement has them. The first of them that is not "" is what a share in this
            row would hold for; more specific names are left out where such a share would take lines from others.
        title: Of the recording, for people.
        periods: Of the lines, in order; "" is the job's own.
        lines: How many lines.
        amount: Their sum in the job's currency, exact; None where a rate is missing.
    """

    isrc: str
    upc: str
    release: str
    artist: str
    title: str
    periods: tuple[str, ...]
    lines: int
    amount: Decimal | None


@dataclass(frozen=True, slots=True)
class MissingShares:
    """All that no share covers, the largest sums first.

    Attributes:
        currency: Of the amounts.
        named: What one row each of the table of shares would cover.
        nameless: Lines without ISRC, UPC, release and artist: only the whole catalogue has them.
    """

    currency: str
    named: tuple[MissingShare, ...]
    nameless: tuple[MissingShare, ...]

    def __bool__(self) -> bool:
        """Whether anything is missing."""
        return bool(self.named or self.nameless)
