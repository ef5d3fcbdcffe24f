"""The HTTP connection: one request and its reply under a total deadline, and what a failure proves."""

import contextlib
import datetime as dt
import math
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

import httpx
from pydantic import SecretStr

from io_adapters.tls import tls_context
from schemas.egress import DIRECT, Egress, is_loopback
from schemas.errors import ConfigurationError
from schemas.messages import Message

IDLE_S: Final = 5.0


class Connections:
    """Opens HTTP clients for one address and key.

    HTTP/1.1 only, certificates verified, no redirect, no retry, and nothing of the environment: no proxy but the one
    that is named, no `.netrc` (which would replace the key), no other set of certificates.
    """

    def __init__(
        self, base_url: str, api_key: SecretStr, transport: httpx.BaseTransport | None, egress: Egress = DIRECT
    ) -> None:
        """Check address and key; nothing is sent.

        Raises:
            ConfigurationError: an address or key that cannot be used.
        """
        self._base_url = _checked_url(base_url)
        self._headers = httpx.Headers(  # which never shows Authorization
            {
                "Authorization": _checked_key(api_key),
                "Accept": "application/json",
                "Accept-Encoding": "identity",
                "User-Agent": f"repasse/{version('repasse')}",
            }
        )
        self._transport = transport
        self._egress = egress

    def open(self, time_s: float, *, idle_s: float = IDLE_S) -> httpx.Client:
        """Open a client whose single operations (write, read) take at most `time_s` seconds.

        A connection that has been idle for `idle_s` seconds is not used again.
        """
        # Connecting has a limit of its own, well within the whole: a host that does not answer is then known not to
        # have been sent anything, where the deadline of the whole would leave a doubt.
        return httpx.Client(
            base_url=self._base_url,
            headers=self._headers,
            timeout=httpx.Timeout(time_s, connect=min(10.0, time_s / 3)),
            transport=self._transport,
            verify=tls_context(self._egress),
            proxy=self._proxy(),
            trust_env=False,
            follow_redirects=False,
            limits=httpx.Limits(keepalive_expiry=idle_s),
        )

    def _proxy(self) -> str | None:
        return None if self._transport or is_loopback(self._base_url.host) else self._egress.proxy or None

    @contextlib.contextmanager
    def fresh(self, time_s: float) -> Iterator[httpx.Client]:
        """Open a client for one request; that it closes badly says nothing of the answer read before."""
        client = self.open(time_s)
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):
                client.close()


def path_part(split_id: str) -> str:
    """Escape an id for a path.

    Raises:
        ValueError: it is empty or dots alone, and would name another path.
    """
    if not split_id.strip(". "):
        raise ValueError("an empty id names no report")
    return quote(split_id, safe="")


def _checked_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        raise ConfigurationError(Message("error.url_no_address")) from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigurationError(Message("error.url_host"))
    if url.userinfo or url.query or url.fragment:
        raise ConfigurationError(Message("error.url_parts"))
    return url


def _checked_key(api_key: SecretStr) -> str:
    # The HTTP library would print a key that cannot be a header.
    if not re.fullmatch(r"[!-~]+", api_key.get_secret_value()):
        raise ConfigurationError(Message("error.api_key_blank"))
    return api_key.get_secret_value()


# Counts the time a machine sleeps, where there is such a clock: a request must not wake up after its deadline.
_CLOCK: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class DeadlinePassed(Exception): ...


class ReplyTooLarge(Exception): ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back until it ended."""

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


class _Wire:
    """The socket under one exchange at a time: known once it is connected, shut down when the exchange has to end.

    httpx tells its steps through `trace`; a request that had not begun to be written by the deadline never is.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.ended = True
        self._ends_at_s: float | None = None
        self._socket: socket.socket | None = None

    def begin(self, deadline_s: float) -> None:
        with self.lock:
            self._ends_at_s, self.ended = _now_s() + deadline_s, False

    def rest(self) -> bool:
        """Note that the exchange has ended by itself; returns whether it had been ended before that."""
        with self.lock:
            self._ends_at_s = None
            return self.ended

    def is_late(self) -> bool:
        ends_at_s = self._ends_at_s
        return ends_at_s is not None and _now_s() >= ends_at_s

    def end(self) -> None:
        """End the exchange under way, if any: nothing more of it is sent, and what it still brings is no answer."""
        with self.lock:
            if self._ends_at_s is None:
                return
            self.ended = True
            if self._socket is not None:
                with contextlib.suppress(OSError):  # closed already
                    # The method of the plain socket: that of a TLS socket would drop its state under the reader.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Follow the connection: httpx calls this at each step of it."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            with self.lock:
                self._socket = info["return_value"].get_extra_info("socket")
        elif event in {"http11.send_request_headers.started", "http11.send_request_body.started"}:
            with self.lock:
                if self.ended or self._ends_at_s is None or self.is_late():
                    raise DeadlinePassed


class _Call:
    def __init__(self, client: httpx.Client, request: httpx.Request, deadline_s: float, max_bytes: int) -> None:
        self.done = threading.Event()
        self._client = client
        self._request = request
        self._max_bytes = max_bytes
        self._wire = _Wire()
        self._wire.begin(deadline_s)
        self._status: int | None = None
        self._headers: Mapping[str, str] = {}
        self._body = bytearray()
        self._failure: BaseException | None = None
        request.extensions["trace"] = self._wire.trace

    def run(self) -> None:
        try:
            self._send_and_read()
        except BaseException as failure:  # noqa: BLE001 (whatever it is, the waiting thread judges it)
            self._failure = failure
        finally:
            self.done.set()

    def end(self) -> Reply:
        """Return what there is; from here on nothing more is sent or read."""
        with self._wire.lock:
            finished = self.done.is_set()
            if not finished:
                self._wire.end()
            body = bytes(self._body[: self._max_bytes])
        failure = self._failure if finished else DeadlinePassed()
        if failure is not None and not isinstance(failure, Exception):
            raise failure
        return Reply(self._status, self._headers, body, failure)

    def _send_and_read(self) -> None:
        response = self._client.send(self._request, stream=True)
        with contextlib.closing(response):
            with self._wire.lock:
                self._status, self._headers = response.status_code, dict(response.headers)
            for chunk in response.iter_bytes():
                with self._wire.lock:
                    if self._wire.ended:
                        return
                    self._body += chunk
                if len(self._body) > self._max_bytes:
                    raise ReplyTooLarge


# Raised before the first byte of the request leaves: looking the name up, TCP, TLS. Exactly these, no subclass of them.
NOT_SENT: Final[frozenset[type[Exception]]] = frozenset(
    {httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.InvalidURL, httpx.UnsupportedProtocol}
)

# These come both when the service read nothing and when it read, and obeyed, all of it. Listed so that a new one of
# httpx is noticed and thought about; what is in neither list is in doubt all the same.
IN_DOUBT: Final[frozenset[type[Exception]]] = frozenset(
    {
        httpx.CloseError,
        httpx.CookieConflict,
        httpx.DecodingError,
        httpx.HTTPError,
        httpx.HTTPStatusError,
        httpx.LocalProtocolError,
        httpx.NetworkError,
        httpx.ProtocolError,
        httpx.ProxyError,
        httpx.ReadError,
        httpx.ReadTimeout,
        httpx.RemoteProtocolError,
        httpx.RequestError,
        httpx.RequestNotRead,
        httpx.ResponseNotRead,
        httpx.StreamClosed,
        httpx.StreamConsumed,
        httpx.StreamError,
        httpx.TimeoutException,
        httpx.TooManyRedirects,
        httpx.TransportError,
        httpx.WriteError,
        httpx.WriteTimeout,
        DeadlinePassed,
        ReplyTooLarge,
    }
)
# What broke a request -> what people are told of it; the first that fits counts.
_FAULTS: Final = (
    ("unreached", (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)),
    ("late", (httpx.TimeoutException, DeadlinePassed)),
    ("broken", (httpx.NetworkError, httpx.ProtocolError)),
    ("too_long", (ReplyTooLarge,)),
    ("address", (httpx.InvalidURL, httpx.UnsupportedProtocol)),
)


def fault_of(failure: BaseException | None) -> Message:
    """Say what broke a request, in people's words; what nobody foresaw is known by the name of its kind alone."""
    known = next((f"fault.{name}" for name, kinds in _FAULTS if isinstance(failure, kinds)), "")
    return Message(known) if known else Message("fault.other", kind=type(failure).__name__)


MAX_REPLY_BYTES: Final = 100_000


class Connection:
    """A connection and whoever speaks over it; a context manager of the thread that exchanges.

    httpx knows time limits per operation only, so another thread looks after the deadline: it calls `break_off_late`
    from time to time, which shuts the socket down under the reader.
    """

    def __init__(self, open_client: Callable[[], httpx.Client], deadline_s: float) -> None:
        """Prepare; nothing is opened."""
        self._open_client = open_client
        self._deadline_s = deadline_s
        self._wire = _Wire()
        self._status: int | None = None
        self._headers: Mapping[str, str] = {}
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
        self._wire.begin(self._deadline_s)
        self._status, self._headers, read, failure = None, {}, bytearray(), None
        try:
            self._send_and_read(path, body, read)
        except Exception as problem:  # noqa: BLE001 (whatever it is, whoever asked judges it)
            failure = problem
        late = self._wire.rest()
        return Reply(self._status, self._headers, bytes(read), DeadlinePassed() if late else failure)

    def break_off_late(self) -> None:
        if self._wire.is_late():
            self._wire.end()

    def break_off(self) -> None:
        """End the exchange under way, if any: what it brings from here on is no answer."""
        self._wire.end()

    def _send_and_read(self, path: str, body: bytes, read: bytearray) -> None:
        if self._client is None:
            raise RuntimeError("a connection is opened before it is used")
        if path not in self._urls:  # parsing one takes a fifth of a request's time
            self._urls[path] = self._client.build_request("POST", path).url
        headers = {"Content-Type": "application/json"}
        request = self._client.build_request("POST", self._urls[path], content=body, headers=headers)
        request.extensions["trace"] = self._wire.trace
        with contextlib.closing(self._client.send(request, stream=True)) as response:
            self._status, self._headers = response.status_code, response.headers
            for chunk in response.iter_bytes():
                read += chunk
                if len(read) > MAX_REPLY_BYTES:
                    raise ReplyTooLarge


def _now_s() -> float:
    return time.clock_gettime(_CLOCK)


LONGEST_PAUSE_S: Final = 30.0


class RateLimiter:
    """Spaces requests evenly, whichever threads they come from: each takes the next place in time, then waits for it.

    Where the service asks for a pause (Retry-After), everybody's next place comes after it.
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

        Raises:
            ConfigurationError: a pace at which nothing would ever be sent.
        """
        if requests_per_s is not None and not (math.isfinite(requests_per_s) and requests_per_s > 0):
            raise ConfigurationError(Message("error.requests_per_s"))
        self._gap_s = 0.0 if requests_per_s is None else 1 / requests_per_s
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        self._next_at = -math.inf

    def heed(self, reply: Reply) -> float | None:
        """Let nobody's next place come before the time that a reply asks for, half a minute at most."""
        asked_s = _retry_after_s(reply.headers.get("retry-after", ""))
        if asked_s is None:
            return None
        asked_s = min(asked_s, LONGEST_PAUSE_S)
        with self._lock:
            self._next_at = max(self._next_at, self._clock() + asked_s)
        return asked_s

    def delay_s(self) -> float:
        """Take the next place; returns how many seconds from now it comes."""
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


def _retry_after_s(value: str) -> float | None:
    """Read Retry-After, seconds or a date (RFC 9110, 10.2.3); None when there is none to be read."""
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    aware = at if at.tzinfo else at.replace(tzinfo=dt.UTC)
    return max(0.0, (aware - dt.datetime.now(dt.UTC)).total_seconds())
