"""What has been paid before, for a look at a new plan: read, never written."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, and_, func, or_, select

from io_adapters.ledger.engine import Database
from io_adapters.ledger.exchange_terms import terms_of
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import claims, decisions, plan_exchanges, run_documents, runs, submissions
from schemas.decision import DecisionKind
from schemas.exchange_terms import ExchangeTerms
from schemas.paid_before import PaidPart, PaidSum, UsedDestination
from schemas.submission import OPEN, UNTOLD, SubmissionState

# Of each payee and job; twelve are looked at, and the present period may be among them.
_SUMS_OF_EACH: Final = 13


class PaidHistory:
    """The record of what was paid, by payee and by period.

    Paid is what the service pays or has paid, and what people say a report has paid that does not tell. What is in
    doubt, failed, or undecided is not: nobody has been seen to get it.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def ever_paid(self) -> bool:
        """Say whether this ledger has ever paid anybody."""
        query = select(claims.c.payee).join(submissions, _OF_SUBMISSION).where(_paid()).limit(1)
        with self._db.reading() as connection:
            return connection.scalar(query) is not None

    def sums(self, payees: Iterable[str]) -> list[PaidSum]:
        """Return what these payees got by job, period and currency: the latest thirteen sums of each payee and job."""
        columns = (claims.c.payee, submissions.c.job, submissions.c.period, submissions.c.currency)

        def query(some: list[str]) -> Select[Any]:
            cents, at = func.sum(claims.c.amount_cents).label("cents"), func.max(_SENT_AT).label("at")
            summed = select(*columns, cents, at).join(submissions, _OF_SUBMISSION).where(_to(some)).group_by(*columns)
            s = summed.subquery().c
            latest_first = func.row_number().over(
                partition_by=(s.payee, s.job), order_by=(s.at.desc(), s.period.desc())
            )
            ranked = select(*s, latest_first.label("number")).subquery().c
            fields = (ranked.payee, ranked.job, ranked.period, ranked.currency, ranked.cents, ranked.at)
            return select(*fields).where(ranked.number <= _SUMS_OF_EACH)

        return [
            PaidSum(row.payee, row.job, row.period, row.currency, int(row.cents), row.at)
            for row in self._rows(payees, query)
        ]

    def destinations(self, payees: Iterable[str]) -> list[UsedDestination]:
        """Return every destination these payees were paid to, with its last use."""

        def query(some: list[str]) -> Select[Any]:
            of_each = func.row_number().over(
                partition_by=(claims.c.payee, claims.c.destination), order_by=_SENT_AT.desc()
            )
            columns = (claims.c.payee, claims.c.destination, submissions.c.job, submissions.c.period)
            uses = select(*columns, _SENT_AT.label("at"), of_each.label("number"))
            u = uses.join(submissions, _OF_SUBMISSION).where(_to(some)).subquery().c
            return select(u.payee, u.destination, u.job, u.period, u.at).where(u.number == 1)

        return [UsedDestination(*row) for row in self._rows(payees, query)]

    def periods(self, job: str) -> list[str]:
        """Return the labels of the periods for which a job has paid anybody, in no order."""
        paid = select(claims.c.payee).where(_OF_SUBMISSION, _paid(), claims.c.kind != "owner").exists()
        with self._db.reading() as connection:
            return list(
                connection.scalars(select(submissions.c.period).where(submissions.c.job == job, paid).distinct())
            )

    def payments(self, job: str, period: str) -> list[PaidPart]:
        """Return every payment of a job's period, the owner's part aside."""
        columns = (claims.c[name] for name in PaidPart.__dataclass_fields__)
        query = (
            select(*columns)
            .join(submissions, _OF_SUBMISSION)
            .where(submissions.c.job == job, submissions.c.period == period, _paid(), claims.c.kind != "owner")
        )
        with self._db.reading() as connection:
            return [PaidPart(*row) for row in connection.execute(query)]

    def last_document(self, job: str, period: str, other_than: str) -> tuple[str, bytes] | None:
        """Return the id and document of the run of a job's period that began last; None when none left a document.

        Args:
            job: Name of the job.
            period: Label of the period.
            other_than: Id of the run that asks.
        """
        query = (
            select(runs.c.run_id, run_documents.c.document)
            .join(run_documents, run_documents.c.run_id == runs.c.run_id)
            .where(runs.c.job == job, runs.c.period == period, runs.c.run_id != other_than)
            .order_by(runs.c.started_at.desc(), runs.c.run_id.desc())
            .limit(1)
        )
        with self._db.reading() as connection:
            found = connection.execute(query).one_or_none()
        return None if found is None else (found.run_id, bytes(found.document))

    def exchange_of(self, plan_digest: str) -> ExchangeTerms | None:
        """Return the rate that a plan's reports were to have; None for reports in BRL, and for an unknown plan."""
        with self._db.reading() as connection:
            query = select(plan_exchanges).where(plan_exchanges.c.plan_digest == plan_digest)
            found = connection.execute(query).one_or_none()
        return None if found is None else terms_of(found)

    def _rows(self, payees: Iterable[str], query_for: Callable[[list[str]], Select[Any]]) -> Iterator[Row[Any]]:
        with self._db.reading() as connection:
            for some in chunks(payees):
                yield from connection.execute(query_for(some))


_OF_SUBMISSION: Final = submissions.c.id == claims.c.submission_id
_SENT_AT: Final = func.coalesce(submissions.c.sending_at, submissions.c.created_at)
_PAYING: Final = tuple(state.value for state in {*OPEN, SubmissionState.PAID})


def _to(payees: list[str]) -> ColumnElement[bool]:
    return and_(claims.c.payee.in_(payees), claims.c.kind != "owner", _paid())


def _paid() -> ColumnElement[bool]:
    """Whether the service pays a claim, has paid it, or people have said last that its report did."""
    about = and_(
        decisions.c.submission_id == claims.c.submission_id, decisions.c.obligation_key == claims.c.obligation_key
    )
    last_word = select(decisions.c.kind).where(about).order_by(decisions.c.id.desc()).limit(1).scalar_subquery()
    untold = submissions.c.state.in_([state.value for state in UNTOLD])
    by_word = and_(untold, last_word == DecisionKind.PAID.value)
    return and_(claims.c.live, or_(submissions.c.state.in_(_PAYING), by_word))
