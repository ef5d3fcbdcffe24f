"""What periods have left for later ones: carried over, and recouped of advances."""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import and_, select

from io_adapters.ledger.accrual_posting import Accrual, AccrualPosting, post_accruals
from io_adapters.ledger.accrual_sums import of_job, sum_recouped, sum_up
from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import accrual_periods, accruals, late_accruals


@dataclass(frozen=True, slots=True)
class ClosedPeriod:
    """What stands of a period after which another was posted.

    Attributes:
        was_posted: Whether it was posted itself; otherwise the later one has taken up what was carried into it.
        left: (payee, kind, reference) -> centavos it left, with what changed since it was closed.
        recouped: (payee, advance) -> centavos that all periods have recouped.
    """

    was_posted: bool
    left: dict[tuple[str, str, str], int]
    recouped: dict[tuple[str, str], int]


class Accruals:
    """The record of carry-overs and recoupments."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def post(self, posting: AccrualPosting, run_id: str) -> None:
        """Post a period in which nothing is sent; `approve_plan` posts the others.

        Raises:
            UnsoundPlan: a later period has been posted, or none where the posting is late.
        """
        with self._db.writing() as connection:
            post_accruals(connection, posting, run_id=run_id, plan_digest=None, now=self._db.now())

    def carried_in(self, job: str, payer: str, currency: str, before: dt.date) -> dict[str, int]:
        """Return what the latest posted period that starts before a day left, in centavos by payee.

        What changed in closed periods while that one was the latest is part of it.
        """
        p, late = accrual_periods.c, late_accruals.c
        latest = select(p.id, p.period).where(of_job(accrual_periods, job, payer, currency), p.period_start < before)
        with self._db.reading() as connection:
            posting = connection.execute(latest.order_by(p.period_start.desc(), p.id.desc()).limit(1)).one_or_none()
            if posting is None:
                return {}
            own = and_(accruals.c.posting_id == posting.id, accruals.c.kind == "carried")
            booked = and_(of_job(late_accruals, job, payer, currency), late.booked_in == posting.period)
            sums = sum_up(connection, ("payee",), own, and_(booked, late.kind == "carried"))
            return {payee: cents for (payee,), cents in sums.items()}

    def recouped(
        self, job: str, payer: str, currency: str, period: str, period_start: dt.date
    ) -> dict[tuple[str, str], int]:
        """Return what a period finds recouped, in centavos by payee and advance.

        That is what earlier periods have recouped, and what closed ones did up to when this one was the latest; never
        what later periods did, so that a period run again after them finds what it found.
        """
        p, late = accrual_periods.c, late_accruals.c
        own = and_(of_job(accrual_periods, job, payer, currency), p.period_start <= period_start, p.period != period)
        booked = and_(
            of_job(late_accruals, job, payer, currency), late.booked_start <= period_start, late.period != period
        )
        with self._db.reading() as connection:
            return sum_recouped(connection, own, booked)

    def closed(self, job: str, payer: str, currency: str, period: str, period_start: dt.date) -> ClosedPeriod | None:
        """Return what stands of a period; None while no later one has been posted."""
        p = accrual_periods.c
        mine, late = of_job(accrual_periods, job, payer, currency), of_job(late_accruals, job, payer, currency)
        with self._db.reading() as connection:
            later = select(p.id).where(mine, p.period_start > period_start).limit(1)
            if connection.scalar(later) is None:
                return None
            own = and_(mine, p.period == period)
            changed = and_(late, late_accruals.c.period == period)
            left = sum_up(connection, ("payee", "kind", "reference"), own, changed)
            return ClosedPeriod(
                was_posted=connection.scalar(select(p.id).where(own)) is not None,
                left={(payee, kind, reference): cents for (payee, kind, reference), cents in left.items()},
                recouped=sum_recouped(connection, mine, late),
            )

    def posted_periods(self, job: str, payer: str, currency: str) -> list[tuple[dt.date, str]]:
        """Return first day and label of every posted period, earliest first."""
        p = accrual_periods.c
        query = select(p.period_start, p.period).where(of_job(accrual_periods, job, payer, currency))
        with self._db.reading() as connection:
            return [(row.period_start, row.period) for row in connection.execute(query.order_by(p.period_start, p.id))]

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
