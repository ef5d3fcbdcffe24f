"""People's decisions on single obligations, and what stops all sending: a hold, a freeze."""

import datetime as dt
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, select, update

from io_adapters.ledger.claims import raise_epoch, require_epoch
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.posting import post_row_decisions, post_submissions
from io_adapters.ledger.tables import attempts, claims, decisions, freezes, holds, runs, transitions
from schemas.approval import Decision, DecisionKind
from schemas.attempt import AttemptKind
from schemas.errors import NotSent, SendingFrozen
from schemas.messages import Listed, Message
from schemas.submission import ENDED, OPEN, UNTOLD, Alarms

_FIELDS = tuple(Decision.__dataclass_fields__)


class Decisions:
    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, given: Sequence[Decision], epoch: int | None = None) -> None:
        """Write decisions down, all or none; *pay* gives up the claim of the report that did not tell whom it paid.

        A claim whose report has paid it, or still may, is never given up, whatever is said.

        Raises:
            LedgerMoved: something was claimed, posted or decided since that epoch; nothing was written.
        """
        with self._db.writing() as connection:
            require_epoch(connection, epoch)
            for decision in given:
                values = {name: getattr(decision, name) for name in _FIELDS}
                connection.execute(insert(decisions).values(values | {"kind": decision.kind.value}))
                if decision.kind is DecisionKind.PAY:
                    _give_up(connection, decision)
            decided = {decision.submission_id: decision.by for decision in given if decision.submission_id}
            for submission_id, by in decided.items():
                post_submissions(connection, [submission_id], by=by, now=self._db.now())
            on_rows = [decision for decision in given if not decision.submission_id]
            post_row_decisions(connection, on_rows, now=self._db.now())
            raise_epoch(connection)

    def on_rows(self, obligation_keys: Iterable[str]) -> dict[str, Decision]:
        return {key: decision for (key, report), decision in self._latest(obligation_keys).items() if not report}

    def on_reports(self, obligation_keys: Iterable[str]) -> dict[tuple[str, str], Decision]:
        """Return the last word on what each report did for these obligations, by obligation key and submission id."""
        return {about: decision for about, decision in self._latest(obligation_keys).items() if about[1]}

    def any_since(self, obligation_keys: Iterable[str], at: dt.datetime) -> bool:
        """Say whether people have decided on one of these obligations since a moment."""
        with self._db.reading() as connection:
            for some in chunks(obligation_keys):
                query = select(decisions.c.id).where(decisions.c.obligation_key.in_(some), decisions.c.at >= at)
                if connection.scalar(query.limit(1)) is not None:
                    return True
        return False

    def about(self, submission_id: str) -> list[Decision]:
        query = select(decisions).where(decisions.c.submission_id == submission_id).order_by(decisions.c.id)
        with self._db.reading() as connection:
            last = {row.obligation_key: _decision_of(row) for row in connection.execute(query)}
        return list(last.values())

    def undecided(self, submission_ids: Iterable[str]) -> frozenset[str]:
        """Return which of these submissions pay something that nobody has decided on."""
        about = (decisions.c.submission_id == claims.c.submission_id) & (
            decisions.c.obligation_key == claims.c.obligation_key
        )
        silent = select(claims.c.submission_id).distinct().where(~select(decisions.c.id).where(about).exists())
        with self._db.reading() as connection:
            return frozenset(
                submission_id
                for some in chunks(submission_ids)
                for submission_id in connection.scalars(silent.where(claims.c.submission_id.in_(some)))
            )

    def runs_to_rewrite(self, job: str | None) -> frozenset[str]:
        """Return the runs, of one job or of all, whose books are older than what became of their reports.

        That is people's words on them, and what another run has seen of them since.
        """
        of_run = select(runs.c.run_id).join(attempts, attempts.c.run_id == runs.c.run_id)
        of_run = of_run.where(attempts.c.kind == AttemptKind.REPORT.value)
        if job is not None:
            of_run = of_run.where(runs.c.job == job)
        decided = of_run.join(decisions, decisions.c.submission_id == attempts.c.id)
        followed = attempts.c.state.in_([state.value for state in OPEN | ENDED])
        moved = of_run.join(transitions, transitions.c.attempt_id == attempts.c.id).where(followed)
        queries = (
            decided.where(decisions.c.at >= runs.c.finished_at),
            moved.where(transitions.c.at > runs.c.finished_at),
        )
        with self._db.reading() as connection:
            return frozenset(run_id for query in queries for run_id in connection.scalars(query.distinct()))

    def _latest(self, obligation_keys: Iterable[str]) -> dict[tuple[str, str], Decision]:
        found = {}
        with self._db.reading() as connection:
            for some in chunks(obligation_keys):
                query = select(decisions).where(decisions.c.obligation_key.in_(some)).order_by(decisions.c.id)
                for row in connection.execute(query):
                    found[row.obligation_key, row.submission_id] = _decision_of(row)
        return found


def _give_up(connection: Connection, decision: Decision) -> None:
    is_report = attempts.c.kind == AttemptKind.REPORT.value
    untold = select(attempts.c.id).where(is_report, attempts.c.state.in_([state.value for state in UNTOLD]))
    this = (claims.c.obligation_key == decision.obligation_key) & (claims.c.submission_id == decision.submission_id)
    connection.execute(update(claims).where(this, claims.c.submission_id.in_(untold)).values(live=False))


def _decision_of(row: Row[Any]) -> Decision:
    values = {name: getattr(row, name) for name in _FIELDS}
    return Decision(**values | {"kind": DecisionKind(row.kind)})


@dataclass(frozen=True, slots=True)
class Hold:
    by: str
    why: str
    put_at: dt.datetime


BY_HAND: Final = "by_hand"  # the kind of a freeze that no alarm of the program's put


@dataclass(frozen=True, slots=True)
class Freeze:
    """Ledger and service disagree."""

    reason: Listed
    alarms: tuple[tuple[str, str], ...]
    frozen_at: dt.datetime

    @property
    def tags(self) -> tuple[str, ...]:
        """The ledger tags or report ids that the alarms are about."""
        return tuple(dict.fromkeys(tag for _, tag in self.alarms))


class Holds:
    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, by: str, why: str) -> None:
        with self._db.writing() as connection:
            connection.execute(insert(holds).values(by=by, why=why, put_at=self._db.now()))

    def release(self, by: str) -> bool:
        """Let sending go on; False when nothing held it."""
        with self._db.writing() as connection:
            released = connection.execute(
                update(holds).where(holds.c.released_at.is_(None)).values(released_by=by, released_at=self._db.now())
            ).rowcount
        return bool(released)

    def current(self) -> Hold | None:
        """Return the oldest hold that stands; None when sending may go on."""
        with self._db.reading() as connection:
            return _current_hold(connection)


# Alarms behind which reports stand that may have paid what this ledger takes for unpaid.
_UNKNOWN: Final = frozenset({"lost_report", "second_ledger"})


class Freezes:
    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, reason: Message, tags: Iterable[str]) -> None:
        with self._db.writing() as connection:
            _put(connection, reason, [(BY_HAND, tag) for tag in tags], self._db.now())

    def raise_alarms(self, alarms: Alarms) -> None:
        """Stop all sending where an alarm is new: one that does not stand yet, and that people have not accepted."""
        with self._db.writing() as connection:
            freeze_for(connection, alarms, self._db.now())

    def current(self) -> Freeze | None:
        """Return what stands, several freezes as one; None when nothing does."""
        with self._db.reading() as connection:
            return _current_freeze(connection)

    def lift(self, by: Iterable[str], evidence: str, accepted_tags: Collection[str]) -> bool:
        """Let sending go on, and remember which alarms people accepted by their tags; False when nothing was frozen.

        Another kind of alarm about the same tag freezes sending again.
        """
        with self._db.writing() as connection:
            standing = _current_freeze(connection)
            accepted = [alarm for alarm in standing.alarms if alarm[1] in accepted_tags] if standing else []
            lifted = connection.execute(
                update(freezes)
                .where(freezes.c.lifted_at.is_(None))
                .values(
                    lifted_by=", ".join(by),
                    evidence=evidence,
                    accepted_tags=json.dumps(sorted(accepted)),
                    lifted_at=self._db.now(),
                )
            ).rowcount
        return bool(lifted)

    def unknown_reports(self, since: dt.datetime | None) -> tuple[str, ...]:
        """Return the tags of reports, and of ledgers, unknown to this one that people have accepted since a moment."""
        f = freezes.c
        query = select(f.accepted_tags).where(f.accepted_tags.is_not(None)).order_by(f.id)
        query = query if since is None else query.where(f.lifted_at > since)
        with self._db.reading() as connection:
            reasons = [json.loads(text) for text in connection.scalars(query)]
        return tuple(dict.fromkeys(tag for alarms in reasons for kind, tag in alarms if kind in _UNKNOWN))

    def accepted(self) -> frozenset[tuple[str, str]]:
        """Return kind and tag of all alarms people have accepted so far; these do not freeze sending again."""
        with self._db.reading() as connection:
            return _accepted(connection)


def freeze_for(connection: Connection, alarms: Alarms, now: dt.datetime) -> None:
    if not alarms:
        return
    standing = _current_freeze(connection)
    known = _accepted(connection) | set(standing.alarms if standing else ())
    new = [alarm for alarm in alarms if (alarm.kind, alarm.tag) not in known]
    if new:
        _put(
            connection,
            Listed(tuple(dict.fromkeys(alarm.message for alarm in new)), "; "),
            [(alarm.kind, alarm.tag) for alarm in new],
            now,
        )


def _put(connection: Connection, reason: Message | Listed, alarms: Iterable[tuple[str, str]], now: dt.datetime) -> None:
    values = {"reason": reason, "tags": json.dumps(sorted(set(alarms))), "frozen_at": now}
    connection.execute(insert(freezes).values(**values))


def _accepted(connection: Connection) -> frozenset[tuple[str, str]]:
    query = select(freezes.c.accepted_tags).where(freezes.c.accepted_tags.is_not(None))
    return frozenset((kind, tag) for text in connection.scalars(query) for kind, tag in json.loads(text))


def require_free_to_send(connection: Connection) -> None:
    """Refuse to send while a hold or a freeze stands.

    Raises:
        SendingFrozen: ledger and service disagree.
        NotSent: a person put sending on hold.
    """
    if (freeze := _current_freeze(connection)) is not None:
        raise SendingFrozen(Message("freeze.standing", reason=freeze.reason))
    if (hold := _current_hold(connection)) is not None:
        raise NotSent(Message("hold.standing", by=hold.by, why=hold.why))


def _current_hold(connection: Connection) -> Hold | None:
    query = select(holds.c.by, holds.c.why, holds.c.put_at).where(holds.c.released_at.is_(None)).order_by(holds.c.id)
    row = connection.execute(query.limit(1)).one_or_none()
    return None if row is None else Hold(*row)


def _current_freeze(connection: Connection) -> Freeze | None:
    rows = connection.execute(select(freezes).where(freezes.c.lifted_at.is_(None)).order_by(freezes.c.id)).all()
    if not rows:
        return None
    alarms = dict.fromkeys((kind, tag) for row in rows for kind, tag in json.loads(row.tags))
    return Freeze(Listed(tuple(dict.fromkeys(row.reason for row in rows)), "; "), tuple(alarms), rows[0].frozen_at)
