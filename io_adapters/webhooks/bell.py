"""Makes few looks at the service of many deliveries: one at once, one after, never two at a time."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, Protocol, Self

STOP_S: Final = 5.0


class Poll(Protocol):
    """Has the service's reports looked at."""

    def __call__(self, slot: int, /) -> None:
        """Look, and return when that has ended or been handed on.

        Args:
            slot: Number of the time slot since 1970: whoever has looked in the same one need not look again.
        """


class Bell:
    """Rung by every delivery; starts a poll at most every so often, and one for all rings it could not serve at once.

    What it remembers of any number of rings is that there was one.
    """

    def __init__(
        self,
        poll: Poll,
        *,
        every_s: float,
        on_failure: Callable[[Exception], None] = lambda _: None,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Prepare; nothing polls before the context is entered.

        Args:
            poll: Called in a thread of its own, never twice at a time.
            every_s: Least time from the beginning of one poll to that of the next.
            on_failure: Told what a poll raised; the next ring tries again.
            now_s: Seconds since 1970.
        """
        self._poll = poll
        self._every_s = every_s
        self._on_failure = on_failure
        self._now_s = now_s
        self._rung = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="webhook-bell", daemon=True)

    def ring(self) -> None:
        """Say that something may have moved; returns at once, and costs the same however often it is called."""
        if not self._rung.is_set():
            self._rung.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Start nothing any more; a poll that runs is waited for a little."""
        self._ending.set()
        self._rung.set()
        self._thread.join(STOP_S)

    def _serve(self) -> None:
        while True:
            self._rung.wait()
            if self._ending.is_set():
                return
            began_s = time.monotonic()
            self._rung.clear()  # before the poll: what moves while it looks is rung for again
            try:
                self._poll(int(self._now_s() // self._every_s))
            except Exception as failure:  # noqa: BLE001  # the bell must outlive whatever goes wrong with one poll
                with suppress(Exception):  # nobody may be there to be told: a log that is closed, a pipe that broke
                    self._on_failure(failure)
            if self._ending.wait(max(0.0, began_s + self._every_s - time.monotonic())):
                return
