"""One connection that carries one request after another, each under a deadline that holds for the whole of it."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

import httpx

from io_adapters.split_api.exchange import DeadlinePassed, Reply, ReplyTooLarge

MAX_REPLY_BYTES: Final = 100_000
# Counts the time a machine sleeps, where there is such a clock: a request must not wake up after its deadline.
_CLOCK: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Line:
    """A connection and whoever speaks over it; a context manager of the thread that exchanges.

    httpx knows time limits per operation only, so another thread looks after the deadline: it calls `break_off_late`
    from time to time, which shuts the socket down under the reader.
    """

    def __init__(self, open_client: Callable[[], httpx.Client], deadline_s: float) -> None:
        """Prepare; nothing is opened.

        Args:
            open_client: Opens a client for this line alone.
            deadline_s: For one exchange, from connecting to the last byte of its reply.
        """
        self._open_client = open_client
        self._deadline_s = deadline_s
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._ends_at_s: float | None = None
        self._broken = False
        self._status: int | None = None
        self._client: httpx.Client | None = None
        self._urls: dict[str, httpx.URL] = {}

    def __enter__(self) -> Self:
        self._client = self._open_client()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            with contextlib.suppress(Exception):  # that it closes badly says nothing of the answers read before
                self._client.close()

    def exchange(self, path: str, body: bytes) -> Reply:
        """POST once and read the reply; whatever happens on the wire is in the reply."""
        with self._lock:
            self._ends_at_s, self._broken = _now_s() + self._deadline_s, False
        self._status, read, failure = None, bytearray(), None
        try:
            self._send_and_read(path, body, read)
        except Exception as problem:  # noqa: BLE001 (whatever it is, whoever asked judges it)
            failure = problem
        with self._lock:
            late, self._ends_at_s = self._broken, None
        return Reply(self._status, {}, bytes(read), DeadlinePassed() if late else failure)

    def break_off_late(self) -> None:
        """End the exchange under way if its time has run out."""
        if self._ends_at_s is not None and _now_s() >= self._ends_at_s:
            self.break_off()

    def break_off(self) -> None:
        """End the exchange under way, if any: what it brings from here on is no answer."""
        with self._lock:
            if self._ends_at_s is None:
                return
            self._broken = True
            if self._socket is not None:
                with contextlib.suppress(OSError):  # closed already
                    # The method of the plain socket: that of a TLS socket would drop its state under the reader.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _send_and_read(self, path: str, body: bytes, read: bytearray) -> None:
        if self._client is None:
            raise RuntimeError("a line is opened before it is used")
        if path not in self._urls:  # parsing one takes a fifth of a request's time
            self._urls[path] = self._client.build_request("POST", path).url
        headers = {"Content-Type": "application/json"}
        request = self._client.build_request("POST", self._urls[path], content=body, headers=headers)
        request.extensions["trace"] = self._trace
        with contextlib.closing(self._client.send(request, stream=True)) as response:
            self._status = response.status_code
            for chunk in response.iter_bytes():
                read += chunk
                if len(read) > MAX_REPLY_BYTES:
                    raise ReplyTooLarge

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        """Follow the connection: httpx calls this at each step of it."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
        elif event in {"http11.send_request_headers.started", "http11.send_request_body.started"}:
            with self._lock:
                if self._broken or self._ends_at_s is None or _now_s() >= self._ends_at_s:
                    raise DeadlinePassed


def _now_s() -> float:
    return time.clock_gettime(_CLOCK)
