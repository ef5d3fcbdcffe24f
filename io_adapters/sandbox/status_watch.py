"""Notices that a report's status has moved, by time or by a control call, and has the webhooks told."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert

from io_adapters.sandbox.assumptions import Behaviour
from io_adapters.sandbox.database import Database
from io_adapters.sandbox.deliveries import Deliveries, Moved
from io_adapters.sandbox.reports import StoredReport, status_told
from io_adapters.sandbox.store import REPORT_COLUMNS
from io_adapters.sandbox.tables import reports
from io_adapters.sandbox.webhook_register import StoredWebhook, WebhookRegister
from io_adapters.sandbox.webhook_tables import announced

EVERY_S: Final = 0.1
FIRST_STATUS: Final = "PENDING"
ENDS: Final = ("DONE", "ERROR", "EXCLUDED", "CLOSED")


class StatusWatch:
    """Looks at all reports that have not ended, every tenth of a second, as long as somebody wants to be told."""

    def __init__(
        self,
        database: Database,
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
            self._tell_moved()
            return self._webhooks.add(self._now()[1], url)

    def _watch(self) -> None:
        while not self._stopping.wait(EVERY_S):
            if self._webhooks.active():
                with self._looking:
                    self._tell_moved()

    def _tell_moved(self) -> None:
        """Tell all webhooks of each report that has moved since the last look."""
        behaviour, now = self._now()
        touched = [self._touched.popleft() for _ in range(len(self._touched))]
        told = sa.func.coalesce(announced.c.status, FIRST_STATUS)
        query = (
            sa.select(told, *REPORT_COLUMNS)
            .join_from(reports, announced, isouter=True)
            .where(~reports.c.vanished, told.not_in(ENDS) | reports.c.split_id.in_(touched))
            .order_by(reports.c.number)
        )
        with self._database.reading() as connection:
            known = [(row[0], StoredReport(*row[1:])) for row in connection.execute(query)]
        moved = [
            Moved(report.split_id, report.report_id, status_told(report, behaviour, now), before)
            for before, report in known
            if status_told(report, behaviour, now) != before
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
