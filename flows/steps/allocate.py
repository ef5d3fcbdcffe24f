"""From royalty lines and shares to earnings: exact, in any order, with one rounding at the very end.

Lines come summed per asset, platform or territory, period and currency as exact decimals; exchange and shares are
applied to the sums in decimals of more digits than they can need. Nothing here rounds; `round_earnings` does, once,
over everything together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from flows.steps.earned_in_territories import TerritorySums, typed_parts
from flows.steps.exact import EXACT, part_of, plain
from flows.steps.match_shares import IN_QUESTION, Asset, ShareBook, ShareOf, day_of
from flows.steps.sum_lines import sum_up
from schemas.errors import UnsoundPlan
from schemas.money import round_parts
from schemas.tables.frames import DataFrame
from schemas.tables.line_totals import LineTotals
from schemas.tables.obligations import Earnings, TerritoryEarnings
from schemas.tables.shares import Shares

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
        raise UnsoundPlan(f"shares above 100 %: {named}")
    return Allocation(earnings_frame(parts), places.frame())


def join_allocations(found: Sequence[Allocation]) -> Allocation:
    """Put together what sources come to, each with its own rates."""
    places = TerritorySums()
    for one in found:
        places.add_sums(one.territories)
    earnings = [earnings_frame(), *(one.earnings for one in found)]
    return Allocation(earnings_frame(pd.concat(earnings, ignore_index=True)), places.frame())


def earnings_frame(parts: Iterable[Sequence[object]] | pd.DataFrame = ()) -> DataFrame[Earnings]:
    """Return earnings as their table."""
    return DataFrame[Earnings](typed_parts(parts, list(Earnings.to_schema().columns)))


def _covering(total: Mapping[str, Any], book: ShareBook, first_day: str) -> tuple[ShareOf, ...]:
    asset = Asset(total["isrc"], total["upc"], total["release"], total["artist"])
    return book.covering(asset, day_of(total["period"], first_day))


def _divide(
    total: Mapping[str, Any], shares: Sequence[ShareOf], rates: Mapping[str, Decimal]
) -> Iterator[tuple[object, ...]]:
    amount, rate = total["amount"], rates[total["currency"]]
    worth = EXACT.multiply(amount, rate)
    about = [total[name] for name in ("isrc", "upc", "release", "title", "artist", "platform", "period", "currency")]
    counts = (int(total["units"]), total["lines"], plain(amount), plain(rate))

    def part(tax_id: str, role: str, share_ppm: int) -> tuple[object, ...]:
        return (tax_id, role, *about, *counts, share_ppm, plain(part_of(worth, share_ppm)))

    if not shares or shares[0] is IN_QUESTION:
        yield part("", shares[0].role if shares else UNMATCHED_ROLE, 1_000_000)
        return
    for share in shares:
        yield part(share.tax_id, share.role, share.share_ppm)
    remainder = 1_000_000 - sum(share.share_ppm for share in shares)
    if remainder > 0:
        yield part("", OWNER_ROLE, remainder)


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
    for *key, earned in zip(*(frame[name] for name in columns), frame["earned"], strict=True):
        sums[tuple(key)] = EXACT.add(sums.get(tuple(key), Decimal(0)), Decimal(earned))
    return {key: Fraction(value) * 100 for key, value in sums.items()}
