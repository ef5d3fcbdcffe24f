"""GETs: harmless to repeat, so they are repeated; what comes back is either whole or no information."""

import datetime as dt
import random
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

from io_adapters.split_api.connections import Connections
from io_adapters.split_api.errors import NotThere, QuestionRefused
from io_adapters.split_api.exchange import Reply, exchange
from io_adapters.split_api.pace import Pace
from io_adapters.split_api.validation_error import places, read_validation_errors
from schemas.errors import NotSent
from schemas.wire import parse_json

TRIES: Final = 3
LONGEST_PAUSE_S: Final = 30.0
MAX_LISTING_BYTES: Final = 200_000_000
_WORTH_REPEATING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class Questions:
    """Asks over shared connections, in up to three tries with growing pauses, or the pause the service asks for."""

    def __init__(
        self, connections: Connections, *, timeout_s: float, pace: Pace, pause: Callable[[float], None] = time.sleep
    ) -> None:
        """Prepare to ask.

        Args:
            connections: Opens the connections.
            timeout_s: For one answer.
            pace: Every try waits for its place in it, outside of any time limit.
            pause: Waits so many seconds between tries.
        """
        self.timeout_s = timeout_s
        self._connections = connections
        self._client = connections.open(timeout_s)
        self._pace = pace
        self._pause = pause

    def close(self) -> None:
        """Give up the shared connections."""
        self._client.close()

    def ask(self, path: str, params: Mapping[str, str] | None = None, *, deadline_s: float) -> Any:  # noqa: ANN401
        """GET a JSON document.

        Args:
            path: Below the service's address.
            params: Query.
            deadline_s: For all tries together, pauses included.

        Returns:
            The document, numbers as int and Decimal.

        Raises:
            NotThere: 404.
            QuestionRefused: 422 as documented.
            NotSent: no whole answer came; the message gives the status or the exception's class.
        """
        ends_at = time.monotonic() + deadline_s
        why = ""
        for attempt in range(1, TRIES + 1):
            ends_at += self._pace.wait()
            request = self._client.build_request("GET", path, params=params)
            reply = exchange(self._client, request, deadline_s=ends_at - time.monotonic(), max_bytes=MAX_LISTING_BYTES)
            if reply.failure is None and reply.status is not None and 200 <= reply.status < 300:
                try:
                    return parse_json(reply.body)
                except ValueError:
                    why = f"HTTP {reply.status} with an unreadable body"
            else:
                why = self._explain(reply, _shown(path))
            wait_s = _pause_s(reply, attempt)
            if attempt == TRIES or wait_s >= ends_at - time.monotonic():
                break
            self._pause(wait_s)
        raise NotSent(f"the payout service gave no answer to {_shown(path)}: {why}")

    def _explain(self, reply: Reply, asked: str) -> str:
        """Say why a try failed, or raise where trying again is of no use."""
        if reply.failure is not None or reply.status is None:
            return type(reply.failure).__name__
        if reply.status in {401, 403}:
            raise NotSent(f"the payout service refused the API key (HTTP {reply.status}); check REPASSE_API_KEY")
        if reply.status == 404:
            raise NotThere(f"the payout service answers 404 to {asked}: nothing there, or a wrong REPASSE_API_URL")
        said = self._connections.excerpt(reply.body)
        if reply.status == 422 and (errors := read_validation_errors(reply.body)):
            raise QuestionRefused(f"the payout service refused {asked} (HTTP 422) at {places(errors)}", errors)
        if reply.status not in _WORTH_REPEATING:
            raise NotSent(f"the payout service answers HTTP {reply.status}{said}; check REPASSE_API_URL")
        return f"HTTP {reply.status}{said}"


def _shown(path: str) -> str:
    """Name a question without the id in it."""
    parts = path.split("/")
    return "GET /" + "/".join(part for at, part in enumerate(parts[1:]) if at == 0 or parts[1] != "split")[:60]


def _pause_s(reply: Reply, attempt: int) -> float:
    asked = _retry_after_s(reply.headers.get("retry-after", ""))
    if asked is not None:
        return min(asked, LONGEST_PAUSE_S)
    return 0.25 * 2.0**attempt * random.uniform(0.5, 1.5)


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
