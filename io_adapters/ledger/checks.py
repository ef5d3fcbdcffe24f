"""Paid account checks: one in flight per account, within the run's budget, written down before the call.

A check costs money and may be charged without an answer, so it is treated like a payment: intent first.
"""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.owner import Owner
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import account_checks
from schemas.errors import BrokenInvariant

Verdict = Literal["valid", "invalid", "unknown"]
_CHECKING = "checking"


class NotReserved(StrEnum):
    """Why a check may not be made now."""

    IN_FLIGHT = "in_flight"
    OVER_BUDGET = "over_budget"


@dataclass(frozen=True, slots=True)
class Reservation:
    """Leave to make one check, and the money for it."""

    id: int
    fingerprint: str
    run_id: str
    cost_cents: int


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
                query = _finished().where(account_checks.c.fingerprint.in_(some))
                latest |= {row.fingerprint: _kept_of(row) for row in connection.execute(query)}
        return {fingerprint: check for fingerprint, check in latest.items() if now < check.expires_at}

    def reserve(
        self, fingerprint: str, run_id: str, *, cost_cents: int, budget_cents: int, owner: Owner
    ) -> Reservation | NotReserved:
        """Write down that a check is about to be made, before it is.

        Args:
            fingerprint: Which account and holder.
            run_id: The run that pays for it.
            cost_cents: What one check costs at most.
            budget_cents: What the run may spend on all of them.
            owner: This process.

        Returns:
            The reservation, to be ended by `finish`; or why there is none.
        """
        with self._db.writing() as connection:
            in_flight = select(account_checks.c.id).where(
                account_checks.c.fingerprint == fingerprint, account_checks.c.state == _CHECKING
            )
            if connection.scalar(in_flight) is not None:
                return NotReserved.IN_FLIGHT
            if _spent(connection, run_id) + cost_cents > budget_cents:
                return NotReserved.OVER_BUDGET
            row = insert(account_checks).values(
                fingerprint=fingerprint,
                run_id=run_id,
                state=_CHECKING,
                message="",
                cost_cents=cost_cents,
                owner=owner.to_json(),
                started_at=self._db.now(),
            )
            number = connection.execute(row.returning(account_checks.c.id)).scalar_one()
        return Reservation(number, fingerprint, run_id, cost_cents)

    def finish(
        self, reservation: Reservation, result: Verdict, message: str, *, charged: bool, valid_for_days: int
    ) -> None:
        """Write down the answer.

        Args:
            reservation: From `reserve`.
            result: What the service said; unknown when it did not say.
            message: Its words.
            charged: Whether it may have cost money; only a call that certainly never left is not charged.
            valid_for_days: How long the answer may be used again; 0 for not at all.

        Raises:
            BrokenInvariant: the reservation has ended already.
        """
        now = self._db.now()
        with self._db.writing() as connection:
            ended = _finish(
                connection,
                reservation.id,
                state=result,
                message=message,
                cost_cents=reservation.cost_cents if charged else 0,
                finished_at=now,
                expires_at=now + dt.timedelta(days=valid_for_days),
            )
        if not ended:
            raise BrokenInvariant("an account check ended twice")

    def abandoned(self, gone: Callable[[Owner], bool]) -> list[str]:
        """End the checks of processes that are gone: the answer is unknown, the money counts as spent.

        Returns:
            The fingerprints.
        """
        now = self._db.now()
        with self._db.writing() as connection:
            open_checks = connection.execute(select(account_checks).where(account_checks.c.state == _CHECKING)).all()
            lost = [row for row in open_checks if gone(Owner.from_json(row.owner))]
            for row in lost:
                message = "the program ended before the answer came"
                _finish(connection, row.id, state="unknown", message=message, finished_at=now, expires_at=now)
        return [row.fingerprint for row in lost]

    def spent(self, run_id: str) -> int:
        """Return what a run has spent and reserved, in centavos."""
        with self._db.reading() as connection:
            return _spent(connection, run_id)

    def for_run(self, run_id: str) -> list[KeptCheck]:
        """Return the checks a run made, in the order they were begun."""
        with self._db.reading() as connection:
            rows = connection.execute(_finished().where(account_checks.c.run_id == run_id)).all()
        return [_kept_of(row) for row in rows]


def _finished() -> Any:  # noqa: ANN401 - Select of this table's columns
    return select(account_checks).where(account_checks.c.state != _CHECKING).order_by(account_checks.c.id)


def _finish(connection: Connection, number: int, **values: object) -> bool:
    open_check = (account_checks.c.id == number) & (account_checks.c.state == _CHECKING)
    return connection.execute(update(account_checks).where(open_check).values(**values)).rowcount == 1


def _spent(connection: Connection, run_id: str) -> int:
    query = select(func.coalesce(func.sum(account_checks.c.cost_cents), 0)).where(account_checks.c.run_id == run_id)
    return int(connection.execute(query).scalar_one())


def _kept_of(row: Row[Any]) -> KeptCheck:
    return KeptCheck(row.fingerprint, row.state, row.message, row.cost_cents, row.finished_at, row.expires_at)
