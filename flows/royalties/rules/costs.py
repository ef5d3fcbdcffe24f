"""Costs off the top: what is taken from lines before they are shared out, row after row."""

from typing import NamedTuple

import pandas as pd

from flows.royalties.rules.assets import SCOPE, Place, folded, scope_text
from schemas.deal_sums import DealSum, DealSumKind
from schemas.tables.model import records
from schemas.values.millionths import Millionths, read_millionths


class Cost(NamedTuple):
    """What one row takes.

    Attributes:
        part_ppm: Of what the rows before have left of each line; 0 where an amount is taken, until it is settled.
        tax_id: Whose it is; "" for the owner's.
        amount, cap: Over all periods, "" for none; see `schemas.tables.royalties.Costs`.
        date: Before which nothing is taken (ISO); "" for always.
        row_name: What tells it from other costs: its name, and what it is taken from; whose it is, and its day, may be
            put right without its being taken again.
    """

    name: str
    part_ppm: Millionths
    tax_id: str
    amount: str = ""
    cap: str = ""
    date: str = ""
    row_name: str = ""
    place: Place = ("", "", 0)

    @property
    def rests_on_periods(self) -> bool:
        return bool(self.amount or self.cap)

    @property
    def sum(self) -> DealSum:
        return DealSum(DealSumKind.TAKEN, "", self.row_name)


def costs_in_order(costs: pd.DataFrame) -> list[Cost]:
    """Make objects of a table of costs, in its order."""
    return [
        Cost(
            name=row["name"],
            part_ppm=read_millionths(row["share_ppm"] or "0"),
            tax_id=row["tax_id"],
            amount=row["fixed_amount"],
            cap=row["cap"],
            date=row["date"],
            row_name="|".join((folded(row["name"]), scope_text(*(row[name] for name in SCOPE)))),
            place=(row["file"], row["sheet"], row["row"]),
        )
        for row in records(costs.sort_values(["order", "file", "sheet", "row"]))
    ]
