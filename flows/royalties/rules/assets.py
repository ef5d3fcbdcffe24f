"""What statement lines are about, and how a row of shares or costs names them."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables.royalties import CONDITIONS
from schemas.values.line_conditions import conditions_of

LEVELS: Final = ("isrc", "upc", "release", "artist")
# The cells of a row that say what it is of.
SCOPE: Final = (*LEVELS, *CONDITIONS)
# What a line says of what it is of, and when.
LINE_IS_OF: Final = (*SCOPE, "price", "period")
# File, sheet and row.
Place = tuple[str, str, int]
CATALOGUE: Final = "catalogue"
ALL_LEVELS: Final = (*LEVELS, CATALOGUE)
# What a row may say beside the name it is of, and a line may contradict: codes by codes, texts by texts.
BESIDE: Final[Mapping[str, str]] = {"isrc": "upc", "release": "artist"}


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


def folded_all(texts: Iterable[str]) -> list[str]:
    """Write names as they are compared."""
    known = dict[str, str]()
    return [known[text] if text in known else known.setdefault(text, folded(text)) for text in texts]


def scope_text(isrc: str, upc: str, release: str, artist: str, *conditions: str) -> str:
    """Say what a row is of: the narrowest level that it names, its name there, and what it says beside and asks.

    >>> scope_text("", "", "Ao  Vivo", "Lua", "br|pt", "", "", "")
    'release;ao vivo;lua;territory=br|pt'
    """
    names = dict(zip(LEVELS, (isrc, upc, release, artist), strict=True))
    level = next((level for level, name in names.items() if name), CATALOGUE)
    beside = names.get(BESIDE.get(level, ""), "")
    asked = (condition.text for condition in conditions_of(dict(zip(CONDITIONS, conditions, strict=True))))
    return ";".join((level, folded(names.get(level, "")), folded(beside), *asked))
