"""Submissions: one attempt each to POST one batch, from planned to its end."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import select

from io_adapters.ledger.approvals import Approving
from io_adapters.ledger.attempts import Sending
from io_adapters.ledger.claims import read_submission, select_submissions, submission_of
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.reports import Settling
from io_adapters.ledger.tables import answers, journal, plans, submissions
from schemas.submission import Outcome, SentReport, Submission, SubmissionState

S = SubmissionState
_NEVER_THERE = {S.PLANNED, S.APPROVED, S.NOT_SENT, S.REFUSED, S.WITHDRAWN}
_MAY_BE_THERE = tuple(state.value for state in SubmissionState if state not in _NEVER_THERE)


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One transition; `before` is None for the first."""

    before: SubmissionState | None
    after: SubmissionState
    at: dt.datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from one POST: `raw` is b"" and `http_status` None when nothing did."""

    outcome: Outcome
    http_status: int | None
    raw: bytes
    at: dt.datetime


class Submissions(Approving, Sending, Settling):
    """The record of submissions. Every change goes through the one table of transitions and is journaled."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, submission_id: str) -> Submission:
        """Return one submission, with its body.

        Raises:
            ConfigurationError: there is none of that id.
        """
        with self._db.reading() as connection:
            return read_submission(connection, submission_id, bodies=True)

    def with_ids(self, submission_ids: Iterable[str]) -> list[Submission]:
        """Return the submissions of these ids that there are, in no order, without their bodies."""
        found = []
        with self._db.reading() as connection:
            for some in chunks(submission_ids):
                query = select_submissions(bodies=False).where(submissions.c.id.in_(some))
                found += [submission_of(row) for row in connection.execute(query)]
        return found

    def sent_reports(self) -> list[SentReport]:
        """Return all reports the service may have by this ledger's own account.

        One that is only planned, approved, or certainly never arrived is not among them. Should the service show it
        all the same, the ledger has forgotten that it was sent: it was restored from a copy, and must not send.
        """
        s = submissions.c
        columns = (s.id, s.split_id, plans.c.payer, s.currency, s.amount_cents, s.linked_by)
        query = select(*columns).join(plans, plans.c.digest == s.plan_digest).where(s.state.in_(_MAY_BE_THERE))
        with self._db.reading() as connection:
            return [SentReport(*row) for row in connection.execute(query)]

    def ever_sent(self, job: str) -> bool:
        """Say whether the service may have any report of a job."""
        sent = submissions.c.state.in_(_MAY_BE_THERE)
        with self._db.reading() as connection:
            query = select(submissions.c.id).where(submissions.c.job == job, sent).limit(1)
            return connection.scalar(query) is not None

    def journal(self, submission_id: str) -> list[JournalLine]:
        """Return all transitions of a submission, oldest first."""
        j = journal.c
        query = select(j.before, j.after, j.at, j.by, j.reason).where(j.submission_id == submission_id).order_by(j.id)
        with self._db.reading() as connection:
            return [
                JournalLine(row.before and SubmissionState(row.before), SubmissionState(row.after), *row[2:])
                for row in connection.execute(query)
            ]

    def answers(self, submission_id: str) -> list[Answer]:
        """Return all that came back for a submission, oldest first."""
        a = answers.c
        query = select(a.outcome, a.http_status, a.raw, a.at).where(a.submission_id == submission_id).order_by(a.id)
        with self._db.reading() as connection:
            rows = connection.execute(query).all()
        return [Answer(Outcome(row.outcome), row.http_status, bytes(row.raw), row.at) for row in rows]

    def list(
        self,
        *,
        job: str | None = None,
        period: str | None = None,
        states: Iterable[SubmissionState] | None = None,
        run_id: str | None = None,
        plan_digest: str | None = None,
        linked_by: str | None = None,
        bodies: bool = True,
    ) -> list[Submission]:
        """Return the submissions that match all that is given, in the order they were planned.

        Args:
            job: Name of the job.
            period: Label of the period.
            states: Any of these.
            run_id: The run that sent them, or planned them while they are unsent.
            plan_digest: Their plan.
            linked_by: How their report was found.
            bodies: Whether the bytes to POST are wanted; without them, body is b"", and the answer comes faster.
        """
        query = select_submissions(bodies=bodies)
        given = {"job": job, "period": period, "run_id": run_id, "plan_digest": plan_digest, "linked_by": linked_by}
        for name, value in given.items():
            if value is not None:
                query = query.where(submissions.c[name] == value)
        if states is not None:
            query = query.where(submissions.c.state.in_([state.value for state in states]))
        query = query.order_by(submissions.c.created_at, submissions.c.batch_number, submissions.c.attempt)
        with self._db.reading() as connection:
            return [submission_of(row) for row in connection.execute(query)]
