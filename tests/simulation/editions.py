"""Ways a store writes a statement of the same money again, and months of lines to write."""

import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

Line = dict[str, str]
Rewriting = Callable[[Sequence[Line]], list[Line]]

STORES: Final = ("Onda", "Brisa", "Maré")
WRITTEN_OUT: Final = {"BR": "Brasil", "US": "Estados Unidos", "PT": "Portugal", "AR": "Argentina"}
COLUMNS: Final = (
    "Período", "Plataforma", "Território", "ISRC", "UPC", "Título", "Artista", "Quantidade", "Valor", "Moeda",
)  # fmt: skip


def month_of(month: int, count: int = 40, seed: int | None = None, currency: str = "BRL") -> list[Line]:
    """Lines of a month as a store writes them: long amounts, a few recordings, several stores and countries."""
    drawn = random.Random(seed if seed is not None else month)
    return [
        {
            "Período": f"2026-{month:02}",
            "Plataforma": drawn.choice(STORES),
            "Território": drawn.choice(tuple(WRITTEN_OUT)),
            "ISRC": f"BRAUR26{number % 8:05}",
            "Título": f"Faixa {number % 8}",
            "Artista": "Banda",
            "Quantidade": str(drawn.randint(100, 99_999)),
            "Valor": comma(Decimal(drawn.randint(10**6, 10**9)).scaleb(-7)),
            "Moeda": currency,
        }
        for number in range(count)
    ]


def comma(amount: Decimal) -> str:
    """Write an amount as Brazilians do."""
    return f"{amount:f}".replace(".", ",")


def number(text: str) -> Decimal:
    """Read an amount as Brazilians write it."""
    return Decimal(text.replace(",", "."))


def cents(rows: Sequence[Line]) -> Decimal:
    """What lines come to, in centavos and parts of them."""
    return sum((number(row["Valor"]) for row in rows), Decimal(0)) * 100


def each(**changes: Callable[[Line], str]) -> Rewriting:
    """Write columns otherwise, each by a function of the row; what a column is not there for stays so."""
    return lambda rows: [
        row | {name: change(row) for name, change in changes.items() if name in row or name == "UPC"} for row in rows
    ]


def without(*columns: str) -> Rewriting:
    """Leave columns out."""
    return lambda rows: [{name: value for name, value in row.items() if name not in columns} for row in rows]


def rounded(places: int) -> Rewriting:
    """Round every amount."""
    return each(Valor=lambda row: comma(round(number(row["Valor"]), places)))


def added_up(*columns: str) -> Rewriting:
    """Add lines up by some columns."""

    def summary(rows: Sequence[Line]) -> list[Line]:
        sums: dict[tuple[tuple[str, str], ...], Decimal] = {}
        for row in rows:
            key = tuple((name, row[name]) for name in columns if name in row)
            sums[key] = sums.get(key, Decimal(0)) + number(row["Valor"])
        return [dict(key) | {"Valor": comma(amount), "Moeda": rows[0]["Moeda"]} for key, amount in sums.items()]

    return summary


OTHERWISE: Final[dict[str, Rewriting]] = {
    "titles corrected": each(Título=lambda row: row["Título"] + " (ao vivo)"),
    "artist corrected": each(Artista=lambda row: "A Banda"),
    "store renamed": each(Plataforma=lambda row: row["Plataforma"] + " Música Ltda."),
    "countries written out": each(Território=lambda row: WRITTEN_OUT.get(row["Território"], row["Território"])),
    "units restated": each(Quantidade=lambda row: str(int(row["Quantidade"]) + 7)),
    "amounts to four places": rounded(4),
    "amounts to two places": rounded(2),
    "months as dates": each(Período=lambda row: row["Período"][:7] + "-01"),
    "a column added": each(UPC=lambda row: "7891234567895"),
    "without months": without("Período"),
    "without codes": without("ISRC"),
    "without countries, stores and units": without("Território", "Plataforma", "Quantidade"),
    "titles and stores at once": each(Título=lambda row: "Nova", Plataforma=lambda row: "Loja"),
    "without codes, and titles corrected": each(ISRC=lambda row: "", Título=lambda row: row["Título"] + "!"),
}
ADDED_UP: Final[dict[str, Rewriting]] = {
    "by recording": added_up("ISRC", "Título"),
    "by recording and month": added_up("ISRC", "Título", "Período"),
    "by country": added_up("Território", "Período"),
    "by store, rounded": lambda rows: rounded(2)(added_up("Plataforma", "Período")(rows)),
    "as one sum": added_up("Período"),
}
