"""What senders' statements are made of: invented sales of the label's recordings, the same every time."""

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sample_data.making.catalogue import Catalogue, Track

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONG_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
STORES = ("Spotify", "Apple Music", "YouTube (Ads)", "Amazon Unlimited", "Deezer", "TikTok")
_FIRST_DAY = dt.date(2026, 6, 1)
_DAYS = 120


@dataclass(frozen=True, slots=True)
class Sale:
    """One line of a statement, as it was before anybody wrote it down.

    Attributes:
        day: When it was sold.
        store: Who sold it.
        country: Where, as a code of two letters.
        track: Which recording.
        units: How many; below zero when they came back.
        amount: What the sender owes for it, exact, in `currency`.
        currency: ISO code.
        unsaid: Canonical columns that this line leaves blank.
        moved: Canonical columns that this line leaves blank and says in other ones.
    """

    day: dt.date
    store: str
    country: str
    track: Track
    units: int
    amount: Decimal
    currency: str
    unsaid: frozenset[str] = frozenset()
    moved: frozenset[str] = frozenset()

    def decoy(self, factor: str) -> Decimal:
        """Return money that stands beside the amount and is not it: before fees, of one unit, withheld."""
        return self.amount * Decimal(factor) + Decimal(factor)

    def says(self, column: str, text: str) -> str:
        """Return a text, or nothing where the line leaves its column blank."""
        return "" if column in self.unsaid | self.moved else text


def invent_sales(
    sender: str, catalogue: Catalogue, count: int, *, decimals: int, currencies: Sequence[str] = ("USD",)
) -> list[Sale]:
    """Invent a sender's sales: one in nine came back, one is worth nothing, one was in Namibia ("NA")."""
    rng = random.Random(f"aurora-sender-{sender}")
    tracks = [track for tracks in catalogue.tracks.values() for track in tracks]
    sales = []
    for position in range(count):
        units = 1 + int(4000 * rng.randrange(1, 1000) ** 2 / 10**6)
        amount = Decimal(units * rng.randrange(10**7, 9 * 10**7)).scaleb(-10).quantize(Decimal(1).scaleb(-decimals))
        sign = -1 if position % 9 == 4 else 1
        sales.append(
            Sale(
                _FIRST_DAY + dt.timedelta(days=rng.randrange(_DAYS)),
                rng.choice(STORES),
                "NA" if position == count // 3 else rng.choice(("BR", "BR", "PT", "US", "DE", "AR")),
                rng.choice(tracks),
                sign * units,
                Decimal(0) if position == 5 else sign * amount,
                currencies[position % len(currencies)],
            )
        )
    return sales
