"""From planned to approved, or withdrawn: all of a plan, or what of it was never sent."""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from io_adapters.ledger.accrual_posting import (
    AccrualPosting,
    PostedBefore,
    post_accruals,
    posted_before,
    take_back_accruals,
)
from io_adapters.ledger.approvals import record_rejection, use_approvals
from io_adapters.ledger.claims import claim_all
from io_adapters.ledger.engine import Database
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import approved_plans, claims, plans, submissions
from io_adapters.ledger.transitions import move, select_submissions, submission_of, try_move
from schemas.approval import GOOD_FOR, PlanRule, good_until
from schemas.errors import ApprovalWanted, WordRefused
from schemas.submission import LIVE, UNSENT, Submission, SubmissionState
from schemas.told import Told

# The service may have, or has had, a report of it; with what is approved, it has not been undone.
_SENT: Final = frozenset(SubmissionState) - {SubmissionState.PLANNED, SubmissionState.WITHDRAWN}


class Approving:
    """The part of `Submissions` that deals with whole plans."""

    _db: Database

    def approve_plan(  # each is named at the call
        self,
        digest: str,
        run_id: str,
        accruals: AccrualPosting | None,
        now: dt.datetime,
        *,
        approvers: int = 1,
        rule: PlanRule | None = None,
        by_flag: bool = True,
    ) -> list[Submission]:
        """Make a plan ready to be sent, in one transaction.

        Its submissions become approved and claim what they pay, the approvals are judged once more and used up, and the
        period's carry-overs and recoupments are posted. Approving a plan that has been approved already does nothing.

        Args:
            digest: The plan.
            run_id: The run that sends it.
            accruals: What to post with it; None leaves earlier postings as they are.
            now: The present moment; approvals expire by it.
            approvers: How many different people must approve at this moment; 0 where the job asks for nobody's word.
            rule: Whose approvals count by now, beside the rule the plan was frozen under.
            by_flag: Whether --yes counts as a word.

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
            counting = use_approvals(
                connection, digest, rule or PlanRule(), approvers, by_flag=by_flag, run_id=run_id, now=now
            )
            claim_all(connection, [submission.id for submission in planned])
            for submission in planned:
                move(connection, submission, SubmissionState.APPROVED, at=now, by=run_id, run_id=run_id)
            connection.execute(update(plans).where(plans.c.digest == digest).values(approved_at=now))
            before = posted_before(connection, accruals) if accruals is not None else None
            if accruals is not None:
                post_accruals(connection, accruals, run_id=run_id, plan_digest=digest, now=now)
            connection.execute(delete(approved_plans).where(approved_plans.c.plan_digest == digest))
            connection.execute(
                insert(approved_plans).values(
                    plan_digest=digest,
                    approvers=approvers,
                    good_until=good_until(counting.values(), approvers, now),
                    posting_before=before.to_json() if before else None,
                )
            )
            approved = {submission.id for submission in planned}
            return [submission for submission in _submissions_of(connection, digest) if submission.id in approved]

    def reject_plan(self, digest: str, by: str, why: str) -> list[Submission]:
        """Take a person's no to a plan, and with it, in one transaction, back whatever of it has not been sent.

        Approvals so far are void, and no other counts until a later run arrives at the plan again. What was withdrawn
        is claimed no more; what was sent stays.

        Returns:
            The plan's submissions as they stand then, the latest attempt of each batch, without their bodies.

        Raises:
            ApprovalWanted: no such plan is stored.
            WordRefused: all of it was sent, or ended, before; nothing was recorded.
        """
        with self._db.writing() as connection:
            now, of_plan = self._db.now(), _submissions_of(connection, digest)
            if any(one.state in LIVE for one in of_plan) and not any(one.state in UNSENT for one in of_plan):
                raise WordRefused(Told("reject.too_late"))
            record_rejection(connection, digest, by, why, now)
            _withdraw(connection, of_plan, by=by, reason=f"rejected by {by}: {why}", run_id="", now=now)
            latest = {one.batch_number: one for one in _submissions_of(connection, digest)}
        return [latest[number] for number in sorted(latest)]

    def withdraw_unsent(self, submission_ids: Sequence[str], *, run_id: str, reason: str) -> list[Submission]:
        """Take back approved submissions that were never sent, in one transaction.

        Returns:
            Those that were withdrawn, as they were, without their bodies; another worker may have been faster.
        """
        with self._db.writing() as connection:
            found = []
            for some in chunks(submission_ids):
                query = select_submissions(bodies=False).where(submissions.c.id.in_(some))
                found += [submission_of(row) for row in connection.execute(query.order_by(submissions.c.batch_number))]
            return _withdraw(connection, found, by=run_id, reason=reason, run_id=run_id, now=self._db.now())

    def good_until(self, submission_ids: Sequence[str]) -> dict[str, dt.datetime]:
        """Say until when each approved submission may be sent; one that is not named may not be sent at all."""
        with self._db.reading() as connection:
            return sendable_until(connection, submission_ids)

    def approvers_of(self, digest: str) -> int:
        """Return how many people had to approve a plan when it was approved; 0 where it never was."""
        query = select(approved_plans.c.approvers).where(approved_plans.c.plan_digest == digest)
        with self._db.reading() as connection:
            return connection.scalar(query) or 0


def sendable_until(connection: Connection, submission_ids: Sequence[str]) -> dict[str, dt.datetime]:
    """Return until when approved submissions may be sent: as long as the approval of their plan is good for.

    An attempt that was written down after its plan was approved rests on the word of those who declared the one before
    it absent, and is good for as long from then on. Nothing of a plan that stands rejected may be sent.
    """
    found: dict[str, dt.datetime] = {}
    columns = (submissions.c.id, submissions.c.created_at, plans.c.approved_at, approved_plans.c.good_until)
    joined = submissions.join(plans, plans.c.digest == submissions.c.plan_digest).join(
        approved_plans, approved_plans.c.plan_digest == plans.c.digest
    )
    for some in chunks(submission_ids):
        of_them = submissions.c.id.in_(some) & plans.c.rejected_at.is_(None)
        for row in connection.execute(select(*columns).select_from(joined).where(of_them)):
            on_a_word = row.approved_at is not None and row.created_at > row.approved_at
            found[row.id] = max(row.good_until, row.created_at + GOOD_FOR) if on_a_word else row.good_until
    return found


def _withdraw(
    connection: Connection, given: Collection[Submission], *, by: str, reason: str, run_id: str, now: dt.datetime
) -> list[Submission]:
    """Withdraw the unsent of some submissions, and what was posted for payees of whom nothing is sent any more."""
    withdrawn = [
        one
        for one in given
        if one.state in UNSENT and try_move(connection, one, SubmissionState.WITHDRAWN, at=now, by=by, reason=reason)
    ]
    approved = [one for one in withdrawn if one.state is not SubmissionState.PLANNED]
    for digest in {one.plan_digest for one in approved}:
        mine = [one.id for one in approved if one.plan_digest == digest]
        before = select(approved_plans.c.posting_before).where(approved_plans.c.plan_digest == digest)
        live = [one.id for one in _submissions_of(connection, digest) if one.state in LIVE]
        payees = _payees_of(connection, mine) - _payees_of(connection, live) if live else None
        kept = connection.scalar(before)
        posted = PostedBefore.from_json(kept) if kept else None
        take_back_accruals(connection, digest, payees, posted, run_id=run_id, now=now)
        if not any(one.state in _SENT for one in _submissions_of(connection, digest)):
            connection.execute(update(plans).where(plans.c.digest == digest).values(approved_at=None))
    return withdrawn


def _payees_of(connection: Connection, submission_ids: Sequence[str]) -> frozenset[str]:
    found: set[str] = set()
    for some in chunks(submission_ids):
        query = select(claims.c.payee).where(claims.c.submission_id.in_(some), claims.c.kind != "owner")
        found.update(connection.scalars(query))
    return frozenset(found)


def _submissions_of(connection: Connection, digest: str) -> list[Submission]:
    query = select_submissions(bodies=False).where(submissions.c.plan_digest == digest)
    rows = connection.execute(query.order_by(submissions.c.batch_number, submissions.c.attempt))
    return [submission_of(row) for row in rows]
