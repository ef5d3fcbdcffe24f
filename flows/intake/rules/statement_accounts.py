"""Telling another edition of a statement that was used by what it adds up to: totals, recordings, sender and month."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isqrt
from typing import Final

import pandas as pd

from flows.intake.rules.inputs import Statement, UsedFile, sum_up
from schemas.messages import Message, Money
from schemas.statement_sketches import MOST_ACCOUNTS, MOST_RECORDINGS, WEIGHT_PLACES, StatementAccount, recording_key
from schemas.values.masking import digest_of, short_token
from schemas.values.money import round_half_even_cents

# The table of our own that anybody may fill in: two files of it need not come from one sender.
_ANYBODYS: Final = "royalties"

# Sums this round come again by chance: one of four digits or more does not.
_FEWEST_DIGITS: Final = 4
# Editions round each line: of n lines, sums differ by some half a centavo times the root of n, and never by more than
# one in two thousand.
_NEARLY: Final = 2_000

# Recordings that two editions must have in common before their proportions mean anything, the part of the money they
# must be, and how far each may be from the common proportion: one in five hundred, or two centavos of rounding.
_FEWEST_RECORDINGS: Final = 3
_MOST_OF_MONEY: Final = Fraction(9, 10)
_PROPORTION: Final = 500
_ALL_BUT_ROUNDING: Final = Fraction(999, 1000)
_TWO_CENTS: Final = 2 * 10 ** (WEIGHT_PLACES - 2)


@dataclass(frozen=True, slots=True)
class Seen:
    """A statement that another is held against: one of an earlier run, or one that comes before it in the same."""

    where: str
    layout: str
    accounts: tuple[StatementAccount, ...]


def accounts_of(statements: Iterable[Statement]) -> dict[str, tuple[StatementAccount, ...]]:
    """Add the sound lines of each file up by currency and month of account.

    Returns:
        File name -> its accounts, those of most lines first; of very many, only those.
    """
    found: dict[str, list[StatementAccount]] = {}
    for statement in statements:
        for file, account in _accounts(statement):
            found.setdefault(file, []).append(account)
    return {
        file: tuple(sorted(accounts, key=lambda account: (-account.lines, account.key))[:MOST_ACCOUNTS])
        for file, accounts in found.items()
    }


def _accounts(statement: Statement) -> list[tuple[str, StatementAccount]]:
    if not len(statement.totals.by_platform):
        return []
    by_platform = _with_month(statement.totals.by_platform)
    by_territory = _with_month(statement.totals.by_territory)
    recordings = _largest_recordings(by_platform)
    platforms, territories = _names(by_platform, "platform"), _names(by_territory, "territory")
    found = []
    for total in sum_up(by_platform, _ACCOUNT):
        key = (str(total["file"]), str(total["currency"]), str(total["month"]))
        account = StatementAccount(
            currency=key[1],
            month=key[2],
            amount=Decimal(str(total["amount"])),
            lines=int(str(total["lines"])),
            recordings=recordings.get(key, {}),
            platforms=platforms.get(key, frozenset()),
            territories=territories.get(key, frozenset()),
        )
        found.append((key[0], account))
    return found


_ACCOUNT: Final = ["file", "currency", "month"]


def _with_month(totals: pd.DataFrame) -> pd.DataFrame:
    return totals.assign(month=totals["period"].str.slice(0, len("2026-01")))


def _largest_recordings(by_platform: pd.DataFrame) -> dict[tuple[str, str, str], dict[str, int]]:
    unit = Decimal(1).scaleb(-WEIGHT_PLACES)
    sums: dict[tuple[str, str, str], dict[str, int]] = {}
    for total in sum_up(by_platform, [*_ACCOUNT, "isrc", "upc", "title"]):
        name = recording_key(str(total["isrc"]), str(total["upc"]), str(total["title"]))
        if name:
            of_account = sums.setdefault((str(total["file"]), str(total["currency"]), str(total["month"])), {})
            weight = int(Decimal(str(total["amount"])) / unit)
            of_account[name] = of_account.get(name, 0) + weight
    return {
        key: {
            _hashed(name): weight
            for name, weight in sorted(of_account.items(), key=lambda item: (-abs(item[1]), item[0]))[:MOST_RECORDINGS]
            if weight
        }
        for key, of_account in sums.items()
    }


def _names(totals: pd.DataFrame, column: str) -> dict[tuple[str, str, str], frozenset[str]]:
    different = totals[[*_ACCOUNT, column]].drop_duplicates()
    found: dict[tuple[str, str, str], set[str]] = {}
    for file, currency, month, name in different.itertuples(index=False, name=None):
        if name:
            found.setdefault((file, currency, month), set()).add(_hashed(name.casefold()))
    return {key: frozenset(names) for key, names in found.items()}


def _hashed(name: str) -> str:
    return short_token(digest_of("name", name), 10)


def find_editions(
    file: UsedFile,
    others: Sequence[Seen],
    explained: Mapping[str, Mapping[str, int]],
    claimed: Collection[tuple[tuple[str, str], Decimal]],
) -> dict[tuple[str, str], Message]:
    """Find the accounts of a statement that look like another edition of what was used before.

    Args:
        explained: Where -> currency -> the weight of lines that are held already because they were used there.

    Returns:
        Currency and month -> why, and where.
    """
    found: dict[tuple[str, str], Message] = {}
    for account in file.accounts:
        if (account.key, account.amount) in claimed:
            continue
        for other in others:
            why = next(filter(None, (_why(account, file.source, its, other) for its in other.accounts)), None)
            if why is not None and not _is_explained(account, explained.get(other.where, {})):
                found[account.key] = why
                break
    return found


def _is_explained(account: StatementAccount, held: Mapping[str, int]) -> bool:
    """Whether an account is held line by line already, but for rounding: then there is nothing to ask."""
    weight = int(abs(account.amount).scaleb(WEIGHT_PLACES))
    return held.get(account.currency, 0) >= weight * _ALL_BUT_ROUNDING


def _why(account: StatementAccount, layout: str, its: StatementAccount, other: Seen) -> Message | None:
    """Say why two accounts are of the same money; None where nothing says so."""
    if account.month != its.month and account.month and its.month:
        return None
    facts = {"other": other.where, "month": account.month or its.month or "-"}
    if account.currency == its.currency and _same_total(account, its):
        total = Money(round_half_even_cents(Fraction(its.amount) * 100), its.currency)
        return Message("again.same_total", **facts, total=total)
    if _proportional(account.recordings, its.recordings):
        return Message("again.same_recordings", **facts, currency=its.currency)
    if layout == other.layout and account.currency != its.currency and _same_scope(account, its, layout):
        return Message("again.other_currency", **facts, currency=its.currency)
    return None


def _same_total(account: StatementAccount, its: StatementAccount) -> bool:
    difference = abs(account.amount - its.amount)
    cents = abs(round_half_even_cents(Fraction(its.amount) * 100))
    if len(str(cents).rstrip("0")) < _FEWEST_DIGITS:
        return False
    rounding = Decimal(1 + isqrt(max(account.lines, its.lines))) * Decimal("0.005")
    return bool(difference <= min(rounding, abs(its.amount) / _NEARLY))


def _proportional(recordings: Mapping[str, int], its: Mapping[str, int]) -> bool:
    """Whether recordings have the same parts of two sums: an edition in another currency, net, or added up."""
    common = recordings.keys() & its.keys()
    if len({its[name] for name in common}) < _FEWEST_RECORDINGS:
        return False
    own_sum, its_sum = sum(recordings[name] for name in common), sum(its[name] for name in common)
    if own_sum == 0 or its_sum == 0:
        return False
    for of_one in (recordings, its):
        if sum(abs(of_one[name]) for name in common) < _MOST_OF_MONEY * sum(map(abs, of_one.values())):
            return False
    return all(_in_proportion(recordings[name], its[name], own_sum, its_sum) for name in common)


def _in_proportion(own: int, its: int, own_sum: int, its_sum: int) -> bool:
    expected = Fraction(its * own_sum, its_sum)
    cents = _TWO_CENTS * (1 + abs(Fraction(own_sum, its_sum)))
    return bool(abs(own - expected) <= max(abs(expected) / _PROPORTION, cents) < abs(own))


def _same_scope(account: StatementAccount, its: StatementAccount, layout: str) -> bool:
    """Whether two statements of one layout, that both say the same month, speak of the same sales.

    A sender that splits a month by region, store or label sends statements that have nothing of those in common.
    """
    if not account.month or not its.month:
        return False
    if layout == _ANYBODYS and not account.platforms & its.platforms:
        return False
    named = (
        (account.platforms, its.platforms),
        (account.territories, its.territories),
        (account.recordings.keys(), its.recordings.keys()),
    )
    return not any(own and others and not own & others for own, others in named)
