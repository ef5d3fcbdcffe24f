"""Which files were read by which run, so that one is not paid twice under another name."""

from dataclasses import dataclass

from sqlalchemy import and_, delete, insert, or_, select

from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import accrual_periods, files, plan_runs, plans


@dataclass(frozen=True, slots=True)
class FileUse:
    """An earlier use of a file.

    Attributes:
        job: Name of the job.
        period: Label of the period.
        run_id: The run that read it.
        name: What it was called then.
        same_bytes: Whether the bytes are the same; else only the canonical rows are.
    """

    job: str
    period: str
    run_id: str
    name: str
    same_bytes: bool


class Files:
    """The record of files."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(
        self, run_id: str, job: str, period: str, source: str, name: str, *, file_sha256: str, content_sha256: str
    ) -> None:
        """Write down that a run read a file, once per run, source and name.

        Args:
            run_id: The run.
            job: Name of the job.
            period: Label of the period.
            source: Which of the job's sources.
            name: Name of the file.
            file_sha256: Hex digest of its bytes.
            content_sha256: Hex digest of its canonical rows.
        """
        same = and_(files.c.run_id == run_id, files.c.source == source, files.c.name == name)
        with self._db.writing() as connection:
            connection.execute(delete(files).where(same))
            connection.execute(
                insert(files).values(
                    run_id=run_id,
                    job=job,
                    period=period,
                    source=source,
                    name=name,
                    file_sha256=file_sha256,
                    content_sha256=content_sha256,
                    recorded_at=self._db.now(),
                )
            )

    def of_run(self, run_id: str) -> dict[str, str]:
        """Return the files a run has planned with, name -> hex digest of its bytes; nothing, when it made no plan."""
        query = select(files.c.name, files.c.file_sha256).where(files.c.run_id == run_id).order_by(files.c.id)
        with self._db.reading() as connection:
            return {row.name: row.file_sha256 for row in connection.execute(query)}

    def used_elsewhere(self, file_sha256: str, content_sha256: str, job: str, period: str) -> list[FileUse]:
        """Return uses under another job or period, oldest first, by runs that had an effect.

        Those are the ones whose plan was ever approved, and those that carried or recouped everything.
        """
        approved = select(plan_runs.c.run_id).join(plans, plans.c.digest == plan_runs.c.digest)
        approved = approved.where(plans.c.approved_at.is_not(None))
        query = (
            select(files.c.job, files.c.period, files.c.run_id, files.c.name, files.c.file_sha256)
            .where(
                or_(files.c.run_id.in_(approved), files.c.run_id.in_(select(accrual_periods.c.run_id))),
                or_(files.c.file_sha256 == file_sha256, files.c.content_sha256 == content_sha256),
                or_(files.c.job != job, files.c.period != period),
            )
            .order_by(files.c.id)
        )
        with self._db.reading() as connection:
            rows = connection.execute(query).all()
        uses = (FileUse(r.job, r.period, r.run_id, r.name, r.file_sha256 == file_sha256) for r in rows)
        return list(dict.fromkeys(uses))
