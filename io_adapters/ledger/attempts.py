"""What is written down of a batch before it is sent: each attempt at it, by its name, and what it pays."""

import datetime as dt
import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, insert, select

from io_adapters.ledger import outbox
from io_adapters.ledger.claims import read_submission
from io_adapters.ledger.tables import claims, plans, submissions
from schemas.attempt import AttemptKind
from schemas.errors import BrokenInvariant
from schemas.plan import PaymentPlan, body_to_send, report_id
from schemas.submission import Submission, SubmissionState
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


def write_attempts(
    connection: Connection, plan: PaymentPlan, numbers: set[int], naming: Naming, *, run_id: str, now: dt.datetime
) -> None:
    """Write down a planned submission, and what it pays, for each batch of these numbers."""
    batches = [batch for batch in plan.batches if batch.number in numbers]
    numbers_of = outbox.next_numbers(connection, AttemptKind.REPORT, (batch.content_hash for batch in batches))
    attempts, rows, payments = [], [], []
    for batch in batches:
        attempt = _attempt(naming, batch.content, batch.number, numbers_of.get(batch.content_hash, 1))
        attempts.append(attempt | {"state": SubmissionState.PLANNED.value, "run_id": run_id, "reason": ""})
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
        outbox.write_attempts(connection, AttemptKind.REPORT, attempts, at=now, by=run_id)
        connection.execute(insert(submissions), rows)
        connection.execute(insert(claims), payments)


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
    number = outbox.next_numbers(connection, AttemptKind.REPORT, [last.content_hash])[last.content_hash]
    attempt = _attempt(naming, canonical_json(content), last.batch_number, number)
    if attempt["subject"] != last.content_hash:
        raise BrokenInvariant(f"the stored body of {last.id} is not what was approved")
    attempt |= {"state": SubmissionState.APPROVED.value, "run_id": run_id}
    attempt |= {"reason": f"follows {last.id}, which is absent"}
    outbox.write_attempts(connection, AttemptKind.REPORT, [attempt], at=now, by=by)
    same = ("plan_digest", "batch_number", "job", "period", "currency", "payments", "amount_cents", "owner_cents")
    connection.execute(insert(submissions).values({name: getattr(last, name) for name in same} | {"id": attempt["id"]}))
    columns = [column for column in claims.c if column.name not in {"submission_id", "live"}]
    copied = connection.execute(select(*columns).where(claims.c.submission_id == last.id)).mappings().all()
    connection.execute(insert(claims), [dict(old) | {"submission_id": attempt["id"], "live": False} for old in copied])
    return read_submission(connection, attempt["id"], bodies=True)


def _attempt(naming: Naming, content: bytes, batch_number: int, number: int) -> dict[str, Any]:
    content_hash = hashlib.sha256(content).hexdigest()
    report = report_id(naming.service_url, naming.tag, content_hash, number)
    name = f"{naming.title} {batch_number}/{naming.batches} [{report}]"
    body = body_to_send(_parse(content), report, name)
    return {"id": report, "subject": content_hash, "number": number, "body": body, "was_in_doubt": False}


def _parse(body: bytes) -> dict[str, Any]:
    # Decimals keep every digit as written, so that what is written again is the same bytes.
    parsed: dict[str, Any] = json.loads(body, parse_float=Decimal, parse_int=int)
    return parsed
