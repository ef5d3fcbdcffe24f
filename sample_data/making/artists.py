"""The label's acts: how many share, at which level, how much, and how much they sell."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Artist:
    """One act: how its recordings are shared and how much it sells.

    Attributes:
        name: As statements write it.
        members: How many payees share its recordings.
        level: What its shares name: isrc, upc, release, artist; "" for an act nobody has told the label about.
        percents: The members' percentages, in their order; the rest is the label's.
        releases: Titles of its releases.
        dollar_lines: Lines in the DistroKid statement.
        real_lines: Lines in the other statement.
        largest_count: Upper end of the units of one line.
    """

    name: str
    members: int
    level: str
    percents: tuple[str, ...]
    releases: tuple[str, ...]
    dollar_lines: int
    real_lines: int
    largest_count: int


ARTISTS = (
    Artist("Maré de Quinta", 4, "isrc", ("20", "20", "15", "12.5"), ("Sal Grosso", "Ressaca"), 240, 120, 9000),
    Artist("Lua Serrana", 1, "artist", ("65",), ("Sereno", "Varanda"), 190, 80, 12000),
    Artist(
        "Os Vizinhos do 302", 3, "upc", ("33.3333", "33.3333", "33.3333"), ("Reunião de Condomínio",), 160, 60, 5000
    ),
    Artist("Cacto Elétrico", 3, "isrc", ("22.5", "22.5", "17.25"), ("Choque Térmico", "Espinho"), 150, 70, 6000),
    Artist("Dona Firmina", 1, "artist", ("70",), ("Lata d'Água", "Quitanda"), 100, 60, 7000),
    Artist(
        "Trio Beira-Linha",
        3,
        "release",
        ("25", "25", "25"),
        ("Estação Primeira Parada", "Bitola Estreita"),
        0,
        120,
        4000,
    ),
    Artist("NULL", 2, "artist", ("40", "35"), ("Valor Ausente",), 70, 40, 3000),
    Artist("Ventania do Sul", 4, "upc", ("18", "18", "18", "18"), ("Minuano",), 110, 40, 5000),
    Artist("Jurema & Os Pardais", 4, "isrc", ("30", "12", "12", "12"), ("Fio de Alta Tensão",), 90, 40, 4000),
    Artist("Quintal Magnético", 2, "isrc", ("37.5", "37.5"), ("Ímã", "Polo Norte da Horta"), 90, 0, 6000),
    Artist("Rio Parado", 2, "upc", ("50", "50"), ("Água Morta",), 60, 30, 2500),
    Artist("Clara do Vale", 1, "artist", ("72.5",), ("Neblina",), 60, 30, 5000),
    Artist("Sete Cordas de Aço", 3, "release", ("30", "30", "20"), ("Bordão",), 0, 50, 3000),
    Artist("Aldeia Vertical", 3, "artist", ("24", "24", "24"), ("Elevador Social",), 12, 6, 900),
    Artist("Farol de Cabotagem", 2, "artist", ("35", "35"), ("Baía",), 8, 4, 700),
    Artist("Bonde Manso", 1, "artist", ("70",), ("Última Parada",), 0, 4, 900),
    Artist("Bloco do Acaso", 0, "", (), ("Cinzas de Quarta",), 34, 16, 3000),
)
