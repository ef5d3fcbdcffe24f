"""What was carried over and what was recouped, posted once per period together with its plan.

Posting a period again replaces its earlier posting; posting a later period closes the earlier ones.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select

from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import accrual_periods, accruals
from schemas.errors import UnsoundPlan


@dataclass(frozen=True, slots=True)
class Accrual:
    """One payee's sum in a posting.

    Attributes:
        kind: Carried to the next period, or recouped from an advance.
        payee: Tax id.
        reference: Which advance; "" for what is carried.
        amount_cents: The sum; a carried debt is negative.
    """

    kind: Literal["carried", "recouped"]
    payee: str
    reference: str
    amount_cents: int


@dataclass(frozen=True, slots=True)
class AccrualPosting:
    """All carry-overs and recoupments of one period of a job.

    Attributes:
        job: Name of the job.
        payer: Tax id of the payer.
        currency: Currency of the reports.
        period: Label of the period.
        period_start: Its first day; tells which of two periods is the later.
        rows: At most one per kind, payee and reference; empty is a posting too.
    """

    job: str
    payer: str
    currency: str
    period: str
    period_start: dt.date
    rows: tuple[Accrual, ...]


class Accruals:
    """The record of carry-overs and recoupments."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def post(self, posting: AccrualPosting, run_id: str) -> None:
        """Post a period in which nothing is sent; `approve_plan` posts the others.

        Raises:
            UnsoundPlan: a later period has been posted.
        """
        with self._db.writing() as connection:
            post_accruals(connection, posting, run_id=run_id, plan_digest=None, now=self._db.now())

    def carried_in(self, job: str, payer: str, currency: str, before: dt.date) -> dict[str, int]:
        """Return what the latest posted period that starts before a day left, in centavos by payee."""
        p = accrual_periods.c
        latest = (
            select(p.id)
            .where(p.job == job, p.payer == payer, p.currency == currency, p.period_start < before)
            .order_by(p.period_start.desc(), p.id.desc())
            .limit(1)
        )
        with self._db.reading() as connection:
            posting = connection.scalar(latest)
            rows = connection.execute(
                select(accruals.c.payee, accruals.c.amount_cents).where(
                    accruals.c.posting_id == posting, accruals.c.kind == "carried"
                )
            )
            return {row.payee: row.amount_cents for row in rows}

    def recouped(self, job: str, payer: str, currency: str, other_than: str) -> dict[tuple[str, str], int]:
        """Return what other periods than this one recouped, in centavos by payee and advance."""
        p = accrual_periods.c
        query = (
            select(accruals.c.payee, accruals.c.reference, func.sum(accruals.c.amount_cents).label("sum"))
            .join(accrual_periods, p.id == accruals.c.posting_id)
            .where(p.job == job, p.payer == payer, p.currency == currency, p.period != other_than)
            .where(accruals.c.kind == "recouped")
            .group_by(accruals.c.payee, accruals.c.reference)
        )
        with self._db.reading() as connection:
            return {(row.payee, row.reference): int(row.sum) for row in connection.execute(query)}

    def posted(self, job: str, period: str) -> list[AccrualPosting]:
        """Return what was posted for a period: one posting for each payer and currency the job has had."""
        p = accrual_periods.c
        a = accruals.c
        with self._db.reading() as connection:
            headers = connection.execute(select(accrual_periods).where(p.job == job, p.period == period)).all()
            found = []
            for header in headers:
                query = select(a.kind, a.payee, a.reference, a.amount_cents).where(a.posting_id == header.id)
                rows = connection.execute(query.order_by(a.kind, a.payee, a.reference))
                identity = (header.job, header.payer, header.currency, header.period, header.period_start)
                found.append(AccrualPosting(*identity, rows=tuple(Accrual(*row) for row in rows)))
        return found

    def is_closed(self, job: str, period_start: dt.date) -> bool:
        """Say whether a later period of the job has been posted."""
        with self._db.reading() as connection:
            later = and_(accrual_periods.c.job == job, accrual_periods.c.period_start > period_start)
            return connection.scalar(select(accrual_periods.c.id).where(later).limit(1)) is not None


def post_accruals(
    connection: Connection, posting: AccrualPosting, *, run_id: str, plan_digest: str | None, now: dt.datetime
) -> None:
    """Replace a period's posting within a transaction.

    Raises:
        UnsoundPlan: a later period has been posted.
    """
    p = accrual_periods.c
    mine = and_(p.job == posting.job, p.payer == posting.payer, p.currency == posting.currency)
    later = select(p.period).where(mine, p.period_start > posting.period_start)
    if (closed_by := connection.scalar(later.limit(1))) is not None:
        raise UnsoundPlan(
            f"{posting.job} {posting.period} is closed: {closed_by} was posted after it; "
            "what changed in it belongs into the later period"
        )
    _forget(connection, and_(mine, p.period == posting.period))
    header = insert(accrual_periods).values(
        job=posting.job,
        payer=posting.payer,
        currency=posting.currency,
        period=posting.period,
        period_start=posting.period_start,
        plan_digest=plan_digest,
        run_id=run_id,
        posted_at=now,
    )
    number = connection.execute(header.returning(p.id)).scalar_one()
    rows = [
        {
            "posting_id": number,
            "kind": a.kind,
            "payee": a.payee,
            "reference": a.reference,
            "amount_cents": a.amount_cents,
        }
        for a in posting.rows
    ]
    if rows:
        connection.execute(insert(accruals), rows)


def _forget(connection: Connection, which: ColumnElement[bool]) -> None:
    numbers = list(connection.scalars(select(accrual_periods.c.id).where(which)))
    connection.execute(delete(accruals).where(accruals.c.posting_id.in_(numbers)))
    connection.execute(delete(accrual_periods).where(accrual_periods.c.id.in_(numbers)))
