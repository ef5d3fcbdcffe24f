"""People's words on plans. An approval is used once, and lapses."""

import datetime as dt
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import approvals, plans
from schemas.errors import ApprovalWanted
from schemas.person import different_people
from schemas.plan import Approval, ApprovalKind
from schemas.told import Told

# Rejections stand in the same record, void from the start, so that they are never forgotten.
_REJECTED = "rejected"


class Approvals:
    """The record of approvals and rejections."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, approval: Approval) -> None:
        """Write a person's word down; it binds the plan's digest and total.

        Raises:
            ApprovalWanted: no such plan is stored, its total is another, or it stands rejected.
        """
        with self._db.writing() as connection:
            plan = _plan_that_stands(connection, approval.digest)
            if plan.total_cents != approval.total_cents:
                raise ApprovalWanted(Told("approval.look_again"))
            connection.execute(
                insert(approvals).values(
                    digest=approval.digest,
                    by=approval.by,
                    kind=approval.kind.value,
                    total_cents=approval.total_cents,
                    at=approval.at,
                    expires_at=approval.expires_at,
                )
            )

    def reject(self, digest: str, by: str, why: str) -> None:
        """Reject a plan: approvals so far are void, and no other counts until a later run arrives at the plan again.

        Raises:
            ApprovalWanted: no such plan is stored.
        """
        with self._db.writing() as connection:
            _plan(connection, digest)
            now = self._db.now()
            rejection = {"rejected_at": now, "rejected_by": by, "rejected_why": why}
            connection.execute(update(plans).where(plans.c.digest == digest).values(**rejection))
            _void_unused(connection, digest, now)
            total_cents = _plan(connection, digest).total_cents
            said = {"digest": digest, "by": by, "kind": _REJECTED, "total_cents": total_cents}
            connection.execute(insert(approvals).values(**said, at=now, expires_at=now, voided_at=now))

    def void(self, digest: str) -> None:
        """Let no approval of a plan count that has not been used: there is something that nobody has seen yet."""
        with self._db.writing() as connection:
            _void_unused(connection, digest, self._db.now())

    def was_rejected(self, digest: str) -> bool:
        """Say whether people have ever rejected a plan; no flag may speak for it then."""
        query = select(approvals.c.id).where(approvals.c.digest == digest, approvals.c.kind == _REJECTED).limit(1)
        with self._db.reading() as connection:
            return connection.scalar(query) is not None

    def standing(self, digest: str, now: dt.datetime) -> list[Approval]:
        """Return the approvals of a plan that are neither expired, used nor void, oldest first."""
        with self._db.reading() as connection:
            return _read(connection, _is_standing(digest, now))

    def given(self, digest: str) -> list[Approval]:
        """Return the approvals of a plan that were used or may still be, oldest first; not those that became void."""
        with self._db.reading() as connection:
            return _read(connection, and_(approvals.c.digest == digest, approvals.c.voided_at.is_(None)))


def use_approvals(connection: Connection, digest: str, approvers: int, run_id: str, now: dt.datetime) -> None:
    """Use up a plan's standing approvals, within a transaction.

    Raises:
        ApprovalWanted: fewer people than needed approve it at this moment, or it stands rejected.
    """
    _plan_that_stands(connection, digest)
    people = different_people(approval.by for approval in _read(connection, _is_standing(digest, now)))
    if len(people) < approvers:
        raise ApprovalWanted(Told("approval.too_few", plan=digest[:15], given=len(people), wanted=approvers))
    connection.execute(update(approvals).where(_is_standing(digest, now)).values(used_at=now, used_by_run=run_id))


def _void_unused(connection: Connection, digest: str, now: dt.datetime) -> None:
    unused = and_(approvals.c.digest == digest, approvals.c.used_at.is_(None), approvals.c.voided_at.is_(None))
    connection.execute(update(approvals).where(unused).values(voided_at=now))


def _is_standing(digest: str, now: dt.datetime) -> ColumnElement[bool]:
    return and_(
        approvals.c.digest == digest,
        approvals.c.expires_at > now,
        approvals.c.used_at.is_(None),
        approvals.c.voided_at.is_(None),
    )


def _read(connection: Connection, which: ColumnElement[bool]) -> list[Approval]:
    query = select(approvals).where(which).order_by(approvals.c.id)
    return [
        Approval(row.digest, row.by, ApprovalKind(row.kind), row.total_cents, row.at, row.expires_at)
        for row in connection.execute(query)
    ]


def _plan_that_stands(connection: Connection, digest: str) -> Row[Any]:
    plan = _plan(connection, digest)
    if plan.rejected_at is not None:
        raise ApprovalWanted(Told("approval.rejected", by=plan.rejected_by, why=plan.rejected_why))
    return plan


def _plan(connection: Connection, digest: str) -> Row[Any]:
    row = connection.execute(select(plans).where(plans.c.digest == digest)).one_or_none()
    if row is None:
        raise ApprovalWanted(Told("plan.not_stored", plan=digest[:15]))
    return row
