"""No more requests a second than the service, or the job, wants."""

import math
import threading
import time
from collections.abc import Callable

from schemas.errors import ConfigurationError


class Pace:
    """Spaces requests evenly, whichever threads they come from: each takes the next place in time, then waits for it.

    Nobody sleeps while holding the lock, so places are given in the order of asking; time unused is not saved up for a
    burst.
    """

    def __init__(
        self,
        requests_per_s: float | None,
        *,
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the pace.

        Args:
            requests_per_s: The most per second; None for no limit.
            pause: Waits so many seconds.
            clock: Seconds that only grow.

        Raises:
            ConfigurationError: a pace at which nothing would ever be sent.
        """
        if requests_per_s is not None and not (math.isfinite(requests_per_s) and requests_per_s > 0):
            raise ConfigurationError("requests per second must be a number above zero")
        self._gap_s = 0.0 if requests_per_s is None else 1 / requests_per_s
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        self._next_at = -math.inf

    def delay_s(self) -> float:
        """Take the next place; returns how many seconds from now it comes."""
        if not self._gap_s:
            return 0.0
        with self._lock:
            now = self._clock()
            at = max(now, self._next_at)
            self._next_at = at + self._gap_s
        return at - now

    def wait(self) -> float:
        """Take the next place and wait for it; returns the seconds that took."""
        delay_s = self.delay_s()
        if delay_s > 0:
            self._pause(delay_s)
        return delay_s
