"""The label's artists, releases and recordings, and who shares what they earn."""

import datetime as dt
import random
from dataclasses import dataclass
from decimal import Decimal

from sample_data.making.artists import ARTISTS, Artist
from sample_data.making.people import Payee, Registry
from sample_data.making.words import TRACK_TITLES

PAYEE_KINDS = ("phone_number", "cpf", "email", "checking_account", "random_key", "cpf", "saving_account", "email")


@dataclass(frozen=True, slots=True)
class Track:
    """One recording."""

    isrc: str
    title: str
    artist: str
    release: str
    upc: str


@dataclass(frozen=True, slots=True)
class Share:
    """One line of the share sheet: a payee's percentage of what `level` and `target` name."""

    level: str
    target: str
    tax_id: str
    role: str
    percent: str
    valid_from: dt.date | None = None
    valid_to: dt.date | None = None

    def cells(self) -> list[str | Decimal | dt.date]:
        """Return the line as cells: isrc, upc, release, artist, document, role, percentage, dates."""
        scope = [self.target if self.level == level else "" for level in ("isrc", "upc", "release", "artist")]
        if self.level == "catalogue":
            scope[3] = "Todo o catálogo"  # beside shares of recordings, a blank says nothing
        return [*scope, self.tax_id, self.role, Decimal(self.percent), self.valid_from or "", self.valid_to or ""]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything the statements and the share sheet are drawn from."""

    tracks: dict[str, list[Track]]
    members: dict[str, list[Payee]]
    producer: Payee
    remixer: Payee
    publisher: Payee
    studio: Payee
    shares: list[Share]

    @property
    def payees(self) -> list[Payee]:
        """All payees, in the order of their names."""
        everyone = [payee for members in self.members.values() for payee in members]
        everyone += [self.producer, self.remixer, self.publisher, self.studio]
        return sorted(everyone, key=lambda payee: payee.name)


def upc_of(number: int) -> str:
    """Return a 13-digit product code under Brazil's prefix, with its check digit."""
    body = f"7899990{number:05d}"
    total = sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(body))
    return body + str(-total % 10)


def invent_catalogue() -> Catalogue:
    """Invent the label's catalogue, the same one every time."""
    registry = Registry("aurora-payees-of-royalties")
    kinds = iter(PAYEE_KINDS * 6)
    members = {artist.name: [registry.person(next(kinds)) for _ in range(artist.members)] for artist in ARTISTS}
    people = (registry.person("phone_number"), registry.person("email"))
    publisher = registry.company("Editora Caderno de Rascunho Ltda", "cnpj", registry.cnpj())
    studio = registry.company("Estúdio Porão Iluminado Ltda", "random_key", registry.cnpj(letters=True))
    tracks = _invent_tracks()
    catalogue = Catalogue(tracks, members, *people, publisher, studio, [])
    for artist in ARTISTS:
        catalogue.shares.extend(_members_shares(artist, catalogue))
    catalogue.shares.extend(_special_shares(catalogue))
    return catalogue


def _invent_tracks() -> dict[str, list[Track]]:
    rng = random.Random("aurora-tracks")
    tracks: dict[str, list[Track]] = {}
    number = release_number = 0
    for artist in ARTISTS:
        tracks[artist.name] = []
        for release in artist.releases:
            release_number += 1
            for title in rng.sample(TRACK_TITLES, 5):
                number += 1
                isrc = f"BRAUR26{number:05d}"
                tracks[artist.name].append(Track(isrc, title, artist.name, release, upc_of(release_number)))
    return tracks


def _members_shares(artist: Artist, catalogue: Catalogue) -> list[Share]:
    tracks = catalogue.tracks[artist.name]
    targets = {
        "isrc": [track.isrc for track in tracks],
        "upc": list(dict.fromkeys(track.upc for track in tracks)),
        "release": list(artist.releases),
        "artist": [artist.name],
        "": [],
    }[artist.level]
    payees = list(zip(catalogue.members[artist.name], artist.percents, strict=True))
    roles = ["Intérprete", *["Músico"] * 3]
    return [
        Share(artist.level, target, payee.tax_id, role, percent)
        for target in targets
        for (payee, percent), role in zip(payees, roles, strict=False)
    ]


def _special_shares(catalogue: Catalogue) -> list[Share]:
    """The contracts that make sharing hard: dates, guests, and a narrower share that shuts a wider one out."""
    producer, remixer = catalogue.producer.tax_id, catalogue.remixer.tax_id
    publisher, studio = catalogue.publisher.tax_id, catalogue.studio.tax_id
    lua, dona, clara = (catalogue.tracks[name] for name in ("Lua Serrana", "Dona Firmina", "Clara do Vale"))
    vizinhos, rio, null = (catalogue.tracks[name] for name in ("Os Vizinhos do 302", "Rio Parado", "NULL"))
    lua_payee, rio_payee = catalogue.members["Lua Serrana"][0].tax_id, catalogue.members["Rio Parado"][0].tax_id
    dona_payee = catalogue.members["Dona Firmina"][0].tax_id
    july, august, september = dt.date(2026, 7, 31), dt.date(2026, 8, 31), dt.date(2026, 9, 1)
    return [
        # A guest producer's recording: these lines shut the artist's line out, so the artist is named again.
        Share("isrc", lua[0].isrc, lua_payee, "Intérprete", "50"),
        Share("isrc", lua[0].isrc, producer, "Produtor", "15"),
        # A producer paid until July, a studio from September on; in August the artist has it alone.
        Share("artist", "Dona Firmina", producer, "Produtor", "10", None, july),
        Share("artist", "Dona Firmina", studio, "Estúdio", "7.5", september, None),
        # A remix whose contract ended in August: from September on the lines fall back to the release.
        Share("isrc", vizinhos[1].isrc, remixer, "Remixador", "60", None, august),
        # The release is shared to the last cent; one recording of it belongs half to a publisher.
        Share("isrc", rio[2].isrc, rio_payee, "Intérprete", "50"),
        Share("isrc", rio[2].isrc, publisher, "Editora", "50"),
        Share("upc", clara[0].upc, publisher, "Editora", "12.345"),
        Share("upc", clara[0].upc, catalogue.members["Clara do Vale"][0].tax_id, "Intérprete", "60.125"),
        Share("artist", "NULL", studio, "Estúdio", "5"),
        Share("isrc", null[3].isrc, catalogue.members["NULL"][1].tax_id, "Compositor", "100"),
        Share("release", "Bordão", producer, "Produtor", "20", dt.date(2026, 1, 1), dt.date(2026, 12, 31)),
        Share("artist", "Lua Serrana", publisher, "Editora", "8.25", dt.date(2026, 1, 1), None),
        # Kept beside the release's lines and never used: a wider share where a narrower one holds.
        Share("artist", "Trio Beira-Linha", studio, "Estúdio", "90"),
        # A remix contract of one month: before it, and after, the recording is the artist's like all others.
        Share("isrc", dona[4].isrc, remixer, "Remixador", "30", september, dt.date(2026, 9, 30)),
        Share("isrc", dona[4].isrc, dona_payee, "Intérprete", "45", september, dt.date(2026, 9, 30)),
    ]
