"""The endpoint of webhook deliveries, at unguessable addresses; nothing in a delivery is believed."""

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from types import TracebackType
from typing import Final, Protocol, Self

from starlette.types import Receive, Scope, Send

PATH: Final = "/hooks/"
TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A new token.

    Attributes:
        text: 256 bits, as a part of a path; for the service alone.
        sha256: Hex digest, which is what is kept.
    """

    text: str = field(repr=False)
    sha256: str

    def url_at(self, base_url: str) -> str:
        """Return the URL to register: the base, without a slash at its end, and the secret path."""
        return base_url.rstrip("/") + PATH + self.text


def make_token() -> MadeToken:
    """Make a token of 256 random bits."""
    text = secrets.token_urlsafe(TOKEN_BYTES)
    return MadeToken(text, sha256_of(text.encode()))


def sha256_of(token: bytes) -> str:
    """Return what is kept of a token."""
    return sha256(token).hexdigest()


def is_known(raw_path: bytes, known: Collection[str]) -> bool:
    """Say whether a request's path ends in a token we know.

    Takes the same time for every path of one length: a hash is made of whatever stands there, and it is compared with
    each known one to the last digit. What stands before the secret path is a proxy's business.
    """
    before, mark, token = raw_path.rpartition(PATH.encode())
    given = sha256_of(token if mark else before + b"\0" + raw_path)
    found = False
    for digest in known:
        found |= compare_digest(given, digest)
    return found


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
            on_failure: Message what it raised; what was known before stands.
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


class Poll(Protocol):
    """Has the service's reports looked at."""

    def __call__(self, slot: int, /) -> None:
        """Look, and return when that has ended or been handed on.

        Args:
            slot: Number of the time slot since 1970: whoever has looked in the same one need not look again.
        """


class Debouncer:
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
            on_failure: Message what a poll raised; the next ring tries again.
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


MAX_BODY_BYTES: Final = 64 * 1024
MAX_BODY_S: Final = 2.0
TAKEN: Final = 204
UNKNOWN: Final = 404


class Receiver:
    """Rings for each delivery on a known path, and answers 204; 404 on every other path, whatever it is."""

    def __init__(self, known: Callable[[], Collection[str]], ring: Callable[[], None]) -> None:
        """Prepare.

        Args:
            known: The sha256 of each token in use, from memory: it is asked for every request.
            ring: Called for each delivery; must return at once.
        """
        self._known = known
        self._ring = ring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; its body is read to its end, or cut where it is long or slow in coming."""
        if scope["type"] != "http":
            return
        taken = is_known(scope["raw_path"], self._known())
        if taken:
            self._ring()
        whole = await _drained(receive)
        headers = [] if taken else [(b"content-length", b"0")]
        if not whole:
            headers.append((b"connection", b"close"))
        status = TAKEN if taken else UNKNOWN
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


async def _drained(receive: Receive) -> bool:
    """Let a body pass by, up to a size and a time; False when there is more of it."""
    size = 0
    try:
        async with asyncio.timeout(MAX_BODY_S):
            while True:
                message = await receive()
                size += len(message.get("body", b""))
                if size > MAX_BODY_BYTES:
                    return False
                if not message.get("more_body", False):
                    return True
    except TimeoutError:
        return False
