"""People's words on plans. An approval is used once, and lapses."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, insert, select, update

from io_adapters.ledger.desk_tables import desk_uploaders, desk_users
from io_adapters.ledger.engine import Database
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import approvals, claims, files, plan_rules, plan_runs, plans, submissions
from io_adapters.ledger.users import user_of
from schemas.approval import PlanRule, approvals_that_count, stricter
from schemas.errors import ApprovalWanted
from schemas.person import same_person
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

    def void(self, digest: str) -> None:
        """Let no approval of a plan count that has not been used: there is something that nobody has seen yet."""
        with self._db.writing() as connection:
            _void_unused(connection, digest, self._db.now())

    def any_rejected(self, digest: str, obligation_keys: Iterable[str]) -> bool:
        """Say whether people have ever rejected a plan, or another one that paid any of these obligations."""
        rejected = select(approvals.c.digest).where(approvals.c.kind == _REJECTED)
        with self._db.reading() as connection:
            if connection.scalar(rejected.where(approvals.c.digest == digest).limit(1)) is not None:
                return True
            paid = (
                select(claims.c.obligation_key)
                .join(submissions, submissions.c.id == claims.c.submission_id)
                .where(submissions.c.plan_digest.in_(rejected))
                .limit(1)
            )
            return any(
                connection.scalar(paid.where(claims.c.obligation_key.in_(some))) is not None
                for some in chunks(obligation_keys)
            )

    def standing(self, digest: str, now: dt.datetime) -> list[Approval]:
        """Return the approvals of a plan that are neither expired, used nor void, oldest first."""
        with self._db.reading() as connection:
            return _read(connection, _is_standing(digest, now))

    def given(self, digest: str) -> list[Approval]:
        """Return the approvals of a plan that were used or may still be, oldest first; not those that became void."""
        with self._db.reading() as connection:
            return _read(connection, and_(approvals.c.digest == digest, approvals.c.voided_at.is_(None)))

    def counting(
        self,
        digest: str,
        rule: PlanRule,
        needed: int,
        now: dt.datetime,
        *,
        by_flag: bool = True,
        used: bool = False,
    ) -> dict[str, Approval]:
        """Return, by person, the approvals of a plan that count for what its people are now.

        Args:
            digest: The plan.
            rule: Whose yes it needs.
            needed: How many people must approve.
            now: The present moment.
            by_flag: Whether --yes counts as a word.
            used: Those that were used up when the plan was last approved, in place of those that stand.
        """
        approved_at = select(plans.c.approved_at).where(plans.c.digest == digest).scalar_subquery()
        of_use = and_(approvals.c.digest == digest, approvals.c.used_at == approved_at)
        with self._db.reading() as connection:
            which = of_use if used else _is_standing(digest, now)
            return _counting(connection, digest, rule, needed, which, by_flag=by_flag)


def use_approvals(
    connection: Connection,
    digest: str,
    rule: PlanRule,
    needed: int,
    *,
    by_flag: bool,
    run_id: str,
    now: dt.datetime,
) -> dict[str, Approval]:
    """Use up a plan's standing approvals, within a transaction that judges them.

    Returns:
        Those that count, by person.

    Raises:
        ApprovalWanted: fewer people than needed approve it at this moment, or it stands rejected.
    """
    _plan_that_stands(connection, digest)
    counting = _counting(connection, digest, rule, needed, _is_standing(digest, now), by_flag=by_flag)
    if len(counting) < needed:
        raise ApprovalWanted(Told("approval.too_few", plan=digest[:15], given=len(counting), wanted=needed))
    connection.execute(update(approvals).where(_is_standing(digest, now)).values(used_at=now, used_by_run=run_id))
    return counting


def record_rejection(connection: Connection, digest: str, by: str, why: str, now: dt.datetime) -> None:
    """Write a person's no down, within a transaction: approvals that were not used are void.

    Raises:
        ApprovalWanted: no such plan is stored.
    """
    total_cents = _plan(connection, digest).total_cents
    rejection = {"rejected_at": now, "rejected_by": by, "rejected_why": why}
    connection.execute(update(plans).where(plans.c.digest == digest).values(**rejection))
    _void_unused(connection, digest, now)
    said = {"digest": digest, "by": by, "kind": _REJECTED, "total_cents": total_cents}
    connection.execute(insert(approvals).values(**said, at=now, expires_at=now, voided_at=now))


def rule_of_plan(connection: Connection, digest: str) -> PlanRule | None:
    """Return the rule a plan was frozen under; None for one without."""
    columns = (plan_rules.c[name] for name in PlanRule.__dataclass_fields__)
    row = connection.execute(select(*columns).where(plan_rules.c.plan_digest == digest)).one_or_none()
    return None if row is None else PlanRule(*row)


def tighten_rule(connection: Connection, digest: str, rule: PlanRule) -> None:
    """Keep the rule a plan was frozen under; one that was frozen before keeps the stricter of both."""
    combined = stricter(rule_of_plan(connection, digest), rule)
    connection.execute(delete(plan_rules).where(plan_rules.c.plan_digest == digest))
    values = {name: getattr(combined, name) for name in PlanRule.__dataclass_fields__}
    connection.execute(insert(plan_rules).values(plan_digest=digest, **values))


def preparers_of(connection: Connection, digest: str) -> frozenset[str]:
    """Name those who prepared a plan: who launched its first run, and who uploaded a file that any run of it read."""
    uploaded = (
        select(desk_uploaders.c.person)
        .join(files, files.c.file_sha256 == desk_uploaders.c.sha256)
        .join(plan_runs, plan_runs.c.run_id == files.c.run_id)
        .where(plan_runs.c.digest == digest)
    )
    launched = _plan(connection, digest).prepared_by
    return frozenset(connection.scalars(uploaded)) - {same_person(launched)} | {launched}


def _counting(
    connection: Connection, digest: str, rule: PlanRule, needed: int, which: ColumnElement[bool], *, by_flag: bool
) -> dict[str, Approval]:
    return approvals_that_count(
        (one for one in _read(connection, which) if by_flag or one.kind is not ApprovalKind.YES_FLAG),
        stricter(rule, rule_of_plan(connection, digest)),
        total_cents=_plan(connection, digest).total_cents,
        needed=needed,
        users=[user_of(row) for row in connection.execute(select(desk_users))],
        preparers=preparers_of(connection, digest),
    )


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
