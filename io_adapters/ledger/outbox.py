"""The outbox table: attempts, each one effect asked of the service, written down before the call and made once.

Whatever its kind, an attempt is taken by one worker in a compare-and-set, is that worker's until its answer is written
down, and is in doubt when its worker is gone. A kind says when one may go, and what beside its state an answer changes.
"""

import datetime as dt
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, TypeVar

from sqlalchemy import Connection, bindparam, func, insert, select, update

from io_adapters.ledger.decisions import freeze_for, require_free_to_send
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.tables import answers, attempts, transitions
from schemas.attempt import Attempt, AttemptKind, AttemptState, PlainAttempt, State, check_transition
from schemas.errors import BrokenInvariant
from schemas.messages import Message
from schemas.submission import Alarms

A = AttemptState

# An owner on another machine cannot be proven gone; this long after its deadline its answer will not come.
ABANDONED_AFTER: Final = dt.timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Transition:
    """One transition; `before` is None for the first."""

    before: StrEnum | None
    after: StrEnum
    at: dt.datetime
    by: str
    reason: Message | None


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What came back from one request: `raw` is b"" and `http_status` None when nothing did."""

    outcome: StrEnum
    http_status: int | None
    raw: bytes
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class Proof:
    """What an answer proves of an attempt.

    Attributes:
        split_id: The service's `_id` of what was made; None where the answer tells none.
    """

    state: StrEnum
    reason: Message | None
    split_id: str | None = None
    alarms: Alarms = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back for one attempt."""

    attempt_id: str
    proof: Proof
    http_status: int | None
    raw: bytes


def write_attempts(
    connection: Connection, kind: AttemptKind, rows: Sequence[dict[str, Any]], *, at: dt.datetime, by: str
) -> None:
    """Write attempts down, with the exact bytes to send."""
    if not rows:
        return
    same = {"kind": kind.value, "created_at": at, "cost_cents": 0}
    hashed = [same | row | {"body_sha256": hashlib.sha256(row["body"]).hexdigest()} for row in rows]
    connection.execute(insert(attempts), hashed)
    first = rows[0]
    write_transitions(
        connection, [row["id"] for row in rows], None, first["state"], at=at, by=by, reason=first["reason"]
    )


def next_numbers(connection: Connection, kind: AttemptKind, subjects: Iterable[str]) -> dict[str, int]:
    """Return the number of the next attempt for each subject that has had one; the others begin at 1."""
    found: dict[str, int] = {}
    for some in chunks(subjects):
        query = (
            select(attempts.c.subject, func.max(attempts.c.number).label("last"))
            .where(attempts.c.kind == kind.value, attempts.c.subject.in_(some))
            .group_by(attempts.c.subject)
        )
        found |= {row.subject: row.last + 1 for row in connection.execute(query)}
    return found


def read_plain(connection: Connection, attempt_id: str) -> PlainAttempt:
    columns = (attempts.c[name] for name in PlainAttempt.__dataclass_fields__)
    row = connection.execute(select(*columns).where(attempts.c.id == attempt_id)).one()
    return PlainAttempt(row.id, A(row.state), bytes(row.body), row.run_id, row.was_in_doubt)


def try_move(
    connection: Connection,
    table: Mapping[State, frozenset[State]],
    before: Attempt[State],
    after: State,
    *,
    at: dt.datetime,
    by: str,
    reason: Message | None = None,
    **values: object,
) -> bool:
    """Take an attempt from the state it was read in to another; False, with nothing done, when it has changed since.

    Raises:
        BrokenInvariant: the table of its kind does not allow the transition.
    """
    check_transition(table, before.state, after)
    if after == A.IN_DOUBT:
        values["was_in_doubt"] = True
    as_it_was = (attempts.c.id == before.id) & (attempts.c.state == before.state.value)
    change = update(attempts).where(as_it_was).values(state=after.value, reason=reason, **values)
    if connection.execute(change).rowcount != 1:
        return False
    write_transitions(connection, [before.id], before.state.value, after.value, at=at, by=by, reason=reason)
    return True


def move_many(
    connection: Connection,
    table: Mapping[State, frozenset[State]],
    moves: Sequence[tuple[Attempt[State], State, Message | None]],
    *,
    at: dt.datetime,
) -> None:
    """Take many attempts, each from the state it was read in to another, for a reason, ascribed to its run.

    Raises:
        BrokenInvariant: the table of their kind does not allow a transition, or one has changed since it was read.
    """
    if not moves:
        return
    for before, after, _ in moves:
        check_transition(table, before.state, after)
    as_it_was = (attempts.c.id == bindparam("moved")) & (attempts.c.state == bindparam("left"))
    change = update(attempts).where(as_it_was)
    change = change.values({name: bindparam(f"new_{name}") for name in ("state", "reason", "was_in_doubt")})
    rows = [
        {
            "moved": before.id,
            "left": before.state.value,
            "new_state": after.value,
            "new_reason": reason,
            "new_was_in_doubt": before.was_in_doubt or after == A.IN_DOUBT,
        }
        for before, after, reason in moves
    ]
    if connection.execute(change, rows).rowcount != len(rows):
        raise BrokenInvariant(f"some of {len(rows)} attempts have changed since they were read")
    lines = [
        {"attempt_id": b.id, "before": b.state.value, "after": after.value, "at": at, "by": b.run_id, "reason": reason}
        for b, after, reason in moves
    ]
    connection.execute(insert(transitions), lines)


def write_transitions(
    connection: Connection,
    attempt_ids: Sequence[str],
    before: str | None,
    after: str,
    *,
    at: dt.datetime,
    by: str,
    reason: Message | None = None,
) -> None:
    same = {"before": before, "after": after, "at": at, "by": by, "reason": reason}
    if attempt_ids:
        connection.execute(insert(transitions), [{"attempt_id": attempt_id, **same} for attempt_id in attempt_ids])


Kept = TypeVar("Kept", bound=Attempt[Any])


class Outbox(ABC, Generic[Kept]):
    _kind: ClassVar[AttemptKind]
    _states: ClassVar[type[StrEnum]]
    _transitions: ClassVar[Mapping[Any, frozenset[Any]]]
    _moves_money: ClassVar[bool] = True  # a person's hold, and a freeze, stop it then

    def __init__(self, database: Database) -> None:
        self._db = database

    @abstractmethod
    def _read(self, connection: Connection, attempt_id: str) -> Kept: ...

    def _read_all(self, connection: Connection, attempt_ids: Sequence[str]) -> dict[str, Kept]:
        return {attempt_id: self._read(connection, attempt_id) for attempt_id in attempt_ids}

    def _may_go(self, connection: Connection, attempt: Kept, now: dt.datetime) -> bool:  # noqa: ARG002
        """Say whether an approved attempt is still to be sent; raises where what people approved does not hold."""
        return True

    def _try_move(self, connection: Connection, before: Kept, after: str, **values: Any) -> bool:  # noqa: ANN401
        return try_move(connection, self._transitions, before, self._states(after), **values)

    def _move_all(self, connection: Connection, moves: Sequence[tuple[Kept, Proof]], now: dt.datetime) -> None:
        for before, proof in moves:
            found = {} if proof.split_id is None else {"split_id": proof.split_id}
            self._move(connection, before, proof.state, at=now, by=before.run_id, reason=proof.reason, **found)

    def _proves_more(self, before: StrEnum, after: StrEnum) -> bool:
        """Say whether an answer still counts for an attempt that nobody is sending any more."""
        return before == A.IN_DOUBT and after == A.ACCEPTED

    def _hold_against_others(self, connection: Connection, attempt: Kept, proof: Proof) -> Proof:  # noqa: ARG002
        return proof

    def take_for_sending(
        self, attempt_id: str, owner: Owner, run_id: str, *, body_sha256: str, deadline_at: dt.datetime, by: str = ""
    ) -> bool:
        """Write down that these very bytes are about to be sent; when this returns True, that is durable.

        Args:
            body_sha256: Hex digest of the bytes that are about to be sent.
            by: The people who asked for it by hand, for the record; "" where only the run did.

        Raises:
            NotSent: a person put sending on hold.
            SendingFrozen: ledger and service disagree.
            ApprovalWanted: what approved it has lapsed.
            BrokenInvariant: the bytes are not the stored ones, or not those that people approved.
        """
        with self._db.writing() as connection:
            if self._moves_money:
                require_free_to_send(self._db, connection)
            attempt = self._read(connection, attempt_id)
            if attempt.state != A.APPROVED:
                return False
            stored = connection.scalar(select(attempts.c.body_sha256).where(attempts.c.id == attempt_id))
            if stored != body_sha256:
                raise BrokenInvariant(f"the bytes about to be sent for {attempt_id} are not those in the ledger")
            now = self._db.now()
            if not self._may_go(connection, attempt, now):
                return False
            taken = {"run_id": run_id, "owner": owner.to_json(), "sending_at": now, "deadline_at": deadline_at}
            return self._try_move(connection, attempt, A.SENDING, at=now, by=by or run_id, **taken)

    def still_mine(self, attempt_id: str, owner: Owner) -> bool:
        """Say whether an attempt is still being sent by this owner; asked immediately before connecting."""
        with self._db.reading() as connection:
            query = select(attempts.c.state, attempts.c.owner).where(attempts.c.id == attempt_id)
            row = connection.execute(query).one_or_none()
        return row is not None and tuple(row) == (A.SENDING.value, owner.to_json())

    def record_outcome(
        self,
        attempt_id: str,
        outcome: StrEnum,
        *,
        http_status: int | None,
        raw_answer: bytes,
        reason: Message | None,
        split_id: str | None = None,
        alarms: Alarms = (),
    ) -> Kept:
        """Write down what the answer proves, with the answer itself; no answer is ever lost.

        Somebody may have put the attempt in doubt, or found its effect, while the answer was on its way. Then only what
        proves the effect still changes something: bytes once in doubt are never refused or unsent for certain.

        Args:
            http_status: Of the answer; None when none came.
        """
        proof = Proof(outcome, reason, split_id, alarms)
        with self._db.writing() as connection:
            self._record(connection, [Answered(attempt_id, proof, http_status, raw_answer)])
            return self._read(connection, attempt_id)

    def _record(self, connection: Connection, answered: Sequence[Answered]) -> None:
        """Write answers down, within a transaction, as `record_outcome` does one."""
        if not answered:
            return
        now = self._db.now()
        connection.execute(
            insert(answers),
            [
                {
                    "attempt_id": answer.attempt_id,
                    "outcome": answer.proof.state.value,
                    "http_status": answer.http_status,
                    "raw": answer.raw,
                    "at": now,
                }
                for answer in answered
            ],
        )
        before = self._read_all(connection, [answer.attempt_id for answer in answered])
        judged = [
            (before[answer.attempt_id], self._judge(connection, before[answer.attempt_id], answer.proof))
            for answer in answered
        ]
        moves = [(attempt, proof) for attempt, proof in judged if proof.state != attempt.state]
        self._move_all(connection, moves, now)
        for _, proof in judged:
            freeze_for(connection, self._db.seal, proof.alarms, now)

    def _judge(self, connection: Connection, attempt: Kept, proof: Proof) -> Proof:
        """Return what an answer leaves of an attempt: where it stands, when that is surer, with the answer's alarms."""
        if attempt.state == A.SENDING or self._proves_more(attempt.state, proof.state):
            return self._hold_against_others(connection, attempt, proof)
        return replace(proof, state=attempt.state)

    def doubt_abandoned(self, gone: Callable[[Owner], bool]) -> list[Kept]:
        """Put in doubt every attempt that is being sent by nobody any more.

        That is one whose owner is proven gone, or whose deadline passed `ABANDONED_AFTER` ago.
        """
        query = select(attempts.c.id, attempts.c.owner, attempts.c.deadline_at).where(
            attempts.c.state == A.SENDING.value, attempts.c.kind == self._kind.value
        )
        with self._db.reading() as connection:
            if connection.execute(query).first() is None:
                return []
        with self._db.writing() as connection:
            now = self._db.now()
            doubtful = []
            for row in connection.execute(query).all():
                if now < row.deadline_at + ABANDONED_AFTER and not gone(Owner.from_json(row.owner)):
                    continue
                before = self._read(connection, row.id)
                reason = Message("attempt.ended_early")
                self._move(connection, before, A.IN_DOUBT, at=now, by=before.run_id, reason=reason)
                doubtful.append(self._read(connection, row.id))
        return doubtful

    def reapprove_not_sent(self, attempt_id: str, *, by: str) -> Kept:
        """Make an attempt that certainly never left ready to be sent again, under its own name.

        Raises:
            BrokenInvariant: it is not one of those.
        """
        with self._db.writing() as connection:
            before = self._read(connection, attempt_id)
            if before.state != A.NOT_SENT:
                raise BrokenInvariant(f"{attempt_id} is {before.state}; only what was not sent is approved again")
            self._move(connection, before, A.APPROVED, at=self._db.now(), by=by, reason=Message("attempt.tried_again"))
            return self._read(connection, attempt_id)

    def transitions(self, attempt_id: str) -> list[Transition]:
        j = transitions.c
        query = select(j.before, j.after, j.at, j.by, j.reason).where(j.attempt_id == attempt_id).order_by(j.id)
        with self._db.reading() as connection:
            return [
                Transition(row.before and self._states(row.before), self._states(row.after), *row[2:])
                for row in connection.execute(query)
            ]

    def answers(self, attempt_id: str) -> list[RecordedAnswer]:
        """Return all that came back for an attempt, oldest first."""
        a = answers.c
        query = select(a.outcome, a.http_status, a.raw, a.at).where(a.attempt_id == attempt_id).order_by(a.id)
        with self._db.reading() as connection:
            rows = connection.execute(query).all()
        return [RecordedAnswer(self._states(row.outcome), row.http_status, bytes(row.raw), row.at) for row in rows]

    def _move(self, connection: Connection, before: Kept, after: str, **values: Any) -> None:  # noqa: ANN401
        if not self._try_move(connection, before, after, **values):
            raise BrokenInvariant(f"{before.id} was no longer {before.state}")
