"""How often each endpoint was called, whatever came of it."""

import threading
from collections import Counter

from sqlalchemy.dialects.sqlite import insert as upsert

from io_adapters.sandbox.database import Database
from io_adapters.sandbox.endpoints import Endpoint
from io_adapters.sandbox.tables import requests


class RequestCounter:
    """Counts in memory and writes down now and then: a write for each call would cost more than most calls do.

    What was counted since the last `save` is lost with the process; effects are not, they are committed one by one.
    """

    def __init__(self, database: Database) -> None:
        """Count on from what the database holds."""
        self._database = database
        self._unsaved: Counter[str] = Counter()
        self._changing = threading.Lock()
        self._saving = threading.Lock()

    def count(self, endpoint: Endpoint) -> None:
        """Note a call."""
        with self._changing:
            self._unsaved[endpoint] += 1

    def save(self) -> None:
        """Write down what was counted; when it returns, all of it is there, whoever wrote it."""
        with self._saving:
            with self._changing:
                counted, self._unsaved = self._unsaved, Counter()
            if not counted:
                return
            rows = [{"endpoint": str(endpoint), "count": count} for endpoint, count in counted.items()]
            first = upsert(requests)
            add = first.on_conflict_do_update(set_={"count": requests.c.count + first.excluded.count})
            with self._database.writing() as connection:
                connection.execute(add, rows)
