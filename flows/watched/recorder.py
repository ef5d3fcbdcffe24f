"""Writes beside a run what people see of it in the Prefect UI, and never holds the run up.

One thread writes in order what it is given. What Prefect does not take within seconds is let go: the outputs and the
ledger have it all. The thread ends with the run, or is left behind when Prefect does not answer.
"""

import contextvars
import json
import queue
import threading
import time
from collections.abc import Callable
from logging import Logger, LoggerAdapter
from typing import Any, Final
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import ArtifactCreate, ArtifactUpdate
from prefect.events import emit_event
from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

from flows.watched.events import RunEvent

ANSWER_S: Final = 5.0
CLOSE_S: Final = 10.0
MOST_WAITING: Final = 500
PROGRESS_EVERY_S: Final = 1.0

RunLogger = Logger | LoggerAdapter[Logger]
Work = Callable[[SyncPrefectClient], None]


class Recorder:
    """The records of one flow run.

    Args:
        flow_run_id: Which flow run the records belong to.
        tags: Those it has already.
        logger: Where to say that a record could not be written.
    """

    def __init__(self, flow_run_id: UUID, tags: list[str], logger: RunLogger) -> None:
        self._flow_run_id = flow_run_id
        self._tags = list(tags)
        self._logger = logger
        self._waiting: queue.Queue[tuple[str, Work] | None] = queue.Queue(MOST_WAITING)
        self._progress: dict[str, UUID] = {}
        self._told_s: dict[str, float] = {}
        self._complained = False
        # The thread lives in a copy of this context: it knows the server and the flow run as its caller does.
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._write,), name="prefect-records", daemon=True)
        self._thread.start()

    def markdown(self, key: str, text: str, description: str) -> None:
        """Show a page."""
        self._artifact("markdown", key, text, description)

    def table(self, key: str, rows: list[dict[str, Any]], description: str) -> None:
        """Show a table: rows of equal keys."""
        self._artifact("table", key, json.dumps(rows, ensure_ascii=False), description)

    def progress(self, key: str, done: int, total: int, description: str) -> None:
        """Show how far something has come; at most once a second, and at its end."""
        now = time.monotonic()
        if done < total and now - self._told_s.get(key, float("-inf")) < PROGRESS_EVERY_S:
            return
        self._told_s[key] = now
        percent = round(100.0 * done / total, 1) if total else 100.0

        def work(client: SyncPrefectClient) -> None:
            if key in self._progress:
                client.update_artifact(self._progress[key], ArtifactUpdate(data=percent, description=description))
            else:
                made = client.create_artifact(self._new("progress", key, percent, description))
                self._progress[key] = made.id

        self._add(key, work)

    def tag(self, *tags: str) -> None:
        """Add tags to the flow run."""
        fresh = [tag for tag in dict.fromkeys(tags) if tag not in self._tags]
        if not fresh:
            return
        self._tags += fresh
        wanted = list(self._tags)
        self._add("tags", lambda client: _ignore(client.update_flow_run(self._flow_run_id, tags=wanted)))

    def event(self, event: RunEvent) -> None:
        """Tell Prefect, and whoever has asked it to call them, that something happened."""
        resource, payload = dict(event.resource), dict(event.payload)
        self._add(event.name, lambda _: _ignore(emit_event(event.name, resource, payload=payload)))

    def close(self) -> None:
        """Wait for what is still to be written, for some seconds at most."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(CLOSE_S)

    def _artifact(self, kind: str, key: str, data: object, description: str) -> None:
        self._add(key, lambda client: _ignore(client.create_artifact(self._new(kind, key, data, description))))

    def _new(self, kind: str, key: str, data: Any, description: str) -> ArtifactCreate:  # noqa: ANN401
        return ArtifactCreate(
            type=kind, key=key, data=data, description=description, flow_run_id=self._flow_run_id, task_run_id=None
        )

    def _add(self, what: str, work: Work) -> None:
        try:
            self._waiting.put_nowait((what, work))
        except queue.Full:
            self._complain(what, "too many are waiting")

    def _write(self) -> None:
        try:
            with (
                temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}),
                get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client,
            ):
                while (item := self._waiting.get()) is not None:
                    self._write_one(client, *item)
        except Exception as error:  # noqa: BLE001  # without a thread the queue fills, and is let go
            self._complain("all of them", type(error).__name__)

    def _write_one(self, client: SyncPrefectClient, what: str, work: Work) -> None:
        try:
            work(client)
        except Exception as error:  # noqa: BLE001  # whatever is wrong with Prefect, the run goes on
            self._complain(what, type(error).__name__)

    def _complain(self, what: str, why: str) -> None:
        if not self._complained:
            self._complained = True
            self._logger.warning("Prefect did not take a record (%s: %s); the run goes on without", what, why)


def _ignore(_: object) -> None:
    """Make a statement of an expression."""
