"""What came in: a DistroKid statement in dollars, and another distributor's spreadsheet in reais."""

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sample_data.making.artists import ARTISTS, Artist
from sample_data.making.catalogue import Catalogue, Track
from sample_data.making.workbooks import Value

DISTROKID_FILE = "distrokid-2026-10.tsv"
REAL_FILE = "distribuidora-2026-10.xlsx"
DISTROKID_HEADERS = (
    *("Date Inserted", "Reporting Date", "Sale Month", "Store", "Artist", "Title", "ISRC", "UPC", "Quantity"),
    *("Team Percentage", "Source Type", "Country of Sale", "Songwriter Royalties Withheld (USD)"),
    *("Earnings (USD)", "Recoup (USD)"),
)
REAL_HEADERS = (
    *(
        "Período",
        "Plataforma",
        "Território",
        "ISRC",
        "UPC",
        "Álbum",
        "Título",
        "Artista",
        "Quantidade",
        "Valor",
        "Moeda",
    ),
)
DOLLAR_STORES = ("Spotify", "Apple Music", "YouTube (Ads)", "Amazon Unlimited", "Tidal", "TikTok", "Pandora")
REAL_STORES = ("Deezer", "YouTube Music", "Claro Música", "Rádio do Bairro", "Karaokê na Praça")
COUNTRIES = ("BR", "BR", "BR", "BR", "US", "PT", "AR", "MX", "DE", "JP", "CL", "FR")
MONTHS = (dt.date(2026, 6, 1), dt.date(2026, 7, 1), dt.date(2026, 8, 1), *[dt.date(2026, 9, 1)] * 3)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a statement; the amount is exact, in the statement's currency."""

    file: str
    month: dt.date
    store: str
    country: str
    track: Track
    units: int
    amount: Decimal

    @property
    def currency(self) -> str:
        """USD or BRL."""
        return "USD" if self.file == DISTROKID_FILE else "BRL"

    @property
    def release(self) -> str:
        """What the statement says of the release: DistroKid's has no such column."""
        return "" if self.file == DISTROKID_FILE else self.track.release


def invent_lines(catalogue: Catalogue) -> list[Line]:
    """Invent both statements, DistroKid's first; each in its own shuffled order."""
    rng = random.Random("aurora-lines-6")
    dollars = [_line(rng, DISTROKID_FILE, artist, catalogue) for artist in ARTISTS for _ in range(artist.dollar_lines)]
    reals = [_line(rng, REAL_FILE, artist, catalogue) for artist in ARTISTS for _ in range(artist.real_lines)]
    rng.shuffle(dollars)
    rng.shuffle(reals)
    return _with_oddities(dollars) + _with_oddities(reals)


def _line(rng: random.Random, file: str, artist: Artist, catalogue: Catalogue) -> Line:
    in_dollars = file == DISTROKID_FILE
    units = 1 + int(artist.largest_count * rng.randrange(1, 10**6) ** 2 / 10**12)
    # Dollars have twelve decimals; a sheet's number keeps fifteen digits in all, so reais have nine.
    unit = rng.randrange(900_000_000, 5_200_000_000) if in_dollars else rng.randrange(3_000_000, 21_000_000)
    return Line(
        file,
        rng.choice(MONTHS),
        rng.choice(DOLLAR_STORES if in_dollars else REAL_STORES),
        rng.choice(COUNTRIES) if in_dollars else "BR",
        rng.choice(catalogue.tracks[artist.name]),
        units,
        Decimal(units * unit).scaleb(-12 if in_dollars else -9),
    )


def _with_oddities(lines: list[Line]) -> list[Line]:
    """Take some sales back, and let one line be worth nothing; Bonde Manso sold little and had all of it returned."""
    odd = [
        replace(line, units=-line.units, amount=-line.amount)
        if line.track.artist == "Bonde Manso" or position % 131 == 17
        else line
        for position, line in enumerate(lines)
    ]
    odd[5] = replace(odd[5], amount=Decimal(0))
    if odd[0].currency == "USD":
        odd[11] = replace(odd[11], country="NA")
    return odd


def distrokid_rows(lines: Sequence[Line]) -> list[list[str]]:
    """Return the lines as DistroKid writes them: text, amounts with twelve decimals."""
    return [
        [
            *("2026-10-17", "2026-10-15", f"{line.month:%Y-%m}", line.store, line.track.artist, line.track.title),
            *(line.track.isrc, line.track.upc, str(line.units), "100", "Song", line.country),
            *("0.000000000000", f"{line.amount:.12f}", "0.000000000000"),
        ]
        for line in lines
    ]


def real_rows(lines: Sequence[Line]) -> list[list[Value]]:
    """Return the lines as the other distributor's sheet holds them: amounts as numbers, codes as text."""
    return [
        [
            *(f"{line.month:%Y-%m}", line.store, line.country, line.track.isrc, line.track.upc, line.track.release),
            *(line.track.title, line.track.artist, line.units, line.amount, "BRL"),
        ]
        for line in lines
    ]
