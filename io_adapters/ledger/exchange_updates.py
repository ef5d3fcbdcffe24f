"""Exchange updates: what sets the rate of each report in a foreign currency, once."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Select, select, union

from io_adapters.ledger.engine import Database
from io_adapters.ledger.exchange_by_hand import ExchangeByHand
from io_adapters.ledger.exchange_sending import ExchangeSending
from io_adapters.ledger.exchange_terms import terms_of
from io_adapters.ledger.exchange_transitions import (
    Cause,
    read_update,
    select_updates,
    try_move,
    update_of,
    write_attempt,
    write_updates,
)
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import exchange_journal, exchange_updates, plan_exchanges, plans, submissions
from schemas.errors import ApprovalWanted, BrokenInvariant
from schemas.exchange_terms import ExchangeTerms
from schemas.exchange_update import ExchangeState, ExchangeUpdate
from schemas.person import different_people
from schemas.submission import OPEN
from schemas.told import Told

X = ExchangeState


class ExchangeUpdates(ExchangeSending, ExchangeByHand):
    """The record of exchange updates. Every change goes through the one table of transitions and is journaled."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def terms_of(self, plan_digest: str) -> ExchangeTerms | None:
        """Return the rate a plan was made with; None for reports in BRL."""
        with self._db.reading() as connection:
            query = select(plan_exchanges).where(plan_exchanges.c.plan_digest == plan_digest)
            row = connection.execute(query).one_or_none()
        return None if row is None else terms_of(row)

    def jobs(self, only: str | None = None) -> list[str]:
        """Name the jobs that ever had a plan in a foreign currency, or a rate set by hand: all, or this one."""
        planned = select(plans.c.job).join(plan_exchanges, plan_exchanges.c.plan_digest == plans.c.digest)
        by_hand = select(submissions.c.job).join(exchange_updates, exchange_updates.c.submission_id == submissions.c.id)
        with self._db.reading() as connection:
            found = set(connection.scalars(union(planned, by_hand)))
        return sorted(found if only is None else found & {only})

    def prepare(self, job: str, run_id: str) -> None:
        """Write down an update for every report of a job that waits for its rate and has none yet."""
        with self._db.reading() as connection:
            if connection.execute(_without_update(job)).first() is None:
                return
        with self._db.writing() as connection:
            wanted = [(row.id, terms_of(row)) for row in connection.execute(_without_update(job))]
            write_updates(connection, wanted, run_id, Cause(self._db.now(), run_id))

    def get(self, update_id: str) -> ExchangeUpdate:
        """Return one exchange update.

        Raises:
            ConfigurationError: there is none of that id.
        """
        with self._db.reading() as connection:
            return read_update(connection, update_id)

    def journal(self, update_id: str) -> list[tuple[str | None, str, str]]:
        """Return all transitions of an update, oldest first: before, after, reason."""
        j = exchange_journal.c
        query = select(j.before, j.after, j.reason).where(j.update_id == update_id).order_by(j.id)
        with self._db.reading() as connection:
            return [(row.before, row.after, row.reason) for row in connection.execute(query)]

    def list(self, *, job: str | None = None, states: Iterable[ExchangeState] | None = None) -> list[ExchangeUpdate]:
        """Return the updates of a job, or of all, in some states, or in any, in the order they were written down."""
        query = select_updates().order_by(exchange_updates.c.created_at, exchange_updates.c.id)
        if job is not None:
            query = query.where(submissions.c.job == job)
        if states is not None:
            query = query.where(exchange_updates.c.state.in_([state.value for state in states]))
        with self._db.reading() as connection:
            return [update_of(row) for row in connection.execute(query)]

    def of_reports(self, report_ids: Iterable[str]) -> dict[str, ExchangeUpdate]:
        """Return the one update that counts of each of these reports that has one, by report id."""
        counts = exchange_updates.c.state != X.ABSENT.value
        found: dict[str, ExchangeUpdate] = {}
        with self._db.reading() as connection:
            for some in chunks(report_ids):
                query = select_updates().where(counts, exchange_updates.c.submission_id.in_(some))
                found |= {row.submission_id: update_of(row) for row in connection.execute(query)}
        return found

    def record_seen(self, seen: ExchangeUpdate, after: ExchangeState, *, by: str, reason: str) -> ExchangeUpdate:
        """Write down what a look at the report, or a person, says of its rate.

        Args:
            seen: The update as it stood when the service was asked; when it stands elsewhere by now, nothing changes.
            after: What is proven.
            by: The run that looked, or the person.
            reason: For people.

        Returns:
            The update as it stands now.
        """
        with self._db.writing() as connection:
            try_move(connection, seen, after, Cause(self._db.now(), by, reason))
            return read_update(connection, seen.id)

    def declare_absent(self, update_id: str, *, by: Sequence[str], evidence: str, run_id: str) -> ExchangeUpdate:
        """Take people's word that the service did not set the rate, and make the next attempt ready: the same bytes.

        Whether it is time for that, and the last look before, are the caller's to judge.

        Returns:
            The next attempt, approved.

        Raises:
            ApprovalWanted: fewer than two different people.
            BrokenInvariant: the update is neither in doubt nor refused.
        """
        if len(different_people(by)) < 2:
            raise ApprovalWanted(Told("doubt.two_people"))
        with self._db.writing() as connection:
            before = read_update(connection, update_id)
            names = ", ".join(name.strip() for name in by)
            now = self._db.now()
            if not try_move(connection, before, X.ABSENT, Cause(now, names, evidence)):
                raise BrokenInvariant(f"{update_id} was no longer {before.state}")
            following = write_attempt(
                connection,
                before.report_id,
                before.attempt + 1,
                before.body,
                run_id,
                Cause(now, names, f"follows {update_id}, which is absent"),
                was_in_doubt=before.was_in_doubt,
            )
            return read_update(connection, following)


def _without_update(job: str) -> Select[Any]:
    has_one = select(exchange_updates.c.id).where(exchange_updates.c.submission_id == submissions.c.id).exists()
    return (
        select(submissions.c.id, *(c for c in plan_exchanges.c if c.name != "plan_digest"))
        .join(plan_exchanges, plan_exchanges.c.plan_digest == submissions.c.plan_digest)
        .where(submissions.c.job == job, submissions.c.state.in_([state.value for state in OPEN]), ~has_one)
        .order_by(submissions.c.created_at, submissions.c.batch_number)
    )
