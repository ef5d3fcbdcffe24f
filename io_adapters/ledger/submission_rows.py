"""Submissions as rows, within a transaction: inserted, read, and moved from state to state."""

import datetime as dt
import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, insert, select, update

from io_adapters.ledger import outbox
from io_adapters.ledger.posting import post_submissions
from io_adapters.ledger.tables import attempts, claims, plans, submissions, submitted
from schemas.attempt import AttemptKind
from schemas.errors import BrokenInvariant, ConfigurationError
from schemas.messages import Message
from schemas.plan import PaymentPlan, body_to_send, report_id
from schemas.submission import LIVE, TRANSITIONS, Submission, SubmissionState, moves_money
from schemas.wire import canonical_json


@dataclass(frozen=True, slots=True)
class Naming:
    """What every attempt of a plan is named after."""

    tag: str
    digest: str
    title: str
    batches: int


def write_submissions(
    connection: Connection, plan: PaymentPlan, numbers: set[int], naming: Naming, *, run_id: str, now: dt.datetime
) -> None:
    batches = [batch for batch in plan.batches if batch.number in numbers]
    numbers_of = outbox.next_numbers(connection, AttemptKind.REPORT, (batch.content_hash for batch in batches))
    written, rows, payments = [], [], []
    for batch in batches:
        attempt = _attempt(naming, batch.content, batch.number, numbers_of.get(batch.content_hash, 1))
        written.append(attempt | {"state": SubmissionState.PLANNED.value, "run_id": run_id, "reason": None})
        rows.append(
            {
                "id": attempt["id"],
                "plan_digest": naming.digest,
                "batch_number": batch.number,
                "job": plan.job,
                "period": plan.period,
                "currency": plan.currency,
                "payments": batch.payees,
                "amount_cents": batch.amount_cents,
                "owner_cents": batch.owner_cents,
            }
        )
        payments += [
            {"submission_id": attempt["id"], "position": position, "live": False}
            | {name: getattr(payment, name) for name in payment.__dataclass_fields__}
            for position, payment in enumerate(batch.payments)
        ]
    if rows:
        outbox.write_attempts(connection, AttemptKind.REPORT, written, at=now, by=run_id)
        connection.execute(insert(submissions), rows)
        connection.execute(insert(claims), payments)


def write_next_attempt(
    connection: Connection, last: Submission, tag: str, *, run_id: str, by: str, now: dt.datetime
) -> Submission:
    """Write down another attempt of a submission's content, approved; it claims nothing yet."""
    content = {k: v for k, v in _parse(last.body).items() if k not in {"reportId", "paymentBatchName"}}
    plan = connection.execute(select(plans.c.batches).where(plans.c.digest == last.plan_digest)).one()
    naming = Naming(tag, last.plan_digest, f"{last.job} {last.period}", plan.batches)
    number = outbox.next_numbers(connection, AttemptKind.REPORT, [last.content_hash])[last.content_hash]
    attempt = _attempt(naming, canonical_json(content), last.batch_number, number)
    if attempt["subject"] != last.content_hash:
        raise BrokenInvariant(f"the stored body of {last.id} is not what was approved")
    attempt |= {"state": SubmissionState.APPROVED.value, "run_id": run_id}
    attempt |= {"reason": Message("attempt.follows", attempt=last.id)}
    outbox.write_attempts(connection, AttemptKind.REPORT, [attempt], at=now, by=by)
    same = ("plan_digest", "batch_number", "job", "period", "currency", "payments", "amount_cents", "owner_cents")
    connection.execute(insert(submissions).values({name: getattr(last, name) for name in same} | {"id": attempt["id"]}))
    columns = [column for column in claims.c if column.name not in {"submission_id", "live"}]
    copied = connection.execute(select(*columns).where(claims.c.submission_id == last.id)).mappings().all()
    connection.execute(insert(claims), [dict(old) | {"submission_id": attempt["id"], "live": False} for old in copied])
    return read_submission(connection, attempt["id"], bodies=True)


def _attempt(naming: Naming, content: bytes, batch_number: int, number: int) -> dict[str, Any]:
    content_hash = hashlib.sha256(content).hexdigest()
    report = report_id(naming.tag, content_hash, number)
    name = f"{naming.title} {batch_number}/{naming.batches} [{report}]"
    body = body_to_send(_parse(content), report, name)
    return {"id": report, "subject": content_hash, "number": number, "body": body, "was_in_doubt": False}


def _parse(body: bytes) -> dict[str, Any]:
    # Decimals keep every digit as written, so that what is written again is the same bytes.
    parsed: dict[str, Any] = json.loads(body, parse_float=Decimal, parse_int=int)
    return parsed


# A submission's id is its report id; the ledger holds it once. What its attempt is about is the content of its batch.
_IN_ATTEMPT: Final = {"content_hash": "subject", "attempt": "number"}
_COLUMNS: Final = {
    name: submissions.c[name] if name in submissions.c else attempts.c[_IN_ATTEMPT.get(name, name)].label(name)
    for name in Submission.__dataclass_fields__
    if name != "report_id"
}


def select_submissions(*, bodies: bool) -> Select[Any]:
    return select(*(column for name, column in _COLUMNS.items() if bodies or name != "body")).select_from(submitted)


def submission_of(row: Row[Any]) -> Submission:
    """Read one row of `select_submissions`; body is b"" when it was not selected."""
    values = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for a row as a mapping
    values |= {"report_id": row.id, "state": SubmissionState(row.state), "body": bytes(values.get("body", b""))}
    return Submission(**values)


def read_submission(connection: Connection, submission_id: str, *, bodies: bool = False) -> Submission:
    """Return one submission.

    Raises:
        ConfigurationError: there is none of that id.
    """
    query = select_submissions(bodies=bodies).where(submissions.c.id == submission_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise ConfigurationError(Message("error.no_submission", submission=submission_id))
    return submission_of(row)


def linked_elsewhere(connection: Connection, submission_id: str, split_id: str | None) -> str | None:
    """Name the other submission that a report of the service is linked to already; None when there is none."""
    if not split_id:
        return None
    others = (submissions.c.split_id == split_id) & (submissions.c.id != submission_id)
    return connection.scalar(select(submissions.c.id).where(others))


def move(connection: Connection, submission: Submission, after: SubmissionState, **moved: Any) -> None:  # noqa: ANN401
    """Take a submission from the state it was read in to another, and release its claims when it no longer pays.

    Raises:
        BrokenInvariant: the transition is not allowed, or the row has changed since it was read.
    """
    if not try_move(connection, submission, after, **moved):
        raise BrokenInvariant(f"{submission.id} was no longer {submission.state}")


def try_move(
    connection: Connection,
    submission: Submission,
    after: SubmissionState,
    *,
    at: dt.datetime,
    by: str,
    reason: Message | None = None,
    **values: object,
) -> bool:
    """Like `move`; False, with nothing done, when the row has changed since it was read."""
    own = {name: values.pop(name) for name in list(values) if name in submissions.c}
    if not outbox.try_move(connection, TRANSITIONS, submission, after, at=at, by=by, reason=reason, **values):
        return False
    if own:
        connection.execute(update(submissions).where(submissions.c.id == submission.id).values(**own))
    if submission.state in LIVE and after not in LIVE:
        connection.execute(update(claims).where(claims.c.submission_id == submission.id).values(live=False))
    if moves_money(submission.state, after):
        post_submissions(connection, [submission.id], by=by, now=at)
    return True
