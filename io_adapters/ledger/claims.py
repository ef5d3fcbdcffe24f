"""Which obligations are taken: each is in at most one live submission."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, or_, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import claims, submissions
from schemas.errors import UnsoundPlan
from schemas.plan import BatchPayment
from schemas.submission import Claim, SubmissionState


class ClaimCollision(UnsoundPlan):
    """Obligations of a plan are already in another live submission; nothing was changed.

    Attributes:
        obligation_keys: Which.
    """

    def __init__(self, obligation_keys: Sequence[str]) -> None:
        self.obligation_keys = tuple(obligation_keys)
        some = ", ".join(self.obligation_keys[:5]) + (", ..." if len(self.obligation_keys) > 5 else "")
        super().__init__(
            f"{len(self.obligation_keys)} payments of this plan are already being paid by another one ({some}); "
            "run again, and the plan will leave them out"
        )


class Claims:
    """The record of claims."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def live_for(self, base_keys: Iterable[str]) -> list[Claim]:
        """Return the live claims on obligations with these base keys: the first of each payee and all that followed."""
        return self._live(claims.c.base_key, base_keys)

    def live_for_obligations(self, obligation_keys: Iterable[str]) -> list[Claim]:
        """Return the live claims on exactly these obligations."""
        return self._live(claims.c.obligation_key, obligation_keys)

    def live_of(self, job: str, period: str) -> list[Claim]:
        """Return all live claims of a job's period."""
        return self._read(claims.c.live, submissions.c.job == job, submissions.c.period == period)

    def payments_elsewhere(self, payees: Iterable[str], job: str, period: str) -> list[tuple[str, int, str, str]]:
        """Return the live claims of payments rows of these payees under other jobs and periods.

        Returns:
            (payee, centavos, destination, "job period"), oldest first.
        """
        found: list[tuple[str, int, str, str]] = []
        columns = (claims.c.payee, claims.c.amount_cents, claims.c.destination, submissions.c.job, submissions.c.period)
        other = or_(submissions.c.job != job, submissions.c.period != period)
        with self._db.reading() as connection:
            for some in chunks(payees):
                query = (
                    select(*columns)
                    .join(submissions, submissions.c.id == claims.c.submission_id)
                    .where(claims.c.payee.in_(some), claims.c.live, claims.c.kind == "payment", other)
                    .order_by(submissions.c.created_at)
                )
                found += [(r[0], r[1], r[2], f"{r[3]} {r[4]}") for r in connection.execute(query)]
        return found

    def trace(self, payee_or_obligation: str) -> list[Claim]:
        """Return every claim there ever was on one obligation or for one payee (tax id), oldest first."""
        one = or_(claims.c.obligation_key == payee_or_obligation, claims.c.payee == payee_or_obligation)
        return self._read(one)

    def payments_of(self, submission_id: str) -> list[BatchPayment]:
        """Return what a submission pays, in wire order."""
        columns = (claims.c[name] for name in BatchPayment.__dataclass_fields__)
        query = select(*columns).where(claims.c.submission_id == submission_id).order_by(claims.c.position)
        with self._db.reading() as connection:
            return [BatchPayment(*row) for row in connection.execute(query)]

    def _read(self, *conditions: ColumnElement[bool]) -> list[Claim]:
        in_order = (submissions.c.created_at, claims.c.submission_id, claims.c.position)
        with self._db.reading() as connection:
            return [
                _claim_of(row) for row in connection.execute(_select_claims().where(*conditions).order_by(*in_order))
            ]

    def _live(self, column: Column[str], keys: Iterable[str]) -> list[Claim]:
        query = _select_claims().where(claims.c.live)
        with self._db.reading() as connection:
            return [
                _claim_of(row) for some in chunks(keys) for row in connection.execute(query.where(column.in_(some)))
            ]


def claim_all(connection: Connection, submission_ids: Sequence[str]) -> None:
    """Let submissions claim what they pay, within a transaction.

    Raises:
        ClaimCollision: others claim some of it.
    """
    if taken := claimed_elsewhere(connection, submission_ids):
        raise ClaimCollision(sorted(taken))
    connection.execute(update(claims).where(claims.c.submission_id.in_(submission_ids)).values(live=True))


def claimed_elsewhere(connection: Connection, submission_ids: Sequence[str]) -> dict[str, str]:
    """Return the live claims of others on what these submissions pay: submission id by obligation key."""
    mine = claims.alias("mine")
    query = (
        select(claims.c.obligation_key, claims.c.submission_id)
        .join(mine, mine.c.obligation_key == claims.c.obligation_key)
        .where(mine.c.submission_id.in_(submission_ids), claims.c.live, claims.c.submission_id.not_in(submission_ids))
    )
    return {row.obligation_key: row.submission_id for row in connection.execute(query)}


def _select_claims() -> Select[Any]:
    of_submission = {"state", "run_id", "period"}
    columns = (submissions.c[n] if n in of_submission else claims.c[n] for n in Claim.__dataclass_fields__)
    return select(*columns).join(submissions, submissions.c.id == claims.c.submission_id)


def _claim_of(row: Row[Any]) -> Claim:
    values = dict(zip(Claim.__dataclass_fields__, row, strict=True))  # the columns are Claim's fields
    return Claim(**values | {"state": SubmissionState(values["state"])})
