"""From royalty lines and shares to earnings: exact, in any order, with one rounding at the very end."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import pandas as pd

from flows.intake.rules.sum_lines import EXACT, part_of, plain, sum_up
from schemas.errors import UnsoundPlan
from schemas.messages import Message
from schemas.tables.contract import DataFrame, records
from schemas.tables.line_sums import LineTotals
from schemas.tables.obligations import Earnings, TerritoryEarnings
from schemas.tables.shares import Shares
from schemas.values.money import round_parts

LEVELS: Final = ("isrc", "upc", "release", "artist")
WHOLE: Final = 1_000_000


class Asset(NamedTuple):
    """What a line is about; "" where the statement does not say."""

    isrc: str
    upc: str
    release: str
    artist: str


class ShareOf(NamedTuple):
    """One payee's part of what a share row names.

    Attributes:
        tax_id: The payee.
        role: Composer, producer, ... as the sheet says.
        share_ppm: Part in millionths.
        valid_from: First day (ISO); "" is always.
        valid_to: Last day (ISO); "" is for ever.
    """

    tax_id: str
    role: str
    share_ppm: int
    valid_from: str
    valid_to: str

    def holds_on(self, day: str) -> bool:
        """Whether the share is valid on a day; ISO dates compare as texts."""
        return (not self.valid_from or self.valid_from <= day) and (not self.valid_to or day <= self.valid_to)


# Stands for a share that cannot be read: whatever it is of is held.
IN_QUESTION: Final = ShareOf(tax_id="", role="in question", share_ppm=0, valid_from="", valid_to="")


def day_of(period: str, first_day: str) -> str:
    """Return the day on which shares must hold for a line: its own day, its month's first, or the job's first.

    >>> day_of("2026-09", "2026-10-01"), day_of("", "2026-10-01")
    ('2026-09-01', '2026-10-01')
    """
    return f"{period}-01" if len(period) == len("2026-10") else period or first_day


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _target_of(named: Iterable[str]) -> tuple[str, str]:
    """Return the most specific level that a share names, and what it names there."""
    for level, name in zip(LEVELS, named, strict=True):
        if name:
            return level, _folded(name)
    return "catalogue", ""


class ShareBook:
    """All shares of a job, by what they are shares of.

    Attributes:
        overfull: Assets whose shares sum to more than 100 %, named for people -> that sum in percent.
    """

    def __init__(self, shares: DataFrame[Shares], in_question: pd.DataFrame | None = None) -> None:
        """Index shares.

        Args:
            shares: Sound ones.
            in_question: isrc, upc, release, artist of those with problems: what they name belongs to nobody until
                they are put right, for with a part unknown the remainder is unknown, too.
        """
        self.overfull: dict[str, str] = {}
        self._by_name: dict[tuple[str, str], list[ShareOf]] = {}
        self._known: dict[tuple[Asset, str], tuple[ShareOf, ...]] = {}
        ordered = shares.sort_values(["tax_id", "role", "row"])
        names = zip(*(ordered[level].tolist() for level in LEVELS), strict=True)
        parts = map(ShareOf, *(ordered[column].tolist() for column in ShareOf._fields))
        for named, share in zip(names, parts, strict=True):
            self._by_name.setdefault(_target_of(named), []).append(share)
        for row in records(in_question) if in_question is not None else ():
            self._by_name.setdefault(_target_of([row[level] for level in LEVELS]), []).append(IN_QUESTION)
        used = {level for level, _ in self._by_name}
        self._levels = [level for level in (*LEVELS, "catalogue") if level in used]

    def covering(self, asset: Asset, day: str) -> tuple[ShareOf, ...]:
        """Return the shares of the most specific level that has any on that day; () when nothing covers the asset."""
        known = self._known.get((asset, day))
        if known is None:
            known = self._known[asset, day] = self._find(asset, day)
        return known

    def _find(self, asset: Asset, day: str) -> tuple[ShareOf, ...]:
        for level in self._levels:
            name = _folded(getattr(asset, level, ""))
            if level != "catalogue" and not name:
                continue
            shares = tuple(share for share in self._by_name.get((level, name), ()) if share.holds_on(day))
            if IN_QUESTION in shares:
                return (IN_QUESTION,)
            if shares:
                total = sum(share.share_ppm for share in shares)
                if total > WHOLE:
                    where = f"{level} {getattr(asset, level)}" if level != "catalogue" else "catalogue"
                    self.overfull[f"{where} ({day})"] = format(Decimal(total).scaleb(-4), "f")
                return shares
        return ()


class TerritorySums:
    """Sums by payee, territory and currency."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str, str], tuple[Decimal, int, Decimal]] = {}

    def add(self, total: Mapping[str, Any], shares: Sequence[ShareOf], rates: Mapping[str, Decimal]) -> None:
        """Add what lines are worth to their payees; lines of which one payee has two shares count once."""
        worth = EXACT.multiply(total["amount"], rates[total["currency"]])
        of_payee = dict[str, int]()
        for share in shares:
            if share is not IN_QUESTION:
                of_payee[share.tax_id] = of_payee.get(share.tax_id, 0) + share.share_ppm
        for tax_id, share_ppm in of_payee.items():
            key = (tax_id, total["territory"], total["currency"])
            self._add(key, total["amount"], int(total["units"]), part_of(worth, share_ppm))

    def add_sums(self, territories: pd.DataFrame) -> None:
        """Add the sums of another source."""
        for record in records(territories):
            key = (record["tax_id"], record["territory"], record["currency"])
            self._add(key, Decimal(record["source_amount"]), record["units"], Decimal(record["earned"]))

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
    return DataFrame[TerritoryEarnings](typed_parts(parts, list(TerritoryEarnings.columns)))


def typed_parts(parts: Iterable[Sequence[object]] | pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return earnings of either kind as a frame: counts are integers, exact amounts and all else texts."""
    types = {name: "int64" if name in {"lines", "units", "share_ppm"} else "str" for name in columns}
    if isinstance(parts, pd.DataFrame):
        return parts[columns].astype(types)
    by_column = list(zip(*parts, strict=True)) or [()] * len(columns)
    return pd.DataFrame(
        {name: pd.Series(list(values), dtype=types[name]) for name, values in zip(columns, by_column, strict=True)}
    )


OWNER_ROLE = "owner"
UNMATCHED_ROLE = "unmatched"
PLATFORM_COLUMNS = ("isrc", "upc", "release", "title", "artist", "platform", "currency", "period")
TERRITORY_COLUMNS = ("isrc", "upc", "release", "artist", "territory", "currency", "period")


@dataclass(frozen=True, slots=True)
class RoundedEarnings:
    """Earnings in centavos; payees, owner and held together are the exact total, rounded once.

    Attributes:
        payees: Tax id -> centavos, in order of tax id.
        owner_cents: The part no share claims.
        unmatched_cents: Lines that no share covers, held.
        aside_cents: Code -> lines that are sound and not paid all the same, for what they are beside others.
    """

    payees: dict[str, int]
    owner_cents: int
    unmatched_cents: int
    aside_cents: Mapping[str, int] = field(default_factory=dict)


class Allocation(NamedTuple):
    """Who earned what, exactly, told in two ways that come to the same for each payee and currency."""

    earnings: DataFrame[Earnings]
    territories: DataFrame[TerritoryEarnings]


def allocate(
    totals: LineTotals,
    shares: DataFrame[Shares],
    *,
    rates: Mapping[str, Decimal],
    first_day: str,
    in_question: pd.DataFrame | None = None,
) -> Allocation:
    """Give all lines to the payees whose shares cover them, the owner, or nobody.

    Args:
        totals: What royalty lines add up to.
        shares: Who shares what; the most specific of ISRC, UPC, release, artist, catalogue wins as a group.
        rates: Currency -> worth of one unit in the job's currency; must hold every currency of the lines.
        first_day: First day of the job's period (ISO), for lines that do not say their own.
        in_question: Shares with problems, see `ShareBook`.

    Returns:
        Earnings: one row per payee, asset, platform, period and share. The owner's remainder bears the role "owner",
        lines without a share the role "unmatched", those with a share in question that role; all have tax_id "".
        And what payees earned by territory.

    Raises:
        UnsoundPlan: the shares of an asset sum to more than 100 %; every such asset is named.
    """
    book, places = ShareBook(shares, in_question), TerritorySums()
    parts = [
        part
        for total in sum_up(totals.by_platform, PLATFORM_COLUMNS)
        for part in _divide(total, _covering(total, book, first_day), rates)
    ]
    for total in sum_up(totals.by_territory, TERRITORY_COLUMNS):
        places.add(total, _covering(total, book, first_day), rates)
    if book.overfull:
        named = "; ".join(f"{name}: {percent} %" for name, percent in sorted(book.overfull.items()))
        raise UnsoundPlan(Message("error.shares_above", shares=named))
    return Allocation(earnings_frame(parts), places.frame())


def join_allocations(found: Sequence[Allocation]) -> Allocation:
    """Put together what sources come to, each with its own rates."""
    if len(found) == 1:
        return found[0]
    places = TerritorySums()
    for frame in found:
        places.add_sums(frame.territories)
    earnings = [earnings_frame(), *(frame.earnings for frame in found)]
    return Allocation(earnings_frame(pd.concat(earnings, ignore_index=True)), places.frame())


def earnings_frame(parts: Iterable[Sequence[object]] | pd.DataFrame = ()) -> DataFrame[Earnings]:
    """Return earnings as their table."""
    return DataFrame[Earnings](typed_parts(parts, list(Earnings.columns)))


def _covering(total: Mapping[str, Any], book: ShareBook, first_day: str) -> tuple[ShareOf, ...]:
    asset = Asset(total["isrc"], total["upc"], total["release"], total["artist"])
    return book.covering(asset, day_of(total["period"], first_day))


def _divide(
    total: Mapping[str, Any], shares: Sequence[ShareOf], rates: Mapping[str, Decimal]
) -> list[tuple[object, ...]]:
    amount, rate = total["amount"], rates[total["currency"]]
    worth = EXACT.multiply(amount, rate)
    about = [total[name] for name in ("isrc", "upc", "release", "title", "artist", "platform", "period", "currency")]
    about += [int(total["units"]), total["lines"], plain(amount), plain(rate)]
    if not shares or shares[0] is IN_QUESTION:
        parts = [("", shares[0].role if shares else UNMATCHED_ROLE, WHOLE)]
    else:
        parts = [(share.tax_id, share.role, share.share_ppm) for share in shares]
        remainder = WHOLE - sum(share_ppm for _, _, share_ppm in parts)
        parts += [("", OWNER_ROLE, remainder)] if remainder > 0 else []
    return [(tax_id, role, *about, share_ppm, plain(part_of(worth, share_ppm))) for tax_id, role, share_ppm in parts]


def round_earnings(
    earnings: DataFrame[Earnings],
    *,
    held_cents: Fraction = Fraction(0),
    aside_cents: Mapping[str, Fraction] = MappingProxyType({}),
    unmatched_to_owner: bool = False,
) -> RoundedEarnings:
    """Round to centavos, once, by largest remainder over payees, owner and held together.

    Ties go to the payee whose tax id comes first; owner and held come after all payees.

    Args:
        earnings: Exact earnings of all statements.
        held_cents: Exact centavos of lines that have problems; they are held beside the unmatched ones.
        aside_cents: Code -> exact centavos of sound lines that are not paid.
        unmatched_to_owner: Whether the job gives lines without a share to the owner.
    """
    exact = exact_cents_by(earnings, ["tax_id", "role_kind"])
    payees = sorted({tax_id for tax_id, kind in exact if kind == "payee"})
    owner, unmatched = exact.get(("", OWNER_ROLE), Fraction(0)), exact.get(("", UNMATCHED_ROLE), Fraction(0))
    if unmatched_to_owner:
        owner, unmatched = owner + unmatched, Fraction(0)
    held = held_cents + exact.get(("", IN_QUESTION.role), Fraction(0))
    codes = sorted(aside_cents)
    aside = [aside_cents[code] for code in codes]
    cents = round_parts([*(exact[tax_id, "payee"] for tax_id in payees), owner, unmatched + held, *aside])
    paid, (owner_cents, unmatched_cents), left = (
        cents[: len(payees)],
        cents[len(payees) :][:2],
        cents[len(payees) + 2 :],
    )
    return RoundedEarnings(
        dict(zip(payees, paid, strict=True)), owner_cents, unmatched_cents, dict(zip(codes, left, strict=True))
    )


def exact_cents_by(earnings: pd.DataFrame, columns: Sequence[str]) -> dict[tuple[str, ...], Fraction]:
    """Sum exact earnings in centavos by some columns; "role_kind" is payee, owner, unmatched or in question."""
    kinds = earnings["role"].where(
        (earnings["tax_id"] == "") & earnings["role"].isin([OWNER_ROLE, UNMATCHED_ROLE, IN_QUESTION.role]), "payee"
    )
    frame = earnings.assign(role_kind=kinds)
    sums: dict[tuple[str, ...], Decimal] = {}
    keys = zip(*(frame[name].tolist() for name in columns), strict=True)
    for key, earned in zip(keys, frame["earned"].tolist(), strict=True):
        amount = Decimal(earned)
        sums[key] = EXACT.add(sums[key], amount) if key in sums else amount
    return {key: Fraction(EXACT.multiply(value, 100)) for key, value in sums.items()}
