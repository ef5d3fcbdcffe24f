"""Statements of the bank on record: their lines, and what each is."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, func, insert, select

from io_adapters.ledger.acts import record_act
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.posting import POSTED, SUM, post
from io_adapters.ledger.returns import post_returns
from io_adapters.ledger.tables import bank_lines, bank_statements, bank_words, journal_accounts, journal_entries
from schemas.acts import Act, ActKind
from schemas.bank import BankLine, BankMatter, BankStatement, Explained, KnownStatement
from schemas.errors import DecisionRefused
from schemas.journal import (
    CHECKS,
    AccountKind,
    EntryKind,
    JournalEntry,
    Series,
    Transfer,
    entry_id,
    postings_of,
)
from schemas.messages import Message
from schemas.plan import HOME_CURRENCY

_A, _E = journal_accounts.c, journal_entries.c
# Where a report says that the money is which was paid for it; beside the owner's own, and its fee.
_TOLD: Final = (*(AccountKind.SERVICE, AccountKind.SERVICE_TAX, AccountKind.SERVICE_HELD, AccountKind.SERVICE_FEE),)


@dataclass(frozen=True, slots=True)
class CheckDay:
    """What account checks of one day cost, by job."""

    day: dt.date
    job: str
    payer: str
    cents: int


class Bank:
    """The record of the bank's statements."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def keep(self, statement: BankStatement, *, by: str) -> int:
        """Keep a statement, and of its lines those that no earlier one has brought; returns how many these are."""
        with self._db.writing() as connection:
            known = set[str]()
            for some in chunks([line.id for line in statement.lines]):
                known |= set(connection.scalars(select(bank_lines.c.id).where(bank_lines.c.id.in_(some))))
            new = [line for line in statement.lines if line.id not in known]
            rows = [
                {
                    "id": line.id,
                    "account": line.account,
                    "day": line.day.isoformat(),
                    "amount_cents": line.cents,
                    "text": line.text,
                    "sha256": statement.sha256,
                }
                for line in new
            ]
            if rows:
                connection.execute(insert(bank_lines), rows)
            same = and_(bank_statements.c.sha256 == statement.sha256, bank_statements.c.account == statement.account)
            if connection.scalar(select(func.count()).where(same)) == 0:
                self._keep_whole(connection, statement, len(new), by)
        return len(new)

    def _keep_whole(self, connection: Connection, statement: BankStatement, lines: int, by: str) -> None:
        now = self._db.now()
        values: dict[str, Any] = {"account": statement.account, "sha256": statement.sha256, "by": by, "at": now}
        values |= {"opening_cents": statement.opening_cents, "closing_cents": statement.closing_cents}
        values |= {"first_day": statement.first.isoformat(), "last_day": statement.last.isoformat()}
        connection.execute(insert(bank_statements).values(**values, gap_cents=statement.gap_cents))
        facts = {"account": statement.account, "lines": str(lines)}
        record_act(connection, self._db.seal, Act(ActKind.READ_BANK, by, statement.sha256, "", now, facts))

    def lines(self, first: dt.date | None = None, last: dt.date | None = None) -> list[BankLine]:
        """Return the lines of all accounts, or those of some days, in order of days."""
        query = select(bank_lines).order_by(bank_lines.c.day, bank_lines.c.account, bank_lines.c.id)
        if first is not None and last is not None:
            query = query.where(bank_lines.c.day >= first.isoformat(), bank_lines.c.day <= last.isoformat())
        with self._db.reading() as connection:
            return [_line_of(row) for row in connection.execute(query)]

    def line(self, name: str) -> BankLine | None:
        with self._db.reading() as connection:
            row = connection.execute(select(bank_lines).where(bank_lines.c.id == name)).one_or_none()
        return None if row is None else _line_of(row)

    def statements(self) -> list[KnownStatement]:
        """Return what is known of each statement, in the order in which they were read."""
        with self._db.reading() as connection:
            rows = connection.execute(select(bank_statements).order_by(bank_statements.c.id)).all()
        return [
            KnownStatement(
                row.account,
                dt.date.fromisoformat(row.first_day),
                dt.date.fromisoformat(row.last_day),
                row.opening_cents,
                row.closing_cents,
                row.gap_cents,
            )
            for row in rows
        ]

    def explained(self) -> list[Explained]:
        """Return what is said of lines by now, the first first; nothing of those of which it was taken back."""
        with self._db.reading() as connection:
            return _standing(connection)

    def spoken_of(self) -> frozenset[str]:
        """Name the lines of which anything was ever said."""
        with self._db.reading() as connection:
            return frozenset(connection.scalars(select(bank_words.c.line_id)))

    def explain(self, found: Iterable[Explained], *, by: str, evidence: str = "") -> None:
        """Write down what lines are, and post what that moves, in one transaction.

        Money that left for checks, or came back, is posted, and posted back where that is taken back; money for reports
        is, by whoever records what was paid for them.

        Raises:
            DecisionRefused: something is said of a line already, or nothing is that could be taken back.
        """
        with self._db.writing() as connection:
            for line_id, own in _by_line(found).items():
                standing = _standing(connection, line_id)
                is_taken_back = own[0].matter is BankMatter.OPEN
                if is_taken_back != bool(standing):
                    raise DecisionRefused(
                        Message("bank.not_explained" if is_taken_back else "bank.explained", line=line_id)
                    )
                for each in (each for each in standing if each.matter is BankMatter.CHECKS):
                    self._post_checks(connection, each, by, sign=-1)
                for each in own:
                    row: dict[str, Any] = {"line_id": line_id, "matter": each.matter.value, "subject": each.subject}
                    row |= {"cents": each.cents, "how": each.how, "by": by, "evidence": evidence, "at": self._db.now()}
                    connection.execute(insert(bank_words).values(**row))
                    if each.matter is BankMatter.CHECKS:
                        self._post_checks(connection, each, by, sign=1)
                came_back = [each.subject for each in (*standing, *own) if each.matter is BankMatter.RETURN]
                post_returns(connection, came_back, by=by, now=self._db.now())
                if own[0].how == "person":
                    facts = {"matter": own[0].matter.value, "of": own[0].subject}
                    act = Act(ActKind.EXPLAIN_LINE, by, line_id, evidence, self._db.now(), facts)
                    record_act(connection, self._db.seal, act)

    def checks_by_day(self) -> dict[dt.date, int]:
        """Return what account checks cost on each day, in centavos."""
        costs = defaultdict[dt.date, int](int)
        with self._db.reading() as connection:
            for cost in _check_days(connection):
                costs[cost.day] += cost.cents
        return dict(costs)

    def told_by_reports(self, names: Sequence[str]) -> dict[str, int]:
        """Return what reports say became of the money that was paid for them, in centavos of their currency."""
        found = defaultdict[str, int](int)
        is_told = _A.kind.in_([kind.value for kind in _TOLD]) & (
            (_A.kind != AccountKind.OWNER.value) | (_A.reference == "stated")
        )
        is_fee = (_A.kind == AccountKind.FLOAT.value) & (_E.kind != EntryKind.FUND.value)
        with self._db.reading() as connection:
            for some in chunks(names):
                query = select(_E.cause, SUM).select_from(POSTED).where(_E.cause.in_(some), is_told | is_fee)
                for name, cents in connection.execute(query.group_by(_E.cause)):
                    found[name] -= int(cents)
        return dict(found)

    def _post_checks(self, connection: Connection, each: Explained, by: str, *, sign: int) -> None:
        """Say that the bank has paid for the checks of a day, of each job its own; -1 takes it back."""
        said = connection.scalar(select(func.count()).where(bank_words.c.line_id == each.line_id))
        for cost in _check_days(connection):
            if cost.day.isoformat() != each.subject:
                continue
            series, transfer = Series(cost.job, cost.payer, HOME_CURRENCY), Transfer()
            there = series.account(AccountKind.FLOAT, reference=CHECKS)
            transfer.move(there, series.account(AccountKind.BANK), sign * cost.cents)
            name = entry_id(EntryKind.FUND, each.line_id, said, sign, each.subject, cost.job, cost.payer)
            cause = f"bank {each.line_id}"
            entry = JournalEntry(name, EntryKind.FUND, series, "", None, cause, postings_of(transfer.sums))
            post(connection, [entry], by=by, now=self._db.now())


def _check_days(connection: Connection) -> list[CheckDay]:
    is_check = and_(_A.kind == AccountKind.EXPENSE.value, _A.reference == CHECKS)
    columns = (_E.day, _E.job, _E.payer)
    query = select(*columns, SUM).select_from(POSTED).where(is_check).group_by(*columns).order_by(*columns)
    rows = connection.execute(query)
    return [CheckDay(dt.date.fromisoformat(day), job, payer, int(cents)) for day, job, payer, cents in rows if cents]


def _standing(connection: Connection, line_id: str = "") -> list[Explained]:
    """Return what is said by now, of one line or of all."""
    query = select(bank_words).order_by(bank_words.c.id)
    by_line = defaultdict[str, list[Explained]](list)
    for row in connection.execute(query.where(bank_words.c.line_id == line_id) if line_id else query):
        if row.matter == BankMatter.OPEN:
            by_line.pop(row.line_id)
        else:
            by_line[row.line_id].append(_explained_of(row))
    return [each for own in by_line.values() for each in own]


def _by_line(found: Iterable[Explained]) -> dict[str, list[Explained]]:
    by_line = defaultdict[str, list[Explained]](list)
    for each in found:
        by_line[each.line_id].append(each)
    return by_line


def _line_of(row: Row[Any]) -> BankLine:
    return BankLine(row.id, row.account, dt.date.fromisoformat(row.day), int(row.amount_cents), row.text)


def _explained_of(row: Row[Any]) -> Explained:
    return Explained(row.line_id, BankMatter(row.matter), row.subject, int(row.cents), row.how)
