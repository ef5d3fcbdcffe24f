"""Claims: which obligations are in which live submission, at most one each."""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Select, Table, and_, func, insert, or_, select, tuple_, update

from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.tables import attempts, claims, epochs, live_or_not, plans, submissions, submitted
from schemas.errors import ExitCode, RepasseError, UnsoundPlan
from schemas.journal import ClaimedSum
from schemas.messages import Message
from schemas.plan import BatchPayment
from schemas.sources import FailedPayment
from schemas.submission import Claim, SubmissionState, Withheld


class ClaimCollision(UnsoundPlan):
    """Obligations of a plan are already in another live submission; nothing was changed."""

    def __init__(self, obligation_keys: Sequence[str]) -> None:
        self.obligation_keys = tuple(obligation_keys)
        some = ", ".join(self.obligation_keys[:5]) + (", ..." if len(self.obligation_keys) > 5 else "")
        super().__init__(Message("error.claimed_elsewhere", count=len(self.obligation_keys), keys=some))


class LedgerMoved(RepasseError):
    """Something was claimed, posted or decided since the look that a plan rests on; nothing was changed."""

    exit_code = ExitCode.ANOTHER_RUN


def read_epoch(connection: Connection) -> int:
    return connection.scalar(select(epochs.c.epoch)) or 0


def claimed_sums(connection: Connection, submission_ids: Sequence[str]) -> dict[str, list[ClaimedSum]]:
    """Return what each submission pays, with the taxes that are withheld, in wire order, within a transaction."""
    found = {name: list[ClaimedSum]() for name in submission_ids}
    query = select(claims).where(claims.c.submission_id.in_(submission_ids)).order_by(claims.c.position)
    for row in connection.execute(query):
        taxes = json.loads(row.taxes_json) if row.taxes_json else {}
        facts = (row.obligation_key, row.base_key, row.kind, row.payee, row.amount_cents, taxes)
        found[row.submission_id].append(ClaimedSum(*facts, is_held_back=row.withheld))
    return found


def require_epoch(connection: Connection, epoch: int | None) -> None:
    """Refuse, within a transaction, what was worked out on an earlier look at the ledger; None is never refused.

    Raises:
        LedgerMoved: something was claimed, posted or decided since.
    """
    if epoch is not None and epoch != read_epoch(connection):
        raise LedgerMoved(Message("error.ledger_moved"))


def raise_epoch(connection: Connection) -> None:
    """Say, within the transaction that claims, posts or decides, that looks from before no longer stand."""
    if not connection.execute(update(epochs).values(epoch=epochs.c.epoch + 1)).rowcount:
        connection.execute(insert(epochs).values(only_row=1, epoch=1))


class Claims:
    def __init__(self, database: Database) -> None:
        self._db = database

    def epoch(self) -> int:
        """Return the ledger's epoch: it rises whenever anything is claimed, posted or decided, by whatever job."""
        with self._db.reading() as connection:
            return read_epoch(connection)

    def live_for(self, base_keys: Iterable[str]) -> list[Claim]:
        """Return the live claims on obligations with these base keys: the first of each payee and all that followed."""
        keys = list(base_keys)
        return [claim for column, condition in _BY_BASE_KEY for claim in self._live(column, keys, condition)]

    def live_for_obligations(self, obligation_keys: Iterable[str]) -> list[Claim]:
        """Return the live claims on exactly these obligations."""
        return self._live(claims.c.obligation_key, obligation_keys)

    def live_in(self, submission_ids: Iterable[str]) -> list[Claim]:
        return self._live(claims.c.submission_id, submission_ids)

    def live_of(self, job: str, period: str) -> list[Claim]:
        return self._read(claims.c.live, submissions.c.job == job, submissions.c.period == period)

    def of_people(self, job: str = "", period: str = "", payees: Collection[str] | None = None) -> list[Claim]:
        """Return what submissions claim for people, and what plans that wait for an approval would; "" for any."""
        conditions = [submissions.c.job == job] if job else []
        conditions += [submissions.c.period == period] if period else []
        conditions += [claims.c.payee.in_(list(payees))] if payees is not None else []
        return self._read(*_TO_PEOPLE, *conditions)

    def of_payee(self, documents: Collection[str]) -> list[Claim]:
        """Return the same of one payee, whatever document names them."""
        return self._read(*_TO_PEOPLE, claims.c.payee.in_(list(documents)))

    def royalties_of(self, job: str) -> list[Claim]:
        """Return the live claims of royalties that a job has paid, of whatever period, payer and currency."""
        return self._read(claims.c.live, claims.c.kind == "royalty", submissions.c.job == job)

    def paid_to(self, rows: Iterable[tuple[str, str, int]], currency: str, period: str) -> list[Claim]:
        """Return the live claims that one of these rows may look like, of whatever job, period and kind, oldest first.

        Those are of a row's amount, net or before tax, or come to it with others of their job and period, or are of
        whatever amount in the period.

        Args:
            rows: Payee, destination and amount of each.
        """
        found = dict[tuple[str, int], list[Claim]]()
        for some in chunks(rows):
            payees, destinations, amounts = (set(column) for column in zip(*some, strict=True))
            there = or_(claims.c.payee.in_(payees), claims.c.destination.in_(destinations - {""}))
            alike = or_(
                claims.c.amount_cents.in_(amounts),
                claims.c.taxes_json.is_not(None),
                submissions.c.period == period,
                tuple_(claims.c.payee, submissions.c.job, submissions.c.period).in_(_sums_of(payees, amounts)),
            )
            query = (
                _select_claims(claims.c.position, claims.c.taxes_json)
                .where(there, alike, claims.c.live, claims.c.kind != "owner", submissions.c.currency == currency)
                .order_by(attempts.c.created_at, claims.c.submission_id, claims.c.position)
            )
            with self._db.reading() as connection:
                for row in connection.execute(query):
                    found[row.submission_id, row.position] = _net_and_gross(_claim_of(row[:-2]), row.taxes_json)
        return [claim for claimed in found.values() for claim in claimed]

    def failed_before(
        self,
        base_keys: Iterable[str],
        destinations: Iterable[str],
        royalties_of: Iterable[tuple[str, str]] = (),
        *,
        besides: str = "",
    ) -> list[FailedPayment]:
        """Return the payments of failed reports with these base keys, or to these destinations, that nobody has made.

        One has been made when a live claim is on its obligation, or when the same amount went to the same destination
        in a report that was written down later. Royalties go on in the payee's balance, which any period may pay: they
        have been made when the job has paid the payee royalties since.
        """
        keys = list(base_keys)
        on_key = [
            failed
            for column, condition in _BY_BASE_KEY
            for failed in self._failed(column, keys, condition, ~claims.c.live, ~_made_by_key(besides))
        ]
        not_made = ~_made_by_key(besides), ~_made_by_account(besides)
        to_account = self._failed(claims.c.destination, destinations, *not_made)
        payees = defaultdict[str, list[str]](list)
        for job, payee in royalties_of:
            payees[job].append(payee)
        royalty = claims.c.kind == "royalty"
        of_balance = [
            failed
            for job, own in payees.items()
            for failed in self._failed(
                claims.c.payee, own, royalty, submissions.c.job == job, ~_made_by_job(besides), of_payee=True
            )
        ]
        found = dict.fromkeys((*on_key, *to_account, *of_balance))
        return [payment for _, payment in sorted(found, key=lambda pair: (pair[0], pair[1].report_id))]

    def trace(self, payee_or_obligation: str) -> list[Claim]:
        on_it = live_or_not(claims.c.obligation_key == payee_or_obligation)
        return self._read(or_(on_it, claims.c.payee == payee_or_obligation))

    def payments_of(self, submission_id: str) -> list[BatchPayment]:
        columns = (claims.c[name] for name in BatchPayment.__dataclass_fields__)
        query = select(*columns).where(claims.c.submission_id == submission_id).order_by(claims.c.position)
        with self._db.reading() as connection:
            return [BatchPayment(*row) for row in connection.execute(query)]

    def with_taxes(self, submission_ids: Iterable[str]) -> dict[str, list[ClaimedSum]]:
        """Return what each of some submissions pays, with the taxes that are withheld."""
        found = dict[str, list[ClaimedSum]]()
        with self._db.reading() as connection:
            for some in chunks(submission_ids):
                found |= claimed_sums(connection, some)
        return found

    def withheld(self, submission_ids: Iterable[str]) -> dict[str, Withheld]:
        found: dict[str, Withheld] = {}
        with self._db.reading() as connection:
            for some in chunks(submission_ids):
                query = (
                    select(claims.c.submission_id, func.count(), func.sum(claims.c.amount_cents))
                    .where(claims.c.submission_id.in_(some), claims.c.withheld)
                    .group_by(claims.c.submission_id)
                )
                found |= {row[0]: Withheld(int(row[1]), int(row[2])) for row in connection.execute(query)}
        return found

    def _read(self, *conditions: ColumnElement[bool]) -> list[Claim]:
        in_order = (attempts.c.created_at, claims.c.submission_id, claims.c.position)
        with self._db.reading() as connection:
            return [
                _claim_of(row) for row in connection.execute(_select_claims().where(*conditions).order_by(*in_order))
            ]

    def _failed(
        self, column: Column[str], values: Iterable[str], *conditions: ColumnElement[bool], of_payee: bool = False
    ) -> list[tuple[dt.datetime, FailedPayment]]:
        fields = [claims.c.base_key, claims.c.amount_cents, claims.c.destination, claims.c.submission_id]
        fields += [claims.c.payee] if of_payee else []
        query = (
            select(attempts.c.created_at, *fields)
            .join(submitted, submissions.c.id == claims.c.submission_id)
            .where(
                attempts.c.state == SubmissionState.FAILED.value,
                claims.c.kind != "owner",
                *conditions,
            )
        )
        with self._db.reading() as connection:
            return [
                (row.created_at, FailedPayment(*row[1:]))
                for some in chunks(values)
                for row in connection.execute(query.where(column.in_(some)))
            ]

    def _live(self, column: Column[str], keys: Iterable[str], *conditions: ColumnElement[bool]) -> list[Claim]:
        query = _select_claims().where(claims.c.live, *conditions)
        with self._db.reading() as connection:
            return [
                _claim_of(row) for some in chunks(keys) for row in connection.execute(query.where(column.in_(some)))
            ]


# How claims are found by their base key: as the first obligation of their payee and period, and as one that followed.
_BY_BASE_KEY: Final = (
    (claims.c.obligation_key, claims.c.base_key == claims.c.obligation_key),
    (claims.c.base_key, claims.c.base_key != claims.c.obligation_key),
)


_WAITS: Final = attempts.c.state == SubmissionState.PLANNED.value
_TO_PEOPLE: Final = (claims.c.kind != "owner", or_(claims.c.live, _WAITS))


def _made_by_key(besides: str) -> ColumnElement[bool]:
    other = claims.alias("same_key")
    same = other.c.obligation_key == claims.c.obligation_key
    return select(other.c.submission_id).where(same, other.c.live, other.c.submission_id != besides).exists()


def _made_by_account(besides: str) -> ColumnElement[bool]:
    other, later = claims.alias("same_account"), attempts.alias("later")
    same = and_(other.c.destination == claims.c.destination, other.c.amount_cents == claims.c.amount_cents)
    return (
        select(other.c.submission_id)
        .join(later, later.c.id == other.c.submission_id)
        .where(same, other.c.live, other.c.submission_id != besides, later.c.created_at > attempts.c.created_at)
        .exists()
    )


def _made_by_job(besides: str) -> ColumnElement[bool]:
    other, later, where = claims.alias("of_payee"), attempts.alias("later_of_job"), submissions.alias("of_job")
    return (
        select(other.c.submission_id)
        .join(later, later.c.id == other.c.submission_id)
        .join(where, where.c.id == other.c.submission_id)
        .where(other.c.payee == claims.c.payee, other.c.kind == "royalty", where.c.job == submissions.c.job)
        .where(other.c.live, other.c.submission_id != besides, later.c.created_at > attempts.c.created_at)
        .exists()
    )


def claim_all(connection: Connection, submission_ids: Sequence[str]) -> None:
    """Let submissions claim what they pay, within a transaction.

    Raises:
        ClaimCollision: others claim some of it.
    """
    if taken := claimed_elsewhere(connection, submission_ids):
        raise ClaimCollision(sorted(taken))
    connection.execute(update(claims).where(claims.c.submission_id.in_(submission_ids)).values(live=True))
    raise_epoch(connection)


def claimed_elsewhere(connection: Connection, submission_ids: Sequence[str]) -> dict[str, str]:
    """Return the live claims of others on what these submissions pay: submission id by obligation key."""
    mine = claims.alias("mine")
    query = (
        select(claims.c.obligation_key, claims.c.submission_id)
        .join(mine, mine.c.obligation_key == claims.c.obligation_key)
        .where(mine.c.submission_id.in_(submission_ids), claims.c.live, claims.c.submission_id.not_in(submission_ids))
    )
    return {row.obligation_key: row.submission_id for row in connection.execute(query)}


def _net_and_gross(claim: Claim, taxes_json: str | None) -> list[Claim]:
    taxes_cents = sum(json.loads(taxes_json).values()) if taxes_json else 0
    before_tax = replace(claim, amount_cents=claim.amount_cents + taxes_cents)
    return [claim, before_tax] if taxes_cents else [claim]


# What a claim says of its submission, and of its submission's plan.
_OF_OTHERS: Final[dict[str, Table]] = {
    **dict.fromkeys(("state", "run_id"), attempts),
    **dict.fromkeys(("period", "currency", "job"), submissions),
    "payer": plans,
}


def _sums_of(payees: Collection[str], amounts: Collection[int]) -> Select[Any]:
    """Select payee, job and period of live claims that come to one of these amounts together."""
    claimed, made = claims.alias(), submissions.alias()
    where = (claimed.c.payee, made.c.job, made.c.period)
    found = select(*where).join_from(claimed, made, made.c.id == claimed.c.submission_id).group_by(*where)
    found = found.where(claimed.c.payee.in_(payees), claimed.c.live, claimed.c.kind != "owner")
    return found.having(func.sum(claimed.c.amount_cents).in_(amounts), func.count() > 1)


def _select_claims(*more: Column[Any]) -> Select[Any]:
    columns = (_OF_OTHERS.get(name, claims).c[name] for name in Claim.__dataclass_fields__)
    return (
        select(*columns, *more)
        .join(submitted, submissions.c.id == claims.c.submission_id)
        .join(plans, plans.c.digest == submissions.c.plan_digest)
    )


def _claim_of(row: Sequence[Any]) -> Claim:
    values = dict(zip(Claim.__dataclass_fields__, row, strict=True))  # the columns are Claim's fields
    return Claim(**values | {"state": SubmissionState(values["state"])})
