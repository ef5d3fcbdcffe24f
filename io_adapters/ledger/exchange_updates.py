"""Exchange rate updates in the ledger: begun before the call, then moved from state to state."""

import datetime as dt
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, insert, select, union

from io_adapters.ledger.acts import record_act
from io_adapters.ledger.engine import chunks
from io_adapters.ledger.outbox import Outbox, next_numbers, write_attempts
from io_adapters.ledger.tables import attempts, plan_exchanges, plans, submissions, submitted, transitions
from schemas.acts import Act, ActKind
from schemas.attempt import AttemptKind
from schemas.errors import ApprovalWanted, BrokenInvariant, ConfigurationError
from schemas.exchange_update import TRANSITIONS, ExchangeState, ExchangeUpdate, exchange_update_id
from schemas.messages import Message
from schemas.plan import ExchangeTerms, digest_of_plan
from schemas.submission import OPEN, SubmissionState
from schemas.values.names import different_people

X = ExchangeState


def write_terms(connection: Connection, plan_digest: str, terms: ExchangeTerms) -> None:
    """Keep the terms of a plan, in the transaction that first stores the plan; its digest holds them, so they stay."""
    connection.execute(
        insert(plan_exchanges).values(
            plan_digest=plan_digest,
            currency=terms.currency,
            rate=terms.plain_rate,
            order_id=terms.order_id,
            show_exchange_data=terms.show_exchange_data,
        )
    )


def terms_of(row: Row[Any]) -> ExchangeTerms:
    return ExchangeTerms(row.currency, Decimal(row.rate), row.order_id, row.show_exchange_data)


_OF_REPORT: Final = attempts.alias("of_report")
_IS_UPDATE: Final = attempts.c.kind == AttemptKind.EXCHANGE_RATE.value
_COUNTS: Final = attempts.c.state != ExchangeState.ABSENT.value


def select_updates() -> Select[Any]:
    a, s, r = attempts.c, submissions.c, _OF_REPORT.c
    return (
        select(
            a.id, a.subject, a.number, a.state, a.body, a.run_id, a.sending_at, a.was_in_doubt, a.reason,
            s.job, s.period, r.run_id.label("report_run_id"), s.split_id, r.state.label("report_state"),
        )
        .select_from(attempts)
        .join(submissions, s.id == a.subject)
        .join(_OF_REPORT, r.id == s.id)
        .where(_IS_UPDATE)
    )  # fmt: skip


def update_of(row: Row[Any]) -> ExchangeUpdate:
    read_as_it_is = (
        "id", "run_id", "sending_at", "was_in_doubt", "reason", "job", "period", "report_run_id"
    )  # fmt: skip
    return ExchangeUpdate(
        **{name: getattr(row, name) for name in read_as_it_is},
        report_id=row.subject,
        attempt=row.number,
        terms=_terms_of(row),
        state=ExchangeState(row.state),
        body=bytes(row.body),
        split_id=row.split_id or "",
        report_state=SubmissionState(row.report_state),
    )


def _terms_of(row: Row[Any]) -> ExchangeTerms:
    try:
        return ExchangeTerms.from_body(bytes(row.body))
    except ValueError:
        raise BrokenInvariant(f"the stored body of {row.id} sets no exchange rate") from None


def read_update(connection: Connection, update_id: str) -> ExchangeUpdate:
    """Return one exchange update.

    Raises:
        ConfigurationError: there is none of that id.
    """
    row = connection.execute(select_updates().where(attempts.c.id == update_id)).one_or_none()
    if row is None:
        raise ConfigurationError(Message("error.no_update", update=update_id))
    return update_of(row)


def write_updates(
    connection: Connection,
    wanted: Iterable[tuple[str, int, bytes]],
    run_id: str,
    *,
    at: dt.datetime,
    by: str,
    reason: Message | None = None,
    was_in_doubt: bool = False,
) -> list[str]:
    """Write down attempts to set the rates of reports, ready to be sent; returns their ids."""
    same = {"state": X.APPROVED.value, "run_id": run_id, "was_in_doubt": was_in_doubt, "reason": reason}
    rows = [
        same | {"id": exchange_update_id(report_id, number), "subject": report_id, "number": number, "body": body}
        for report_id, number, body in wanted
    ]
    write_attempts(connection, AttemptKind.EXCHANGE_RATE, rows, at=at, by=by)
    return [str(row["id"]) for row in rows]


def has_word_on(connection: Connection, update: ExchangeUpdate) -> bool:
    """Say whether people gave their word on the very bytes of an update, when it or an earlier attempt was written."""
    decisions = (
        select(transitions.c.id)
        .join(attempts, attempts.c.id == transitions.c.attempt_id)
        .where(_IS_UPDATE, attempts.c.subject == update.report_id)
        .where(transitions.c.before.is_(None), transitions.c.reason == _word_on(update.body))
    )
    return connection.execute(decisions.limit(1)).first() is not None


def _word_on(body: bytes) -> Message:
    return Message("attempt.decided", digest=f"sha256:{sha256(body).hexdigest()}")


def _require_approved(connection: Connection, update: ExchangeUpdate) -> None:
    """Hold the bytes against what people approved: the plan's digest, or a later word on these very bytes.

    Batches and bytes make the digest up.
    """
    s = submissions.c
    digest = select(s.plan_digest).where(s.id == update.report_id).scalar_subquery()
    columns = select(s.batch_number, attempts.c.subject).select_from(submitted).distinct()
    batches = columns.where(s.plan_digest == digest).order_by(s.batch_number)
    content_hashes = [row.subject for row in connection.execute(batches)]
    approved = digest_of_plan(content_hashes, update.body) == connection.scalar(select(digest))
    if not approved and not has_word_on(connection, update):
        raise BrokenInvariant(f"the exchange rate about to be set by {update.id} is not that of the approved plan")


class ExchangeUpdates(Outbox[ExchangeUpdate]):
    """The record of exchange updates: the attempts to set the rate of each report, by its plan or on people's word."""

    _states = ExchangeState
    _kind = AttemptKind.EXCHANGE_RATE
    _transitions = TRANSITIONS

    def _read(self, connection: Connection, attempt_id: str) -> ExchangeUpdate:
        return read_update(connection, attempt_id)

    def _may_go(self, connection: Connection, attempt: ExchangeUpdate, now: dt.datetime) -> bool:  # noqa: ARG002
        _require_approved(connection, attempt)
        return attempt.report_state in OPEN

    def _proves_more(self, before: StrEnum, after: StrEnum) -> bool:
        """What an answer says of the rate counts; that it is another one counts however sure of ours we were."""
        shows_rate = before == X.IN_DOUBT and after in {X.ACCEPTED, X.DIFFERS}
        return shows_rate or (after == X.DIFFERS and after in TRANSITIONS[X(before)])

    def terms_of(self, plan_digest: str) -> ExchangeTerms | None:
        """Return the rate a plan was made with; None for reports in BRL."""
        with self._db.reading() as connection:
            query = select(plan_exchanges).where(plan_exchanges.c.plan_digest == plan_digest)
            row = connection.execute(query).one_or_none()
        return None if row is None else terms_of(row)

    def jobs(self, only: str | None = None) -> list[str]:
        """Name the jobs that ever had a plan in a foreign currency, or a rate set by hand: all, or this one."""
        planned = select(plans.c.job).join(plan_exchanges, plan_exchanges.c.plan_digest == plans.c.digest)
        by_hand = select(submissions.c.job).join(attempts, attempts.c.subject == submissions.c.id).where(_IS_UPDATE)
        with self._db.reading() as connection:
            found = set(connection.scalars(union(planned, by_hand)))
        return sorted(found if only is None else found & {only})

    def prepare(self, job: str, run_id: str) -> None:
        """Write down an update for every report of a job that waits for its rate and has none yet."""
        with self._db.reading() as connection:
            if connection.execute(_without_update(job)).first() is None:
                return
        with self._db.writing() as connection:
            wanted = [(row.id, 1, terms_of(row).body) for row in connection.execute(_without_update(job))]
            write_updates(connection, wanted, run_id, at=self._db.now(), by=run_id)

    def get(self, update_id: str) -> ExchangeUpdate:
        """Return one exchange update.

        Raises:
            ConfigurationError: there is none of that id.
        """
        with self._db.reading() as connection:
            return read_update(connection, update_id)

    def list(self, *, job: str | None = None, states: Iterable[ExchangeState] | None = None) -> list[ExchangeUpdate]:
        """Return the updates of a job, or of all, in some states, or in any, in the order they were written down."""
        query = select_updates().order_by(attempts.c.created_at, attempts.c.id)
        if job is not None:
            query = query.where(submissions.c.job == job)
        if states is not None:
            query = query.where(attempts.c.state.in_([state.value for state in states]))
        with self._db.reading() as connection:
            return [update_of(row) for row in connection.execute(query)]

    def of_reports(self, report_ids: Iterable[str]) -> dict[str, ExchangeUpdate]:
        found: dict[str, ExchangeUpdate] = {}
        with self._db.reading() as connection:
            for some in chunks(report_ids):
                query = select_updates().where(_COUNTS, attempts.c.subject.in_(some))
                found |= {row.subject: update_of(row) for row in connection.execute(query)}
        return found

    def record_seen(self, seen: ExchangeUpdate, after: ExchangeState, *, by: str, reason: Message) -> ExchangeUpdate:
        """Write down what a look at the report, or a person, says of its rate."""
        with self._db.writing() as connection:
            self._try_move(connection, seen, after, at=self._db.now(), by=by, reason=reason)
            return read_update(connection, seen.id)

    def prepare_by_hand(
        self, report_id: str, terms: ExchangeTerms, *, by: Sequence[str], run_id: str
    ) -> ExchangeUpdate:
        """Write down an update with these terms, bound to the people who say so, in place of a refused one.

        Who of them may say so, and the look before, are the caller's to judge.

        Raises:
            ApprovalWanted: fewer than two different people.
            BrokenInvariant: an update of the report counts already and was not refused.
        """
        if len(different_people(by)) < 2:
            raise ApprovalWanted(Message("rate.two_people"))
        names = ", ".join(name.strip() for name in by)
        with self._db.writing() as connection:
            now = self._db.now()
            mine = attempts.c.subject == report_id
            for before in map(update_of, connection.execute(select_updates().where(mine, _COUNTS)).all()):
                if before.state is not X.REFUSED:
                    raise BrokenInvariant(f"{before.id} is {before.state}; its rate cannot be given anew")
                reason = Message("attempt.rate_by_hand")
                self._move(connection, before, X.ABSENT, at=now, by=names, reason=reason)
            number = next_numbers(connection, self._kind, [report_id]).get(report_id, 1)
            # A refusal proves that these bytes never took effect; what is in doubt never comes here.
            wanted = [(report_id, number, terms.body)]
            (made,) = write_updates(connection, wanted, run_id, at=now, by=names, reason=_word_on(terms.body))
            record_act(connection, self._db.seal, Act(ActKind.EXCHANGE_RATE, names, report_id, "", now))
            return read_update(connection, made)

    def declare_absent(self, update_id: str, *, by: Sequence[str], evidence: str, run_id: str) -> ExchangeUpdate:
        """Take people's word that the service did not set the rate, and make the next attempt ready: the same bytes.

        Whether it is time for that, and the last look before, are the caller's to judge.

        Raises:
            ApprovalWanted: fewer than two different people.
            BrokenInvariant: the update is neither in doubt nor refused.
        """
        if len(different_people(by)) < 2:
            raise ApprovalWanted(Message("doubt.two_people"))
        with self._db.writing() as connection:
            before = read_update(connection, update_id)
            names = ", ".join(name.strip() for name in by)
            now = self._db.now()
            self._move(
                connection, before, X.ABSENT, at=now, by=names, reason=Message("attempt.evidence", text=evidence)
            )
            (following,) = write_updates(
                connection,
                [(before.report_id, before.attempt + 1, before.body)],
                run_id,
                at=now,
                by=names,
                reason=Message("attempt.follows", attempt=update_id),
                was_in_doubt=before.was_in_doubt,
            )
            record_act(connection, self._db.seal, Act(ActKind.DECLARE_ABSENT, names, update_id, evidence, now))
            return read_update(connection, following)


def _without_update(job: str) -> Select[Any]:
    report = _OF_REPORT.c
    has_one = select(attempts.c.id).where(_IS_UPDATE, attempts.c.subject == submissions.c.id).exists()
    return (
        select(submissions.c.id, *(c for c in plan_exchanges.c if c.name != "plan_digest"))
        .join(_OF_REPORT, report.id == submissions.c.id)
        .join(plan_exchanges, plan_exchanges.c.plan_digest == submissions.c.plan_digest)
        .where(submissions.c.job == job, report.state.in_([state.value for state in OPEN]), ~has_one)
        .order_by(report.created_at, submissions.c.batch_number)
    )
