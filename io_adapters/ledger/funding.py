"""What was paid for reports, and whom the service's Pix codes pay, as people have said."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection

from sqlalchemy import Connection, Select, and_, func, select

from io_adapters.ledger.acts import acts_of, record_act
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.posting import POSTED, SUM, post
from io_adapters.ledger.tables import (
    attempts,
    journal_accounts,
    journal_entries,
    plans,
    reports,
    submissions,
    submitted,
)
from schemas.acts import Act, ActKind, digest_of
from schemas.errors import DecisionRefused
from schemas.job import labelled_period
from schemas.journal import AccountKind, EntryKind, JournalEntry, Series, Transfer, entry_id, postings_of
from schemas.messages import Message, Money
from schemas.plan import HOME_CURRENCY
from schemas.submission import SubmissionState

_OF_REPORT = journal_accounts.c.reference
_IS_FUNDED = and_(journal_entries.c.kind == EntryKind.FUND.value, journal_accounts.c.kind == AccountKind.FLOAT.value)


class Fundings:
    """The record of what people have paid to the service, and to whom."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def paid(self, submission_ids: Collection[str]) -> dict[str, int]:
        """Return what was paid for reports, in centavos of the home currency; those for which nothing was stay out."""
        found = dict[str, int]()
        with self._db.reading() as connection:
            for some in chunks(submission_ids):
                found |= _paid(connection, some)
        return found

    def owing_fees(self) -> frozenset[str]:
        """Name the reports that have paid everybody and say that their fee is not paid."""
        latest = select(func.max(reports.c.id)).group_by(reports.c.submission_id)
        owing = select(reports.c.submission_id).where(reports.c.id.in_(latest), reports.c.owes_fee)
        return self._paid_ones(owing)

    def overpaid(self) -> frozenset[str]:
        """Name the reports that have paid everybody, and for which more was paid than they pay out."""
        return self._paid_ones(
            select(_OF_REPORT)
            .select_from(POSTED.join(submissions, submissions.c.id == _OF_REPORT))
            .where(_IS_FUNDED)
            .group_by(_OF_REPORT, submissions.c.amount_cents)
            .having(submissions.c.amount_cents < SUM)
        )

    def never_paid_for(self) -> frozenset[str]:
        """Name the reports that have paid everybody, and for which nobody has said that anything was paid."""
        funded = select(_OF_REPORT).select_from(POSTED).where(_IS_FUNDED)
        return self._paid_ones(select(submissions.c.id).where(submissions.c.id.not_in(funded)))

    def _paid_ones(self, names: Select[tuple[str]]) -> frozenset[str]:
        is_paid = attempts.c.state == SubmissionState.PAID.value
        query = select(submissions.c.id).select_from(submitted).where(is_paid, submissions.c.id.in_(names))
        with self._db.reading() as connection:
            return frozenset(connection.scalars(query))

    def record(
        self, submission_id: str, amount_cents: int, day: dt.date, *, by: str, evidence: str, line_id: str = ""
    ) -> int:
        """Write down what was paid for a report, and post it; a sum below zero puts right what was said before.

        Args:
            line_id: Of the bank, where that is the record: it is so once, whoever says it at the same moment.

        Returns:
            What was paid for it by now, in centavos.

        Raises:
            DecisionRefused: it would be less than nothing.
        """
        with self._db.writing() as connection:
            if line_id and self._by_lines(connection).get((line_id, submission_id)) == amount_cents:
                return _paid(connection, [submission_id]).get(submission_id, 0)
            paid_cents = _paid(connection, [submission_id]).get(submission_id, 0) + amount_cents
            if paid_cents < 0:
                raise DecisionRefused(Message("funding.below_nothing", sum=Money(amount_cents, HOME_CURRENCY)))
            now, cause = self._db.now(), f"{EntryKind.FUND.value} {submission_id}"
            of_plan = submissions.join(plans)
            columns = (submissions.c.job, submissions.c.period, plans.c.payer)
            query = select(*columns).select_from(of_plan).where(submissions.c.id == submission_id)
            job, period, payer = connection.execute(query).one()
            series, transfer = Series(job, payer, HOME_CURRENCY), Transfer()
            there = series.account(AccountKind.FLOAT, reference=submission_id)
            transfer.move(there, series.account(AccountKind.BANK), amount_cents)
            number = connection.scalar(select(func.count()).where(journal_entries.c.cause == cause)) or 0
            name, start = entry_id(EntryKind.FUND, submission_id, number + 1), labelled_period(period).start
            entry = JournalEntry(name, EntryKind.FUND, series, period, start, cause, postings_of(transfer.sums))
            post(connection, [entry], by=by, now=now)
            facts = {"amount_cents": str(amount_cents), "day": day.isoformat()} | ({"line": line_id} if line_id else {})
            record_act(connection, self._db.seal, Act(ActKind.FUND, by, submission_id, evidence, now, facts))
            return paid_cents

    def days(self) -> dict[str, dt.date]:
        """Return the latest day on which people say that something was paid for each report."""
        with self._db.reading() as connection:
            told = acts_of(connection, self._db.seal, [ActKind.FUND])
        days = dict[str, dt.date]()
        for act, is_sound in told:
            if is_sound and int(act.facts["amount_cents"]) > 0:
                days[act.subject] = dt.date.fromisoformat(act.facts["day"])
        return days

    def by_lines(self) -> dict[tuple[str, str], int]:
        """Return what lines of the bank are the record of, by line and report, less what was taken back with them."""
        with self._db.reading() as connection:
            return self._by_lines(connection)

    def _by_lines(self, connection: Connection) -> dict[tuple[str, str], int]:
        found = defaultdict[tuple[str, str], int](int)
        for act, is_sound in acts_of(connection, self._db.seal, [ActKind.FUND]):
            if is_sound and (line_id := act.facts.get("line")):
                found[line_id, act.subject] += int(act.facts["amount_cents"])
        return {where: cents for where, cents in found.items() if cents}

    def all_paid(self) -> dict[str, int]:
        """Return what was paid for every report for which anything was, in centavos of the home currency."""
        query = select(_OF_REPORT, SUM).select_from(POSTED).where(_IS_FUNDED, _OF_REPORT.like("rp-%"))
        with self._db.reading() as connection:
            return {name: int(cents) for name, cents in connection.execute(query.group_by(_OF_REPORT)) if cents}

    def receivers(self) -> frozenset[str]:
        """Name the receivers that people have confirmed; a row that the program has not written names none."""
        with self._db.reading() as connection:
            confirmed = acts_of(connection, self._db.seal, [ActKind.CONFIRM_RECEIVER])
        return frozenset(act.facts["receiver"] for act, is_sound in confirmed if is_sound)

    def confirm_receiver(self, submission_id: str, receiver: str, *, by: str, evidence: str) -> None:
        """Write down that a receiver is the service, as a report's code names them."""
        with self._db.writing() as connection:
            facts = {"receiver": receiver, "report": submission_id}
            act = Act(ActKind.CONFIRM_RECEIVER, by, digest_of(receiver), evidence, self._db.now(), facts)
            record_act(connection, self._db.seal, act)


def _paid(connection: Connection, submission_ids: Collection[str]) -> dict[str, int]:
    query = select(_OF_REPORT, SUM).select_from(POSTED).where(_IS_FUNDED, _OF_REPORT.in_(submission_ids))
    return {name: int(cents) for name, cents in connection.execute(query.group_by(_OF_REPORT)) if cents}
