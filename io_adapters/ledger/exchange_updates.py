"""The exchange rate of each report: begun before the call, moved from state to state, or set on people's word."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, union, update

from io_adapters.ledger.attempts import ABANDONED_AFTER
from io_adapters.ledger.decisions import require_free_to_send
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.tables import exchange_journal, exchange_updates, plan_exchanges, plans, submissions
from schemas.errors import ApprovalWanted, BrokenInvariant, ConfigurationError
from schemas.exchange_update import TRANSITIONS, ExchangeState, ExchangeUpdate, check_transition, exchange_update_id
from schemas.messages import Message
from schemas.plan import ExchangeTerms, digest_of_plan
from schemas.submission import OPEN, SubmissionState
from schemas.values.names import different_people


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
    """Read the columns of `plan_exchanges` in a row."""
    return ExchangeTerms(row.currency, Decimal(row.rate), row.order_id, row.show_exchange_data)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why an exchange update moved.

    Attributes:
        at: When (UTC).
        by: The run or the people.
        reason: For people.
        http_status: Of the answer; None without one.
        answer: The answer's body; None when nothing was asked.
    """

    at: dt.datetime
    by: str
    reason: str = ""
    http_status: int | None = None
    answer: bytes | None = None


def select_updates() -> Select[Any]:
    """Select exchange updates with their report."""
    x, s = exchange_updates.c, submissions.c
    return (
        select(
            x.id, x.submission_id, x.attempt, x.state, x.body, x.run_id, x.sending_at, x.was_in_doubt, x.reason,
            s.job, s.period, s.run_id.label("report_run_id"), s.split_id, s.state.label("report_state"),
        )
        .join(submissions, s.id == x.submission_id)
    )  # fmt: skip


def update_of(row: Row[Any]) -> ExchangeUpdate:
    """Read one row of `select_updates`."""
    read_as_it_is = (
        "id", "attempt", "run_id", "sending_at", "was_in_doubt", "reason", "job", "period", "report_run_id"
    )  # fmt: skip
    return ExchangeUpdate(
        **{name: getattr(row, name) for name in read_as_it_is},
        report_id=row.submission_id,
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
    row = connection.execute(select_updates().where(exchange_updates.c.id == update_id)).one_or_none()
    if row is None:
        raise ConfigurationError(f"the ledger knows no exchange update {update_id}")
    return update_of(row)


def try_move(
    connection: Connection, before: ExchangeUpdate, after: ExchangeState, cause: Cause, **values: object
) -> bool:
    """Take an update from the state it was read in to another; False, with nothing done, when it has changed since.

    Raises:
        BrokenInvariant: the transition is not allowed.
    """
    check_transition(before.state, after)
    if after is ExchangeState.IN_DOUBT:
        values["was_in_doubt"] = True
    as_it_was = (exchange_updates.c.id == before.id) & (exchange_updates.c.state == before.state.value)
    change = update(exchange_updates).where(as_it_was).values(state=after.value, reason=cause.reason, **values)
    if connection.execute(change).rowcount != 1:
        return False
    write_journal(connection, before.id, before.state, after, cause)
    return True


def write_journal(
    connection: Connection, update_id: str, before: ExchangeState | None, after: ExchangeState, cause: Cause
) -> None:
    """Append one line; `before` and `after` are the same for an answer that changed nothing any more."""
    line = {name: getattr(cause, name) for name in Cause.__dataclass_fields__}
    line |= {"update_id": update_id, "before": before and before.value, "after": after.value}
    connection.execute(insert(exchange_journal).values(**line))


def write_updates(
    connection: Connection, wanted: Iterable[tuple[str, ExchangeTerms]], run_id: str, cause: Cause
) -> None:
    """Write down the first attempt to set the rate of each of these reports, with the exact bytes to send."""
    for submission_id, terms in wanted:
        write_attempt(connection, submission_id, 1, terms.body, run_id, cause, was_in_doubt=False)


def write_attempt(  # each is named in the table
    connection: Connection,
    submission_id: str,
    attempt: int,
    body: bytes,
    run_id: str,
    cause: Cause,
    *,
    was_in_doubt: bool,
) -> str:
    """Write one attempt down, ready to be sent; returns its id."""
    update_id = exchange_update_id(submission_id, attempt)
    connection.execute(
        insert(exchange_updates).values(
            id=update_id,
            submission_id=submission_id,
            attempt=attempt,
            state=ExchangeState.APPROVED.value,
            body=body,
            body_sha256=sha256(body).hexdigest(),
            run_id=run_id,
            created_at=cause.at,
            was_in_doubt=was_in_doubt,
            reason=cause.reason,
        )
    )
    write_journal(connection, update_id, None, ExchangeState.APPROVED, cause)
    return update_id


class ExchangeByHand:
    """The part of `ExchangeUpdates` that takes a person's word on the rate itself."""

    _db: Database

    def prepare_by_hand(
        self, report_id: str, terms: ExchangeTerms, *, by: Sequence[str], run_id: str
    ) -> ExchangeUpdate:
        """Write down an update with these terms, bound to the people who say so, in place of a refused one.

        Who of them may say so, and the look before, are the caller's to judge.

        Returns:
            The new attempt, approved; its journal begins with the names and the digest of its exact bytes.

        Raises:
            ApprovalWanted: fewer than two different people.
            BrokenInvariant: an update of the report counts already and was not refused.
        """
        if len(different_people(by)) < 2:
            raise ApprovalWanted(Message("rate.two_people"))
        names = ", ".join(name.strip() for name in by)
        with self._db.writing() as connection:
            now = self._db.now()
            mine = exchange_updates.c.submission_id == report_id
            counts = connection.execute(select_updates().where(mine, exchange_updates.c.state != X.ABSENT.value)).all()
            for before in map(update_of, counts):
                if before.state is not X.REFUSED:
                    raise BrokenInvariant(f"{before.id} is {before.state}; its rate cannot be given anew")
                try_move(connection, before, X.ABSENT, Cause(now, names, "refused; a rate given by hand follows"))
            attempts = connection.scalar(select(func.max(exchange_updates.c.attempt)).where(mine)) or 0
            cause = Cause(now, names, _word_on(terms.body))
            # A refusal proves that these bytes never took effect; what is in doubt never comes here.
            made = write_attempt(connection, report_id, attempts + 1, terms.body, run_id, cause, was_in_doubt=False)
            return read_update(connection, made)


def has_word_on(connection: Connection, update: ExchangeUpdate) -> bool:
    """Say whether people gave their word on the very bytes of an update, when it or an earlier attempt was written."""
    j, x = exchange_journal.c, exchange_updates.c
    words = (
        select(j.id)
        .join(exchange_updates, x.id == j.update_id)
        .where(x.submission_id == update.report_id, j.before.is_(None), j.reason == _word_on(update.body))
    )
    return connection.execute(words.limit(1)).first() is not None


def _word_on(body: bytes) -> str:
    return f"a person's word on sha256:{sha256(body).hexdigest()}"


class ExchangeSending:
    """The part of `ExchangeUpdates` that stands around the one POST."""

    _db: Database

    def take_for_sending(
        self, update_id: str, owner: Owner, run_id: str, *, body_sha256: str, deadline_at: dt.datetime, by: str = ""
    ) -> bool:
        """Write down that these very bytes are about to be sent; when this returns True, that is durable.

        Args:
            update_id: An approved exchange update of an open report.
            owner: This process.
            run_id: The run that sends it.
            body_sha256: Hex digest of the bytes that are about to be sent.
            deadline_at: When the attempt gives up at the latest.
            by: The people who asked for it by hand, for the journal; "" where only the run did.

        Returns:
            False when it is not approved any more, or its report has ended: there is nothing to send.

        Raises:
            NotSent: a person put sending on hold.
            SendingFrozen: ledger and service disagree.
            BrokenInvariant: the bytes are not the stored ones, or not those of the approved plan.
        """
        with self._db.writing() as connection:
            require_free_to_send(connection)
            before = read_update(connection, update_id)
            if before.state is not X.APPROVED or before.report_state not in OPEN:
                return False
            stored = connection.scalar(select(exchange_updates.c.body_sha256).where(exchange_updates.c.id == update_id))
            if stored != body_sha256:
                raise BrokenInvariant(f"the bytes about to be sent for {update_id} are not those in the ledger")
            _require_approved(connection, before)
            now = self._db.now()
            taken = {"run_id": run_id, "owner": owner.to_json(), "sending_at": now, "deadline_at": deadline_at}
            return try_move(connection, before, X.SENDING, Cause(now, by or run_id), **taken)

    def still_mine(self, update_id: str, owner: Owner) -> bool:
        """Say whether an update is still being sent by this owner; asked immediately before connecting."""
        x = exchange_updates.c
        with self._db.reading() as connection:
            row = connection.execute(select(x.state, x.owner).where(x.id == update_id)).one_or_none()
        return row is not None and tuple(row) == (X.SENDING.value, owner.to_json())

    def record_outcome(
        self, update_id: str, after: ExchangeState, *, http_status: int | None, raw_answer: bytes, reason: str
    ) -> ExchangeUpdate:
        """Write down what the answer proves, with the answer itself; no answer is ever lost.

        Somebody may have put the update in doubt, or found its rate, while the answer was on its way. Then only what
        the answer says of the rate still changes something.

        Returns:
            The update as it stands now.
        """
        with self._db.writing() as connection:
            before = read_update(connection, update_id)
            cause = Cause(self._db.now(), before.run_id, reason, http_status, raw_answer)
            late = after in {X.ACCEPTED, X.DIFFERS} and before.state is X.IN_DOUBT
            otherwise = after is X.DIFFERS and after in TRANSITIONS[before.state]
            if before.state is X.SENDING or late or otherwise:
                try_move(connection, before, after, cause)
            else:
                write_journal(connection, update_id, before.state, before.state, cause)
            return read_update(connection, update_id)

    def doubt_abandoned(self, gone: Callable[[Owner], bool]) -> list[ExchangeUpdate]:
        """Put in doubt every update that is being sent by nobody any more, by the rule for submissions.

        Returns:
            The updates that are now in doubt.
        """
        x = exchange_updates.c
        query = select(x.id, x.owner, x.deadline_at).where(x.state == X.SENDING.value)
        with self._db.reading() as connection:
            if connection.execute(query).first() is None:
                return []
        with self._db.writing() as connection:
            now = self._db.now()
            doubtful = []
            for row in connection.execute(query).all():
                if now < row.deadline_at + ABANDONED_AFTER and not gone(Owner.from_json(row.owner)):
                    continue
                before = read_update(connection, row.id)
                cause = Cause(now, before.run_id, "the program ended before the answer came")
                try_move(connection, before, X.IN_DOUBT, cause)
                doubtful.append(read_update(connection, row.id))
        return doubtful

    def reapprove_not_sent(self, update_id: str, *, by: str) -> ExchangeUpdate:
        """Make an update that certainly never left ready to be sent again.

        Raises:
            BrokenInvariant: it is not one of those.
        """
        with self._db.writing() as connection:
            before = read_update(connection, update_id)
            if before.state is not X.NOT_SENT:
                raise BrokenInvariant(f"{update_id} is {before.state}; only what was not sent is approved again")
            try_move(connection, before, X.APPROVED, Cause(self._db.now(), by, "not sent; tried again"))
            return read_update(connection, update_id)


def _require_approved(connection: Connection, update: ExchangeUpdate) -> None:
    """Hold the bytes against what people approved: the plan's digest, or a later word on these very bytes.

    Batches and bytes make the digest up.
    """
    s = submissions.c
    digest = select(s.plan_digest).where(s.id == update.report_id).scalar_subquery()
    batches = select(s.batch_number, s.content_hash).distinct().where(s.plan_digest == digest).order_by(s.batch_number)
    content_hashes = [row.content_hash for row in connection.execute(batches)]
    approved = digest_of_plan(content_hashes, update.body) == connection.scalar(select(digest))
    if not approved and not has_word_on(connection, update):
        raise BrokenInvariant(f"the exchange rate about to be set by {update.id} is not that of the approved plan")


X = ExchangeState


class ExchangeUpdates(ExchangeSending, ExchangeByHand):
    """The record of exchange updates. Every change goes through the one table of transitions and is journaled."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def terms_of(self, plan_digest: str) -> ExchangeTerms | None:
        """Return the rate a plan was made with; None for reports in BRL."""
        with self._db.reading() as connection:
            query = select(plan_exchanges).where(plan_exchanges.c.plan_digest == plan_digest)
            row = connection.execute(query).one_or_none()
        return None if row is None else terms_of(row)

    def jobs(self, only: str | None = None) -> list[str]:
        """Name the jobs that ever had a plan in a foreign currency, or a rate set by hand: all, or this one."""
        planned = select(plans.c.job).join(plan_exchanges, plan_exchanges.c.plan_digest == plans.c.digest)
        by_hand = select(submissions.c.job).join(exchange_updates, exchange_updates.c.submission_id == submissions.c.id)
        with self._db.reading() as connection:
            found = set(connection.scalars(union(planned, by_hand)))
        return sorted(found if only is None else found & {only})

    def prepare(self, job: str, run_id: str) -> None:
        """Write down an update for every report of a job that waits for its rate and has none yet."""
        with self._db.reading() as connection:
            if connection.execute(_without_update(job)).first() is None:
                return
        with self._db.writing() as connection:
            wanted = [(row.id, terms_of(row)) for row in connection.execute(_without_update(job))]
            write_updates(connection, wanted, run_id, Cause(self._db.now(), run_id))

    def get(self, update_id: str) -> ExchangeUpdate:
        """Return one exchange update.

        Raises:
            ConfigurationError: there is none of that id.
        """
        with self._db.reading() as connection:
            return read_update(connection, update_id)

    def journal(self, update_id: str) -> list[tuple[str | None, str, str]]:
        """Return all transitions of an update, oldest first: before, after, reason."""
        j = exchange_journal.c
        query = select(j.before, j.after, j.reason).where(j.update_id == update_id).order_by(j.id)
        with self._db.reading() as connection:
            return [(row.before, row.after, row.reason) for row in connection.execute(query)]

    def list(self, *, job: str | None = None, states: Iterable[ExchangeState] | None = None) -> list[ExchangeUpdate]:
        """Return the updates of a job, or of all, in some states, or in any, in the order they were written down."""
        query = select_updates().order_by(exchange_updates.c.created_at, exchange_updates.c.id)
        if job is not None:
            query = query.where(submissions.c.job == job)
        if states is not None:
            query = query.where(exchange_updates.c.state.in_([state.value for state in states]))
        with self._db.reading() as connection:
            return [update_of(row) for row in connection.execute(query)]

    def of_reports(self, report_ids: Iterable[str]) -> dict[str, ExchangeUpdate]:
        """Return the one update that counts of each of these reports that has one, by report id."""
        counts = exchange_updates.c.state != X.ABSENT.value
        found: dict[str, ExchangeUpdate] = {}
        with self._db.reading() as connection:
            for some in chunks(report_ids):
                query = select_updates().where(counts, exchange_updates.c.submission_id.in_(some))
                found |= {row.submission_id: update_of(row) for row in connection.execute(query)}
        return found

    def record_seen(self, seen: ExchangeUpdate, after: ExchangeState, *, by: str, reason: str) -> ExchangeUpdate:
        """Write down what a look at the report, or a person, says of its rate.

        Args:
            seen: The update as it stood when the service was asked; when it stands elsewhere by now, nothing changes.
            after: What is proven.
            by: The run that looked, or the person.
            reason: For people.

        Returns:
            The update as it stands now.
        """
        with self._db.writing() as connection:
            try_move(connection, seen, after, Cause(self._db.now(), by, reason))
            return read_update(connection, seen.id)

    def declare_absent(self, update_id: str, *, by: Sequence[str], evidence: str, run_id: str) -> ExchangeUpdate:
        """Take people's word that the service did not set the rate, and make the next attempt ready: the same bytes.

        Whether it is time for that, and the last look before, are the caller's to judge.

        Returns:
            The next attempt, approved.

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
            if not try_move(connection, before, X.ABSENT, Cause(now, names, evidence)):
                raise BrokenInvariant(f"{update_id} was no longer {before.state}")
            following = write_attempt(
                connection,
                before.report_id,
                before.attempt + 1,
                before.body,
                run_id,
                Cause(now, names, f"follows {update_id}, which is absent"),
                was_in_doubt=before.was_in_doubt,
            )
            return read_update(connection, following)


def _without_update(job: str) -> Select[Any]:
    has_one = select(exchange_updates.c.id).where(exchange_updates.c.submission_id == submissions.c.id).exists()
    return (
        select(submissions.c.id, *(c for c in plan_exchanges.c if c.name != "plan_digest"))
        .join(plan_exchanges, plan_exchanges.c.plan_digest == submissions.c.plan_digest)
        .where(submissions.c.job == job, submissions.c.state.in_([state.value for state in OPEN]), ~has_one)
        .order_by(submissions.c.created_at, submissions.c.batch_number)
    )
