"""Account checks: asked of people where they are many, written down before each call, their answers kept."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, insert, select, update

from io_adapters.ledger.acts import record_act
from io_adapters.ledger.approvals import act_of_approval, people_behind, row_of_approval, sound_approvals
from io_adapters.ledger.desk import user_of
from io_adapters.ledger.desk_tables import check_approvals, check_requests, desk_users
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.outbox import Answered, Outbox, Proof, move_many, next_numbers, write_attempts
from io_adapters.ledger.posting import post_check_costs
from io_adapters.ledger.tables import account_verdicts, attempts, runs
from schemas.acts import ActKind
from schemas.approval import GOOD_FOR, PlanRule, approvals_that_count
from schemas.attempt import FREE, TRANSITIONS, AccountCheck, AttemptKind, AttemptState
from schemas.errors import ApprovalWanted, BrokenInvariant
from schemas.job import BRASILIA
from schemas.messages import Message
from schemas.plan import Approval
from schemas.values.masking import digest_of, short_token

A = AttemptState

Verdict = Literal["valid", "invalid", "unknown"]


class NotReserved(StrEnum):
    """Why a check may not be made now."""

    IN_FLIGHT = "in_flight"
    OVER_BUDGET = "over_budget"


@dataclass(frozen=True, slots=True)
class CheckBudget:
    """Whose money checks cost.

    Attributes:
        per_day, per_month: How many checks of all jobs the house allows; None for no limit.
    """

    run_id: str
    cost_cents: int
    budget_cents: int
    owner: Owner
    per_day: int | None = None
    per_month: int | None = None


@dataclass(frozen=True, slots=True)
class CheckAnswered(Answered):
    """What came back for one check.

    Attributes:
        valid: What the service said of the account; None when it did not say.
    """

    valid: bool | None = None
    valid_for_days: int = 0


@dataclass(frozen=True, slots=True)
class KeptCheck:
    """How one check ended."""

    fingerprint: str
    result: Verdict
    message: str
    cost_cents: int
    checked_at: dt.datetime | None
    expires_at: dt.datetime | None


class AccountChecks(Outbox[AccountCheck]):
    _states = AttemptState
    _kind = AttemptKind.ACCOUNT_CHECK
    _transitions = TRANSITIONS
    _moves_money = False

    def record_and_reserve(
        self,
        answered: Sequence[CheckAnswered],
        wanted: Mapping[str, bytes],
        budget: CheckBudget,
        deadline_at: dt.datetime,
    ) -> Mapping[str, AccountCheck | NotReserved]:
        """Write answers down and reserve more checks, all in one transaction, durable when it returns.

        Raises:
            BrokenInvariant: one of `answered` had ended already; nothing is written.
        """
        with self._db.writing() as connection:
            self._record(connection, answered)
            self._keep_verdicts(connection, answered)
            reserved = self._reserve(connection, wanted, budget, deadline_at)
            post_check_costs(connection, [budget.run_id], now=self._db.now())
            return reserved

    def kept(self, fingerprints: Iterable[str], now: dt.datetime) -> dict[str, KeptCheck]:
        latest: dict[str, KeptCheck] = {}
        with self._db.reading() as connection:
            for some in chunks(fingerprints):
                query = _select_ended().where(attempts.c.subject.in_(some))
                latest |= {row.subject: _kept_of(row) for row in connection.execute(query)}
        return {
            name: check for name, check in latest.items() if check.expires_at is not None and now < check.expires_at
        }

    def refused_before(self, fingerprints: Iterable[str]) -> set[str]:
        invalid = select(attempts.c.subject).join(account_verdicts).where(_IS_CHECK, ~account_verdicts.c.valid)
        found: set[str] = set()
        with self._db.reading() as connection:
            for some in chunks(fingerprints):
                found |= set(connection.scalars(invalid.where(attempts.c.subject.in_(some))))
        return found

    def in_flight(self, fingerprints: Iterable[str]) -> set[str]:
        with self._db.reading() as connection:
            return _in_flight(connection, fingerprints)

    def spent(self, run_id: str) -> int:
        with self._db.reading() as connection:
            return _spent(connection, run_id)

    def for_run(self, run_id: str) -> list[KeptCheck]:
        with self._db.reading() as connection:
            rows = connection.execute(_select_ended().where(attempts.c.run_id == run_id)).all()
        return [_kept_of(row) for row in rows]

    def _reserve(
        self, connection: Connection, wanted: Mapping[str, bytes], budget: CheckBudget, deadline_at: dt.datetime
    ) -> dict[str, AccountCheck | NotReserved]:
        if not wanted:
            return {}
        busy = _in_flight(connection, wanted) | _answered_meanwhile(connection, wanted, budget.run_id, self._db.now())
        free = [name for name in wanted if name not in busy]
        left_cents = budget.budget_cents - _spent(connection, budget.run_id)
        affordable = free[: max(0, left_cents // budget.cost_cents)] if budget.cost_cents else free
        affordable = affordable[: _allowed_by_house(connection, budget, self._db.now())]
        numbers = next_numbers(connection, self._kind, affordable)
        now = self._db.now()
        taken = {
            "state": A.SENDING.value,
            "run_id": budget.run_id,
            "owner": budget.owner.to_json(),
            "sending_at": now,
            "deadline_at": deadline_at,
            "cost_cents": budget.cost_cents,
            "was_in_doubt": False,
            "reason": None,
        }
        rows: list[dict[str, Any]] = [
            taken | {"id": _check_id(name, number), "subject": name, "number": number, "body": wanted[name]}
            for name in affordable
            for number in [numbers.get(name, 1)]
        ]
        write_attempts(connection, self._kind, rows, at=now, by=budget.run_id)
        refused = {name: NotReserved.IN_FLIGHT if name in busy else NotReserved.OVER_BUDGET for name in wanted}
        reserved: dict[str, AccountCheck | NotReserved] = {row["subject"]: _check_of(row) for row in rows}
        return refused | reserved

    def _keep_verdicts(self, connection: Connection, answered: Sequence[CheckAnswered]) -> None:
        now = self._db.now()
        rows = [
            {
                "attempt_id": answer.attempt_id,
                "valid": answer.valid,
                "checked_at": now,
                "expires_at": now + dt.timedelta(days=answer.valid_for_days),
            }
            for answer in answered
            if answer.valid is not None
        ]
        if rows:
            connection.execute(insert(account_verdicts), rows)

    def _read(self, connection: Connection, attempt_id: str) -> AccountCheck:
        return self._read_all(connection, [attempt_id])[attempt_id]

    def _read_all(self, connection: Connection, attempt_ids: Sequence[str]) -> dict[str, AccountCheck]:
        names = (name for name in AccountCheck.__dataclass_fields__ if name != "fingerprint")
        query = select(attempts.c.subject, *(attempts.c[name] for name in names))
        return {
            row["id"]: _check_of(row)
            for some in chunks(attempt_ids)
            for row in connection.execute(query.where(attempts.c.id.in_(some))).mappings()
        }

    def _judge(self, connection: Connection, attempt: AccountCheck, proof: Proof) -> Proof:
        if attempt.state not in {A.SENDING, A.IN_DOUBT}:
            raise BrokenInvariant("an account check ended twice")
        return super()._judge(connection, attempt, proof)

    def _move_all(self, connection: Connection, moves: Sequence[tuple[AccountCheck, Proof]], now: dt.datetime) -> None:
        moved = [(check, A(proof.state), proof.reason) for check, proof in moves]
        move_many(connection, TRANSITIONS, moved, at=now)
        post_check_costs(connection, sorted({check.run_id for check, _ in moves}), now=now)


_IS_CHECK: Final = attempts.c.kind == AttemptKind.ACCOUNT_CHECK.value
_IS_OPEN: Final = _IS_CHECK & (attempts.c.state == A.SENDING.value)


def _in_flight(connection: Connection, fingerprints: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for some in chunks(fingerprints):
        found |= set(connection.scalars(select(attempts.c.subject).where(_IS_OPEN, attempts.c.subject.in_(some))))
    return found


def _answered_meanwhile(connection: Connection, fingerprints: Iterable[str], run_id: str, now: dt.datetime) -> set[str]:
    """Return the accounts about which other runs were told since a run began: it may have looked before they were."""
    began = select(runs.c.started_at).where(runs.c.run_id == run_id).scalar_subquery()
    told = select(attempts.c.subject).join(account_verdicts).where(_IS_CHECK, attempts.c.run_id != run_id)
    told = told.where(account_verdicts.c.checked_at >= began, account_verdicts.c.expires_at > now)
    found: set[str] = set()
    for some in chunks(fingerprints):
        found |= set(connection.scalars(told.where(attempts.c.subject.in_(some))))
    return found


def _spent(connection: Connection, run_id: str) -> int:
    charged = attempts.c.state.not_in([state.value for state in FREE])
    query = select(func.coalesce(func.sum(attempts.c.cost_cents), 0))
    return int(connection.execute(query.where(_IS_CHECK, attempts.c.run_id == run_id, charged)).scalar_one())


def _allowed_by_house(connection: Connection, budget: CheckBudget, now: dt.datetime) -> int | None:
    """Return how many checks more the house allows today and this month, of all jobs; None for any number."""
    today = now.astimezone(BRASILIA).replace(hour=0, minute=0, second=0, microsecond=0)
    limits = [(budget.per_day, today), (budget.per_month, today.replace(day=1))]
    left = [max(0, most - _made_since(connection, begin)) for most, begin in limits if most is not None]
    return min(left, default=None)


def _made_since(connection: Connection, moment: dt.datetime) -> int:
    charged = attempts.c.state.not_in([state.value for state in FREE])
    query = select(func.count()).select_from(attempts).where(_IS_CHECK, charged, attempts.c.sending_at >= moment)
    return int(connection.execute(query).scalar_one())


def _select_ended() -> Select[Any]:
    a, v = attempts.c, account_verdicts.c
    return (
        select(a.subject, a.state, a.reason, a.cost_cents, v.valid, v.checked_at, v.expires_at)
        .outerjoin(account_verdicts, v.attempt_id == a.id)
        .where(_IS_CHECK, a.state != A.SENDING.value)
        .order_by(a.created_at, a.subject, a.number)
    )


def _kept_of(row: Row[Any]) -> KeptCheck:
    results: dict[bool | None, Verdict] = {True: "valid", False: "invalid", None: "unknown"}
    cost_cents = 0 if row.state in FREE else row.cost_cents
    return KeptCheck(row.subject, results[row.valid], str(row.reason or ""), cost_cents, row.checked_at, row.expires_at)


def _check_id(fingerprint: str, number: int) -> str:
    return "ck-" + short_token(digest_of("account check", fingerprint, str(number)), 26)


def _check_of(row: Mapping[Any, Any]) -> AccountCheck:
    return AccountCheck(
        id=row["id"],
        state=A(row["state"]),
        body=bytes(row["body"]),
        run_id=row["run_id"],
        was_in_doubt=row["was_in_doubt"],
        fingerprint=row["subject"],
        cost_cents=row["cost_cents"],
    )


_SHORTEST_PREFIX = len("sha256:") + 8


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Account checks that wait for a person's yes."""

    digest: str
    job: str
    period: str
    run_id: str
    checks: int
    cost_cents: int
    prepared_by: str
    asked_at: dt.datetime


class CheckRequests:
    def __init__(self, database: Database) -> None:
        self._db = database

    def ask(self, request: CheckRequest) -> None:
        """Write a request down; who asked first for the same accounts stays who prepared them."""
        with self._db.writing() as connection:
            known = select(check_requests.c.digest).where(check_requests.c.digest == request.digest)
            if connection.scalar(known) is None:
                connection.execute(insert(check_requests).values(**asdict(request)))

    def find(self, digest: str) -> CheckRequest | None:
        """Return a request by its digest, or by the first digits of it; None where there is none, or several."""
        text = digest.strip().lower()
        text = text if text.startswith("sha256:") else f"sha256:{text}"
        if len(text) < _SHORTEST_PREFIX:
            return None
        query = select(check_requests).where(check_requests.c.digest.startswith(text, autoescape=True)).limit(2)
        with self._db.reading() as connection:
            found = [CheckRequest(*row) for row in connection.execute(query)]
        return found[0] if len(found) == 1 else None

    def waiting(self, now: dt.datetime) -> list[CheckRequest]:
        """Return the requests of the last days that nobody has used an approval of, oldest first."""
        used = select(check_approvals.c.digest).where(check_approvals.c.used_at.is_not(None))
        query = select(check_requests).where(
            check_requests.c.asked_at > now - GOOD_FOR, check_requests.c.digest.not_in(used)
        )
        with self._db.reading() as connection:
            rows = connection.execute(query.order_by(check_requests.c.asked_at)).all()
        return [CheckRequest(*row) for row in rows]

    def approve(self, approval: Approval) -> None:
        """Write a person's yes down; it binds the accounts and what they cost.

        Raises:
            ApprovalWanted: nobody asks for these, or they cost another sum.
        """
        request = self.find(approval.digest)
        if request is None or request.cost_cents != approval.total_cents:
            raise ApprovalWanted(Message("approval.look_again"))
        agreed = replace(approval, digest=request.digest)
        with self._db.writing() as connection:
            number = record_act(connection, self._db.seal, act_of_approval(ActKind.AGREE_TO_CHECKS, agreed))
            connection.execute(insert(check_approvals).values(**row_of_approval(agreed), act=number))

    def counting(self, request: CheckRequest, rule: PlanRule, now: dt.datetime) -> frozenset[str]:
        with self._db.reading() as connection:
            rows = connection.execute(select(check_approvals).where(_is_unused(request.digest, now))).all()
            given = [approval for _, approval in sound_approvals(connection, ActKind.AGREE_TO_CHECKS, rows)]
            users = [user_of(row, self._db.seal) for row in connection.execute(select(desk_users))]
            runs = select(check_requests.c.run_id).where(check_requests.c.digest == request.digest)
            preparers = people_behind(connection, connection.scalars(runs), request.prepared_by)
        cost_cents = request.cost_cents
        return frozenset(
            approvals_that_count(given, rule, total_cents=cost_cents, needed=1, users=users, preparers=preparers)
        )

    def use(self, request: CheckRequest, run_id: str, now: dt.datetime) -> None:
        """Use the approvals of a request up: its accounts are asked about once."""
        with self._db.writing() as connection:
            unused = update(check_approvals).where(_is_unused(request.digest, now))
            connection.execute(unused.values(used_at=now, used_by_run=run_id))


def _is_unused(digest: str, now: dt.datetime) -> ColumnElement[bool]:
    c = check_approvals.c
    return and_(c.digest == digest, c.expires_at > now, c.used_at.is_(None))
