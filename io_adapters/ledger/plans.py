"""Plans, as they were made: what would be paid, by which submissions."""

import datetime as dt
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from io_adapters.ledger.approvals import preparers_of, rule_of_plan, tighten_rule
from io_adapters.ledger.attempts import Naming, write_attempts
from io_adapters.ledger.claims import ClaimCollision
from io_adapters.ledger.engine import Database
from io_adapters.ledger.exchange_terms import terms_of, write_terms
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import claims, meta, plan_exchanges, plan_runs, plans, submissions
from io_adapters.ledger.transitions import move, select_submissions, submission_of
from schemas.approval import PlanRule
from schemas.errors import ApprovalWanted, UnsoundPlan
from schemas.exchange_terms import ExchangeTerms
from schemas.plan import PaymentPlan
from schemas.submission import Submission, SubmissionState
from schemas.told import Told


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan in the ledger.

    Attributes:
        digest: Its identity.
        job: Name of the job.
        payer: Tax id of the payer.
        period: Label of the period.
        currency: Currency of the reports.
        batches: How many batches it has.
        payees: How many payment entries.
        total_cents: Sum of all reports.
        largest_cents: The largest single payment.
        run_id: The last run that arrived at it.
        prepared_by: Who started the run that made it first, or first after a rejection; never whoever sends it later.
        created_at: When it was first made (UTC).
        approved_at: When it was last approved (UTC); None before, and once all of it was withdrawn unsent.
        rejected_by: Who rejected it; None when the rejection does not stand, or there was none.
        rejected_why: Why.
        exchange: The rate its reports are to have; None for reports in BRL.
        rule: Whose yes it needs, as it was frozen; None for a plan frozen without.
        preparers: Who prepared it: `prepared_by`, and whoever uploaded a file of it.
        submissions: The latest attempt of each batch, by number, without their bodies.
    """

    digest: str
    job: str
    payer: str
    period: str
    currency: str
    batches: int
    payees: int
    total_cents: int
    largest_cents: int
    run_id: str
    prepared_by: str
    created_at: dt.datetime
    approved_at: dt.datetime | None
    rejected_by: str | None
    rejected_why: str | None
    exchange: ExchangeTerms | None
    rule: PlanRule | None
    preparers: frozenset[str]
    submissions: tuple[Submission, ...]


class Plans:
    """The record of plans."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def store(
        self, plan: PaymentPlan, run_id: str, prepared_by: str, service_url: str, rule: PlanRule | None = None
    ) -> list[Submission]:
        """Write a plan down, with the exact bytes of each batch, as submissions in state planned.

        Storing it again changes nothing but the run it is ascribed to, and ends a rejection when that run is another.
        Plans of the same job and period that nobody has approved are withdrawn: this one replaces them. Of a plan
        without batches no more than that is done: all empty plans have one digest, and there is nothing to approve.

        Args:
            plan: What would be paid.
            run_id: The run that arrived at it.
            prepared_by: Who started that run.
            service_url: Where it is to be sent.
            rule: Whose yes it needs; one that was stored before keeps the stricter of both.

        Returns:
            Its planned submissions, by number.

        Raises:
            UnsoundPlan: it pays an obligation twice.
            ClaimCollision: a batch of the same content is live already.
        """
        _require_each_obligation_once(plan)
        with self._db.writing() as connection:
            now = self._db.now()
            _require_not_live(connection, plan)
            _withdraw_replaced(connection, plan, run_id, now)
            if not plan.batches:
                return []
            _write_plan(connection, plan, run_id, prepared_by, service_url, now)
            if rule is not None:
                tighten_rule(connection, plan.digest, rule)
            of_plan = (submissions.c.plan_digest == plan.digest) & (
                submissions.c.state == SubmissionState.PLANNED.value
            )
            connection.execute(update(submissions).where(of_plan).values(run_id=run_id))
            there = set(connection.scalars(select(submissions.c.batch_number).where(of_plan)))
            missing = {batch.number for batch in plan.batches} - there
            tag = connection.execute(select(meta.c.tag)).scalar_one()
            naming = Naming(service_url, tag, plan.digest, f"{plan.job} {plan.period}", len(plan.batches))
            write_attempts(connection, plan, missing, naming, run_id=run_id, now=now)
            if missing:  # another attempt at what was approved before takes an approval of its own
                connection.execute(update(plans).where(plans.c.digest == plan.digest).values(approved_at=None))
            query = select_submissions(bodies=True).where(of_plan).order_by(submissions.c.batch_number)
            return [submission_of(row) for row in connection.execute(query)]

    def get(self, digest: str) -> StoredPlan:
        """Return the plan of a digest, or of its first characters.

        Args:
            digest: "sha256:" and 64 hex digits; the prefix may be left out, and 8 digits suffice if they are unique.

        Raises:
            ApprovalWanted: no plan, or more than one, has a digest like that.
        """
        wanted = digest.strip().lower().removeprefix("sha256:")
        if not re.fullmatch("[0-9a-f]{8,64}", wanted):
            raise ApprovalWanted(Told("plan.digest_short"))
        with self._db.reading() as connection:
            query = select(plans).where(plans.c.digest.startswith(f"sha256:{wanted}")).limit(2)
            found = connection.execute(query).all()
            if len(found) != 1:
                raise ApprovalWanted(Told("plan.several" if found else "plan.none", wanted=wanted))
            return _stored_plan(connection, found[0])

    def rejected_runs(self) -> list[str]:
        """Return the last run of each plan that stands rejected."""
        with self._db.reading() as connection:
            return list(connection.scalars(select(plans.c.run_id).where(plans.c.rejected_at.is_not(None))))


def _require_each_obligation_once(plan: PaymentPlan) -> None:
    counts = Counter(payment.obligation_key for batch in plan.batches for payment in batch.payments)
    if twice := [key for key, count in counts.items() if count > 1]:
        raise UnsoundPlan(f"the plan pays {len(twice)} obligations more than once, {twice[0]} among them")


def _require_not_live(connection: Connection, plan: PaymentPlan) -> None:
    for some in chunks(batch.content_hash for batch in plan.batches):
        query = (
            select(claims.c.obligation_key)
            .join(submissions, submissions.c.id == claims.c.submission_id)
            .where(submissions.c.content_hash.in_(some), claims.c.live)
            .order_by(claims.c.obligation_key)
        )
        if taken := connection.scalars(query).all():
            raise ClaimCollision(taken)


def _withdraw_replaced(connection: Connection, plan: PaymentPlan, run_id: str, now: dt.datetime) -> None:
    query = select_submissions(bodies=False).where(
        submissions.c.job == plan.job,
        submissions.c.period == plan.period,
        submissions.c.state == SubmissionState.PLANNED.value,
        submissions.c.plan_digest != plan.digest,
    )
    for row in connection.execute(query).all():
        reason = "replaced by a newer plan"
        move(connection, submission_of(row), SubmissionState.WITHDRAWN, at=now, by=run_id, reason=reason)


def _write_plan(
    connection: Connection, plan: PaymentPlan, run_id: str, prepared_by: str, service_url: str, now: dt.datetime
) -> None:
    this = plans.c.digest == plan.digest
    known = connection.execute(select(plans.c.run_id, plans.c.rejected_at).where(this)).one_or_none()
    if known is None:
        connection.execute(
            insert(plans).values(
                digest=plan.digest,
                job=plan.job,
                payer=plan.payer,
                period=plan.period,
                currency=plan.currency,
                service_url=service_url,
                batches=len(plan.batches),
                payees=plan.payees,
                total_cents=plan.total_cents,
                largest_cents=plan.largest_cents,
                run_id=run_id,
                prepared_by=prepared_by,
                created_at=now,
            )
        )
        if plan.exchange is not None:
            write_terms(connection, plan.digest, plan.exchange)
    elif known.run_id != run_id:
        changes: dict[str, object] = {"run_id": run_id}
        if known.rejected_at is not None:
            changes |= {"prepared_by": prepared_by, "rejected_at": None, "rejected_by": None, "rejected_why": None}
        connection.execute(update(plans).where(this).values(**changes))
    run = (plan_runs.c.digest == plan.digest) & (plan_runs.c.run_id == run_id)
    if connection.execute(select(plan_runs.c.run_id).where(run)).one_or_none() is None:
        connection.execute(
            insert(plan_runs).values(digest=plan.digest, run_id=run_id, prepared_by=prepared_by, stored_at=now)
        )


def _stored_plan(connection: Connection, row: Row[Any]) -> StoredPlan:
    query = select_submissions(bodies=False).where(submissions.c.plan_digest == row.digest)
    attempts = map(submission_of, connection.execute(query.order_by(submissions.c.attempt)))
    latest = {submission.batch_number: submission for submission in attempts}
    values = {name: getattr(row, name) for name in StoredPlan.__dataclass_fields__ if name in plans.c}
    exchange = connection.execute(select(plan_exchanges).where(plan_exchanges.c.plan_digest == row.digest))
    terms = exchange.one_or_none()
    return StoredPlan(
        **values,
        exchange=None if terms is None else terms_of(terms),
        rule=rule_of_plan(connection, row.digest),
        preparers=preparers_of(connection, row.digest),
        submissions=tuple(latest[number] for number in sorted(latest)),
    )
