"""Plans as people look at them before they say yes, and whose words count for a job."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import delete, insert, select

from io_adapters.ledger.desk_tables import plan_views, word_rules
from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import plan_rules, submissions
from schemas.approval import PlanRule
from schemas.job import Identities
from schemas.submission import SubmissionState

# Nothing is left to be said about these.
_CLOSED: Final = (SubmissionState.PAID.value, SubmissionState.WITHDRAWN.value, SubmissionState.REFUSED.value)


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
    """Whose words count: as each job's last run and open plans had it declared, and at least as the policy says.

    Args:
        database: The ledger's.
        policy: Returns the least that no job can undercut; None where the house has no policy.
    """

    def __init__(self, database: Database, policy: Callable[[], PlanRule | None] = lambda: None) -> None:
        self._db = database
        self.policy = policy

    def note(self, job: str, identities: Identities) -> None:
        """Remember what a job declares; nothing is written where it is known."""
        if self._known(job) == identities:
            return
        with self._db.writing() as connection:
            connection.execute(delete(word_rules).where(word_rules.c.job == job))
            row = {"job": job, "identities": identities, "noted_at": self._db.now()}
            connection.execute(insert(word_rules).values(**row))

    def wants_signed_in(self, job: str) -> bool:
        """Whether only words of people who signed in count for a job; False for one nobody has run.

        A job file that was edited since does not loosen the rule of what is still open of it.
        """
        return self._policy_wants_signed_in() or self._known(job) == "signed_in" or self._open_plan_wants(job)

    def any_wants_signed_in(self) -> bool:
        """Whether that is so of any job, for words that concern all of them."""
        query = select(word_rules.c.job).where(word_rules.c.identities == "signed_in").limit(1)
        with self._db.reading() as connection:
            noted = connection.scalar(query) is not None
        return noted or self._policy_wants_signed_in() or self._open_plan_wants(None)

    def _known(self, job: str) -> str | None:
        with self._db.reading() as connection:
            found: str | None = connection.scalar(select(word_rules.c.identities).where(word_rules.c.job == job))
        return found

    def _policy_wants_signed_in(self) -> bool:
        policy = self.policy()
        return policy is not None and policy.identities == "signed_in"

    def _open_plan_wants(self, job: str | None) -> bool:
        query = (
            select(plan_rules.c.plan_digest)
            .join(submissions, submissions.c.plan_digest == plan_rules.c.plan_digest)
            .where(plan_rules.c.identities == "signed_in", submissions.c.state.not_in(_CLOSED))
            .limit(1)
        )
        if job is not None:
            query = query.where(submissions.c.job == job)
        with self._db.reading() as connection:
            return connection.scalar(query) is not None
