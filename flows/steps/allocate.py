"""From royalty lines and shares to earnings: exact, in any order, with one rounding at the very end.

Lines are summed per asset, platform and currency as exact decimals; exchange and shares are applied to the sums in
decimals of unbounded precision. Nothing here rounds; `round_earnings` does, once, over everything together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

import pandas as pd
import pyarrow as pa

from flows.steps.match_shares import Asset, ShareBook, day_of
from schemas.errors import UnsoundPlan
from schemas.money import round_parts
from schemas.tables.frames import DataFrame
from schemas.tables.obligations import Earnings
from schemas.tables.royalty_lines import RoyaltyLines
from schemas.tables.shares import Shares

OWNER_ROLE = "owner"
UNMATCHED_ROLE = "unmatched"
ASSET_COLUMNS = ("isrc", "upc", "release", "title", "artist", "platform", "currency", "period")

# Exactness needs no more than 20 + 18 digits of a sum, a rate of 20 and six of a share.
EXACT = Context(prec=100)


@dataclass(frozen=True, slots=True)
class RoundedEarnings:
    """Earnings in centavos; payees, owner and held together are the exact total, rounded once.

    Attributes:
        payees: Tax id -> centavos, in order of tax id.
        owner_cents: The part no share claims.
        unmatched_cents: Lines that no share covers, held.
        repeated_cents: Lines of files that were used before, not paid again.
    """

    payees: dict[str, int]
    owner_cents: int
    unmatched_cents: int
    repeated_cents: int = 0


def allocate(
    lines: DataFrame[RoyaltyLines], shares: DataFrame[Shares], *, rates: Mapping[str, Decimal], first_day: str
) -> DataFrame[Earnings]:
    """Give every line to the payees whose shares cover it, the owner, or nobody.

    Args:
        lines: Royalty lines of all sources.
        shares: Who shares what; the most specific of ISRC, UPC, release, artist, catalogue wins as a group.
        rates: Currency -> worth of one unit in the job's currency; must hold every currency of the lines.
        first_day: First day of the job's period (ISO), for lines that do not say their own.

    Returns:
        One row per payee, asset, platform and share. The owner's remainder bears the role "owner", lines without a
        share the role "unmatched"; both have tax_id "".

    Raises:
        UnsoundPlan: the shares of an asset sum to more than 100 %; every such asset is named.
    """
    book = ShareBook(shares)
    parts = [part for total in _totals(lines) for part in _divide(total, book, rates, first_day)]
    if book.overfull:
        named = "; ".join(f"{name}: {percent} %" for name, percent in sorted(book.overfull.items()))
        raise UnsoundPlan(f"shares above 100 %: {named}")
    return DataFrame[Earnings](pd.DataFrame(parts, columns=list(Earnings.to_schema().columns)).astype(_text_columns()))


def _text_columns() -> dict[str, str]:
    whole_numbers = {"lines", "share_ppm"}
    return {name: "int64" if name in whole_numbers else "str" for name in Earnings.to_schema().columns}


def _totals(lines: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Sum the lines per asset, platform, currency and period, exactly."""
    table = pa.Table.from_pandas(lines[[*ASSET_COLUMNS, "amount"]], preserve_index=False)
    summed = table.group_by(list(ASSET_COLUMNS)).aggregate([("amount", "sum"), ("amount", "count")])
    order = summed.sort_by([(name, "ascending") for name in ASSET_COLUMNS])
    yield from order.to_pylist()


def _divide(
    total: dict[str, object], book: ShareBook, rates: Mapping[str, Decimal], first_day: str
) -> Iterator[tuple[object, ...]]:
    asset = Asset(str(total["isrc"]), str(total["upc"]), str(total["release"]), str(total["artist"]))
    day = day_of(str(total["period"]), first_day)
    amount, rate = Decimal(str(total["amount_sum"])), rates[str(total["currency"])]
    worth = EXACT.multiply(amount, rate)
    shares = book.covering(asset, day)

    def part(tax_id: str, role: str, share_ppm: int) -> tuple[object, ...]:
        earned = EXACT.multiply(worth, Decimal(share_ppm).scaleb(-6))
        about = (total[name] for name in ("isrc", "upc", "release", "title", "artist", "platform", "currency"))
        return (tax_id, role, *about, total["amount_count"], plain(amount), plain(rate), share_ppm, plain(earned))

    if not shares:
        yield part("", UNMATCHED_ROLE, 1_000_000)
        return
    for share in shares:
        yield part(share.tax_id, share.role, share.share_ppm)
    remainder = 1_000_000 - sum(share.share_ppm for share in shares)
    if remainder > 0:
        yield part("", OWNER_ROLE, remainder)


def plain(value: Decimal) -> str:
    """Write an exact decimal without exponent and without trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def round_earnings(
    earnings: DataFrame[Earnings],
    *,
    held_cents: Fraction = Fraction(0),
    repeated_cents: Fraction = Fraction(0),
    unmatched_to_owner: bool = False,
) -> RoundedEarnings:
    """Round to centavos, once, by largest remainder over payees, owner and held together.

    Ties go to the payee whose tax id comes first; owner and held come after all payees.

    Args:
        earnings: Exact earnings of all statements.
        held_cents: Exact centavos of lines that have problems; they are held beside the unmatched ones.
        repeated_cents: Exact centavos of lines of files that were used before.
        unmatched_to_owner: Whether the job gives lines without a share to the owner.
    """
    exact = exact_cents_by(earnings, ["tax_id", "role_kind"])
    payees = sorted({tax_id for tax_id, kind in exact if kind == "payee"})
    owner, unmatched = exact.get(("", OWNER_ROLE), Fraction(0)), exact.get(("", UNMATCHED_ROLE), Fraction(0))
    if unmatched_to_owner:
        owner, unmatched = owner + unmatched, Fraction(0)
    parts = [*(exact[tax_id, "payee"] for tax_id in payees), owner, unmatched + held_cents, repeated_cents]
    *cents, owner_cents, unmatched_cents, repeated = round_parts(parts)
    return RoundedEarnings(dict(zip(payees, cents, strict=True)), owner_cents, unmatched_cents, repeated)


def exact_cents_by(earnings: pd.DataFrame, columns: Sequence[str]) -> dict[tuple[str, ...], Fraction]:
    """Sum exact earnings in centavos by some columns; "role_kind" is payee, owner or unmatched."""
    kinds = earnings["role"].where(
        (earnings["tax_id"] == "") & earnings["role"].isin([OWNER_ROLE, UNMATCHED_ROLE]), "payee"
    )
    frame = earnings.assign(role_kind=kinds)
    sums: dict[tuple[str, ...], Decimal] = {}
    for *key, earned in zip(*(frame[name] for name in columns), frame["earned"], strict=True):
        sums[tuple(key)] = EXACT.add(sums.get(tuple(key), Decimal(0)), Decimal(earned))
    return {key: Fraction(value) * 100 for key, value in sums.items()}
