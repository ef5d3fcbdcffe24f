"""Plans in the ledger: as frozen, as shown for review, and what was paid before them."""

import datetime as dt
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, func, insert, or_, select, update

from io_adapters.ledger.acts import record_act
from io_adapters.ledger.approvals import act_of_preparing, bytes_behind, preparers_of, rule_of_plan, tighten_rule
from io_adapters.ledger.claims import ClaimCollision
from io_adapters.ledger.desk_tables import decision_rules, house_policies, plan_views
from io_adapters.ledger.engine import Database, chunks, seal_of
from io_adapters.ledger.exchange_updates import terms_of, write_terms
from io_adapters.ledger.submission_rows import Naming, move, select_submissions, submission_of, write_submissions
from io_adapters.ledger.tables import (
    attempts,
    claims,
    decisions,
    meta,
    plan_exchanges,
    plan_rules,
    plan_runs,
    plan_texts,
    plans,
    submissions,
    submitted,
)
from schemas.acts import Act, ActKind, digest_of
from schemas.approval import DecisionKind, PlanRule, PolicyOnRecord, ReadBytes, strictest
from schemas.attempt import AttemptKind
from schemas.errors import ApprovalWanted, ConfigurationError, DecisionRefused, UnsoundPlan
from schemas.job import Identities
from schemas.messages import Message
from schemas.plan import BatchPayment, ExchangeTerms, PaymentPlan
from schemas.sources import PaidSum, UsedDestination
from schemas.submission import OPEN, UNTOLD, Submission, SubmissionState
from schemas.values.money import SignedSums
from schemas.values.names import different_people


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan in the ledger.

    Attributes:
        created_at: When it was first made (UTC).
        approved_at: When it was last approved (UTC); None before, and once all of it was withdrawn unsent.
        rejected_by: Who rejected it; None when the rejection does not stand, or there was none.
        exchange: The rate its reports are to have; None for reports in BRL.
        rule: Whose yes it needs, as it was frozen; None for a plan frozen without.
        read: What its runs have read, each with who brought it.
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
    read: tuple[ReadBytes, ...]
    submissions: tuple[Submission, ...]

    @property
    def unclaimed(self) -> tuple[str, ...]:
        """Files of whose bytes nobody is known to have brought them."""
        return tuple(sorted({one.name for one in self.read if not one.is_claimed}))


class Plans:
    def __init__(self, database: Database) -> None:
        self._db = database

    def store(
        self, plan: PaymentPlan, run_id: str, prepared_by: str, service_url: str, rule: PlanRule | None = None
    ) -> list[Submission]:
        """Write a plan down, with the exact bytes of each batch, as submissions in state planned.

        Storing it again changes nothing but the run it is ascribed to, and ends a rejection when that run is another.
        Plans of the same job and period that nobody has approved are withdrawn: this one replaces them. Of a plan
        without batches no more than that is done: all empty plans have one digest, and there is nothing to approve.

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
            of_plan = (submissions.c.plan_digest == plan.digest) & (attempts.c.state == SubmissionState.PLANNED.value)
            batches = select(submissions.c.batch_number, submissions.c.id).select_from(submitted).where(of_plan)
            there = {row.batch_number: row.id for row in connection.execute(batches)}
            for some in chunks(there.values()):
                connection.execute(update(attempts).where(attempts.c.id.in_(some)).values(run_id=run_id))
            missing = {batch.number for batch in plan.batches} - there.keys()
            tag = connection.execute(select(meta.c.tag)).scalar_one()
            naming = Naming(tag, plan.digest, f"{plan.job} {plan.period}", len(plan.batches))
            write_submissions(connection, plan, missing, naming, run_id=run_id, now=now)
            if missing:  # another attempt at what was approved before takes an approval of its own
                connection.execute(update(plans).where(plans.c.digest == plan.digest).values(approved_at=None))
            query = select_submissions(bodies=True).where(of_plan).order_by(submissions.c.batch_number)
            return [submission_of(row) for row in connection.execute(query)]

    def get(self, digest: str) -> StoredPlan:
        """Return the plan of a digest, or of its first characters.

        Raises:
            ApprovalWanted: no plan, or more than one, has a digest like that.
        """
        wanted = digest.strip().lower().removeprefix("sha256:")
        if not re.fullmatch("[0-9a-f]{8,64}", wanted):
            raise ApprovalWanted(Message("plan.digest_short"))
        with self._db.reading() as connection:
            query = select(plans).where(plans.c.digest.startswith(f"sha256:{wanted}")).limit(2)
            found = connection.execute(query).all()
            if len(found) != 1:
                raise ApprovalWanted(Message("plan.several" if found else "plan.none", wanted=wanted))
            return _stored_plan(connection, found[0])

    def rejected_runs(self) -> list[str]:
        with self._db.reading() as connection:
            return list(connection.scalars(select(plans.c.run_id).where(plans.c.rejected_at.is_not(None))))


def _require_each_obligation_once(plan: PaymentPlan) -> None:
    counts = SignedSums.counted(payment.obligation_key for batch in plan.batches for payment in batch.payments)
    if twice := [key for key, count in counts.items() if count > 1]:
        raise UnsoundPlan(Message("error.paid_twice", number=len(twice), key=twice[0]))


def _require_not_live(connection: Connection, plan: PaymentPlan) -> None:
    for some in chunks(batch.content_hash for batch in plan.batches):
        query = (
            select(claims.c.obligation_key)
            .join(attempts, attempts.c.id == claims.c.submission_id)
            .where(attempts.c.kind == AttemptKind.REPORT.value, attempts.c.subject.in_(some), claims.c.live)
        )
        if taken := connection.scalars(query).all():
            raise ClaimCollision(sorted(taken))


def _withdraw_replaced(connection: Connection, plan: PaymentPlan, run_id: str, now: dt.datetime) -> None:
    query = select_submissions(bodies=False).where(
        submissions.c.job == plan.job,
        submissions.c.period == plan.period,
        attempts.c.state == SubmissionState.PLANNED.value,
        submissions.c.plan_digest != plan.digest,
    )
    for row in connection.execute(query).all():
        reason = Message("attempt.replaced")
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
        record_act(connection, seal_of(connection), act_of_preparing(connection, plan.digest, run_id, prepared_by, now))


def _stored_plan(connection: Connection, row: Row[Any]) -> StoredPlan:
    query = select_submissions(bodies=False).where(submissions.c.plan_digest == row.digest)
    made = map(submission_of, connection.execute(query.order_by(attempts.c.number)))
    latest = {submission.batch_number: submission for submission in made}
    values = {name: getattr(row, name) for name in StoredPlan.__dataclass_fields__ if name in plans.c}
    exchange = connection.execute(select(plan_exchanges).where(plan_exchanges.c.plan_digest == row.digest))
    terms = exchange.one_or_none()
    return StoredPlan(
        **values,
        exchange=None if terms is None else terms_of(terms),
        rule=rule_of_plan(connection, row.digest),
        preparers=preparers_of(connection, row.digest),
        read=tuple(bytes_behind(connection, row.digest)),
        submissions=tuple(latest[number] for number in sorted(latest)),
    )


# Nothing is left to be said about these.
_CLOSED: Final = (SubmissionState.PAID.value, SubmissionState.WITHDRAWN.value, SubmissionState.REFUSED.value)


class PlanViews:
    """The record of plans as they were shown; a later run that arrives at the same plan shows it anew."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def save(self, digest: str, run_id: str, document: bytes, texts: Collection[str] = ()) -> None:
        """Keep a plan as it was shown, and which texts its approvers have to look at."""
        with self._db.writing() as connection:
            connection.execute(delete(plan_views).where(plan_views.c.digest == digest))
            row = {"digest": digest, "run_id": run_id, "document": document, "saved_at": self._db.now()}
            connection.execute(insert(plan_views).values(**row))
            connection.execute(delete(plan_texts).where(plan_texts.c.plan_digest == digest, ~plan_texts.c.seen))
            known = connection.scalars(select(plan_texts.c.token).where(plan_texts.c.plan_digest == digest))
            if new := sorted(set(texts).difference(known)):
                connection.execute(
                    insert(plan_texts), [{"plan_digest": digest, "token": token, "seen": False} for token in new]
                )

    def texts_of(self, digest: str) -> set[str]:
        """Return which texts whoever approves a plan has to have looked at."""
        to_look_at = (plan_texts.c.plan_digest == digest, ~plan_texts.c.seen)
        with self._db.reading() as connection:
            return set(connection.scalars(select(plan_texts.c.token).where(*to_look_at)))

    def seen(self, job: str) -> set[str]:
        """Return the texts beside payments that people have looked at who approved a plan of a job that went out."""
        query = select(plan_texts.c.token).join(plans, plans.c.digest == plan_texts.c.plan_digest)
        with self._db.reading() as connection:
            return set(connection.scalars(query.where(plans.c.job == job, plan_texts.c.seen)))

    def run_of(self, digest: str) -> str | None:
        """Return the run that showed a plan last; None when none did."""
        with self._db.reading() as connection:
            found: str | None = connection.scalar(select(plan_views.c.run_id).where(plan_views.c.digest == digest))
        return found

    def get(self, digest: str) -> bytes | None:
        """Return what `save` kept; None when there is nothing."""
        with self._db.reading() as connection:
            found = connection.scalar(select(plan_views.c.document).where(plan_views.c.digest == digest))
        return None if found is None else bytes(found)


TWO: Final = 2


class DecisionRules:
    """Whose words count: as each job's last run and open plans had it declared, and at least as the policy says."""

    def __init__(self, database: Database, policy: Callable[[], PolicyOnRecord | None] = lambda: None) -> None:
        self._db = database
        self._policy = policy

    def house(self) -> PolicyOnRecord | None:
        """Return the strictest policy the ledger has been opened under; None where there never was one."""
        return strictest(self.recorded(), self._policy())

    def policy(self) -> PlanRule | None:
        """Return the least that no job can undercut; None where the house has no policy."""
        house = self.house()
        return house.rule if house else None

    def recorded(self) -> PolicyOnRecord | None:
        """Return the strictest policy so far, since two people last loosened it."""
        query = select(house_policies.c.document).order_by(house_policies.c.id.desc()).limit(1)
        with self._db.reading() as connection:
            document = connection.scalar(query)
        if document is None:
            return None
        values = json.loads(document)
        return PolicyOnRecord(**values | {"rule": PlanRule(**values["rule"])})

    def note_policy(self) -> None:
        """Remember the policy that stands now, where it is stricter than what is remembered.

        Raises:
            ConfigurationError: there is none any more, and there was one.
        """
        recorded, now = self.recorded(), self._policy()
        if now is None and recorded is not None:
            raise ConfigurationError(Message("error.policy_gone"))
        if now is not None and (combined := strictest(recorded, now)) != recorded and combined is not None:
            self._write_policy(combined, by="", why="")

    def loosen(self, people: Sequence[str], why: str) -> None:
        """Let the policy that stands now count, however much less it asks for than before.

        Raises:
            DecisionRefused: it is one person, or there is no reason.
            ConfigurationError: there is no policy now.
        """
        now = self._policy()
        if now is None:
            raise ConfigurationError(Message("error.policy_gone"))
        if len(different_people(people)) < TWO or not why.strip():
            raise DecisionRefused(Message("error.policy_two"))
        self._write_policy(now, by=", ".join(people), why=why.strip())

    def _write_policy(self, policy: PolicyOnRecord, *, by: str, why: str) -> None:
        document, now = json.dumps(asdict(policy)), self._db.now()
        with self._db.writing() as connection:
            connection.execute(insert(house_policies).values(document=document, by=by, why=why, noted_at=now))
            if by:
                act = Act(ActKind.LOOSEN_POLICY, by, digest_of(document), why, now)
                record_act(connection, self._db.seal, act)

    def note(self, job: str, identities: Identities) -> None:
        """Remember what a job declares; nothing is written where it is known."""
        if self._known(job) == identities:
            return
        with self._db.writing() as connection:
            connection.execute(delete(decision_rules).where(decision_rules.c.job == job))
            row = {"job": job, "identities": identities, "noted_at": self._db.now()}
            connection.execute(insert(decision_rules).values(**row))

    def wants_signed_in(self, job: str) -> bool:
        """Whether only words of people who signed in count for a job; False for one nobody has run.

        A job file that was edited since does not loosen the rule of what is still open of it.
        """
        return self._policy_wants_signed_in() or self._known(job) == "signed_in" or self._open_plan_wants(job)

    def any_wants_signed_in(self) -> bool:
        query = select(decision_rules.c.job).where(decision_rules.c.identities == "signed_in").limit(1)
        with self._db.reading() as connection:
            noted = connection.scalar(query) is not None
        return noted or self._policy_wants_signed_in() or self._open_plan_wants(None)

    def _known(self, job: str) -> str | None:
        with self._db.reading() as connection:
            found: str | None = connection.scalar(
                select(decision_rules.c.identities).where(decision_rules.c.job == job)
            )
        return found

    def _policy_wants_signed_in(self) -> bool:
        policy = self.policy()
        return policy is not None and policy.identities == "signed_in"

    def _open_plan_wants(self, job: str | None) -> bool:
        query = (
            select(plan_rules.c.plan_digest)
            .join(submitted, submissions.c.plan_digest == plan_rules.c.plan_digest)
            .where(plan_rules.c.identities == "signed_in", attempts.c.state.not_in(_CLOSED))
            .limit(1)
        )
        if job is not None:
            query = query.where(submissions.c.job == job)
        with self._db.reading() as connection:
            return connection.scalar(query) is not None


# Of each payee and job; twelve are looked at, and the present period may be among them.
_SUMS_OF_EACH: Final = 13


class PaidHistory:
    """The record of what was paid, by payee and by period.

    Paid is what the service pays or has paid, and what people say a report has paid that does not tell. What is in
    doubt, failed, or undecided is not: nobody has been seen to get it.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def ever_paid(self) -> bool:
        query = select(claims.c.payee).join(submitted, _OF_SUBMISSION).where(_paid()).limit(1)
        with self._db.reading() as connection:
            return connection.scalar(query) is not None

    def sums(self, payees: Iterable[str]) -> list[PaidSum]:
        """Return what these payees got by job, period and currency: the latest thirteen sums of each payee and job."""
        columns = (claims.c.payee, submissions.c.job, submissions.c.period, submissions.c.currency)

        def query(some: list[str]) -> Select[Any]:
            cents, at = func.sum(claims.c.amount_cents).label("cents"), func.max(_SENT_AT).label("at")
            summed = select(*columns, cents, at).join(submitted, _OF_SUBMISSION).where(_to(some)).group_by(*columns)
            s = summed.subquery().c
            latest_first = func.row_number().over(
                partition_by=(s.payee, s.job), order_by=(s.at.desc(), s.period.desc())
            )
            ranked = select(*s, latest_first.label("number")).subquery().c
            fields = (ranked.payee, ranked.job, ranked.period, ranked.currency, ranked.cents, ranked.at)
            return select(*fields).where(ranked.number <= _SUMS_OF_EACH)

        return [
            PaidSum(row.payee, row.job, row.period, row.currency, int(row.cents), row.at)
            for row in self._rows(payees, query)
        ]

    def destinations(self, payees: Iterable[str]) -> list[UsedDestination]:
        def query(some: list[str]) -> Select[Any]:
            of_each = func.row_number().over(
                partition_by=(claims.c.payee, claims.c.destination), order_by=_SENT_AT.desc()
            )
            columns = (claims.c.payee, claims.c.destination, submissions.c.job, submissions.c.period)
            uses = select(*columns, _SENT_AT.label("at"), of_each.label("number"))
            u = uses.join(submitted, _OF_SUBMISSION).where(_to(some)).subquery().c
            return select(u.payee, u.destination, u.job, u.period, u.at).where(u.number == 1)

        return [UsedDestination(*row) for row in self._rows(payees, query)]

    def periods(self, job: str) -> list[str]:
        paid = select(claims.c.payee).where(_OF_SUBMISSION, _paid(), claims.c.kind != "owner").exists()
        with self._db.reading() as connection:
            query = select(submissions.c.period).select_from(submitted).where(submissions.c.job == job, paid)
            return list(connection.scalars(query.distinct()))

    def payments(self, job: str, period: str) -> list[BatchPayment]:
        columns = (claims.c[name] for name in BatchPayment.__dataclass_fields__)
        query = (
            select(*columns)
            .join(submitted, _OF_SUBMISSION)
            .where(submissions.c.job == job, submissions.c.period == period, _paid(), claims.c.kind != "owner")
        )
        with self._db.reading() as connection:
            return [BatchPayment(*row) for row in connection.execute(query)]

    def exchange_of(self, plan_digest: str) -> ExchangeTerms | None:
        """Return the rate that a plan's reports were to have; None for reports in BRL, and for an unknown plan."""
        with self._db.reading() as connection:
            query = select(plan_exchanges).where(plan_exchanges.c.plan_digest == plan_digest)
            found = connection.execute(query).one_or_none()
        return None if found is None else terms_of(found)

    def _rows(self, payees: Iterable[str], query_for: Callable[[list[str]], Select[Any]]) -> Iterator[Row[Any]]:
        with self._db.reading() as connection:
            for some in chunks(payees):
                yield from connection.execute(query_for(some))


_OF_SUBMISSION: Final = submissions.c.id == claims.c.submission_id
_SENT_AT: Final = func.coalesce(attempts.c.sending_at, attempts.c.created_at)
_PAYING: Final = tuple(state.value for state in {*OPEN, SubmissionState.PAID})


def _to(payees: list[str]) -> ColumnElement[bool]:
    return and_(claims.c.payee.in_(payees), claims.c.kind != "owner", _paid())


def _paid() -> ColumnElement[bool]:
    about = and_(
        decisions.c.submission_id == claims.c.submission_id, decisions.c.obligation_key == claims.c.obligation_key
    )
    last_word = select(decisions.c.kind).where(about).order_by(decisions.c.id.desc()).limit(1).scalar_subquery()
    untold = attempts.c.state.in_([state.value for state in UNTOLD])
    by_word = and_(untold, last_word == DecisionKind.PAID.value)
    return and_(claims.c.live, or_(attempts.c.state.in_(_PAYING), by_word))
