"""Answers deliveries. Any method, any body: nothing of one is parsed, kept, logged or believed.

An ASGI application by itself: what is so public and does so little needs no framework.
"""

import asyncio
from collections.abc import Callable, Collection
from typing import Final

from starlette.types import Receive, Scope, Send

from io_adapters.webhooks.tokens import is_known

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
