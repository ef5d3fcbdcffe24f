"""What payees earned in each territory: the same lines and shares as their earnings, added up the other way."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd

from flows.steps.exact import EXACT, part_of, plain
from flows.steps.match_shares import IN_QUESTION, ShareOf
from schemas.tables.frames import DataFrame, records
from schemas.tables.obligations import TerritoryEarnings


class TerritorySums:
    """Sums by payee, territory and currency."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str, str], tuple[Decimal, int, Decimal]] = {}

    def add(self, total: Mapping[str, Any], shares: Sequence[ShareOf], rates: Mapping[str, Decimal]) -> None:
        """Add what lines are worth to their payees; lines of which one payee has two shares count once."""
        worth = EXACT.multiply(total["amount"], rates[total["currency"]])
        of_payee = dict[str, int]()
        for share in shares:
            if share is IN_QUESTION:
                continue
            of_payee[share.tax_id] = of_payee.get(share.tax_id, 0) + share.share_ppm
        for tax_id, share_ppm in of_payee.items():
            key = (tax_id, total["territory"], total["currency"])
            self._add(key, total["amount"], int(total["units"]), part_of(worth, share_ppm))

    def add_sums(self, territories: pd.DataFrame) -> None:
        """Add the sums of another source."""
        for one in records(territories):
            key = (one["tax_id"], one["territory"], one["currency"])
            self._add(key, Decimal(one["source_amount"]), one["units"], Decimal(one["earned"]))

    def _add(self, key: tuple[str, str, str], amount: Decimal, units: int, earned: Decimal) -> None:
        known = self._sums.get(key, (Decimal(0), 0, Decimal(0)))
        self._sums[key] = (EXACT.add(known[0], amount), known[1] + units, EXACT.add(known[2], earned))

    def frame(self) -> DataFrame[TerritoryEarnings]:
        """Return the sums in order of payee, territory and currency."""
        return territories_frame(
            [(*key, plain(amount), units, plain(earned)) for key, (amount, units, earned) in sorted(self._sums.items())]
        )


def territories_frame(parts: Iterable[Sequence[object]] = ()) -> DataFrame[TerritoryEarnings]:
    """Return earnings by territory as their table."""
    return DataFrame[TerritoryEarnings](typed_parts(parts, list(TerritoryEarnings.to_schema().columns)))


def typed_parts(parts: Iterable[Sequence[object]] | pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return earnings of either kind as a frame: counts are integers, exact amounts and all else texts."""
    types = {name: "int64" if name in {"lines", "units", "share_ppm"} else "str" for name in columns}
    if isinstance(parts, pd.DataFrame):
        return parts[columns].astype(types)
    by_column = list(zip(*parts, strict=True)) or [()] * len(columns)
    return pd.DataFrame(
        {name: pd.Series(list(values), dtype=types[name]) for name, values in zip(columns, by_column, strict=True)}
    )
