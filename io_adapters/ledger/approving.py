"""From planned to approved, or withdrawn: all of a plan or nothing."""

import datetime as dt

from sqlalchemy import Connection, update

from io_adapters.ledger.accrual_posting import AccrualPosting, post_accruals
from io_adapters.ledger.approvals import use_approvals
from io_adapters.ledger.claims import claim_all
from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import plans, submissions
from io_adapters.ledger.transitions import move, select_submissions, submission_of
from schemas.errors import ApprovalWanted
from schemas.submission import LIVE, Submission, SubmissionState
from schemas.told import Told

_UNSENT = (SubmissionState.PLANNED, SubmissionState.APPROVED, SubmissionState.NOT_SENT)


class Approving:
    """The part of `Submissions` that deals with whole plans."""

    _db: Database

    def approve_plan(
        self, digest: str, run_id: str, accruals: AccrualPosting | None, now: dt.datetime, *, approvers: int = 1
    ) -> list[Submission]:
        """Make a plan ready to be sent, in one transaction.

        Its submissions become approved and claim what they pay, the approvals are used up, and the period's
        carry-overs and recoupments are posted. Approving a plan that has been approved already does nothing.

        Args:
            digest: The plan.
            run_id: The run that sends it.
            accruals: What to post with it; None leaves earlier postings as they are.
            now: The present moment; approvals expire by it.
            approvers: How many different people must approve at this moment; 0 where the job asks for nobody's word.

        Returns:
            The submissions that became approved, by number, without their bodies.

        Raises:
            ApprovalWanted: approvals are missing, or the plan was rejected, withdrawn or replaced.
            ClaimCollision: others pay some of it; nothing was changed.
            UnsoundPlan: the accruals are of a closed period; nothing was changed.
        """
        with self._db.writing() as connection:
            of_plan = _submissions_of(connection, digest)
            planned = [submission for submission in of_plan if submission.state is SubmissionState.PLANNED]
            if not planned:
                if any(submission.state in LIVE for submission in of_plan):
                    return []
                raise ApprovalWanted(Told("plan.gone", plan=digest[:15]))
            use_approvals(connection, digest, approvers, run_id, now)
            claim_all(connection, [submission.id for submission in planned])
            for submission in planned:
                move(connection, submission, SubmissionState.APPROVED, at=now, by=run_id, run_id=run_id)
            connection.execute(update(plans).where(plans.c.digest == digest).values(approved_at=now))
            if accruals is not None:
                post_accruals(connection, accruals, run_id=run_id, plan_digest=digest, now=now)
            approved = {submission.id for submission in planned}
            return [submission for submission in _submissions_of(connection, digest) if submission.id in approved]

    def withdraw_plan(self, digest: str, *, by: str, reason: str) -> list[Submission]:
        """Take back whatever of a plan has not been sent; what was sent stays.

        Returns:
            The submissions as they were, by number, without their bodies.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            unsent = [s for s in _submissions_of(connection, digest) if s.state in _UNSENT]
            for submission in unsent:
                move(connection, submission, SubmissionState.WITHDRAWN, at=now, by=by, reason=reason)
        return unsent


def _submissions_of(connection: Connection, digest: str) -> list[Submission]:
    query = select_submissions(bodies=False).where(submissions.c.plan_digest == digest)
    rows = connection.execute(query.order_by(submissions.c.batch_number, submissions.c.attempt))
    return [submission_of(row) for row in rows]
