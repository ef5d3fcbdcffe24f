"""Attempts to send a batch: written down before the connection is opened, and what became of each."""

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, func, insert, select

from io_adapters.ledger.approvals import sendable_until
from io_adapters.ledger.claims import linked_elsewhere, move, read_submission, try_move, write_journal
from io_adapters.ledger.decisions import freeze_for, require_free_to_send
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.tables import answers, claims, plans, submissions
from schemas.errors import ApprovalWanted, BrokenInvariant
from schemas.messages import Message, render
from schemas.plan import PaymentPlan, body_to_send, report_id
from schemas.submission import NO_ALARMS, Alarm, Alarms, Outcome, Submission, SubmissionState
from schemas.wire import canonical_json


@dataclass(frozen=True, slots=True)
class Naming:
    """What every attempt of a plan is named after.

    Attributes:
        service_url: Base URL of the service.
        tag: The ledger's tag.
        digest: The plan.
        title: Job and period, for people.
        batches: How many batches the plan has.
    """

    service_url: str
    tag: str
    digest: str
    title: str
    batches: int


def next_attempts(connection: Connection, content_hashes: Iterable[str]) -> dict[str, int]:
    """Return the number of the next attempt for each content that has had one; the others begin at 1."""
    found: dict[str, int] = {}
    for some in chunks(content_hashes):
        query = (
            select(submissions.c.content_hash, func.max(submissions.c.attempt).label("last"))
            .where(submissions.c.content_hash.in_(some))
            .group_by(submissions.c.content_hash)
        )
        found |= {row.content_hash: row.last + 1 for row in connection.execute(query)}
    return found


def write_attempts(
    connection: Connection, plan: PaymentPlan, numbers: set[int], naming: Naming, *, run_id: str, now: dt.datetime
) -> None:
    """Write down a planned submission, and what it pays, for each batch of these numbers."""
    batches = [batch for batch in plan.batches if batch.number in numbers]
    attempts = next_attempts(connection, (batch.content_hash for batch in batches))
    rows, payments = [], []
    for batch in batches:
        attempt = attempts.get(batch.content_hash, 1)
        row = _named(naming, batch.content, batch.number, attempt)
        rows.append(
            row
            | {
                "job": plan.job,
                "period": plan.period,
                "currency": plan.currency,
                "state": SubmissionState.PLANNED.value,
                "payments": batch.payees,
                "amount_cents": batch.amount_cents,
                "owner_cents": batch.owner_cents,
                "run_id": run_id,
                "created_at": now,
                "reason": "",
            }
        )
        payments += [
            {"submission_id": row["id"], "position": position, "live": False}
            | {name: getattr(payment, name) for name in payment.__dataclass_fields__}
            for position, payment in enumerate(batch.payments)
        ]
    if rows:
        connection.execute(insert(submissions), rows)
        connection.execute(insert(claims), payments)
        write_journal(connection, [row["id"] for row in rows], None, SubmissionState.PLANNED, at=now, by=run_id)


def write_next_attempt(
    connection: Connection, last: Submission, tag: str, *, run_id: str, by: str, now: dt.datetime
) -> Submission:
    """Write down another attempt of a submission's content, approved; it claims nothing yet.

    Args:
        connection: Within a transaction.
        last: The attempt that is known not to exist in the service, with its body.
        tag: The ledger's tag.
        run_id: The run this belongs to.
        by: On whose word.
        now: The present moment.
    """
    content = {k: v for k, v in _parse(last.body).items() if k not in {"reportId", "paymentBatchName"}}
    plan = connection.execute(
        select(plans.c.service_url, plans.c.batches).where(plans.c.digest == last.plan_digest)
    ).one()
    naming = Naming(plan.service_url, tag, last.plan_digest, f"{last.job} {last.period}", plan.batches)
    attempt = next_attempts(connection, [last.content_hash])[last.content_hash]
    named = _named(naming, canonical_json(content), last.batch_number, attempt)
    if named["content_hash"] != last.content_hash:
        raise BrokenInvariant(f"the stored body of {last.id} is not what was approved")
    same = ("job", "period", "currency", "payments", "amount_cents", "owner_cents")
    row = named | {name: getattr(last, name) for name in same}
    reason = f"follows {last.id}, which is absent"
    approved = SubmissionState.APPROVED
    row |= {"state": approved.value, "run_id": run_id, "created_at": now, "reason": reason}
    connection.execute(insert(submissions), [row])
    columns = [column for column in claims.c if column.name not in {"submission_id", "live"}]
    copied = connection.execute(select(*columns).where(claims.c.submission_id == last.id)).mappings().all()
    connection.execute(insert(claims), [dict(old) | {"submission_id": row["id"], "live": False} for old in copied])
    write_journal(connection, [row["id"]], None, approved, at=now, by=by, reason=reason)
    return read_submission(connection, row["id"], bodies=True)


def _named(naming: Naming, content: bytes, number: int, attempt: int) -> dict[str, Any]:
    content_hash = hashlib.sha256(content).hexdigest()
    report = report_id(naming.service_url, naming.tag, content_hash, attempt)
    body = body_to_send(_parse(content), report, f"{naming.title} {number}/{naming.batches} [{report}]")
    return {
        "id": report,
        "plan_digest": naming.digest,
        "batch_number": number,
        "content_hash": content_hash,
        "attempt": attempt,
        "body": body,
        "body_sha256": hashlib.sha256(body).hexdigest(),
        "was_in_doubt": False,
    }


def _parse(body: bytes) -> dict[str, Any]:
    # Decimals keep every digit as written, so that what is written again is the same bytes.
    parsed: dict[str, Any] = json.loads(body, parse_float=Decimal, parse_int=int)
    return parsed


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
                raise ApprovalWanted(Message("approval.lapsed", report=submission_id))
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
                    told = Message("alarm.linked_twice", name=submission_id, report=split_id, other=other)
                    alarms = alarms.and_also(Alarm("linked_twice", f"{submission_id}:id", told))
                    after, reason, found = SubmissionState.IN_DOUBT, render(told, alarms.language), {}
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
