"""GETs: harmless to repeat, so they are repeated; what comes back is either whole or no information."""

import datetime as dt
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from io_adapters.split_api.exchange import Reply, exchange
from schemas.errors import NotSent
from schemas.wire import SplitReport, parse_json

TRIES: Final = 3
LONGEST_PAUSE_S: Final = 30.0
MAX_LISTING_BYTES: Final = 200_000_000
_WORTH_REPEATING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class ReportNotFound(NotSent):
    """The service answers 404 for a report; not documented, so an alarm and never proof."""


def fetch(
    client: httpx.Client,
    path: str,
    params: Mapping[str, str] | None = None,
    *,
    deadline_s: float,
    pause: Callable[[float], None] = time.sleep,
) -> Any:  # noqa: ANN401
    """GET a JSON document, in up to three tries with growing pauses, or the pause the service asks for.

    Args:
        client: Carries address, key and time limits.
        path: Below the service's address.
        params: Query.
        deadline_s: For all tries together, pauses included.
        pause: Waits so many seconds.

    Returns:
        The document, numbers as int and Decimal.

    Raises:
        ReportNotFound: 404.
        NotSent: no whole answer came; the message gives the status or the exception's class.
    """
    ends_at = time.monotonic() + deadline_s
    why = ""
    for attempt in range(1, TRIES + 1):
        request = client.build_request("GET", path, params=params)
        reply = exchange(client, request, deadline_s=ends_at - time.monotonic(), max_bytes=MAX_LISTING_BYTES)
        if reply.failure is None and reply.status is not None and 200 <= reply.status < 300:
            try:
                return parse_json(reply.body)
            except ValueError:
                why = f"HTTP {reply.status} with an unreadable body"
        else:
            why = _explain(reply)
        wait_s = _pause_s(reply, attempt)
        if attempt == TRIES or wait_s >= ends_at - time.monotonic():
            break
        pause(wait_s)
    raise NotSent(f"the payout service gave no answer to GET /{path.split('/')[1]}: {why}")


def union(listings: Iterable[Iterable[SplitReport]]) -> tuple[SplitReport, ...]:
    """Unite listings by `_id`; of two readings of one report the later counts.

    Reports without an id stay apart as often as one single listing shows them: two twins are two.
    """
    reports: dict[str, SplitReport] = {}
    for listing in listings:
        nameless: Counter[str] = Counter()
        for report in listing:
            key = report.id
            if key is None:
                content = repr(report)
                nameless[content] += 1
                key = f"{nameless[content]} {content}"
            reports[key] = report
    return tuple(reports.values())


def _explain(reply: Reply) -> str:
    """Say why a try failed, or raise where trying again is of no use."""
    if reply.failure is not None or reply.status is None:
        return type(reply.failure).__name__
    if reply.status in {401, 403}:
        raise NotSent(f"the payout service refused the API key (HTTP {reply.status}); check REPASSE_API_KEY")
    if reply.status == 404:
        raise ReportNotFound("the payout service answers 404: no such report, or a wrong REPASSE_API_URL")
    if reply.status not in _WORTH_REPEATING:
        raise NotSent(f"the payout service answers HTTP {reply.status}; check REPASSE_API_URL")
    return f"HTTP {reply.status}"


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
    except ValueError:
        return None
    aware = at if at.tzinfo else at.replace(tzinfo=dt.UTC)
    return max(0.0, (aware - dt.datetime.now(dt.UTC)).total_seconds())
