"""Paid account checks: one in flight per account, within the run's budget, written down before the call."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, Select, bindparam, func, insert, select, update

from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.tables import account_checks
from schemas.errors import BrokenInvariant

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
    rows = [{"fingerprint": fingerprint, "state": CHECKING, "message": "", **values} for fingerprint in fingerprints]
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


Verdict = Literal["valid", "invalid", "unknown"]


class NotReserved(StrEnum):
    """Why a check may not be made now."""

    IN_FLIGHT = "in_flight"
    OVER_BUDGET = "over_budget"


@dataclass(frozen=True, slots=True)
class CheckBudget:
    """Whose money checks cost.

    Attributes:
        run_id: The run that pays for them.
        cost_cents: What one check costs at most.
        budget_cents: What the run may spend on all of them.
        owner: This process.
    """

    run_id: str
    cost_cents: int
    budget_cents: int
    owner: Owner


@dataclass(frozen=True, slots=True)
class Reservation:
    """Leave to make one check, and the money for it."""

    id: int
    fingerprint: str
    run_id: str
    cost_cents: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How one check ended.

    Attributes:
        reservation: The leave it was made with.
        result: What the service said; unknown when it did not say.
        message: Its words.
        charged: Whether it may have cost money; only a call that certainly never left is not charged.
        valid_for_days: How long the answer may be used again; 0 for not at all.
    """

    reservation: Reservation
    result: Verdict
    message: str
    charged: bool
    valid_for_days: int


@dataclass(frozen=True, slots=True)
class KeptCheck:
    """The answer to one check.

    Attributes:
        fingerprint: Which account and holder.
        result: What the service said; unknown when it did not say.
        message: Its words.
        cost_cents: What it cost, or may have cost.
        checked_at: When (UTC).
        expires_at: Until when the answer may be used again (UTC).
    """

    fingerprint: str
    result: Verdict
    message: str
    cost_cents: int
    checked_at: dt.datetime
    expires_at: dt.datetime


class AccountChecks:
    """The record of account checks."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def kept(self, fingerprints: Iterable[str], now: dt.datetime) -> dict[str, KeptCheck]:
        """Return the latest answer about each account, where it may still be used."""
        latest: dict[str, KeptCheck] = {}
        with self._db.reading() as connection:
            for some in chunks(fingerprints):
                query = finished().where(account_checks.c.fingerprint.in_(some))
                latest |= {row.fingerprint: _kept_of(row) for row in connection.execute(query)}
        return {fingerprint: check for fingerprint, check in latest.items() if now < check.expires_at}

    def refused_before(self, fingerprints: Iterable[str]) -> set[str]:
        """Return the accounts the service has ever called invalid, however long ago."""
        found: set[str] = set()
        with self._db.reading() as connection:
            for some in chunks(fingerprints):
                c = account_checks.c
                query = select(c.fingerprint).where(c.fingerprint.in_(some), c.state == "invalid").distinct()
                found |= set(connection.scalars(query))
        return found

    def in_flight(self, fingerprints: Iterable[str]) -> set[str]:
        """Return those of the accounts that somebody is checking at this moment."""
        with self._db.reading() as connection:
            return in_flight_among(connection, fingerprints)

    def turn(
        self, ended: Sequence[Ended], wanted: Sequence[str], purse: CheckBudget
    ) -> Mapping[str, Reservation | NotReserved]:
        """Write answers down and take leave for more checks, all in one transaction, durable when it returns.

        Args:
            ended: Checks whose answer came, or that came to nothing.
            wanted: Distinct accounts about to be checked, the most wanted first.
            purse: Who pays for them.

        Returns:
            For each wanted account its reservation, to be ended by another turn, or why there is none.

        Raises:
            BrokenInvariant: one of `ended` had ended already; nothing is written.
        """
        with self._db.writing() as connection:
            self._end(connection, ended)
            return self._reserve(connection, wanted, purse)

    def reserve(
        self, fingerprint: str, run_id: str, *, cost_cents: int, budget_cents: int, owner: Owner
    ) -> Reservation | NotReserved:
        """Write down that one check is about to be made, before it is; arguments and result as in `turn`."""
        return self.turn((), [fingerprint], CheckBudget(run_id, cost_cents, budget_cents, owner))[fingerprint]

    def finish(
        self, reservation: Reservation, result: Verdict, message: str, *, charged: bool, valid_for_days: int
    ) -> None:
        """Write down the answer to one check; arguments as in `Ended`.

        Raises:
            BrokenInvariant: the reservation has ended already.
        """
        with self._db.writing() as connection:
            self._end(connection, [Ended(reservation, result, message, charged, valid_for_days)])

    def abandoned(self, gone: Callable[[Owner], bool]) -> list[str]:
        """End the checks of processes that are gone: the answer is unknown, the money counts as spent.

        Returns:
            The fingerprints.
        """
        with self._db.reading() as connection:
            if not open_checks(connection):
                return []
        now = self._db.now()
        with self._db.writing() as connection:
            lost = [row for row in open_checks(connection) if gone(Owner.from_json(row.owner))]
            rows = [
                ended_row(
                    row.id,
                    state="unknown",
                    message="the program ended before the answer came",
                    cost_cents=row.cost_cents,
                    finished_at=now,
                    expires_at=now,
                )
                for row in lost
            ]
            end_checks(connection, rows)
        return [row.fingerprint for row in lost]

    def spent(self, run_id: str) -> int:
        """Return what a run has spent and reserved, in centavos."""
        with self._db.reading() as connection:
            return spent_by(connection, run_id)

    def for_run(self, run_id: str) -> list[KeptCheck]:
        """Return the checks a run made, in the order they were begun."""
        with self._db.reading() as connection:
            rows = connection.execute(finished().where(account_checks.c.run_id == run_id)).all()
        return [_kept_of(row) for row in rows]

    def _reserve(
        self, connection: Connection, wanted: Sequence[str], purse: CheckBudget
    ) -> dict[str, Reservation | NotReserved]:
        if not wanted:
            return {}
        busy = in_flight_among(connection, wanted)
        free = [one for one in wanted if one not in busy]
        left_cents = purse.budget_cents - spent_by(connection, purse.run_id)
        affordable = free[: max(0, left_cents // purse.cost_cents)] if purse.cost_cents else free
        numbers = begin_checks(
            connection,
            affordable,
            run_id=purse.run_id,
            cost_cents=purse.cost_cents,
            owner=purse.owner.to_json(),
            started_at=self._db.now(),
        )
        reserved = {one: Reservation(numbers[one], one, purse.run_id, purse.cost_cents) for one in affordable}
        refused = {one: NotReserved.IN_FLIGHT if one in busy else NotReserved.OVER_BUDGET for one in wanted}
        return refused | reserved

    def _end(self, connection: Connection, ended: Sequence[Ended]) -> None:
        now = self._db.now()
        rows = [
            ended_row(
                check.reservation.id,
                state=check.result,
                message=check.message,
                cost_cents=check.reservation.cost_cents if check.charged else 0,
                finished_at=now,
                expires_at=now + dt.timedelta(days=check.valid_for_days),
            )
            for check in ended
        ]
        if not end_checks(connection, rows):
            raise BrokenInvariant("an account check ended twice")


def _kept_of(row: Row[Any]) -> KeptCheck:
    return KeptCheck(row.fingerprint, row.state, row.message, row.cost_cents, row.finished_at, row.expires_at)
