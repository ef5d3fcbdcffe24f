"""Writes down attempts to send a batch. No report id is ever given twice.

An attempt's number is one more than the highest ever written down for the same content, whatever became of it: the
report id, made from content and number, is then new by construction. A submission that was certainly not sent goes
back to approved under its own id; that is a transition, not an attempt.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, func, insert, select

from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import claims, plans, submissions
from io_adapters.ledger.transitions import read_submission, write_journal
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
