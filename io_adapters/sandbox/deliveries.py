"""Tells webhooks of events, over HTTP, from a thread of its own: no answer of the service waits for it.

The payload is the sandbox's invention and says so; the interface shows none:

    {"sandbox": true, "event": "split.status", "delivery": "...", "webhook_id": "...",
     "at": "2026-11-20T12:00:00.000+00:00", "split_id": "...", "report_id": "...",
     "status": "DONE", "previous_status": "PROCESSING"}

Each delivery is tried up to three times, until the answer is 2xx; redirects are not followed. Every attempt is noted.
"""

import datetime as dt
import http.client
import ipaddress
import queue
import threading
import uuid
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import sqlalchemy as sa

from io_adapters.sandbox.database import Database
from io_adapters.sandbox.webhook_register import StoredWebhook
from io_adapters.sandbox.webhook_tables import deliveries
from schemas.wire import canonical_json

ATTEMPTS: Final = 3
TIMEOUT_S: Final = 2.0
PAUSE_S: Final = 0.2
QUEUE_LENGTH: Final = 1_000
NOT_OURS: Final = "not an address of this machine"


@dataclass(frozen=True, slots=True)
class Moved:
    """A report's status moved."""

    split_id: str
    report_id: str | None
    status: str
    previous_status: str


@dataclass(frozen=True, slots=True)
class _Delivery:
    id: str
    webhook: StoredWebhook
    event: Moved


class Deliveries:
    """Events on their way, at most a thousand; what does not fit is noted as not delivered."""

    def __init__(self, database: Database, clock: Callable[[], float], *, anywhere: bool) -> None:
        """Prepare to deliver; to other machines too when `anywhere`."""
        self._database = database
        self._clock = clock
        self._anywhere = anywhere
        self._waiting: queue.Queue[_Delivery | None] = queue.Queue(QUEUE_LENGTH)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._deliver_all, name="sandbox-deliveries", daemon=True)

    def start(self) -> None:
        """Begin to deliver."""
        self._thread.start()

    def stop(self) -> None:
        """Stop delivering, at the latest when the attempt under way has timed out; what waits is dropped."""
        self._stopping.set()
        with suppress(queue.Full):  # else it is busy, and will see the flag
            self._waiting.put_nowait(None)
        self._thread.join()

    def put(self, webhook: StoredWebhook, event: Moved) -> None:
        """Have an event delivered."""
        delivery = _Delivery(uuid.uuid4().hex, webhook, event)
        try:
            self._waiting.put_nowait(delivery)
        except queue.Full:
            self._note(delivery, 0, "too many wait")

    def _deliver_all(self) -> None:
        while not self._stopping.is_set():
            delivery = self._waiting.get()
            if delivery is not None:
                self._deliver(delivery)

    def _deliver(self, delivery: _Delivery) -> None:
        url = delivery.webhook.webhook_url
        if not self._anywhere and not _is_ours(url):
            self._note(delivery, 0, NOT_OURS)
            return
        for attempt in range(1, ATTEMPTS + 1):
            outcome = _post(url, _payload(delivery, self._clock()))
            self._note(delivery, attempt, outcome)
            if outcome.startswith("2") or self._stopping.wait(PAUSE_S * attempt):
                return

    def _note(self, delivery: _Delivery, attempt: int, outcome: str) -> None:
        row = {
            "at": self._clock(),
            "delivery": delivery.id,
            "webhook_id": delivery.webhook.id,
            "split_id": delivery.event.split_id,
            "status": delivery.event.status,
            "attempt": attempt,
            "outcome": outcome,
        }
        with self._database.writing() as connection:
            connection.execute(sa.insert(deliveries), row)


def _payload(delivery: _Delivery, now: float) -> bytes:
    event = delivery.event
    return canonical_json(
        {
            "sandbox": True,
            "event": "split.status",
            "delivery": delivery.id,
            "webhook_id": delivery.webhook.id,
            "at": dt.datetime.fromtimestamp(now, dt.UTC).isoformat(timespec="milliseconds"),
            "split_id": event.split_id,
            "report_id": event.report_id,
            "status": event.status,
            "previous_status": event.previous_status,
        }
    )


def _post(url: str, content: bytes) -> str:
    """Post to a URL; return the status of the answer, or what went wrong in a word."""
    try:
        parts = urlsplit(url)
        connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = {"Content-Type": "application/json", "User-Agent": "payout-service-sandbox"}
        with closing(connect(parts.hostname or "", parts.port, timeout=TIMEOUT_S)) as connection:
            connection.request("POST", path, content, headers)
            return str(connection.getresponse().status)
    except TimeoutError:
        return "timed out"
    except (OSError, ValueError, http.client.HTTPException) as error:  # ValueError: a port or path that is none
        return type(error).__name__


def _is_ours(url: str) -> bool:
    """Tell whether a URL means this machine by its writing alone: a name could be resolved to anything."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
