"""Delivering webhooks: who is to be notified of which event, and sending it over HTTP."""

import datetime as dt
import http.client
import ipaddress
import queue
import threading
import uuid
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert

from io_adapters.sandbox.assumptions import Behaviour
from io_adapters.sandbox.store import REPORT_COLUMNS, StoredReport, status_shown
from io_adapters.sandbox.tables import SandboxDatabase, announced, deliveries, reports, webhooks
from schemas.wire import canonical_json


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """One registration. `created_at` is seconds since 1970 (UTC)."""

    id: str
    webhook_url: str
    active: bool
    created_at: float


class WebhookRegister:
    """Reads and writes registrations; may be used from several threads."""

    def __init__(self, database: SandboxDatabase) -> None:
        """Take over what the database holds."""
        self._database = database
        self._adding = threading.Lock()
        with database.reading() as connection:
            rows = connection.execute(sa.select(*webhooks.columns[1:]).order_by(webhooks.c.number))
            self._registered = tuple(StoredWebhook(*row) for row in rows)

    def add(self, at: float, url: str) -> StoredWebhook:
        """Register a URL; one that is registered already is registered once more."""
        new = StoredWebhook(str(uuid.uuid4()), url, active=True, created_at=at)
        row = {"id": new.id, "webhook_url": url, "active": True, "created_at": at}
        with self._adding:
            with self._database.writing() as connection:
                connection.execute(sa.insert(webhooks), row)
            self._registered = (*self._registered, new)
        return new

    def active(self) -> tuple[StoredWebhook, ...]:
        """Return the registrations that are told."""
        return tuple(webhook for webhook in self._registered if webhook.active)


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

    def __init__(self, database: SandboxDatabase, clock: Callable[[], float], *, anywhere: bool) -> None:
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


EVERY_S: Final = 0.1
FIRST_STATUS: Final = "PENDING"
ENDS: Final = ("DONE", "ERROR", "EXCLUDED", "CLOSED")


class StatusWatch:
    """Looks at all reports that have not ended, every tenth of a second, as long as somebody wants to be told."""

    def __init__(
        self,
        database: SandboxDatabase,
        webhooks: WebhookRegister,
        deliveries: Deliveries,
        now: Callable[[], tuple[Behaviour, float]],
    ) -> None:
        """Prepare to watch; `now` tells how the sandbox behaves and what time it is."""
        self._database = database
        self._webhooks = webhooks
        self._deliveries = deliveries
        self._now = now
        self._looking = threading.Lock()
        self._touched: deque[str] = deque()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="sandbox-status-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._stopping.set()
        self._thread.join()

    def touch(self, split_id: str) -> None:
        """Look at a report once more, even if it has ended."""
        self._touched.append(split_id)

    def register(self, url: str) -> StoredWebhook:
        """Register a webhook; it is told of what moves from now on."""
        with self._looking:
            self._report_moved()
            return self._webhooks.add(self._now()[1], url)

    def _watch(self) -> None:
        while not self._stopping.wait(EVERY_S):
            if self._webhooks.active():
                with self._looking:
                    self._report_moved()

    def _report_moved(self) -> None:
        """Tell all webhooks of each report that has moved since the last look."""
        behaviour, now = self._now()
        touched = [self._touched.popleft() for _ in range(len(self._touched))]
        status = sa.func.coalesce(announced.c.status, FIRST_STATUS)
        query = (
            sa.select(status, *REPORT_COLUMNS)
            .join_from(reports, announced, isouter=True)
            .where(~reports.c.vanished, status.not_in(ENDS) | reports.c.split_id.in_(touched))
            .order_by(reports.c.number)
        )
        with self._database.reading() as connection:
            known = [(row[0], StoredReport(*row[1:])) for row in connection.execute(query)]
        moved = [
            Moved(report.split_id, report.report_id, status_shown(report, behaviour, now), before)
            for before, report in known
            if status_shown(report, behaviour, now) != before
        ]
        self._remember(moved)
        for event in moved:
            for webhook in self._webhooks.active():
                self._deliveries.put(webhook, event)

    def _remember(self, moved: list[Moved]) -> None:
        if moved:
            add = upsert(announced)
            add = add.on_conflict_do_update(set_={"status": add.excluded.status})
            rows = [{"split_id": event.split_id, "status": event.status} for event in moved]
            with self._database.writing() as connection:
                connection.execute(add, rows)
