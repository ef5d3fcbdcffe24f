"""The sandbox's memory: one SQLite file that outlives its process.

Every effect is committed before it is answered. With the write-ahead log a commit survives `kill -9` of the process;
it is not synced to the disk one by one (`synchronous=NORMAL`), which only the loss of power could tell.
Of payees nothing is kept but the client's own payment ids and the amounts.
"""

import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert

from io_adapters.sandbox.reports import StoredReport
from io_adapters.sandbox.tables import account_checks, exchange_rates, metadata, payments, reports, requests

_REPORT_COLUMNS = [column for column in reports.columns if column.name != "number"]


@dataclass(frozen=True, slots=True)
class StoredPayment:
    """One payment entry, as far as it is kept."""

    ext_payment_id: str | None
    final_amount_cents: int
    withheld: bool


class Store:
    """Reads and writes the SQLite file; may be used from several threads."""

    def __init__(self, database: Path) -> None:
        """Open the file, making it where there is none."""
        self._engine = sa.create_engine(sa.URL.create("sqlite", database=str(database)))
        sa.event.listen(self._engine, "connect", _set_pragmas)
        self._writing = threading.Lock()  # one writer at a time waits here rather than for SQLite's busy timeout
        metadata.create_all(self._engine)

    def close(self) -> None:
        """Close all connections to the file."""
        self._engine.dispose()

    def create_report(self, report: StoredReport, entries: Sequence[StoredPayment], *, unique: bool) -> bool:
        """Keep a new report and its payments; False, keeping nothing, when `unique` and its `report_id` is taken."""
        with self._writing, self._engine.begin() as connection:
            same_id = sa.select(reports.c.number).where(reports.c.report_id == report.report_id)
            if unique and report.report_id is not None and connection.execute(same_id).first():
                return False
            connection.execute(sa.insert(reports), asdict(report))
            if entries:
                rows = [{"split_id": report.split_id, **asdict(entry)} for entry in entries]
                connection.execute(sa.insert(payments), rows)
        return True

    def report(self, split_id: str) -> StoredReport | None:
        """Return one report; None when there is none or it has vanished."""
        query = sa.select(*_REPORT_COLUMNS).where(reports.c.split_id == split_id, ~reports.c.vanished)
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        return None if row is None else StoredReport(*row)

    def reports(self, created_until: float) -> list[StoredReport]:
        """Return the reports created up to a moment, oldest first, without the vanished ones."""
        query = (
            sa.select(*_REPORT_COLUMNS)
            .where(reports.c.created_at <= created_until, ~reports.c.vanished)
            .order_by(reports.c.number)
        )
        with self._engine.connect() as connection:
            return [StoredReport(*row) for row in connection.execute(query)]

    def change_report(self, split_id: str, **columns: Any) -> bool:  # noqa: ANN401
        """Change columns of a report, vanished or not; tell whether there is one."""
        change = sa.update(reports).where(reports.c.split_id == split_id).values(**columns)
        with self._writing, self._engine.begin() as connection:
            return connection.execute(change).rowcount == 1

    def set_exchange_rate(self, split_id: str, at: float, **columns: Any) -> None:  # noqa: ANN401
        """Change the exchange columns of a report and note that it was asked; the first rate starts its clock."""
        change = sa.update(reports).where(reports.c.split_id == split_id)
        change = change.values(rated_at=sa.func.coalesce(reports.c.rated_at, at), **columns)
        note = sa.insert(exchange_rates).values(at=at, split_id=split_id, rate=columns.get("exchange_rate"))
        with self._writing, self._engine.begin() as connection:
            connection.execute(change)
            connection.execute(note)

    def add_account_check(self, at: float, account: str, *, valid: bool, cost_cents: int) -> None:
        """Note an account check that was made and what it cost."""
        note = sa.insert(account_checks).values(at=at, account=account, valid=valid, cost_cents=cost_cents)
        with self._writing, self._engine.begin() as connection:
            connection.execute(note)

    def count_request(self, endpoint: str) -> None:
        """Note that an endpoint was called, whatever comes of it."""
        first = upsert(requests).values(endpoint=endpoint, count=1)
        count = first.on_conflict_do_update(set_={"count": requests.c.count + 1})
        with self._writing, self._engine.begin() as connection:
            connection.execute(count)

    def rows(self, table: sa.Table) -> list[dict[str, Any]]:
        """Return a whole table as plain values, in the order in which it was written."""
        with self._engine.connect() as connection:
            return [dict(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key)).mappings()]


def _set_pragmas(connection: Any, _: object) -> None:  # noqa: ANN401
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
