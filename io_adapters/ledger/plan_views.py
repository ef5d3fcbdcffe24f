"""Plans as people look at them before they say yes, and whose words count for a job."""

from typing import Literal

from sqlalchemy import delete, insert, select

from io_adapters.ledger.desk_tables import plan_views, word_rules
from io_adapters.ledger.engine import Database

Identities = Literal["declared", "signed_in"]


class PlanViews:
    """The record of plans as they were shown; a later run that arrives at the same plan shows it anew."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def save(self, digest: str, run_id: str, document: bytes) -> None:
        """Keep how a plan looks."""
        with self._db.writing() as connection:
            connection.execute(delete(plan_views).where(plan_views.c.digest == digest))
            row = {"digest": digest, "run_id": run_id, "document": document, "saved_at": self._db.now()}
            connection.execute(insert(plan_views).values(**row))

    def run_of(self, digest: str) -> str | None:
        """Return the run that showed a plan last; None when none did."""
        with self._db.reading() as connection:
            found: str | None = connection.scalar(select(plan_views.c.run_id).where(plan_views.c.digest == digest))
        return found

    def get(self, digest: str) -> bytes | None:
        """Return what `save` kept; None when there is nothing."""
        with self._db.reading() as connection:
            found = connection.scalar(select(plan_views.c.document).where(plan_views.c.digest == digest))
        return None if found is None else bytes(found)


class WordRules:
    """Whose words count, as the last run of each job found it declared."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def note(self, job: str, identities: Identities) -> None:
        """Remember what a job declares; nothing is written where it is known."""
        if self._known(job) == identities:
            return
        with self._db.writing() as connection:
            connection.execute(delete(word_rules).where(word_rules.c.job == job))
            row = {"job": job, "identities": identities, "noted_at": self._db.now()}
            connection.execute(insert(word_rules).values(**row))

    def wants_signed_in(self, job: str) -> bool:
        """Whether only words of people who signed in count for a job; False for one nobody has run."""
        return self._known(job) == "signed_in"

    def any_wants_signed_in(self) -> bool:
        """Whether that is so of any job, for words that concern all of them."""
        query = select(word_rules.c.job).where(word_rules.c.identities == "signed_in").limit(1)
        with self._db.reading() as connection:
            return connection.scalar(query) is not None

    def _known(self, job: str) -> str | None:
        with self._db.reading() as connection:
            found: str | None = connection.scalar(select(word_rules.c.identities).where(word_rules.c.job == job))
        return found
