"""What a probe found out about the service where its interface is silent, with its date. Never changed, only added."""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import func, insert, select

from io_adapters.ledger.directory_tables import findings
from io_adapters.ledger.engine import Database


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was seen.

    Attributes:
        name: Of the question, for instance "echoes_report_id".
        value: What was seen; nothing personal.
        service_url: Of the service it was seen on.
        seen_at: When (UTC).
    """

    name: str
    value: str
    service_url: str
    seen_at: dt.datetime


class Findings:
    """The history of findings."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, name: str, value: str, url: str) -> None:
        """Keep what was seen on a service now."""
        with self._db.writing() as connection:
            connection.execute(insert(findings).values(name=name, value=value, service_url=url, seen_at=self._db.now()))

    def latest(self, url: str | None = None) -> dict[str, Finding]:
        """Return the last finding of each name, of one service or of whichever was probed last."""
        last = select(func.max(findings.c.id)).group_by(findings.c.name)
        if url is not None:
            last = last.where(findings.c.service_url == url)
        query = select(findings).where(findings.c.id.in_(last)).order_by(findings.c.name)
        with self._db.reading() as connection:
            rows = connection.execute(query).all()
        return {row.name: Finding(row.name, row.value, row.service_url, row.seen_at) for row in rows}

    def history(self, name: str) -> list[Finding]:
        """Return every finding of one name, oldest first."""
        with self._db.reading() as connection:
            rows = connection.execute(select(findings).where(findings.c.name == name).order_by(findings.c.id)).all()
        return [Finding(row.name, row.value, row.service_url, row.seen_at) for row in rows]
