"""What ran, for whom, and how it ended."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import run_documents, runs
from schemas.errors import BrokenInvariant


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command.

    Attributes:
        run_id: Identity.
        job: Name of the job; "" for a command without one.
        period: Label of the period; "" likewise.
        command: Which command or flow.
        prepared_by: Who started it.
        job_file: Where the job was read from.
        state: Where it stands, for people; "running" until it ends.
        exit_code: How it ended; None while it runs.
        summary_json: Content of `summary.json`; None while it runs.
        started_at: When it began (UTC).
        finished_at: When it ended (UTC); None while it runs, and after a crash.
    """

    run_id: str
    job: str
    period: str
    command: str
    prepared_by: str
    job_file: str
    state: str
    exit_code: int | None
    summary_json: str | None
    started_at: dt.datetime
    finished_at: dt.datetime | None


class Runs:
    """The record of runs."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(self, run_id: str, job: str, period_label: str, command: str, prepared_by: str, job_file: str) -> Run:
        """Write a run down, or find it again when its flow is run again from the top.

        Raises:
            BrokenInvariant: the id is in use for another job or period.
        """
        with self._db.writing() as connection:
            known = connection.execute(select(runs).where(runs.c.run_id == run_id)).one_or_none()
            if known is None:
                connection.execute(
                    insert(runs).values(
                        run_id=run_id,
                        job=job,
                        period=period_label,
                        command=command,
                        prepared_by=prepared_by,
                        job_file=job_file,
                        state="running",
                        started_at=self._db.now(),
                    )
                )
                known = connection.execute(select(runs).where(runs.c.run_id == run_id)).one()
        if (known.job, known.period) != (job, period_label):
            raise BrokenInvariant(f"run {run_id} is already known as one of {known.job} {known.period}")
        return _run_of(known)

    def save_document(self, run_id: str, document: bytes) -> None:
        """Keep, or replace, the JSON document from which the run's outputs can be written again."""
        with self._db.writing() as connection:
            connection.execute(delete(run_documents).where(run_documents.c.run_id == run_id))
            connection.execute(insert(run_documents).values(run_id=run_id, document=document, saved_at=self._db.now()))

    def document(self, run_id: str) -> bytes | None:
        """Return what `save_document` kept; None when there is nothing."""
        with self._db.reading() as connection:
            found = connection.scalar(select(run_documents.c.document).where(run_documents.c.run_id == run_id))
        return None if found is None else bytes(found)

    def finish(self, run_id: str, state: str, exit_code: int, summary_json: str | None) -> None:
        """Write down how a run ended; settling later may do so again.

        Raises:
            BrokenInvariant: the run is unknown.
        """
        with self._db.writing() as connection:
            changed = connection.execute(
                update(runs)
                .where(runs.c.run_id == run_id)
                .values(state=state, exit_code=exit_code, summary_json=summary_json, finished_at=self._db.now())
            ).rowcount
        if changed != 1:
            raise BrokenInvariant(f"run {run_id} was never begun")

    def get(self, run_id: str) -> Run | None:
        """Return one run; None when it is unknown."""
        with self._db.reading() as connection:
            row = connection.execute(select(runs).where(runs.c.run_id == run_id)).one_or_none()
        return None if row is None else _run_of(row)

    def latest(self, job: str) -> Run | None:
        """Return the job's run that began last; None when there was none."""
        found = self._newest(job=job, limit=1)
        return found[0] if found else None

    def _newest(self, job: str | None, limit: int) -> list[Run]:
        query = select(runs).order_by(runs.c.started_at.desc(), runs.c.run_id.desc()).limit(limit)
        if job is not None:
            query = query.where(runs.c.job == job)
        with self._db.reading() as connection:
            return [_run_of(row) for row in connection.execute(query)]

    def jobs(self) -> frozenset[str]:
        """Name every job that was ever run."""
        with self._db.reading() as connection:
            return frozenset(connection.scalars(select(runs.c.job).where(runs.c.job != "").distinct()))

    def list(self, limit: int = 50) -> list[Run]:
        """Return the runs that began last, newest first."""
        return self._newest(job=None, limit=limit)


def _run_of(row: Row[Any]) -> Run:
    return Run(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for a row as a mapping
