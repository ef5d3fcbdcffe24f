"""The tokens in use, in memory: asked for every delivery, read again every few seconds so that a new one counts."""

import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

READ_AGAIN_S: Final = 5.0
STOP_S: Final = 5.0


class KnownTokens:
    """Keeps what `read` last said; deliveries never make it read, so nobody outside decides how often it does."""

    def __init__(
        self,
        read: Callable[[], Collection[str]],
        *,
        every_s: float = READ_AGAIN_S,
        on_failure: Callable[[Exception], None] = lambda _: None,
    ) -> None:
        """Prepare.

        Args:
            read: Returns the sha256 of each token in use.
            every_s: How often it is asked.
            on_failure: Told what it raised; what was known before stands.
        """
        self._read = read
        self._every_s = every_s
        self._on_failure = on_failure
        self._known: frozenset[str] = frozenset()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._keep_reading, name="webhook-tokens", daemon=True)

    def __call__(self) -> frozenset[str]:
        """Return what is known now."""
        return self._known

    def __enter__(self) -> Self:
        """Read for the first time.

        Raises:
            Exception: whatever `read` raises: without a first answer no delivery could be told from another.
        """
        self._known = frozenset(self._read())
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        self._thread.join(STOP_S)

    def _keep_reading(self) -> None:
        while not self._ending.wait(self._every_s):
            try:
                self._known = frozenset(self._read())
            except Exception as failure:  # noqa: BLE001  # a ledger that is busy for once must not close the door
                with suppress(Exception):  # nor may a log that is closed
                    self._on_failure(failure)
