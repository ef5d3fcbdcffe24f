"""Submissions: one attempt each to POST one batch, from planned to its end."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, func, select

from io_adapters.ledger.approvals import Approving, sendable_until
from io_adapters.ledger.engine import chunks
from io_adapters.ledger.outbox import Outbox, Proof
from io_adapters.ledger.reports import Settling
from io_adapters.ledger.submission_rows import (
    linked_elsewhere,
    read_submission,
    select_submissions,
    submission_of,
    try_move,
)
from io_adapters.ledger.tables import attempts, plans, submissions, submitted, transitions
from schemas.attempt import AttemptKind
from schemas.errors import ApprovalWanted
from schemas.messages import Message
from schemas.submission import ENDED, Alarm, SentReport, Submission, SubmissionState

S = SubmissionState
_NEVER_THERE = {S.PLANNED, S.APPROVED, S.NOT_SENT, S.REFUSED, S.WITHDRAWN}
_IS_REPORT = attempts.c.kind == AttemptKind.REPORT.value
_MAY_BE_THERE = tuple(state.value for state in SubmissionState if state not in _NEVER_THERE)


class Submissions(Approving, Settling, Outbox[Submission]):
    """The record of submissions: the attempts at batches, from planned to their end."""

    _states = SubmissionState
    _kind = AttemptKind.REPORT

    def _read(self, connection: Connection, attempt_id: str) -> Submission:
        return read_submission(connection, attempt_id)

    def _may_go(self, connection: Connection, attempt: Submission, now: dt.datetime) -> bool:
        until = sendable_until(connection, [attempt.id], self._db.seal).get(attempt.id)
        if until is None or now >= until:
            raise ApprovalWanted(Message("approval.lapsed", report=attempt.id))
        return True

    def _try_move(self, connection: Connection, before: Submission, after: str, **values: Any) -> bool:  # noqa: ANN401
        return try_move(connection, before, SubmissionState(after), **values)

    def _hold_against_others(self, connection: Connection, attempt: Submission, proof: Proof) -> Proof:
        """A report that is another submission's already was not made for this one: a doubt, which freezes sending."""
        other = linked_elsewhere(connection, attempt.id, proof.split_id)
        if other is None:
            return proof
        seen = Message("alarm.linked_twice", name=attempt.id, report=proof.split_id, other=other)
        return Proof(S.IN_DOUBT, seen, alarms=(*proof.alarms, Alarm("linked_twice", f"{attempt.id}:id", seen)))

    def get(self, submission_id: str) -> Submission:
        """Return one submission, with its body.

        Raises:
            ConfigurationError: there is none of that id.
        """
        with self._db.reading() as connection:
            return read_submission(connection, submission_id, bodies=True)

    def with_ids(self, submission_ids: Iterable[str]) -> list[Submission]:
        found = []
        with self._db.reading() as connection:
            for some in chunks(submission_ids):
                query = select_submissions(bodies=False).where(submissions.c.id.in_(some))
                found += [submission_of(row) for row in connection.execute(query)]
        return found

    def ended_at(self, submission_ids: Iterable[str]) -> dict[str, dt.datetime]:
        """Tell when each of these that has ended was last seen to have come to an end (UTC), by id."""
        ended = transitions.c.after.in_([state.value for state in ENDED])
        query = (
            select(transitions.c.attempt_id, func.max(transitions.c.at)).where(ended).group_by(transitions.c.attempt_id)
        )
        found: dict[str, dt.datetime] = {}
        with self._db.reading() as connection:
            for some in chunks(submission_ids):
                rows = connection.execute(query.where(transitions.c.attempt_id.in_(some)))
                found |= {row[0]: row[1] for row in rows}
        return found

    def states_at(self, moment: dt.datetime) -> dict[str, SubmissionState]:
        """Return the state that each submission had at a moment; none of those made later."""
        last = select(func.max(transitions.c.id)).where(transitions.c.at < moment).group_by(transitions.c.attempt_id)
        query = select(transitions.c.attempt_id, transitions.c.after).join(attempts).where(_IS_REPORT)
        with self._db.reading() as connection:
            rows = connection.execute(query.where(transitions.c.id.in_(last))).all()
        return {name: SubmissionState(state) for name, state in rows}

    def sent_reports(self) -> list[SentReport]:
        """Return all reports the service may have by this ledger's own account.

        One that is only planned, approved, or certainly never arrived is not among them. Should the service show it
        all the same, the ledger has forgotten that it was sent: it was restored from a copy, and must not send.
        """
        s = submissions.c
        columns = (s.id, s.split_id, plans.c.payer, s.currency, s.amount_cents, s.linked_by)
        query = (
            select(*columns).select_from(submitted.join(plans)).where(_IS_REPORT, attempts.c.state.in_(_MAY_BE_THERE))
        )
        with self._db.reading() as connection:
            return [SentReport(*row) for row in connection.execute(query)]

    def ever_sent(self, job: str) -> bool:
        query = select(submissions.c.id).select_from(submitted).where(submissions.c.job == job)
        with self._db.reading() as connection:
            query = query.where(attempts.c.state.in_(_MAY_BE_THERE)).limit(1)
            return connection.scalar(query) is not None

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
        """Return the submissions that match all that is given, in the order they were planned."""
        query = select_submissions(bodies=bodies)
        given = {"job": job, "period": period, "plan_digest": plan_digest, "linked_by": linked_by}
        for name, value in given.items():
            if value is not None:
                query = query.where(submissions.c[name] == value)
        if run_id is not None:
            query = query.where(attempts.c.run_id == run_id)
        if states is not None:
            query = query.where(_IS_REPORT, attempts.c.state.in_([state.value for state in states]))
        query = query.order_by(attempts.c.created_at, submissions.c.batch_number, attempts.c.number)
        with self._db.reading() as connection:
            return [submission_of(row) for row in connection.execute(query)]
