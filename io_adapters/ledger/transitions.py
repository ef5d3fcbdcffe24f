"""Moves one submission from state to state: checked, journaled, and with its claims, in the caller's transaction."""

import datetime as dt
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from io_adapters.ledger.tables import claims, journal, submissions
from schemas.errors import BrokenInvariant, ConfigurationError
from schemas.submission import LIVE, Submission, SubmissionState, check_transition

# A submission's id is its report id; the table holds it once.
_FIELDS = tuple(name for name in Submission.__dataclass_fields__ if name != "report_id")


def select_submissions(*, bodies: bool) -> Select[Any]:
    """Select submissions, with or without the bytes to POST, which are most of the ledger."""
    return select(*(submissions.c[name] for name in _FIELDS if bodies or name != "body"))


def submission_of(row: Row[Any]) -> Submission:
    """Read one row of `select_submissions`; body is b"" when it was not selected."""
    values = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for a row as a mapping
    values |= {"report_id": row.id, "state": SubmissionState(row.state), "body": bytes(values.get("body", b""))}
    return Submission(**values)


def read_submission(connection: Connection, submission_id: str, *, bodies: bool = False) -> Submission:
    """Return one submission.

    Raises:
        ConfigurationError: there is none of that id.
    """
    query = select_submissions(bodies=bodies).where(submissions.c.id == submission_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise ConfigurationError(f"the ledger knows no submission {submission_id}")
    return submission_of(row)


def linked_elsewhere(connection: Connection, submission_id: str, split_id: str | None) -> str | None:
    """Name the other submission that a report of the service is linked to already; None when there is none."""
    if not split_id:
        return None
    others = (submissions.c.split_id == split_id) & (submissions.c.id != submission_id)
    return connection.scalar(select(submissions.c.id).where(others))


def move(
    connection: Connection,
    submission: Submission,
    after: SubmissionState,
    *,
    at: dt.datetime,
    by: str,
    reason: str = "",
    **values: object,
) -> None:
    """Take a submission from the state it was read in to another, and release its claims when it no longer pays.

    Raises:
        BrokenInvariant: the transition is not allowed, or the row has changed since it was read.
    """
    if not try_move(connection, submission, after, at=at, by=by, reason=reason, **values):
        raise BrokenInvariant(f"{submission.id} was no longer {submission.state}")


def try_move(
    connection: Connection,
    submission: Submission,
    after: SubmissionState,
    *,
    at: dt.datetime,
    by: str,
    reason: str = "",
    **values: object,
) -> bool:
    """Like `move`; False, with nothing done, when the row has changed since it was read."""
    check_transition(submission.state, after)
    if after is SubmissionState.IN_DOUBT:
        values["was_in_doubt"] = True
    as_it_was = (submissions.c.id == submission.id) & (submissions.c.state == submission.state.value)
    change = update(submissions).where(as_it_was).values(state=after.value, reason=reason, **values)
    if connection.execute(change).rowcount != 1:
        return False
    write_journal(connection, [submission.id], submission.state, after, at=at, by=by, reason=reason)
    if submission.state in LIVE and after not in LIVE:
        connection.execute(update(claims).where(claims.c.submission_id == submission.id).values(live=False))
    return True


def write_journal(
    connection: Connection,
    submission_ids: list[str],
    before: SubmissionState | None,
    after: SubmissionState,
    *,
    at: dt.datetime,
    by: str,
    reason: str = "",
) -> None:
    """Append one line for each submission."""
    lines = [
        {
            "submission_id": submission_id,
            "before": None if before is None else before.value,
            "after": after.value,
            "at": at,
            "by": by,
            "reason": reason,
        }
        for submission_id in submission_ids
    ]
    if lines:
        connection.execute(insert(journal), lines)
