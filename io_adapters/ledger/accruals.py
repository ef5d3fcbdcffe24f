"""Accruals in the ledger: posted once with their plan, read by later periods."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, delete, func, insert, or_, select

from io_adapters.ledger.claims import raise_epoch
from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import accrual_periods, accruals, late_accruals, plans, runs
from schemas.accrual import Accrual
from schemas.errors import UnsoundPlan
from schemas.messages import Message


def of_job(table: Table, job: str, payer: str, currency: str) -> ColumnElement[bool]:
    """Choose the rows of one series of periods: what a job pays for one payer in one currency."""
    return and_(table.c.job == job, table.c.payer == payer, table.c.currency == currency)


def sum_up(
    connection: Connection,
    columns: Sequence[str],
    own: ColumnElement[bool],
    late: ColumnElement[bool],
) -> dict[tuple[str, ...], int]:
    """Sum centavos by columns of both tables, without sums of nothing.

    Args:
        connection: Within a transaction.
        columns: Of `accruals` and `late_accruals` alike.
        own: Which rows of `accruals`, joined with `accrual_periods`.
        late: Which rows of `late_accruals`.
    """
    joined = accruals.join(accrual_periods, accrual_periods.c.id == accruals.c.posting_id)
    sums = Counter[tuple[str, ...]]()
    for table, source, which in ((accruals, joined, own), (late_accruals, late_accruals, late)):
        keys = [table.c[name] for name in columns]
        query = select(*keys, func.sum(table.c.amount_cents)).select_from(source).where(which).group_by(*keys)
        for *key, cents in connection.execute(query):
            sums[tuple(key)] += int(cents)
    return {key: cents for key, cents in sums.items() if cents}


def sum_recouped(
    connection: Connection, series: tuple[str, str, str], own: ColumnElement[bool], late: ColumnElement[bool]
) -> dict[tuple[str, str], int]:
    """Sum what was recouped, by payee and advance: by a job, and of advances with a reference by its payer's others.

    Args:
        connection: Within a transaction.
        series: Job, payer and currency.
        own: Which periods of the job's own.
        late: Which of its late changes.
    """
    sums = sum_up(
        connection,
        ("payee", "reference"),
        and_(accruals.c.kind == "recouped", or_(own, _of_other_jobs(accrual_periods, accruals, series))),
        and_(late_accruals.c.kind == "recouped", or_(late, _of_other_jobs(late_accruals, late_accruals, series))),
    )
    return {(payee, reference): cents for (payee, reference), cents in sums.items()}


def _of_other_jobs(periods: Table, rows: Table, series: tuple[str, str, str]) -> ColumnElement[bool]:
    """Choose what other jobs of a payer have recouped of advances that have a reference, in whatever period."""
    job, payer, currency = series
    named = and_(rows.c.reference != "", rows.c.reference.not_like("|%"))
    return and_(periods.c.job != job, periods.c.payer == payer, periods.c.currency == currency, named)


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
        continues: The name the job had before; "" for none. Its series ends with this posting.
    """

    job: str
    payer: str
    currency: str
    period: str
    period_start: dt.date
    rows: tuple[Accrual, ...]
    late: bool = False
    continues: str = ""


@dataclass(frozen=True, slots=True)
class PostedBefore:
    """What a posting replaced.

    Attributes:
        run_id: The run that had posted it.
        plan_digest: The plan it was posted with; None for one that sent nothing.
        rows: Its rows.
    """

    run_id: str
    plan_digest: str | None
    rows: tuple[Accrual, ...]

    def to_json(self) -> str:
        """Write it down."""
        rows = [[row.kind, row.payee, row.reference, row.amount_cents] for row in self.rows]
        return json.dumps({"run_id": self.run_id, "plan_digest": self.plan_digest, "rows": rows})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read it back."""
        kept = json.loads(text)
        return cls(kept["run_id"], kept["plan_digest"], tuple(Accrual(*row) for row in kept["rows"]))


def posted_before(connection: Connection, posting: AccrualPosting) -> PostedBefore | None:
    """Return what a posting is about to replace; None where its period was never posted, or is closed."""
    p, a = accrual_periods.c, accruals.c
    mine = of_job(accrual_periods, posting.job, posting.payer, posting.currency)
    header = connection.execute(select(accrual_periods).where(mine, p.period == posting.period)).one_or_none()
    if header is None or posting.late:
        return None
    rows = select(a.kind, a.payee, a.reference, a.amount_cents).where(a.posting_id == header.id)
    kept = tuple(Accrual(*row) for row in connection.execute(rows.order_by(a.kind, a.payee, a.reference)))
    return PostedBefore(header.run_id, header.plan_digest, kept)


def take_back_accruals(
    connection: Connection,
    plan_digest: str,
    payees: Collection[str] | None,
    before: PostedBefore | None,
    *,
    run_id: str,
    now: dt.datetime,
) -> None:
    """Undo, within a transaction, what was posted with a plan for payees of whom nothing was sent.

    What its posting replaced stands again. A later period that was posted since has taken it up: then the difference is
    booked beside what stands, as for every change of a closed period. A posting that a newer plan has replaced is left
    as it is: it says what that plan found.

    Args:
        connection: Within the transaction that withdraws what was not sent.
        plan_digest: The plan.
        payees: Whose; None for all, where nothing of the plan was sent.
        before: What its posting replaced; None where it was the period's first.
        run_id: The run it is ascribed to; "" for a person's word.
        now: The present moment.
    """
    _take_back_late(connection, plan_digest, payees, run_id=run_id, now=now)
    p, a = accrual_periods.c, accruals.c
    header = connection.execute(select(accrual_periods).where(p.plan_digest == plan_digest)).one_or_none()
    if header is None:
        return
    rows = connection.execute(select(a.kind, a.payee, a.reference, a.amount_cents).where(a.posting_id == header.id))
    stands = [Accrual(*row) for row in rows]
    kept = [row for row in stands if payees is not None and row.payee not in payees]
    again = [row for row in (before.rows if before else ()) if payees is None or row.payee in payees]
    identity = (header.job, header.payer, header.currency, header.period, header.period_start)
    latest = _latest_after(connection, *identity[:3], header.period_start)
    if latest is not None:
        changes = Counter(
            {(row.kind, row.payee, row.reference): -row.amount_cents for row in stands if row not in kept}
        )
        for row in again:
            changes[row.kind, row.payee, row.reference] += row.amount_cents
        late = tuple(Accrual(*name, cents) for name, cents in changes.items() if cents)
        posting = AccrualPosting(*identity, rows=late, late=True)
        post_accruals(connection, posting, run_id=run_id, plan_digest=plan_digest, now=now)
    elif payees is not None:
        posting = AccrualPosting(*identity, rows=(*kept, *again))
        post_accruals(connection, posting, run_id=header.run_id, plan_digest=plan_digest, now=now)
    elif before is not None:
        posting = AccrualPosting(*identity, rows=before.rows)
        post_accruals(connection, posting, run_id=before.run_id, plan_digest=before.plan_digest, now=now)
    else:
        _forget(connection, p.id == header.id)


def _take_back_late(
    connection: Connection, plan_digest: str, payees: Collection[str] | None, *, run_id: str, now: dt.datetime
) -> None:
    """Book the opposite of what a plan of a closed period has changed in it."""
    late = late_accruals.c
    series = (late.job, late.payer, late.currency, late.period, late.period_start)
    rows = (late.kind, late.payee, late.reference)
    query = select(*series, *rows, func.sum(late.amount_cents)).where(late.plan_digest == plan_digest)
    found = connection.execute(query.group_by(*series, *rows)).all()
    for row in found:
        if row[-1] and (payees is None or row.payee in payees):
            opposite = Accrual(row.kind, row.payee, row.reference, -int(row[-1]))
            posting = AccrualPosting(
                row.job, row.payer, row.currency, row.period, row.period_start, (opposite,), late=True
            )
            post_accruals(connection, posting, run_id=run_id, plan_digest=plan_digest, now=now)


def post_accruals(
    connection: Connection, posting: AccrualPosting, *, run_id: str, plan_digest: str | None, now: dt.datetime
) -> None:
    """Replace a period's posting within a transaction, or add to a closed one's.

    Raises:
        UnsoundPlan: a later period has been posted, or none where the posting is late.
    """
    raise_epoch(connection)
    p = accrual_periods.c
    mine = of_job(accrual_periods, posting.job, posting.payer, posting.currency)
    latest = _latest_after(connection, posting.job, posting.payer, posting.currency, posting.period_start)
    if posting.late != (latest is not None):
        state = "error.period_closed" if latest else "error.period_open"
        later = latest.period if latest else ""
        raise UnsoundPlan(Message(state, job=posting.job, period=posting.period, later=later))
    _refuse_recouped_meanwhile(connection, posting, run_id=run_id, plan_digest=plan_digest)
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
    if posting.continues and _handover(connection, (posting.continues, posting.payer, posting.currency)) is None:
        connection.execute(insert(accrual_periods).values(**identity | {"job": posting.continues, "plan_digest": None}))
    number = connection.execute(insert(accrual_periods).values(**identity).returning(p.id)).scalar_one()
    _insert(connection, accruals, [{"posting_id": number} | row for row in rows])


def _handover(connection: Connection, series: tuple[str, str, str]) -> Row[tuple[str, dt.date]] | None:
    """Return who goes on with a job under another name, and from which day; None while nobody does.

    A series ends with an empty posting that a run of the other name has made.
    """
    p = accrual_periods.c
    query = select(runs.c.job, p.period_start).join(runs, runs.c.run_id == p.run_id)
    ended = and_(of_job(accrual_periods, *series), runs.c.job != p.job, runs.c.job != "")
    return connection.execute(query.where(ended).order_by(p.period_start).limit(1)).one_or_none()


def _refuse_recouped_meanwhile(
    connection: Connection, posting: AccrualPosting, *, run_id: str, plan_digest: str | None
) -> None:
    """Refuse to recoup of an advance of which another job has recouped since this was worked out.

    Raises:
        UnsoundPlan: another job has; run again, the posting is worked out with what it left.
    """
    wanted = {(row.payee, row.reference) for row in posting.rows if row.kind == "recouped" and row.amount_cents > 0}
    if not wanted:
        return
    planned_by = select(plans.c.run_id).where(plans.c.digest == plan_digest).scalar_subquery()
    worked_out_by = run_id if plan_digest is None else planned_by
    since = connection.scalar(select(runs.c.started_at).where(runs.c.run_id == worked_out_by))
    if since is None:
        return
    series = (posting.job, posting.payer, posting.currency)
    joined = accruals.join(accrual_periods, accrual_periods.c.id == accruals.c.posting_id)
    for periods, rows, source in ((accrual_periods, accruals, joined), (late_accruals, late_accruals, late_accruals)):
        query = (
            select(rows.c.payee, rows.c.reference, periods.c.job, periods.c.period)
            .select_from(source)
            .where(rows.c.kind == "recouped", periods.c.posted_at >= since, _of_other_jobs(periods, rows, series))
        )
        for payee, reference, job, period in connection.execute(query):
            if (payee, reference) in wanted:
                raise UnsoundPlan(Message("error.recouped_meanwhile", job=job, period=period))


def _latest_after(
    connection: Connection, job: str, payer: str, currency: str, start: dt.date
) -> Row[tuple[str, dt.date]] | None:
    """Return label and first day of the latest posted period after a day; None where there is none."""
    p = accrual_periods.c
    later = select(p.period, p.period_start).where(
        of_job(accrual_periods, job, payer, currency), p.period_start > start
    )
    return connection.execute(later.order_by(p.period_start.desc(), p.id.desc()).limit(1)).one_or_none()


def _insert(connection: Connection, table: Table, rows: list[dict[str, object]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _forget(connection: Connection, which: ColumnElement[bool]) -> None:
    numbers = list(connection.scalars(select(accrual_periods.c.id).where(which)))
    connection.execute(delete(accruals).where(accruals.c.posting_id.in_(numbers)))
    connection.execute(delete(accrual_periods).where(accrual_periods.c.id.in_(numbers)))


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


@dataclass(frozen=True, slots=True)
class LateCarry:
    """What a change of a closed period carries on, in centavos.

    Attributes:
        payee: Tax id.
        amount_cents: Negative when owed back.
        booked_in: The latest posted period then; the next one after it takes the sum up.
        posted_at: When.
    """

    payee: str
    amount_cents: int
    booked_in: str
    posted_at: dt.datetime


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
        what later periods did, so that a period run again after them finds what it found. Of an advance with a
        reference, what other jobs of the payer have recouped counts as well, whenever they did.
        """
        p, late = accrual_periods.c, late_accruals.c
        own = and_(of_job(accrual_periods, job, payer, currency), p.period_start <= period_start, p.period != period)
        booked = and_(
            of_job(late_accruals, job, payer, currency), late.booked_start <= period_start, late.period != period
        )
        with self._db.reading() as connection:
            return sum_recouped(connection, (job, payer, currency), own, booked)

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
                recouped=sum_recouped(connection, (job, payer, currency), mine, late),
            )

    def posted_periods(self, job: str, payer: str, currency: str) -> list[tuple[dt.date, str]]:
        """Return first day and label of every posted period, earliest first."""
        p = accrual_periods.c
        query = select(p.period_start, p.period).where(of_job(accrual_periods, job, payer, currency))
        with self._db.reading() as connection:
            return [(row.period_start, row.period) for row in connection.execute(query.order_by(p.period_start, p.id))]

    def handover(self, job: str, payer: str, currency: str) -> tuple[str, dt.date] | None:
        """Return under which name a job goes on, and from which day; None while it does not."""
        with self._db.reading() as connection:
            found = _handover(connection, (job, payer, currency))
        return None if found is None else (found.job, found.period_start)

    def renamed(self) -> dict[str, str]:
        """Return the jobs that go on under another name -> that name."""
        p = accrual_periods.c
        names = (p.job.label("old"), runs.c.job.label("new"))
        query = select(*names).join(runs, runs.c.run_id == p.run_id).where(runs.c.job != p.job, runs.c.job != "")
        with self._db.reading() as connection:
            return {row.old: row.new for row in connection.execute(query.order_by(p.id.desc()))}

    def taxed(self, job: str, period: str) -> dict[tuple[str, str], int]:
        """Return what was withheld of a period for taxes, in centavos by payee and kind of tax."""
        p, late = accrual_periods.c, late_accruals.c
        own = and_(p.job == job, p.period == period, accruals.c.kind == "taxed")
        changed = and_(late.job == job, late.period == period, late.kind == "taxed")
        with self._db.reading() as connection:
            sums = sum_up(connection, ("payee", "reference"), own, changed)
        return {(payee, kind): cents for (payee, kind), cents in sums.items()}

    def late_carried(self, job: str, currency: str) -> list[LateCarry]:
        """Return what changes of a job's closed periods carry on, oldest first."""
        late = late_accruals.c
        mine = and_(late.job == job, late.currency == currency, late.kind == "carried")
        query = select(late.payee, late.amount_cents, late.booked_in, late.posted_at).where(mine).order_by(late.id)
        with self._db.reading() as connection:
            return [LateCarry(*row) for row in connection.execute(query)]

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
