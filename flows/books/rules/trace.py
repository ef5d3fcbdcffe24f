"""Splitting one payee's royalties back into lines, and forward to what is payable.

The order is that of the computing: lines -> sum in their currency -> exchange -> share -> exact part; the sum of parts
-> rounded -> advances, carry-over, minimum -> payable. Everything is multiplied out again and held against the record.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Final

import pandas as pd

from flows.intake.rules.inputs import EXACT
from schemas.job import Exchange
from schemas.obligation import Obligation, sum_cents
from schemas.returns import payment_of
from schemas.tables.model import Record, records
from schemas.tables.royalties import TOGETHER, TOLD_APART
from schemas.trace import FileState, LinesFound, PayableWay, RoyaltyPart, ShareTaken, TracedWay, TraceProblem
from schemas.values.millionths import EARNED_DECIMALS, WHOLE, part_of, plain, read_millionths
from schemas.values.money import SignedSums

# What lines must agree in to be summed before they are shared out.
PART_KEY: Final = (
    *("isrc", "upc", "release", "title", "artist", "platform"),
    *("territory", "income", "format", "price", "period", "currency"),
)  # fmt: skip
MOST_RANGES: Final = 8
_Key = tuple[str, ...]


def royalty_parts(earnings: pd.DataFrame) -> tuple[RoyaltyPart, ...]:
    """Take a payee's earnings apart, the part that earned most first.

    The shares of each sum of lines, the owner's remainder and lines of nobody among them, stand together and make a
    whole: so two sums that look alike, of two sources, are told apart, and two shares of one sum are not two sums.

    Args:
        earnings: The payee's `schemas.tables.royalties.Earnings`.
    """
    parts: dict[tuple[_Key, Decimal], RoyaltyPart] = {}
    for _, rows in groupby(records(earnings), key=itemgetter("sum_number")):
        part = _part_of(list(rows))
        known = parts.get((_key_of(part), part.rate))
        parts[_key_of(part), part.rate] = _joined(known, part) if known else part
    return tuple(sorted(parts.values(), key=lambda part: (earned_of(part).copy_negate(), _key_of(part))))


def _part_of(rows: Sequence[Record]) -> RoyaltyPart:
    """Tell one sum of lines; `rows` are the payee's shares of it."""
    shares: dict[tuple[str, str, str, str], ShareTaken] = {}
    for row in rows:
        about = row["role"], row["costs"], row["per_unit"], row["terms"]
        known = shares.get(about, ShareTaken(row["role"], 0, Decimal(0), row["costs"], row["per_unit"], row["terms"]))
        share_ppm = plain(known.share_ppm + read_millionths(row["share_ppm"]))
        shares[about] = replace(known, share_ppm=share_ppm, earned=EXACT.add(known.earned, row["earned"]))
    first = rows[0]
    return RoyaltyPart(
        **{name: first[name] for name in PART_KEY},
        lines=first["lines"],
        units=first["units"],
        source_amount=first["source_amount"],
        rate=Decimal(first["rate"]),
        shares=tuple(shares.values()),
    )


def _joined(part: RoyaltyPart, other: RoyaltyPart) -> RoyaltyPart:
    """Put sums of two sources together that agree in everything, the rate too, and so in their shares."""
    more = {share.about: share.earned for share in other.shares}
    return replace(
        part,
        lines=part.lines + other.lines,
        units=part.units + other.units,
        source_amount=EXACT.add(part.source_amount, other.source_amount),
        shares=tuple(replace(share, earned=EXACT.add(share.earned, more[share.about])) for share in part.shares),
    )


def _key_of(part: RoyaltyPart) -> _Key:
    return tuple(getattr(part, name) for name in PART_KEY)


def earned_of(part: RoyaltyPart) -> Decimal:
    """Sum what a payee has of a part, exact."""
    return exact_sum(share.earned for share in part.shares)


def exact_sum(amounts: Iterable[Decimal]) -> Decimal:
    """Add exact decimals up."""
    total = Decimal(0)
    for amount in amounts:
        total = EXACT.add(total, amount)
    return total


@dataclass(slots=True)
class _Tally:
    ranges: list[tuple[int, int]]
    last_row: int
    lines: int
    amount: Decimal

    def add(self, row: int, amount: Decimal, most_ranges: int | None) -> None:
        if self.ranges and self.ranges[-1][1] == self.last_row == row - 1:
            self.ranges[-1] = (self.ranges[-1][0], row)
        elif most_ranges is None or len(self.ranges) < most_ranges:
            self.ranges.append((row, row))
        self.last_row = row
        self.lines += 1
        self.amount = EXACT.add(self.amount, amount)


class LineFinder:
    """Finds the lines of some parts among those of a table, block by block; memory grows with parts, not with lines.

    Args:
        most_ranges: How many ranges of rows are kept of each part and sheet; None for all.
    """

    def __init__(self, parts: Sequence[RoyaltyPart], most_ranges: int | None = MOST_RANGES) -> None:
        self._most_ranges = most_ranges
        self._wanted = pd.DataFrame([_key_of(part) for part in parts], columns=list(PART_KEY), dtype="str")
        self._wanted = self._wanted.drop_duplicates()
        self._together = [name for name in TOLD_APART if (self._wanted[name] == TOGETHER).any()]
        self._tallies: dict[tuple[_Key, str, str], _Tally] = {}

    def add(self, lines: pd.DataFrame) -> None:
        """Look through the next block of `schemas.tables.royalties.RoyaltyLines`."""
        columns = ["file", "sheet", "row", "amount", *PART_KEY]
        lines = lines.assign(**dict.fromkeys(self._together, TOGETHER))
        found = lines[columns].merge(self._wanted, on=list(PART_KEY))[columns].sort_values("row")
        for file, sheet, row, amount, *key in found.itertuples(index=False, name=None):
            self._tallies.setdefault((tuple(key), file, sheet), _Tally([], 0, 0, Decimal(0))).add(
                row, amount, self._most_ranges
            )

    def found(self) -> list[tuple[_Key, LinesFound]]:
        """Return what was found, by part and sheet."""
        return [
            (key, LinesFound(file, sheet, tuple(tally.ranges), tally.lines, tally.amount))
            for (key, file, sheet), tally in self._tallies.items()
        ]


@dataclass(frozen=True, slots=True)
class SourceLines:
    """What was found in the files of one source, and what the job says its currencies are worth now."""

    exchange: Mapping[str, Exchange]
    currency: str
    found: Sequence[tuple[_Key, LinesFound]]

    def rate(self, currency: str) -> Decimal | None:
        """Return the rate of a currency; None when the job no longer has one."""
        quote = self.exchange.get(currency)
        return quote.rate if quote else Decimal(1) if currency == self.currency else None


def with_recorded(parts: Sequence[RoyaltyPart], sums: pd.DataFrame) -> tuple[RoyaltyPart, ...]:
    """Tell of each part between which rows its lines are, as its run has kept it.

    Args:
        sums: `schemas.tables.royalties.PlatformTotals` with the rate of each.
    """
    of_key = defaultdict[tuple[_Key, Decimal], list[LinesFound]](list)
    for row in records(sums):
        where, key = ((row["first_row"], row["last_row"]),), tuple(row[name] for name in PART_KEY)
        found = LinesFound(row["file"], row["sheet"], where, row["lines"], row["amount"])
        of_key[key, Decimal(row["rate"])].append(found)
    return tuple(replace(part, recorded=tuple(of_key[_key_of(part), part.rate])) for part in parts)


def with_lines(parts: Sequence[RoyaltyPart], sources: Sequence[SourceLines]) -> tuple[RoyaltyPart, ...]:
    """Tell of each part where its lines are, and whose rate it was exchanged at.

    Lines that belong to one of two parts, alike but for their rates, are those of the source that has the rate.
    """
    alike = SignedSums.counted(map(_key_of, parts))
    of_key = defaultdict[_Key, list[tuple[SourceLines, LinesFound]]](list)
    for source in sources:
        for key, lines in source.found:
            of_key[key].append((source, lines))
    rated = []
    for part in parts:
        only = alike[_key_of(part)] == 1
        found = [lines for source, lines in of_key[_key_of(part)] if only or source.rate(part.currency) == part.rate]
        rated.append(_quoted(replace(part, found=tuple(found)), sources))
    return tuple(rated)


def _quoted(part: RoyaltyPart, sources: Sequence[SourceLines]) -> RoyaltyPart:
    quotes = (source.exchange.get(part.currency) for source in sources)
    quote = next((quoted for quoted in quotes if quoted is not None and quoted.rate == part.rate), None)
    return replace(part, rate_day=quote.date, rate_origin=quote.source) if quote else part


def way_of(balance: Record, parts: Sequence[RoyaltyPart], payable: PayableWay | None, carried_from: str) -> TracedWay:
    """Tell the way from exact parts to what is payable.

    Args:
        balance: A row of `schemas.tables.royalties.PayeeBalances`.
        payable: Terms and figures, as the run had them.
        carried_from: The period before, where one was posted.
    """
    return TracedWay(
        earned_exact=exact_sum(map(earned_of, parts)),
        earned_cents=balance["earned_cents"],
        recouped_cents=balance["recouped_cents"],
        carried_in_cents=balance["carried_in_cents"],
        carried_out_cents=balance["carried_out_cents"],
        held_cents=balance["held_cents"],
        payable_cents=balance["payable_cents"],
        carried_from=carried_from if balance["carried_in_cents"] else "",
        payable=payable,
    )


def came_in_cents(obligations: Iterable[Obligation], balance: Record | None) -> int:
    """Count what came in for a payee, apart from where it went: payments rows, the owner's part, earned, carried in.

    And what came back of payments of other periods; of this one's it has come in already.
    """
    own = list(obligations)
    keys = {owed.key for owed in own}
    others = sum_cents(
        owed
        for owed in own
        if owed.kind in {"payment", "owner"} or (owed.kind == "returned" and payment_of(owed.key) not in keys)
    )
    return int(others + (balance["earned_cents"] + balance["carried_in_cents"] if balance else 0))


def problems_of(
    parts: Sequence[RoyaltyPart],
    way: TracedWay | None,
    files: Mapping[str, FileState] | None,
    *,
    in_cents: int,
    placed_cents: int,
) -> tuple[TraceProblem, ...]:
    """Hold everything against everything.

    Args:
        parts: All of the payee's, with the lines that were found.
        files: How the run's files stand; None when no statement was read again.
    """
    found = set[TraceProblem]()
    if not all(_is_share_of(part, share) for part in parts for share in part.shares):
        found.add(TraceProblem.PART)
    if not all(_is_recorded(part) for part in parts if part.recorded):
        found.add(TraceProblem.LINES)
    if files is not None:
        complete = all(standing.is_read for standing in files.values())
        if not all(_lines_fit(part, complete=complete) for part in parts):
            found.add(TraceProblem.LINES)
    if way is not None and abs(Fraction(way.earned_exact) * 100 - way.earned_cents) >= 1:
        found.add(TraceProblem.EARNED)
    if in_cents != placed_cents:
        found.add(TraceProblem.PLACES)
    return tuple(problem for problem in TraceProblem if problem in found)


def _is_share_of(part: RoyaltyPart, share: ShareTaken) -> bool:
    """Whether a share multiplied out again is what was kept; of thirds each kept sum is off by its last decimal."""
    if share.per_unit:
        of_units = part_of(Decimal(part.units), plain(Fraction(share.per_unit) * WHOLE))
        return abs(EXACT.subtract(of_units, share.earned)) <= Decimal(part.lines).scaleb(-EARNED_DECIMALS)
    again = part_of(EXACT.multiply(part.source_amount, part.rate), share.of_whole)
    if share.of_whole.denominator == 1:
        return again == share.earned
    return abs(EXACT.subtract(again, share.earned)) <= Decimal(part.lines).scaleb(-EARNED_DECIMALS)


def _is_recorded(part: RoyaltyPart) -> bool:
    """Whether the rows that a run has kept of a part make it up."""
    lines = sum(kept.lines for kept in part.recorded)
    return lines == part.lines and exact_sum(kept.amount for kept in part.recorded) == part.source_amount


def _lines_fit(part: RoyaltyPart, *, complete: bool) -> bool:
    """Whether lines make up a part; with files missing, whether they are not more than it has."""
    if part.lines_found < part.lines:
        return not complete
    return part.lines_found == part.lines and exact_sum(lines.amount for lines in part.found) == part.source_amount
