"""What was carried over and what was recouped, posted once per period together with its plan.

Posting a period again replaces its earlier posting; posting a later period closes the earlier ones. What was posted of
a closed period stands for ever: what changes in it afterwards is added beside it, booked with the latest posted period,
and so reaches the one after that.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, insert, select

from io_adapters.ledger.accrual_sums import of_job
from io_adapters.ledger.tables import accrual_periods, accruals, late_accruals
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
        late: Whether the period is closed: the rows are what changes in it, to be added to what stands.
    """

    job: str
    payer: str
    currency: str
    period: str
    period_start: dt.date
    rows: tuple[Accrual, ...]
    late: bool = False


def post_accruals(
    connection: Connection, posting: AccrualPosting, *, run_id: str, plan_digest: str | None, now: dt.datetime
) -> None:
    """Replace a period's posting within a transaction, or add to a closed one's.

    Raises:
        UnsoundPlan: a later period has been posted, or none where the posting is late.
    """
    p = accrual_periods.c
    mine = of_job(accrual_periods, posting.job, posting.payer, posting.currency)
    later = select(p.period, p.period_start).where(mine, p.period_start > posting.period_start)
    latest = connection.execute(later.order_by(p.period_start.desc(), p.id.desc()).limit(1)).one_or_none()
    if posting.late != (latest is not None):
        state = f"closed: {latest.period} was posted after it" if latest else "not closed any more"
        raise UnsoundPlan(f"{posting.job} {posting.period} is {state}; run it again")
    identity = {
        "job": posting.job,
        "payer": posting.payer,
        "currency": posting.currency,
        "period": posting.period,
        "period_start": posting.period_start,
        "plan_digest": plan_digest,
        "run_id": run_id,
        "posted_at": now,
    }
    rows = [
        {"kind": a.kind, "payee": a.payee, "reference": a.reference, "amount_cents": a.amount_cents}
        for a in posting.rows
    ]
    if latest is not None:
        booked = identity | {"booked_in": latest.period, "booked_start": latest.period_start}
        _insert(connection, late_accruals, [booked | row for row in rows])
        return
    _forget(connection, and_(mine, p.period == posting.period))
    number = connection.execute(insert(accrual_periods).values(**identity).returning(p.id)).scalar_one()
    _insert(connection, accruals, [{"posting_id": number} | row for row in rows])


def _insert(connection: Connection, table: Table, rows: list[dict[str, object]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _forget(connection: Connection, which: ColumnElement[bool]) -> None:
    numbers = list(connection.scalars(select(accrual_periods.c.id).where(which)))
    connection.execute(delete(accruals).where(accruals.c.posting_id.in_(numbers)))
    connection.execute(delete(accrual_periods).where(accrual_periods.c.id.in_(numbers)))
