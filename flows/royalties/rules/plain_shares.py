"""Groups of percentages alone, met and parted by the column: of one name each, whatever day, and of all of its lines.

`share_book` comes to the same of them, group by group, and to what has conditions, days, costs, tiers, caps, money a
unit or parts of roles besides.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from flows.royalties.rules.assets import BESIDE, LEVELS, folded
from schemas.tables.royalties import CONDITIONS
from schemas.values.millionths import WHOLE

# What the parts of nobody's that come of shares are called.
OWNER_ROLE: Final = "owner"
UNMATCHED_ROLE: Final = "unmatched"
# What stands for the number of a line's group.
OF_NOBODY: Final = -1
NOT_PLAIN: Final = -2  # another group
ADDED_TO: Final = -3  # another group, rows of which are besides whatever group a line has
# What else a row says, if anything.
_TERMS: Final = (
    "valid_from",
    "valid_to",
    "base",
    "per_unit",
    "tier_from",
    "tier_to",
    "cap",
    "reserve_ppm",
    *CONDITIONS,
)
_WHOLE_MILLIONTHS: Final = "[0-9]{1,9}"
CATALOGUE: Final = "catalogue"


def scopes_of(shares: pd.DataFrame) -> tuple[list[tuple[str, str]], npt.NDArray[np.bool_]]:
    """Return of each row the narrowest level that it names, and its name there; and which say a percentage alone."""
    texts = {level: shares[level].tolist() for level in LEVELS}
    levels, names = np.full(len(shares), CATALOGUE, dtype=object), np.full(len(shares), "", dtype=object)
    is_alone = ~(shares[[*_TERMS]] != "").any(axis=1).to_numpy(dtype=bool)
    is_alone &= shares["share_ppm"].str.fullmatch(_WHOLE_MILLIONTHS).to_numpy(dtype=bool)
    for level in reversed(LEVELS):
        named = np.array([text != "" for text in texts[level]], dtype=bool)
        levels[named] = level
        names[named] = [folded(text) for text in texts[level] if text]
    for level, beside in BESIDE.items():
        is_alone &= (levels != level) | np.array([not text for text in texts[beside]], dtype=bool)
    return list(zip(levels.tolist(), names.tolist(), strict=True)), is_alone


class PlainParts(NamedTuple):
    """The parts of all groups, one group after the other, and at last of what is nobody's.

    Attributes:
        firsts: Where the parts of each group begin; one more at the end.
    """

    tax_ids: npt.NDArray[np.object_]
    roles: npt.NDArray[np.object_]
    shares_ppm: npt.NDArray[np.int64]
    contracts: npt.NDArray[np.object_]
    firsts: npt.NDArray[np.int64]


class PlainShares:
    """The groups of a job's shares that are percentages alone.

    Attributes:
        rows: All of them, one group after the other.
        names: Level -> name of a group there -> its number.
        totals_ppm: Of each group.
        levels: At which each group's name is.
    """

    def __init__(self, shares: pd.DataFrame, scopes: Sequence[tuple[str, str]]) -> None:
        """Group rows, in their order.

        Args:
            scopes: Level and name of each row.
        """
        numbers = dict[tuple[str, str], int]()
        of_rows = np.array([numbers.setdefault(scope, len(numbers)) for scope in scopes], dtype=np.int64)
        order = np.argsort(of_rows, kind="stable")
        self.rows = shares.iloc[order]
        self._groups = of_rows[order]
        self._bounds = np.searchsorted(self._groups, np.arange(len(numbers) + 1))
        self.names = {level: dict[str, int]() for level in (*LEVELS, CATALOGUE)}
        for (level, name), number in numbers.items():
            self.names[level][name] = number
        self._ppm = self.rows["share_ppm"].astype("int64").to_numpy()
        self.totals_ppm = np.zeros(len(numbers), dtype=np.int64)
        np.add.at(self.totals_ppm, self._groups, self._ppm)
        self.levels = [level for level, _ in numbers]

    def rows_of(self, number: int) -> slice:
        """Return where in `rows` those of a group are."""
        return slice(*self._bounds[number : number + 2].tolist())

    @cached_property
    def parts(self) -> PlainParts:
        """All parts of each group: its shares, and what they leave to the owner; all of what is nobody's."""
        count, given = len(self.totals_ppm), self._ppm != 0
        left_ppm = WHOLE - self.totals_ppm
        rest = np.append(np.flatnonzero(left_ppm), count)
        groups = np.concatenate([self._groups[given], rest])
        nothing = [""] * len(rest)
        of_rest = [*[OWNER_ROLE] * (len(rest) - 1), UNMATCHED_ROLE]
        roles = [*self.rows["role"].to_numpy(dtype=object)[given], *of_rest]
        return _in_order(
            groups,
            [*self.rows["tax_id"].to_numpy(dtype=object)[given], *nothing],
            roles,
            np.concatenate([self._ppm[given], left_ppm[rest[:-1]], [WHOLE]]),
            [*self.rows["contract"].to_numpy(dtype=object)[given], *nothing],
            count + 1,
        )

    @cached_property
    def parts_of_payees(self) -> PlainParts:
        """What each payee has of each group, in one; nothing of what is nobody's."""
        given = self._ppm != 0
        frame = pd.DataFrame({"group": self._groups[given], "tax_id": self.rows["tax_id"].to_numpy()[given]})
        sums = frame.assign(ppm=self._ppm[given]).groupby(["group", "tax_id"], sort=False)["ppm"].sum()
        groups, tax_ids = (sums.index.get_level_values(name).to_numpy() for name in ("group", "tax_id"))
        nothing = [""] * len(sums)
        return _in_order(groups, [*tax_ids], nothing, sums.to_numpy(), nothing, len(self.totals_ppm) + 1)


def _in_order(
    groups: npt.NDArray[np.int64],
    tax_ids: Sequence[str],
    roles: Sequence[str],
    shares_ppm: npt.NDArray[np.int64],
    contracts: Sequence[str],
    count: int,
) -> PlainParts:
    order = np.argsort(groups, kind="stable")
    firsts = np.searchsorted(groups[order], np.arange(count + 1))
    texts = (np.array(values, dtype=object)[order] for values in (tax_ids, roles, contracts))
    of_tax, of_role, of_contract = texts
    return PlainParts(of_tax, of_role, shares_ppm[order].astype(np.int64), of_contract, firsts)
