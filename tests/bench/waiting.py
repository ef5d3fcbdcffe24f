"""Runs `repasse`, and tells on standard error in how many seconds of that it waited for an answer of the service.

Seconds in which several answers are waited for count once. `python waiting.py run JOB --yes`
"""

import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from flows.cli import main
from io_adapters.payout_api import client, commands, queries
from io_adapters.payout_api.connection import Connection

spans = list[tuple[float, float]]()


def timed(exchange: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(exchange)
    def note(*given: Any, **named: Any) -> Any:
        began_s = time.monotonic()
        try:
            return exchange(*given, **named)
        finally:
            spans.append((began_s, time.monotonic()))

    return note


def waited_s() -> float:
    total_s = until_s = 0.0
    for began_s, ended_s in sorted(spans):
        total_s += max(0.0, ended_s - max(began_s, until_s))
        until_s = max(until_s, ended_s)
    return total_s


if __name__ == "__main__":
    for module in (client, commands, queries):
        module.exchange = timed(module.exchange)  # type: ignore[attr-defined]
    Connection.exchange = timed(Connection.exchange)  # type: ignore[method-assign]
    try:
        main()
    finally:
        print(f"\n{waited_s()}", file=sys.stderr)
