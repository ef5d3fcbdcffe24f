"""What lines add up to, between and above the totals of a file."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt

from schemas.tables.stated_totals import Stated

_EXACT: Final = Context(prec=120)


class LineSums:
    """Sums of lines, walked from the first total to the last.

    A total is that of the lines since any total before it, or since the first line, for nobody says how senders nest
    theirs; one above all lines is that of all lines.
    """

    def __init__(self, rows: npt.NDArray[np.int64], amounts: Sequence[Decimal | None]) -> None:
        """Add lines up.

        Args:
            rows: Their physical rows, ascending.
            amounts: Their amounts; None for one that cannot be read.
        """
        self._rows = rows
        self._sums = list(accumulate((amount or Decimal(0) for amount in amounts), _EXACT.add, initial=Decimal(0)))
        self._unread = list(accumulate((amount is None for amount in amounts), initial=0))
        self._starts = [Decimal(0)]  # what had been summed up where a total may begin, ascending
        self._above = self._last = 0  # lines above where the walk is, and above the last total

    def reach(self, row: int) -> None:
        """Walk down to a total's physical row."""
        self._above = int(np.searchsorted(self._rows, row))
        if self._unread[self._above] > self._unread[self._last]:
            self._starts.clear()  # what lies beyond a line that cannot be read has no sum

    def judge(self, meanings: Sequence[Stated]) -> tuple[bool | None, Decimal]:
        """Hold the total that was reached against the lines.

        Args:
            meanings: What it may mean, one or more, one of which has to agree.

        Returns:
            Whether it agrees, None when a line that cannot be read leaves that open; and the sum it is held against,
            of all lines or of those since the last total, whichever is nearer.
        """
        end = self._above or len(self._rows)
        running, since_last = self._sums[end], self._sums[end] - self._sums[self._last]
        nearest = min(running, since_last, key=lambda found: abs(found - meanings[0].value))
        if any(self._adds_up(running, meaning) for meaning in meanings):
            return True, nearest
        return (False if self._unread[end] == 0 else None), nearest

    def judge_whole(self, meanings: Sequence[Stated]) -> tuple[bool | None, Decimal]:
        """Hold a total of all lines against them; returns the same."""
        if self._unread[-1]:
            return None, self._sums[-1]
        return any(meaning.agrees(self._sums[-1]) for meaning in meanings), self._sums[-1]

    def begin_anew(self) -> None:
        """Let later totals begin below the one that was reached."""
        insort(self._starts, self._sums[self._above])
        self._last = self._above

    def _adds_up(self, running: Decimal, meaning: Stated) -> bool:
        first = bisect_left(self._starts, running - meaning.value - meaning.tolerance)
        return first < len(self._starts) and meaning.agrees(running - self._starts[first])
