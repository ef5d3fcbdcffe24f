"""One payee's earnings, summed exactly in every way their statement shows them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, TypeVar

import pandas as pd

from schemas.payee_statement import EXACT, PartOf, RecordingPart


class PayeeEarning(NamedTuple):
    """The columns of Earnings that a statement rests on."""

    tax_id: str
    role: str
    isrc: str
    upc: str
    release: str
    title: str
    artist: str
    platform: str
    period: str
    currency: str
    units: int
    lines: int
    source_amount: str
    rate: str
    share_ppm: int
    earned: str


_Recording = tuple[str, str, str, str, str]
_Writing = tuple[str, str, str]
_PartKey = tuple[_Recording, str, str, str, int]
_Name = TypeVar("_Name")
_NOTHING = Decimal(0)


@dataclass(slots=True)
class _Part:
    units: int = 0
    lines: int = 0
    source_amount: Decimal = _NOTHING
    earned: Decimal = _NOTHING


class EarningSums:
    """Sums of one payee.

    Attributes:
        total: Of everything, exact.
    """

    def __init__(self, earnings: Iterable[PayeeEarning], territories: Iterable[tuple[str, str]] = ()) -> None:
        """Add everything up.

        Args:
            earnings: The payee's rows of Earnings.
            territories: The payee's rows of TerritoryEarnings: territory and exact part.
        """
        self.total = _NOTHING
        self._platforms: dict[str, Decimal] = {}
        self._territories: dict[str, Decimal] = {}
        self._months: dict[str, Decimal] = {}
        self._of_recording: dict[_Recording, Decimal] = {}
        self._writings: dict[_Recording, Counter[_Writing]] = {}
        self._parts: dict[_PartKey, _Part] = {}
        for one in earnings:
            self._add(one)
        for territory, earned in territories:
            _add_to(self._territories, territory, Decimal(earned))

    def _add(self, one: PayeeEarning) -> None:
        earned = Decimal(one.earned)
        recording = (one.isrc, "", "", "", "") if one.isrc else ("", one.upc, one.release, one.title, one.artist)
        self.total = EXACT.add(self.total, earned)
        _add_to(self._platforms, one.platform, earned)
        _add_to(self._months, one.period, earned)
        _add_to(self._of_recording, recording, earned)
        # Senders write a title in many ways; the recording is the same.
        writing = (one.title or one.release, one.artist, one.upc)
        self._writings.setdefault(recording, Counter())[writing] += one.lines
        part = self._parts.setdefault((recording, one.currency, one.rate, one.role, one.share_ppm), _Part())
        part.units += one.units
        part.lines += one.lines
        part.source_amount = EXACT.add(part.source_amount, Decimal(one.source_amount))
        part.earned = EXACT.add(part.earned, earned)

    def recordings(self) -> tuple[RecordingPart, ...]:
        """Tell the parts, the recording that earned most first, its currencies, rates and roles in order."""
        return tuple(self._told(key) for key in sorted(self._parts, key=self._place))

    def by_platform(self) -> tuple[PartOf, ...]:
        """Tell the platforms, the one that brought most first."""
        return _largest_first(self._platforms)

    def by_territory(self) -> tuple[PartOf, ...]:
        """Tell the territories, the one that brought most first."""
        return _largest_first(self._territories)

    def by_month(self) -> tuple[PartOf, ...]:
        """Tell the months of sales, in order."""
        return tuple(PartOf(name, earned) for name, earned in sorted(self._months.items()))

    def _place(self, key: _PartKey) -> tuple[object, ...]:
        recording, currency, rate, role, share_ppm = key
        most = self._of_recording[recording].copy_negate()
        return (most, self._written(recording), recording, currency, Decimal(rate), role, share_ppm)

    def _told(self, key: _PartKey) -> RecordingPart:
        recording, currency, rate, role, share_ppm = key
        title, artist, upc = self._written(recording)
        part = self._parts[key]
        return RecordingPart(
            recording[0], upc, title, artist, role, part.units, part.lines,
            part.source_amount, currency, Decimal(rate), share_ppm, part.earned,
        )  # fmt: skip

    def _written(self, recording: _Recording) -> _Writing:
        """Choose the writing of most lines, of equals the last in alphabetical order."""
        return max(self._writings[recording].items(), key=lambda one: (one[1], one[0]))[0]


def earnings_by_payee(earnings: pd.DataFrame) -> dict[str, list[PayeeEarning]]:
    """Group the rows of payees in one pass; columns that are not there yet read as "" or 0."""
    own = earnings[earnings["tax_id"] != ""]
    columns = [
        own[name].tolist() if name in own else [0 if name == "units" else ""] * len(own)
        for name in PayeeEarning._fields
    ]
    grouped = dict[str, list[PayeeEarning]]()
    for one in map(PayeeEarning._make, zip(*columns, strict=True)):
        grouped.setdefault(one.tax_id, []).append(one)
    return grouped


def territories_by_payee(territories: pd.DataFrame) -> dict[str, list[tuple[str, str]]]:
    """Group what payees earned by territory: payee -> (territory, exact part in the job's currency)."""
    grouped = dict[str, list[tuple[str, str]]]()
    columns = (territories[name].tolist() for name in ("tax_id", "territory", "earned"))
    for payee, territory, earned in zip(*columns, strict=True):
        grouped.setdefault(payee, []).append((territory, earned))
    return grouped


def _add_to(sums: dict[_Name, Decimal], key: _Name, earned: Decimal) -> None:
    sums[key] = EXACT.add(sums.get(key, _NOTHING), earned)


def _largest_first(sums: dict[str, Decimal]) -> tuple[PartOf, ...]:
    # copy_negate: the minus sign would round to the 28 digits of the standing context.
    in_order = sorted(sums.items(), key=lambda one: (one[1].copy_negate(), one[0]))
    return tuple(PartOf(name, earned) for name, earned in in_order)
