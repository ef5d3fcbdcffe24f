"""One HTTP request and its reply under a deadline that holds for the whole of it.

httpx knows time limits per operation only: a reply that drips one byte a second outlives every one of them, and a name
server that does not answer has no limit at all. So the request runs in a thread of its own; at the deadline its socket
is shut down, and a request that had not begun to be written by then never is.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx

# Counts the time a machine sleeps, where there is such a clock: a request must not wake up after its deadline.
_CLOCK: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class DeadlinePassed(Exception):
    """The time for the whole exchange ran out."""


class ReplyTooLarge(Exception):
    """The reply is longer than anything the question could have for an answer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back until it ended.

    Attributes:
        status: HTTP status; None when none came.
        headers: Headers; empty when none came.
        body: What was read of the body, decoded, at most `max_bytes`.
        failure: Why it ended early; None when it is complete.
    """

    status: int | None
    headers: Mapping[str, str]
    body: bytes
    failure: Exception | None


def exchange(client: httpx.Client, request: httpx.Request, *, deadline_s: float, max_bytes: int) -> Reply:
    """Send one request and read its reply, within `deadline_s` seconds from now.

    Never raises for what happens on the wire: `Reply.failure` says it. What is raised here (KeyboardInterrupt above
    all) interrupts the exchange on its way out.
    """
    call = _Call(client, request, deadline_s, max_bytes)
    thread = threading.Thread(target=call.run, name="split-api-exchange", daemon=True)
    try:
        thread.start()
        call.done.wait(deadline_s)
    finally:
        reply = call.end()
    return reply


class _Call:
    """The request in its thread, and the way to end it from outside."""

    def __init__(self, client: httpx.Client, request: httpx.Request, deadline_s: float, max_bytes: int) -> None:
        self.done = threading.Event()
        self._client = client
        self._request = request
        self._ends_at = time.clock_gettime(_CLOCK) + deadline_s
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._ended = False
        self._socket: socket.socket | None = None
        self._status: int | None = None
        self._headers: Mapping[str, str] = {}
        self._body = bytearray()
        self._failure: BaseException | None = None
        request.extensions["trace"] = self._trace

    def run(self) -> None:
        try:
            self._send_and_read()
        except BaseException as failure:  # noqa: BLE001 (whatever it is, the waiting thread judges it)
            self._failure = failure
        finally:
            self.done.set()

    def end(self) -> Reply:
        """Return what there is; from here on nothing more is sent or read."""
        with self._lock:
            self._ended = True
            finished = self.done.is_set()
            if not finished and self._socket is not None:
                with contextlib.suppress(OSError):  # closed already, or not yet connected
                    # The method of the plain socket: that of a TLS socket would drop its state under the reader.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            body = bytes(self._body[: self._max_bytes])
        failure = self._failure if finished else DeadlinePassed()
        if failure is not None and not isinstance(failure, Exception):
            raise failure
        return Reply(self._status, self._headers, body, failure)

    def _send_and_read(self) -> None:
        response = self._client.send(self._request, stream=True)
        with contextlib.closing(response):
            with self._lock:
                self._status, self._headers = response.status_code, dict(response.headers)
            for chunk in response.iter_bytes():
                with self._lock:
                    if self._ended:
                        return
                    self._body += chunk
                if len(self._body) > self._max_bytes:
                    raise ReplyTooLarge

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        """Follow the connection: httpx calls this at each step of it."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
        elif event in {"http11.send_request_headers.started", "http11.send_request_body.started"}:
            with self._lock:
                if self._ended or time.clock_gettime(_CLOCK) >= self._ends_at:
                    raise DeadlinePassed
