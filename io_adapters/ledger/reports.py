"""What the service said of each report, time after time."""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from io_adapters.ledger.engine import Database
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import reports


@dataclass(frozen=True, slots=True)
class ReportSnapshot:
    """A report as the service showed it at one moment.

    Attributes:
        submission_id: Which submission it answers.
        status: The status in it; None when it named none.
        document: The JSON document.
        at: When it was read (UTC).
    """

    submission_id: str
    status: str | None
    document: bytes
    at: dt.datetime


class Reports:
    """The record of reports; `Submissions.record_status` adds to it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def latest(self, submission_ids: list[str]) -> dict[str, ReportSnapshot]:
        """Return the last snapshot of each submission that has one."""
        found: dict[str, ReportSnapshot] = {}
        with self._db.reading() as connection:
            for some in chunks(submission_ids):
                found |= {s.submission_id: s for s in _snapshots(connection, some)}
        return found

    def history(self, submission_id: str) -> list[ReportSnapshot]:
        """Return all snapshots of a submission, oldest first; consecutive ones differ."""
        with self._db.reading() as connection:
            return _snapshots(connection, [submission_id])


def append_snapshot(connection: Connection, snapshot: ReportSnapshot) -> None:
    """Keep a snapshot, within a transaction, unless it says the same as the last one."""
    mine = reports.c.submission_id == snapshot.submission_id
    last = connection.scalar(select(reports.c.document).where(mine).order_by(reports.c.id.desc()).limit(1))
    if last is None or bytes(last) != snapshot.document:
        values = {name: getattr(snapshot, name) for name in ReportSnapshot.__dataclass_fields__}
        connection.execute(insert(reports).values(**values))


def _snapshots(connection: Connection, submission_ids: list[str]) -> list[ReportSnapshot]:
    query = select(reports).where(reports.c.submission_id.in_(submission_ids)).order_by(reports.c.id)
    return [ReportSnapshot(r.submission_id, r.status, bytes(r.document), r.at) for r in connection.execute(query)]
