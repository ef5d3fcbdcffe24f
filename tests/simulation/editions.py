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


def net(fee: str) -> Rewriting:
    """Take a fee off every line, rounded as a store does."""
    return each(Valor=lambda row: comma(round(number(row["Valor"]) * (1 - Decimal(fee)), 6)))


def split_over_countries(rows: Sequence[Line]) -> list[Line]:
    """Write each line as two, of two countries and stores' parts of its amount."""
    parts = []
    for row in rows:
        first = round(number(row["Valor"]) * Decimal("0.37"), 7)
        parts += [
            row | {"Território": "CL", "Valor": comma(first)},
            row | {"Território": "UY", "Valor": comma(number(row["Valor"]) - first)},
        ]
    return parts


def with_upc(rows: Sequence[Line]) -> list[Line]:
    """Give each recording the code of a single of its own."""
    codes = {isrc: upc_of(number) for number, isrc in enumerate(sorted({row["ISRC"] for row in rows}), start=1)}
    return [row | {"UPC": codes[row["ISRC"]]} for row in rows]


def upc_of(number: int) -> str:
    """Return a code of thirteen digits with its check digit."""
    digits = f"78912345{number:04}"
    total = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits))
    return digits + str(-total % 10)


def subtotals(*columns: str) -> Rewriting:
    """Add the lines up by some columns and write the sums below, in columns of their own alone."""
    return lambda rows: [
        *rows,
        *(dict.fromkeys(rows[0], "") | total for total in added_up(*columns)(rows)),
    ]


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
# What a store, or whoever pastes, makes of a month beside new lines of that very month.
IN_ANOTHER_SHAPE: Final[dict[str, Rewriting]] = {
    **{f"amounts to {places} places": rounded(places) for places in (2, 3, 4, 6)},
    "split over countries": split_over_countries,
    "net of a fee": net("0.15"),
    "UPC in place of ISRC": each(ISRC=lambda row: ""),
    "added up by recording": added_up("ISRC", "UPC", "Título", "Período"),
    "added up by store": added_up("Plataforma", "Período"),
    "titles corrected, by recording": lambda rows: added_up("ISRC", "Título", "Período")(
        each(Título=lambda row: row["Título"].upper() + " - Remaster")(rows)
    ),
    "codes gone, stores renamed": each(ISRC=lambda row: "", UPC=lambda row: "", Plataforma=lambda row: "Loja"),
    "net, and to two places": lambda rows: rounded(2)(net("0.30")(rows)),
    "units restated, to three places": lambda rows: rounded(3)(
        each(Quantidade=lambda row: str(int(row["Quantidade"]) + 1))(rows)
    ),
}


def _sorted(rows: Sequence[Line]) -> list[Line]:
    return sorted(rows, key=lambda row: (row["ISRC"], row["Valor"]))


# A month that says the same money twice by itself.
TWICE_BY_ITSELF: Final[dict[str, Rewriting]] = {
    "pasted twice and sorted": lambda rows: _sorted([*rows, *rows]),
    "the second copy reversed": lambda rows: [*rows, *reversed(rows)],
    "the second copy a line short": lambda rows: [*rows, *rows[:-1]],
    "the second copy without its first lines": lambda rows: [*rows, *rows[3:]],
    "every line twice": lambda rows: [row for row in rows for _ in (1, 2)],
    "three times": lambda rows: [*rows, *rows, *rows],
    "a part of it again": lambda rows: [*rows, *rows[5:17]],
    "subtotals by recording below": subtotals("ISRC", "Título"),
    "subtotals by store below": subtotals("Plataforma"),
    "subtotals by country below": subtotals("Território", "Período"),
    "titles respelt": lambda rows: [*rows, *each(Título=lambda row: row["Título"].upper() + " (Remaster)")(rows)],
    "titles respelt, without codes": lambda rows: [
        *each(ISRC=lambda row: "")(rows),
        *each(ISRC=lambda row: "", Título=lambda row: row["Título"] + " - ao vivo")(rows),
    ],
    "units restated": lambda rows: [*rows, *each(Quantidade=lambda row: str(int(row["Quantidade"]) + 3))(rows)],
}
