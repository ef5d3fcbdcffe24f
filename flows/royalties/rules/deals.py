"""Deals of a job: what decides of lines, and who has which part of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from flows.intake.rules.inputs import in_question
from flows.royalties.rules.assets import ALL_LEVELS, BESIDE, CATALOGUE, LEVELS, LINE_IS_OF, Place, day_of
from flows.royalties.rules.costs import Cost, costs_in_order
from flows.royalties.rules.matching import keys_of, match, rows_to_match
from flows.royalties.rules.share_rows import ShareOf, given_together, missing_role, most_at_once, share_rows
from schemas.parsing.table import empty_of
from schemas.tables.model import DataFrame
from schemas.tables.royalties import CONDITIONS, Costs, Shares
from schemas.values.millionths import WHOLE

# A group whose shares miss the whole by no more than this many millionths was meant to be whole.
HAIR_PPM: Final = 5_000
# What a row says besides a percentage that is of the whole.
_MORE_THAN_PERCENT: Final = ("base", "per_unit", "tier_from", "tier_to", "cap", "reserve_ppm")
_WHOLE_MILLIONTHS: Final = "[0-9]{1,9}"
# What may be the matter with lines whose shares are not known; see `DecidedLines`.
UNMATCHED: Final = "unmatched"
IN_QUESTION: Final = "in question"
AMBIGUOUS: Final = "ambiguous"
SILENT: Final = "silent"
_CLASH: Final = "clash"


@dataclass(frozen=True, slots=True)
class Complaints:
    """What is wrong with groups of rows; what they are of is named for people.

    Attributes:
        overfull: Whose shares sum to more than 100 % -> that sum in percent.
        baseless: Of which a share is taken out of a role that has less, or that nobody has -> that role.
        nearly_whole: Which miss 100 % by a hair -> the sum in percent, and one of the rows.
        clashing: Of which lines meet rows by different conditions, as many each -> those rows.
    """

    overfull: dict[str, str] = field(default_factory=dict)
    baseless: dict[str, str] = field(default_factory=dict)
    nearly_whole: dict[str, tuple[str, Place]] = field(default_factory=dict)
    clashing: dict[str, tuple[Place, ...]] = field(default_factory=dict)


def join_complaints(found: Iterable[Complaints]) -> Complaints:
    """Put complaints together."""
    whole = Complaints()
    for one in found:
        for name in ("overfull", "baseless", "nearly_whole", "clashing"):
            getattr(whole, name).update(getattr(one, name))
    return whole


def lines_of(totals: pd.DataFrame) -> pa.Table:
    """Return what sums of lines are of, for `Deals.decide`."""
    return pa.Table.from_pandas(totals[[*LINE_IS_OF]], preserve_index=False)


class DecidingRows(NamedTuple):
    """Rows of shares that decide of lines together, those that are added, and costs taken before.

    Attributes:
        price: Of a unit of the lines, in the job's currency, perhaps as a product; "" where no row asks.
    """

    group: Sequence[ShareOf]
    added: Sequence[ShareOf]
    costs: Sequence[Cost]
    price: str

    @property
    def stated(self) -> list[ShareOf]:
        """All rows of shares, each as it states itself."""
        return [*self.group, *self.added]

    def given(
        self,
        tiers: Mapping[Place, Fraction] = MappingProxyType({}),
        caps: Mapping[Place, Fraction] = MappingProxyType({}),
    ) -> tuple[ShareOf, ...]:
        """Return what the rows give together; see `share_rows.given_together`."""
        return given_together(self.group, self.added, self.price, tiers, caps)


class Deals:
    """All shares and costs of a job, the rows in question among them.

    Attributes:
        shares, costs: In the order in which parts are told.
        levels: Which each share names.
        is_plain: Which shares are a percentage alone.
        whole_ppm: What these state.
        columns: Of what a line says, all that tells what decides of it.
    """

    def __init__(
        self,
        shares: DataFrame[Shares],
        costs: DataFrame[Costs] | None = None,
        shares_in_question: pd.DataFrame | None = None,
        costs_in_question: pd.DataFrame | None = None,
    ) -> None:
        """Index rows.

        Args:
            shares_in_question, costs_in_question: As `flows.intake.rules.inputs.in_question` tells them; None for none.
        """
        placed = shares.sort_values(["file", "sheet", "row"], ignore_index=True)
        self.shares = placed.assign(place=range(len(placed))).sort_values(["tax_id", "role", "row"], ignore_index=True)
        taken = empty_of(Costs) if costs is None else costs
        self.costs = costs_in_order(taken)
        held = (in_question(()) if rows is None else rows for rows in (shares_in_question, costs_in_question))
        self._rows = rows_to_match(self.shares, taken.sort_values(["order", "file", "sheet", "row"]), *held)
        self.columns = self._columns_that_tell()
        self.levels = [ALL_LEVELS[level] for level in self._rows["level"][: len(self.shares)].to_pylist()]
        is_plain = (self.shares[[*_MORE_THAN_PERCENT]] == "").all(axis=1)
        is_plain &= self.shares["share_ppm"].str.fullmatch(_WHOLE_MILLIONTHS)
        self.is_plain = is_plain.to_numpy(dtype=bool)
        self.whole_ppm = self.shares["share_ppm"].where(is_plain, "0").astype("int64").to_numpy()

    def _columns_that_tell(self) -> tuple[str, ...]:
        rows = self._rows
        levels = [LEVELS[level] for level in pc.unique(rows["level"]).to_pylist() if level < len(LEVELS)]
        is_beside = rows.filter(pc.not_equal(rows["beside"], ""))
        asked = {*levels, *(BESIDE[LEVELS[level]] for level in pc.unique(is_beside["level"]).to_pylist())}
        asked |= {name for name in CONDITIONS if pc.any(pc.not_equal(rows[name], "")).as_py()}
        if pc.any(rows["has_price"]).as_py():
            asked.add("price")
        if any(pc.any(pc.not_equal(rows[name], "")).as_py() for name in ("valid_from", "valid_to")):
            asked.add("period")
        return tuple(name for name in LINE_IS_OF if name in asked)

    def decide(self, lines: pa.Table, first_day: str) -> "DecidedLines":
        """Tell what decides of lines.

        Args:
            lines: What they are of, `LINE_IS_OF`; prices in the job's currency.
            first_day: Of the job's period (ISO), for lines that do not say their own.
        """
        numbers, firsts = _numbered(lines, self.columns)
        named = lines.select(LINE_IS_OF).take(firsts)
        found = match(keys_of(named, first_day), self._rows)
        of_keys = np.empty(len(firsts), dtype=np.int64)
        of_found, keys = _listed(found["keys"])
        of_keys[keys] = of_found
        return DecidedLines(self, found, of_keys[numbers], named, first_day)


def _numbered(table: pa.Table, names: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number what some columns say together; returns each row's number, and the first row of each number."""
    numbers, firsts = np.zeros(len(table), np.int64), np.zeros(min(1, len(table)), np.int64)
    for name in names:
        coded = pc.dictionary_encode(table[name].combine_chunks())
        numbers = numbers * max(1, len(coded.dictionary)) + coded.indices.to_numpy()
        _, firsts, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    return numbers, firsts


def _listed(lists: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all that is in lists, and of each the number of its list before it."""
    counts = pc.list_value_length(lists).to_numpy()
    return np.repeat(np.arange(len(lists)), counts), pc.list_flatten(lists).to_numpy().astype(np.int64)


class DecidedLines:
    """What decides of lines.

    Attributes:
        of_lines: The number of what decides of each line.
        statuses: Of each number "" where it is known who has the lines; "unmatched" where no share covers them, "in
            question" where one that does cannot be read, contradicts others or takes what a role has not, "ambiguous"
            and "silent" where lines do not say enough to tell.
        is_plain: Which are percentages alone, without costs.
        groups, rows: Number and row of each share that decides, those of one number together.
        stated_ppm: What each of these states, if it is a percentage alone.
        left_ppm: What these leave of each number.
        others: Number -> what decides, where it is more than percentages, or wrong.
        complaints: What is wrong.
    """

    def __init__(
        self, deals: Deals, found: pa.Table, of_lines: npt.NDArray[np.int64], named: pa.Table, first_day: str
    ) -> None:
        """Look at all that decides.

        Args:
            found: As `matching.match` tells it.
            named: What its keys are of, as lines say it.
        """
        self.of_lines, self._deals, self._named, self._first_day = of_lines, deals, named, first_day
        self._found = found
        self.statuses: list[str] = found["status"].to_pylist()
        self._listed = {name: _listed(found[name]) for name in ("shares", "added", "costs", "wider")}
        self.groups, self.rows = self._listed["shares"]
        is_known = pc.equal(found["status"], "").to_numpy()
        self.is_plain = is_known.copy()
        for of in (self._listed["added"][0], self._listed["costs"][0], self.groups[~deals.is_plain[self.rows]]):
            self.is_plain[of] = False
        self.left_ppm = np.full(len(found), WHOLE, dtype=np.int64)
        self.stated_ppm = deals.whole_ppm[self.rows]
        np.subtract.at(self.left_ppm, self.groups, self.stated_ppm)
        is_odd = self.is_plain & (self.left_ppm != 0) & (self.left_ppm <= HAIR_PPM)
        is_clash = pc.equal(found["status"], _CLASH).to_numpy()
        looked_at = np.flatnonzero(is_odd | is_clash | (is_known & ~self.is_plain))
        told = found.take(looked_at).to_pylist()
        numbers = sorted({row for of in told for row in (*of["shares"], *of["added"])})
        rows = dict(zip(numbers, share_rows(deals.shares.iloc[numbers]), strict=True))
        self.others = dict[int, DecidingRows]()
        self.complaints = Complaints()
        for number, of in zip(looked_at.tolist(), told, strict=True):
            group, added = ([rows[row] for row in of[name]] for name in ("shares", "added"))
            self.others[number] = DecidingRows(group, added, [deals.costs[cost] for cost in of["costs"]], of["price"])
            self._judge(number, deals.levels[of["shares"][0]], of["keys"])

    def _judge(self, number: int, level: str, keys: Sequence[int]) -> None:
        """Note what is wrong with rows that decide together."""
        decision, found = self.others[number], self.complaints
        names = [level if level == CATALOGUE else f"{level} {self._named[level][key].as_py()}" for key in keys]
        periods = (self._named["period"][key].as_py() for key in keys)
        days = [f"{name} ({day_of(of, self._first_day)})" for name, of in zip(names, periods, strict=True)]
        if self.statuses[number] == _CLASH:
            self.statuses[number] = IN_QUESTION
            found.clashing.update(dict.fromkeys(names, tuple(share.place for share in decision.group)))
        elif (role := missing_role(decision.group, decision.added)) is not None:
            self.statuses[number] = IN_QUESTION
            found.baseless.update(dict.fromkeys(days, role))
        else:
            total_ppm = most_at_once(decision.given())
            percent = format(Decimal(round(total_ppm)).scaleb(-4), "f")
            if total_ppm > WHOLE:
                found.overfull.update(dict.fromkeys(days, percent))
            elif 0 < WHOLE - total_ppm <= HAIR_PPM:
                found.nearly_whole.update(dict.fromkeys(names, (percent, decision.group[0].place)))

    @property
    def shares(self) -> pd.DataFrame:
        """All rows of shares, as `rows` counts them."""
        return self._deals.shares

    def are(self, status: str) -> npt.NDArray[np.bool_]:
        """Tell which lines have a status."""
        return np.array([of == status for of in self.statuses], dtype=bool)[self.of_lines]

    def rows_of_lines(self) -> list[object]:
        """Return of each line something that is the same where it has the same shares for the same reasons."""
        shares, added = (self._found[name].to_pylist() for name in ("shares", "added"))
        known = list(zip(self.statuses, shares, added, strict=True))
        return [known[number] for number in self.of_lines.tolist()]

    @property
    def shut_out(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Number and row of shares in wider groups whose payees get nothing, since a narrower group decides."""
        payees = pd.factorize(self._deals.shares["tax_id"])[0].astype(np.int64)
        named = {name: self._listed[name] for name in ("shares", "added", "wider")}
        whose = {name: numbers * len(payees) + payees[rows] for name, (numbers, rows) in named.items()}
        numbers, rows = named["wider"]
        lost = ~np.isin(whose["wider"], np.concatenate([whose["shares"], whose["added"]]))
        return numbers[lost], rows[lost]
