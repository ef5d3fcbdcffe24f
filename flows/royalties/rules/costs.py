"""Costs off the top: what is taken from lines before they are shared out, row after row."""

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

import pandas as pd

from flows.royalties.rules.assets import LEVELS, Asset, Place, RowScope, folded, name_at
from schemas.deal_sums import DealSum, DealSumKind
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.royalties import CONDITIONS, UNREAD_UPC, Costs
from schemas.values.line_conditions import conditions_of
from schemas.values.millionths import Millionths, read_millionths

# Why it cannot be known what is taken from a line: a row that cannot be read, or a line that says too little.
Unknown = Literal["in question", "ambiguous", "silent"]


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


class CostBook:
    """All costs of a job, in their order: by number, then as the table has them.

    Attributes:
        columns: Of what a line says, all that tells what is taken from it.
    """

    def __init__(
        self,
        costs: DataFrame[Costs] | None = None,
        in_question: pd.DataFrame | None = None,
        settled: Mapping[Place, Millionths] = MappingProxyType({}),
    ) -> None:
        """Index costs; None for none.

        Args:
            settled: Where a cost stands -> its part in this period, of those that have another than the table says.
        """
        rows = records(costs.sort_values(["order", "file", "sheet", "row"])) if costs is not None else []
        self._rows = [(_scope_of(row), _cost_of(row, settled)) for row in rows]
        self._in_question = [
            RowScope.of(row[level] for level in LEVELS)
            for row in (records(in_question) if in_question is not None else ())
        ]
        self._known: dict[Asset, tuple[Cost, ...] | Unknown] = {}
        scopes = (*(scope for scope, _ in self._rows), *self._in_question)
        self.columns = frozenset(chain.from_iterable(scope.columns for scope in scopes))

    @property
    def takes_nothing(self) -> bool:
        return not self._rows and not self._in_question

    @property
    def in_order(self) -> list[Cost]:
        return [cost for _, cost in self._rows]

    @property
    def rests_on_periods(self) -> bool:
        """Whether what any cost takes rests on all lines of a period, and on other periods."""
        return any(cost.rests_on_periods or cost.date for _, cost in self._rows)

    def of(self, asset: Asset) -> tuple[Cost, ...] | Unknown:
        """Return what is taken from a line, in order."""
        if self.takes_nothing:
            return ()
        known = self._known.get(asset)
        if known is None:
            known = self._known[asset] = self._find(asset)
        return known

    def _find(self, asset: Asset) -> tuple[Cost, ...] | Unknown:
        if any(_is_of(scope, asset) for scope in self._in_question):
            return "in question"
        found = list[Cost]()
        for scope, cost in self._rows:
            if scope.level == "upc" and asset.upc == UNREAD_UPC:
                return "ambiguous"  # it may be this line's
            if not _is_of(scope, asset):
                continue
            if scope.is_unanswered(asset):
                return "silent"
            if scope.is_met(asset):
                found.append(cost)
        return tuple(found)


NO_COSTS: Final = CostBook()


def _is_of(scope: RowScope, asset: Asset) -> bool:
    return name_at(asset, scope.level) == scope.name and scope.agrees(asset)


def _scope_of(row: Record) -> RowScope:
    return RowScope.of((row[level] for level in LEVELS), conditions_of({name: row[name] for name in CONDITIONS}))


def _cost_of(row: Record, settled: Mapping[Place, Millionths]) -> Cost:
    place, part = (row["file"], row["sheet"], row["row"]), read_millionths(row["share_ppm"] or "0")
    named = "|".join((folded(row["name"]), _scope_of(row).text))
    terms = row["fixed_amount"], row["cap"], row["date"]
    return Cost(row["name"], settled.get(place, part), row["tax_id"], *terms, named, place)
