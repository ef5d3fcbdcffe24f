"""Whether the bank's balances follow from its lines: behind each line of a file, and from one file to the next."""

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from schemas.bank import BankGap, KnownStatement

Balances = Sequence[int | None]


class FollowedBalance(NamedTuple):
    """Where the balances of a statement lead.

    Attributes:
        opening_cents: Before the first line; None where no balance stands in the file.
        closing_cents: After the last line; likewise.
        breaks: Place of each line whose balance is not what its lines make of the one before, and by how much.
    """

    opening_cents: int | None
    closing_cents: int | None
    breaks: tuple[tuple[int, int], ...]


def follow(days: Sequence[dt.date], cents: Sequence[int], balances: Balances) -> FollowedBalance:
    """Follow the balances behind lines as the bank wrote them: whichever way fails least.

    Lines stand downwards or upwards in time, and a balance is that behind its line or that of its whole day.

    Args:
        cents: Of each line; what leaves the account is below zero.
        balances: Beside each line; None where there is none.
    """
    ways = [range(len(days))] if list(days) == sorted(days) else []
    ways += [range(len(days))[::-1]] if list(days) == sorted(days, reverse=True) else []
    tried = (
        _followed(way, cents, read)
        for way in ways or [range(len(days))]
        for read in (balances, *_by_day(way, days, balances))
    )
    return min(tried, key=lambda followed: len(followed.breaks))


def _followed(way: range, cents: Sequence[int], balances: Balances) -> FollowedBalance:
    opening, known, breaks, moved = None, None, list[tuple[int, int]](), 0
    for at in way:
        moved += cents[at]
        if (balance := balances[at]) is None:
            continue
        if known is None:
            opening = balance - moved
        elif known + moved != balance:
            breaks.append((at, balance - known - moved))
        known, moved = balance, 0
    return FollowedBalance(opening, None if known is None else known + moved, tuple(breaks))


def _by_day(way: range, days: Sequence[dt.date], balances: Balances) -> Iterator[Balances]:
    """Yield the balances at the ends of days, where all lines of each day bear the same."""
    of_days = [list(places) for _, places in groupby(way, key=lambda at: days[at])]
    if all(len({balances[at] for at in places}) == 1 for places in of_days):
        ends = {places[-1] for places in of_days}
        yield [balance if at in ends else None for at, balance in enumerate(balances)]


def covered_until(statements: Sequence[KnownStatement], first: dt.date, last: dt.date) -> dt.date | None:
    """Return the day that the statements of every account reach which has any day of a month; None where none has.

    A sheet reaches its last line; that nothing moved after it shows in the next statement of the account.
    """
    reached = dict[str, dt.date]()
    for statement in statements:
        reached[statement.account] = max(statement.last, reached.get(statement.account, statement.last))
    accounts = {statement.account for statement in statements if statement.first <= last and first <= statement.last}
    return min((reached[account] for account in accounts), default=None)


def gaps_of(statements: Sequence[KnownStatement]) -> list[BankGap]:
    """Return where balances do not follow: within a statement, and between two of an account of which none is between.

    A statement counts unless another covers its days: a whole one before a broken one, whichever was read first, and
    then the longer and the later one.

    Args:
        statements: In the order in which they were read.
    """
    ranks = {
        statement: (not statement.gap_cents, statement.last - statement.first, number)
        for number, statement in enumerate(statements)
    }
    counting = [
        statement
        for statement, rank in ranks.items()
        if not any(other.covers(statement) and rank < of_other for other, of_other in ranks.items())
    ]
    gaps = [
        BankGap(statement.account, statement.first, statement.last, statement.gap_cents)
        for statement in counting
        if statement.gap_cents
    ]
    latest = dict[str, KnownStatement]()
    for statement in sorted(counting, key=lambda statement: (statement.first, statement.last)):
        before = latest.get(statement.account)
        if before is not None and before.last < statement.first:
            off_cents = _off_cents(before.closing_cents, statement.opening_cents)
            gaps += [BankGap(statement.account, before.last, statement.first, off_cents)] if off_cents else []
        if before is None or before.last <= statement.last:
            latest[statement.account] = statement
    return gaps


def _off_cents(closing_cents: int | None, opening_cents: int | None) -> int:
    return 0 if closing_cents is None or opening_cents is None else abs(opening_cents - closing_cents)
