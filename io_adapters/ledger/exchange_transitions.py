"""Moves one exchange update from state to state: checked and journaled, in the caller's transaction."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from io_adapters.ledger.tables import exchange_journal, exchange_updates, submissions
from schemas.errors import BrokenInvariant, ConfigurationError
from schemas.exchange_terms import ExchangeTerms
from schemas.exchange_update import ExchangeState, ExchangeUpdate, check_transition, exchange_update_id
from schemas.submission import SubmissionState


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
