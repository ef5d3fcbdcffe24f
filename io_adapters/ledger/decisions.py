"""People's decisions on single obligations, and what stops all sending: a hold, a freeze."""

import datetime as dt
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, select, union, update

from io_adapters.ledger.acts import acts_of, record_act, sound_acts
from io_adapters.ledger.claims import require_epoch
from io_adapters.ledger.decision_rows import DECISION_FIELDS, PAYS, digest_of_decision, sound_decisions
from io_adapters.ledger.engine import Database, Seal, chunks, seal_of
from io_adapters.ledger.posting import post_row_decisions, post_submissions
from io_adapters.ledger.returns import post_returns
from io_adapters.ledger.tables import (
    acts,
    attempts,
    claims,
    decisions,
    freezes,
    returns,
    runs,
    submissions,
    transitions,
)
from schemas.acts import Act, ActKind, digest_of
from schemas.approval import Decision, DecisionKind
from schemas.attempt import AttemptKind
from schemas.errors import NotSent, SendingFrozen
from schemas.messages import Listed, Message
from schemas.returns import is_return
from schemas.submission import ENDED, OPEN, UNTOLD, Alarms


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
                values = {name: getattr(decision, name) for name in DECISION_FIELDS}
                act = record_act(connection, self._db.seal, _act_of(decision))
                connection.execute(insert(decisions).values(values | {"kind": decision.kind.value, "act": act}))
                if decision.kind is DecisionKind.PAY:
                    _give_up(connection, decision)
            decided = {decision.submission_id: decision.by for decision in given if decision.submission_id}
            for submission_id, by in decided.items():
                post_submissions(connection, [submission_id], by=by, now=self._db.now())
            on_rows = [decision for decision in given if not decision.submission_id]
            post_row_decisions(connection, on_rows, now=self._db.now())
            for decision in (each for each in on_rows if is_return(each.obligation_key)):
                post_returns(connection, [decision.obligation_key], by=decision.by, now=self._db.now())

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
            last = {decision.obligation_key: decision for decision in sound_decisions(connection, query)}
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
        came_back = of_run.join(returns, returns.c.submission_id == attempts.c.id).join(
            acts, acts.c.id == returns.c.act
        )
        moved = of_run.join(transitions, transitions.c.attempt_id == attempts.c.id).where(followed)
        queries = (
            decided.where(decisions.c.at >= runs.c.finished_at),
            moved.where(transitions.c.at > runs.c.finished_at),
            came_back.where(acts.c.at >= runs.c.finished_at),
        )
        with self._db.reading() as connection:
            return frozenset(run_id for query in queries for run_id in connection.scalars(query.distinct()))

    def _latest(self, obligation_keys: Iterable[str]) -> dict[tuple[str, str], Decision]:
        found = {}
        with self._db.reading() as connection:
            for some in chunks(obligation_keys):
                query = select(decisions).where(decisions.c.obligation_key.in_(some)).order_by(decisions.c.id)
                for decision in sound_decisions(connection, query):
                    found[decision.obligation_key, decision.submission_id] = decision
        return found


def who_decided(connection: Connection, plan_digest: str) -> frozenset[str]:
    """Name those on whose last word something of a plan is paid; whose word another took over is not among them."""
    of_plan = select(submissions.c.id).where(submissions.c.plan_digest == plan_digest)
    paid = (
        select(key).where(claims.c.submission_id.in_(of_plan)) for key in (claims.c.obligation_key, claims.c.base_key)
    )
    query = select(decisions).where(decisions.c.obligation_key.in_(union(*paid))).order_by(decisions.c.id)
    words = sound_decisions(connection, query)
    last = {(decision.obligation_key, decision.submission_id): decision for decision in words}
    return frozenset(decision.by for decision in last.values() if decision.kind in PAYS)


def _act_of(decision: Decision) -> Act:
    facts = {
        "decision": digest_of_decision(decision),
        "says": decision.kind.value,
        "amount_cents": str(decision.amount_cents),
    }
    return Act(ActKind.DECIDE, decision.by, decision.submission_id, "", decision.at, facts)


def _give_up(connection: Connection, decision: Decision) -> None:
    is_report = attempts.c.kind == AttemptKind.REPORT.value
    untold = select(attempts.c.id).where(is_report, attempts.c.state.in_([state.value for state in UNTOLD]))
    this = (claims.c.obligation_key == decision.obligation_key) & (claims.c.submission_id == decision.submission_id)
    connection.execute(update(claims).where(this, claims.c.submission_id.in_(untold)).values(live=False))


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
            record_act(connection, self._db.seal, Act(ActKind.HOLD, by, "", why, self._db.now()))

    def release(self, by: str) -> bool:
        """Let sending go on; False when nothing held it."""
        with self._db.writing() as connection:
            if _current_hold(connection, self._db.seal) is None:
                return False
            record_act(connection, self._db.seal, Act(ActKind.RELEASE, by, "", "", self._db.now()))
        return True

    def current(self) -> Hold | None:
        """Return the oldest hold that stands; None when sending may go on."""
        with self._db.reading() as connection:
            return _current_hold(connection, self._db.seal)


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
            freeze_for(connection, self._db.seal, alarms, self._db.now())

    def current(self) -> Freeze | None:
        """Return what stands, several freezes as one; None when nothing does."""
        with self._db.reading() as connection:
            return _current_freeze(connection, self._db.seal)

    def lift(self, by: Iterable[str], evidence: str, accepted_tags: Collection[str]) -> bool:
        """Let sending go on, and remember which alarms people accepted by their tags; False when nothing was frozen.

        Another kind of alarm about the same tag freezes sending again.
        """
        with self._db.writing() as connection:
            standing, now = _current_freeze(connection, self._db.seal), self._db.now()
            if standing is None:
                return False
            accepted = json.dumps(sorted(alarm for alarm in standing.alarms if alarm[1] in accepted_tags))
            act = Act(ActKind.UNFREEZE, ", ".join(by), "", evidence, now, {"accepted": digest_of(accepted)})
            lifted = {"lifted_by": act.by, "evidence": evidence, "accepted_tags": accepted, "lifted_at": now}
            lifted |= {"lift_act": record_act(connection, self._db.seal, act)}
            for row in _standing(connection, self._db.seal):
                connection.execute(update(freezes).where(freezes.c.id == row.id).values(**lifted))
        return True

    def unknown_reports(self, since: dt.datetime | None) -> tuple[str, ...]:
        """Return the tags of reports, and of ledgers, unknown to this one that people have accepted since a moment."""
        with self._db.reading() as connection:
            lifted = _lifted(connection, self._db.seal)
        reasons = [json.loads(row.accepted_tags) for row in lifted if since is None or row.lifted_at > since]
        return tuple(dict.fromkeys(tag for alarms in reasons for kind, tag in alarms if kind in _UNKNOWN))

    def accepted(self) -> frozenset[tuple[str, str]]:
        """Return kind and tag of all alarms people have accepted so far; these do not freeze sending again."""
        with self._db.reading() as connection:
            return _accepted(connection, self._db.seal)


def freeze_for(connection: Connection, seal: Seal, alarms: Alarms, now: dt.datetime) -> None:
    if not alarms:
        return
    standing = _current_freeze(connection, seal)
    known = _accepted(connection, seal) | set(standing.alarms if standing else ())
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
    number = record_act(connection, seal_of(connection), Act(ActKind.FREEZE, "", "", "", now))
    connection.execute(insert(freezes).values(**values, act=number))


def _accepted(connection: Connection, seal: Seal) -> frozenset[tuple[str, str]]:
    lifted = _lifted(connection, seal)
    return frozenset((kind, tag) for row in lifted for kind, tag in json.loads(row.accepted_tags))


def require_free_to_send(database: Database, connection: Connection) -> None:
    """Refuse to send while a hold or a freeze stands, or something of the record of acts is gone.

    Raises:
        SendingFrozen: ledger and service disagree, or an act is gone.
        NotSent: a person put sending on hold.
    """
    seal = database.seal
    database.require_whole(connection)
    froze = set(connection.scalars(select(acts.c.id).where(acts.c.kind == ActKind.FREEZE.value)))
    if gone := froze - set(connection.scalars(select(freezes.c.act))):
        raise SendingFrozen(Message("error.acts_broken", number=min(gone)))
    if (freeze := _current_freeze(connection, seal)) is not None:
        raise SendingFrozen(Message("freeze.standing", reason=freeze.reason))
    if (hold := _current_hold(connection, seal)) is not None:
        raise NotSent(Message("hold.standing", by=hold.by, why=hold.why))


def _current_hold(connection: Connection, seal: Seal) -> Hold | None:
    """Return the oldest hold since the last release; a hold counts as said, also where its row is not as it was."""
    standing: Act | None = None
    for act, is_sound in acts_of(connection, seal, (ActKind.HOLD, ActKind.RELEASE)):
        if act.kind is ActKind.HOLD:
            standing = standing or act
        elif is_sound:
            standing = None
    return None if standing is None else Hold(standing.by, standing.why, standing.at)


def _freezes(connection: Connection, seal: Seal) -> list[tuple[Row[Any], bool]]:
    """Return all freezes, with whether an act has lifted each, whatever its row says."""
    rows = connection.execute(select(freezes).order_by(freezes.c.id)).all()
    lifts = sound_acts(connection, seal, {row.lift_act for row in rows if row.lift_act})

    def is_lifted(row: Row[Any]) -> bool:
        act = lifts.get(row.lift_act)
        said = {} if act is None or act.kind is not ActKind.UNFREEZE else act.facts
        return said.get("accepted") == digest_of(row.accepted_tags)

    return [(row, is_lifted(row)) for row in rows]


def _standing(connection: Connection, seal: Seal) -> list[Row[Any]]:
    return [row for row, lifted in _freezes(connection, seal) if not lifted]


def _lifted(connection: Connection, seal: Seal) -> list[Row[Any]]:
    return [row for row, lifted in _freezes(connection, seal) if lifted]


def _current_freeze(connection: Connection, seal: Seal) -> Freeze | None:
    rows = _standing(connection, seal)
    if not rows:
        return None
    alarms = dict.fromkeys((kind, tag) for row in rows for kind, tag in json.loads(row.tags))
    return Freeze(Listed(tuple(dict.fromkeys(row.reason for row in rows)), "; "), tuple(alarms), rows[0].frozen_at)
