"""Where the service says that something moved: reports are polled, and nothing that was said is believed."""

import sys
import threading
import time
from types import TracebackType
from typing import Final, Self

from fastapi import APIRouter, Request, Response

from flows.desk.guard import HOOKS, ledger_of
from flows.launch import Launcher
from schemas.errors import RepasseError

router = APIRouter()
EVERY_S: Final = 60.0


class SettleBell:
    """Starts `settle` when it is rung, once a minute at most: rings of that minute are one settle at its end."""

    def __init__(self, launcher: Launcher, every_s: float = EVERY_S) -> None:
        self._launcher, self._every_s = launcher, every_s
        self._lock = threading.Lock()
        self._next_s = time.monotonic()
        self._waiting: threading.Timer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._waiting is not None:
                self._waiting.cancel()

    def ring(self) -> None:
        """Say that something may have moved; returns at once, and costs the same however often it is called."""
        with self._lock:
            if self._waiting is None:
                self._waiting = threading.Timer(max(0.0, self._next_s - time.monotonic()), self._settle)
                self._waiting.daemon = True
                self._waiting.start()

    def _settle(self) -> None:
        with self._lock:  # before the start: what moves while reports are polled is rung for again
            self._waiting, self._next_s = None, time.monotonic() + self._every_s
        try:
            self._launcher.settle(key=f"webhook-{time.time_ns()}")
        except RepasseError as failure:
            sys.stderr.write(f"repasse desk: {failure.message}\n")


@router.post(HOOKS + "{token}", status_code=204)
def hook(token: str, request: Request) -> Response:
    """Ring for a URL that was registered and is not retired; the answer is the same for every other.

    The one address that takes a POST from somebody else's machine: its body is not read, and it is no act.
    """
    if ledger_of(request).webhooks.knows(token):
        request.app.state.desk.bell.ring()
    return Response(status_code=204)
