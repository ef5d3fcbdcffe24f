"""What the desk keeps of people's work: uploads, launches, and the first of two words."""

import json
from typing import Any

from sqlalchemy import Row, delete, insert, select

from io_adapters.ledger.desk_tables import desk_first_words, desk_launches, desk_uploaders, desk_uploads
from io_adapters.ledger.engine import Database
from schemas.desk_people import FirstWord, Launch, Upload
from schemas.person import same_person


class DeskUploads:
    """Files people have uploaded; their bytes lie in the home folder."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, sha256: str, name: str, size_bytes: int, by: str) -> Upload:
        """Write an upload down; the same bytes under the same name are the same upload, whoever brings them.

        Everybody who brings them is remembered as one who prepares what is paid from them.
        """
        with self._db.writing() as connection:
            same = (desk_uploads.c.sha256 == sha256) & (desk_uploads.c.name == name)
            row = connection.execute(select(desk_uploads).where(same)).one_or_none()
            if row is None:
                values = {"sha256": sha256, "name": name, "size_bytes": size_bytes, "by": by, "at": self._db.now()}
                connection.execute(insert(desk_uploads).values(**values))
                row = connection.execute(select(desk_uploads).where(same)).one()
            brought = {"sha256": sha256, "person": same_person(by)}
            this = (desk_uploaders.c.sha256 == sha256) & (desk_uploaders.c.person == brought["person"])
            if connection.scalar(select(desk_uploaders.c.sha256).where(this)) is None:
                connection.execute(insert(desk_uploaders).values(**brought, at=self._db.now()))
        return Upload(*row)

    def find(self, sha256: str) -> list[Upload]:
        """Return the uploads of some bytes, oldest first."""
        query = select(desk_uploads).where(desk_uploads.c.sha256 == sha256).order_by(desk_uploads.c.at)
        with self._db.reading() as connection:
            return [Upload(*row) for row in connection.execute(query)]


class DeskLaunches:
    """Runs the desk has asked for."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, key: str, job_file: str, files: tuple[str, ...], by: str, plan_digest: str | None) -> bool:
        """Write a launch down before it is made; False when that key is known already."""
        with self._db.writing() as connection:
            if connection.scalar(select(desk_launches.c.key).where(desk_launches.c.key == key)) is not None:
                return False
            values = {"key": key, "job_file": job_file, "files": json.dumps(files), "by": by}
            connection.execute(insert(desk_launches).values(**values, plan_digest=plan_digest, at=self._db.now()))
        return True

    def forget(self, key: str) -> None:
        """Take back a launch that could not be made, so that it can be tried again."""
        with self._db.writing() as connection:
            connection.execute(delete(desk_launches).where(desk_launches.c.key == key))

    def get(self, key: str) -> Launch | None:
        """Return one launch; None when it is unknown."""
        with self._db.reading() as connection:
            row = connection.execute(select(desk_launches).where(desk_launches.c.key == key)).one_or_none()
        return None if row is None else _launch_of(row)

    def of_job_file(self, job_file: str) -> list[Launch]:
        """Return the launches of a job file, newest first."""
        query = select(desk_launches).where(desk_launches.c.job_file == job_file).order_by(desk_launches.c.at.desc())
        with self._db.reading() as connection:
            return [_launch_of(row) for row in connection.execute(query)]


class FirstWords:
    """What one person has said where it takes two."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def say(self, kind: str, subject: str, by: str, evidence: str) -> None:
        """Write a first word down; it takes the place of an earlier one."""
        with self._db.writing() as connection:
            connection.execute(delete(desk_first_words).where(_same(kind, subject)))
            values = {"kind": kind, "subject": subject, "by": by, "evidence": evidence, "at": self._db.now()}
            connection.execute(insert(desk_first_words).values(**values))

    def standing(self, kind: str, subject: str) -> FirstWord | None:
        """Return the first word that waits for a second; None when there is none."""
        with self._db.reading() as connection:
            row = connection.execute(select(desk_first_words).where(_same(kind, subject))).one_or_none()
        return None if row is None else FirstWord(*row)

    def forget(self, kind: str, subject: str) -> None:
        """Take a first word away: it was confirmed, or has no object any more."""
        with self._db.writing() as connection:
            connection.execute(delete(desk_first_words).where(_same(kind, subject)))


def _same(kind: str, subject: str) -> Any:  # noqa: ANN401 - a clause over this table's columns
    return (desk_first_words.c.kind == kind) & (desk_first_words.c.subject == subject)


def _launch_of(row: Row[Any]) -> Launch:
    return Launch(row.key, row.job_file, tuple(json.loads(row.files)), row.by, row.plan_digest, row.at)
