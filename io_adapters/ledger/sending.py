"""The intent to send, written down before the connection is opened, and what became of it."""

import datetime as dt
from collections.abc import Callable

from sqlalchemy import Connection, insert, select

from io_adapters.ledger.approving import sendable_until
from io_adapters.ledger.engine import Database
from io_adapters.ledger.holds import freeze_for, require_free_to_send
from io_adapters.ledger.owner import Owner
from io_adapters.ledger.tables import answers, submissions
from io_adapters.ledger.transitions import linked_elsewhere, move, read_submission, try_move
from schemas.alarm import NO_ALARMS, Alarm, Alarms
from schemas.errors import ApprovalWanted, BrokenInvariant
from schemas.submission import Outcome, Submission, SubmissionState
from schemas.told import Told

# An owner on another machine cannot be proven gone; this long after its deadline its answer will not come.
ABANDONED_AFTER = dt.timedelta(minutes=5)


class Sending:
    """The part of `Submissions` that stands around the one POST."""

    _db: Database

    def take_for_sending(
        self, submission_id: str, owner: Owner, run_id: str, *, body_sha256: str, deadline_at: dt.datetime
    ) -> bool:
        """Write down that these very bytes are about to be sent; when this returns True, that is durable.

        Args:
            submission_id: An approved submission.
            owner: This process.
            run_id: The run that sends it.
            body_sha256: Hex digest of the bytes that are about to be sent.
            deadline_at: When the attempt gives up at the latest.

        Returns:
            False when it is not approved any more: another worker has it.

        Raises:
            NotSent: a person put sending on hold.
            SendingFrozen: ledger and service disagree.
            ApprovalWanted: what approved it has lapsed.
            BrokenInvariant: the bytes are not the stored ones.
        """
        with self._db.writing() as connection:
            require_free_to_send(connection)
            submission = read_submission(connection, submission_id)
            if submission.state is not SubmissionState.APPROVED:
                return False
            stored = connection.scalar(select(submissions.c.body_sha256).where(submissions.c.id == submission_id))
            if stored != body_sha256:
                raise BrokenInvariant(f"the bytes about to be sent for {submission_id} are not those in the ledger")
            now = self._db.now()
            until = sendable_until(connection, [submission_id]).get(submission_id)
            if until is None or now >= until:
                raise ApprovalWanted(Told("approval.lapsed", report=submission_id))
            return try_move(
                connection,
                submission,
                SubmissionState.SENDING,
                at=now,
                by=run_id,
                run_id=run_id,
                owner=owner.to_json(),
                sending_at=now,
                deadline_at=deadline_at,
            )

    def still_mine(self, submission_id: str, owner: Owner) -> bool:
        """Say whether a submission is still being sent by this owner; asked immediately before connecting."""
        with self._db.reading() as connection:
            query = select(submissions.c.state, submissions.c.owner).where(submissions.c.id == submission_id)
            row = connection.execute(query).one_or_none()
        return row is not None and tuple(row) == (SubmissionState.SENDING.value, owner.to_json())

    def record_outcome(
        self,
        submission_id: str,
        outcome: Outcome,
        *,
        http_status: int | None,
        raw_answer: bytes,
        split_id: str | None,
        reason: str,
        alarms: Alarms = NO_ALARMS,
    ) -> Submission:
        """Write down what the answer proves, with the answer itself; no answer is ever lost.

        Somebody may have put the submission in doubt, or found it, while the answer was on its way. Then only
        *accepted* still changes something: bytes once in doubt are never refused or unsent for certain. A report that
        is another submission's already was not made for this one: then it is in doubt, and sending is frozen.

        Args:
            submission_id: Which.
            outcome: What the answer proves.
            http_status: Of the answer; None when none came.
            raw_answer: Its body.
            split_id: The service's `_id`, where it was accepted.
            reason: Why, for people.
            alarms: What the answer says that must stop all sending, in the very transaction that records it.

        Returns:
            The submission as it stands now, without its body.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            _keep_answer(connection, submission_id, outcome, http_status, raw_answer, now)
            before = read_submission(connection, submission_id)
            after = SubmissionState(outcome.value)
            accepted_late = before.state is SubmissionState.IN_DOUBT and after is SubmissionState.ACCEPTED
            if before.state is SubmissionState.SENDING or accepted_late:
                found = {} if split_id is None else {"split_id": split_id}
                other = linked_elsewhere(connection, submission_id, split_id)
                if other is not None:
                    told = Told("alarm.linked_twice", name=submission_id, report=split_id, other=other)
                    alarms = alarms.and_also(Alarm("linked_twice", f"{submission_id}:id", told))
                    after, reason, found = SubmissionState.IN_DOUBT, told.in_words(alarms.language), {}
                if after is not before.state:
                    move(connection, before, after, at=now, by=before.run_id, reason=reason, **found)
            freeze_for(connection, alarms, now)
            return read_submission(connection, submission_id)

    def doubt_abandoned(self, gone: Callable[[Owner], bool]) -> list[Submission]:
        """Put in doubt every submission that is being sent by nobody any more.

        That is one whose owner is proven gone, or whose deadline passed `ABANDONED_AFTER` ago.

        Returns:
            The submissions that are now in doubt, without their bodies.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            query = select(submissions.c.id, submissions.c.owner, submissions.c.deadline_at)
            sending = connection.execute(query.where(submissions.c.state == SubmissionState.SENDING.value)).all()
            doubtful = []
            for row in sending:
                if now < row.deadline_at + ABANDONED_AFTER and not gone(Owner.from_json(row.owner)):
                    continue
                before = read_submission(connection, row.id)
                reason = "the program ended before the answer came"
                move(connection, before, SubmissionState.IN_DOUBT, at=now, by=before.run_id, reason=reason)
                doubtful.append(read_submission(connection, row.id))
        return doubtful

    def reapprove_not_sent(self, submission_id: str, *, by: str) -> Submission:
        """Make a submission that certainly never left ready to be sent again, under its own report id.

        Raises:
            BrokenInvariant: it is not one of those.
        """
        with self._db.writing() as connection:
            before = read_submission(connection, submission_id)
            if before.state is not SubmissionState.NOT_SENT:
                raise BrokenInvariant(f"{submission_id} is {before.state}; only what was not sent is approved again")
            move(connection, before, SubmissionState.APPROVED, at=self._db.now(), by=by, reason="not sent; tried again")
            return read_submission(connection, submission_id)


def _keep_answer(
    connection: Connection, submission_id: str, outcome: Outcome, status: int | None, raw: bytes, now: dt.datetime
) -> None:
    values = {"submission_id": submission_id, "outcome": outcome.value, "http_status": status, "raw": raw, "at": now}
    connection.execute(insert(answers).values(**values))
