"""The rows of account checks: how they are begun, ended and counted within a transaction of the ledger."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, bindparam, func, insert, select, update

from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import account_checks

CHECKING: Final = "checking"

_IS_OPEN: Final = account_checks.c.state == CHECKING


def finished() -> Select[Any]:
    """Select the checks that have ended, in the order they were begun."""
    return select(account_checks).where(~_IS_OPEN).order_by(account_checks.c.id)


def open_checks(connection: Connection) -> Sequence[Row[Any]]:
    """Return all checks that have begun and not ended."""
    return connection.execute(select(account_checks).where(_IS_OPEN)).all()


def in_flight_among(connection: Connection, fingerprints: Iterable[str]) -> set[str]:
    """Return the accounts somebody is checking now."""
    found: set[str] = set()
    for some in chunks(fingerprints):
        query = select(account_checks.c.fingerprint).where(account_checks.c.fingerprint.in_(some), _IS_OPEN)
        found |= set(connection.scalars(query))
    return found


def spent_by(connection: Connection, run_id: str) -> int:
    """Sum up what a run has spent and reserved, in centavos."""
    query = select(func.coalesce(func.sum(account_checks.c.cost_cents), 0)).where(account_checks.c.run_id == run_id)
    return int(connection.execute(query).scalar_one())


def begin_checks(connection: Connection, fingerprints: Sequence[str], **values: object) -> dict[str, int]:
    """Write down that checks of these accounts begin; returns the number of each."""
    if not fingerprints:
        return {}
    rows = [{"fingerprint": one, "state": CHECKING, "message": "", **values} for one in fingerprints]
    begun = connection.execute(
        insert(account_checks).returning(account_checks.c.id, account_checks.c.fingerprint), rows
    )
    return {row.fingerprint: row.id for row in begun}


def end_checks(connection: Connection, rows: Sequence[Mapping[str, object]]) -> bool:
    """Write the ends of checks down; False, and nothing is written, when one of them has ended already.

    Args:
        connection: Of a transaction that writes: nobody else can come between.
        rows: `id` and the columns that change: state, message, cost_cents, finished_at, expires_at.
    """
    numbers = [row["id"] for row in rows]
    still_open = select(func.count()).where(account_checks.c.id.in_(numbers), _IS_OPEN)
    if connection.scalar(still_open) != len(rows):
        return False
    if rows:
        changed = ("state", "message", "cost_cents", "finished_at", "expires_at")
        statement = update(account_checks).where(account_checks.c.id == bindparam("number"))
        statement = statement.values({name: bindparam(f"new_{name}") for name in changed})
        connection.execute(
            statement, [{"number": row["id"]} | {f"new_{name}": row[name] for name in changed} for row in rows]
        )
    return True


def ended_row(  # the columns, by keyword
    number: int, *, state: str, message: str, cost_cents: int, finished_at: dt.datetime, expires_at: dt.datetime
) -> dict[str, object]:
    """Put one row for `end_checks` together."""
    return {
        "id": number,
        "state": state,
        "message": message,
        "cost_cents": cost_cents,
        "finished_at": finished_at,
        "expires_at": expires_at,
    }
