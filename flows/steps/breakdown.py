"""What payments of royalties are made of, for the arrays whose element shape only the job can say.

The interface shows no shape for products, platforms and details, so nothing is sent in them unless the job declares
one. They inform; what is paid stands in the amounts of the payment alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import pandas as pd

from flows.steps.job_identity import ROYALTIES
from schemas.job import Breakdown, Elements
from schemas.money import round_parts
from schemas.plan import Place
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import Obligations
from schemas.wire import amount_from_cents

_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "recording": ("isrc", "upc", "release", "title", "artist"),
    "platform": ("platform",),
    "territory": ("territory",),
}

ARRAYS: Final = ("products", "platforms", "details")
Arrays = Mapping[str, Sequence[Mapping[str, Any]]]


def break_down(
    wanted: Breakdown, obligations: DataFrame[Obligations], earnings: pd.DataFrame, territories: pd.DataFrame
) -> dict[str, Arrays]:
    """Make the arrays of every planned payment of royalties.

    Differences to what was sent before bear none: what a period earned is not what a difference is made of.

    Args:
        wanted: What the job declares.
        obligations: What is owed, after claims and checks.
        earnings: `schemas.tables.obligations.Earnings`.
        territories: `TerritoryEarnings` of the same run.

    Returns:
        Obligation key -> name of the array -> its elements, in order of what they stand for. Amounts are the payee's
        part before advances and carry, rounded to centavos over each array by largest remainder.
    """
    declared = {name: shape for name in ARRAYS if (shape := getattr(wanted, name))}
    if not declared:
        return {}
    planned = obligations[(obligations["kind"] == "royalty") & (obligations["place"] == Place.PLANNED.value)]
    keys = {row["tax_id"]: row["key"] for row in records(planned) if row["reference"] == ROYALTIES}
    found: dict[str, dict[str, list[dict[str, Any]]]] = {key: {} for key in keys.values()}
    for name, shape in declared.items():
        table = territories if shape.by == "territory" else earnings
        for tax_id, parts in _by_payee(table[table["tax_id"].isin(list(keys))]):
            found[keys[tax_id]][name] = list(_elements(parts, shape))
    return {key: arrays for key, arrays in found.items() if arrays}


def _by_payee(table: pd.DataFrame) -> Iterator[tuple[str, list[Record]]]:
    for tax_id, rows in table.groupby("tax_id"):
        yield str(tax_id), records(rows)


def _elements(rows: Sequence[Record], shape: Elements) -> Iterator[dict[str, Any]]:
    """Sum a payee's rows by what an element stands for, and write each as declared."""
    sums: dict[tuple[str, ...], tuple[Fraction, int]] = {}
    names = _KEYS[shape.by]
    for row in rows:
        key = tuple(row[name] for name in names)
        exact, units = sums.get(key, (Fraction(0), 0))
        sums[key] = exact + Fraction(Decimal(row["earned"])) * 100, units + row["units"]
    ordered = sorted(sums)
    cents = round_parts([sums[key][0] for key in ordered])
    for key, part in zip(ordered, cents, strict=True):
        about: dict[str, Any] = dict(zip(names, key, strict=True))
        about |= {"amount": amount_from_cents(part), "units": sums[key][1]}
        yield {field: about[what] for field, what in shape.fields.items()}
