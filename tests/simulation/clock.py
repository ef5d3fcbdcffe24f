"""Time that passes only when somebody sleeps."""

import datetime as dt
from typing import Final

from flows.run import Clock

BEGINNING: Final = dt.datetime(2026, 11, 3, 2, 0, tzinfo=dt.UTC)


class VirtualClock:
    """One time for a service, a ledger and every process."""

    def __init__(self) -> None:
        self._passed_s = 0.0

    def now(self) -> dt.datetime:
        """The present instant (UTC)."""
        return BEGINNING + dt.timedelta(seconds=self._passed_s)

    def monotonic_s(self) -> float:
        """Seconds since the beginning."""
        return self._passed_s

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self._passed_s += seconds

    def for_run(self) -> Clock:
        """As a run takes it."""
        return Clock(now=self.now, monotonic_s=self.monotonic_s, sleep=self.sleep)
