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
        _followed(way, cents, told)
        for way in ways or [range(len(days))]
        for told in (balances, *_by_day(way, days, balances))
    )
    return min(tried, key=lambda followed: len(followed.breaks))


def _followed(way: range, cents: Sequence[int], balances: Balances) -> FollowedBalance:
    opening, known, breaks, moved = None, None, list[tuple[int, int]](), 0
    for at in way:
        moved += cents[at]
        if (told := balances[at]) is None:
            continue
        if known is None:
            opening = told - moved
        elif known + moved != told:
            breaks.append((at, told - known - moved))
        known, moved = told, 0
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
    accounts = {one.account for one in statements if one.first <= last and first <= one.last}
    return min((max(one.last for one in statements if one.account == account) for account in accounts), default=None)


def gaps_of(statements: Sequence[KnownStatement]) -> list[BankGap]:
    """Return where balances do not follow: within a statement, and between two of an account of which none is between.

    Of statements with the same days the one that was read last counts, so that a whole file puts a broken one right.

    Args:
        statements: In the order in which they were read.
    """
    counting = [
        one
        for number, one in enumerate(statements, start=1)
        if not any(other.covers(one) for other in statements[number:])
    ]
    found = [BankGap(one.account, one.first, one.last, one.gap_cents) for one in counting if one.gap_cents]
    latest = dict[str, KnownStatement]()
    for one in sorted(counting, key=lambda one: (one.first, one.last)):
        before = latest.get(one.account)
        if before is not None and before.last < one.first and None not in (before.closing_cents, one.opening_cents):
            off_cents = abs((one.opening_cents or 0) - (before.closing_cents or 0))
            found += [BankGap(one.account, before.last, one.first, off_cents)] if off_cents else []
        if before is None or before.last <= one.last:
            latest[one.account] = one
    return found
