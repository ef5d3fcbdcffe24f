"""The journal in the ledger: every question about money in time, as a sum of postings."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import reduce
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from io_adapters.ledger.claims import raise_epoch, require_epoch
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.posting import ACCOUNT, POSTED, SUM, account_of, deal_sums, expected_and_posted, post, sums
from io_adapters.ledger.tables import (
    journal_accounts,
    journal_deal_sums,
    journal_entries,
    journal_postings,
)
from schemas.deal_sums import DealsBefore, DealSums, joined_sums, renamed_sums
from schemas.job import BRASILIA
from schemas.journal import (
    STATED,
    STATEMENTS,
    AccountKind,
    EntryKind,
    JournalAccount,
    JournalEntry,
    JournalState,
    Posting,
    Series,
    moves_of_causes,
    payee_code,
    series_move,
    series_of_cause,
)
from schemas.values.money import SignedSums

_A: Final = journal_accounts.c
_E: Final = journal_entries.c
_P: Final = journal_postings.c


class Journal:
    def __init__(self, database: Database) -> None:
        self._db = database

    def post(self, entries: Iterable[JournalEntry], run_id: str, epoch: int | None = None) -> None:
        """Post entries of a run in which nothing is sent; `approve_plan` posts the others.

        Raises:
            LedgerMoved: something was claimed, posted or decided since that epoch; nothing was posted.
        """
        with self._db.writing() as connection:
            require_epoch(connection, epoch)
            post(connection, entries, by=run_id, now=self._db.now())
            raise_epoch(connection)

    def state(self, series: Series, period: str, period_start: dt.date, month: dt.date) -> JournalState:
        """Return what the journal says of a series when a period is worked out."""
        own = and_(_E.job == series.job, _E.payer == series.payer, _E.currency == series.currency)
        here = and_(own, _E.period == period)
        with self._db.reading() as connection:
            before, after = self._payees(connection, series, period, period_start)
            posted = defaultdict[EntryKind, dict[JournalAccount, int]](dict)
            query = select(_E.kind, *ACCOUNT, SUM).select_from(POSTED).where(here).group_by(_E.kind, _A.id, *ACCOUNT)
            for kind, *fields, cents in connection.execute(query):
                if cents:
                    posted[EntryKind(kind)][account_of(fields)] = int(cents)
            advance = and_(
                _A.kind == AccountKind.ADVANCE.value,
                _A.payer == series.payer,
                _A.currency == series.currency,
                _A.job.in_(["", series.job]),
            )
            counts = select(_E.kind, func.count()).where(here).group_by(_E.kind)
            labels = select(_E.period_start, _E.period).where(own, _E.period != "").distinct()
            causes = select(_E.cause).where(own, _E.kind == EntryKind.MOVE.value).order_by(_E.number)
            moves = list(connection.scalars(causes))
            deals = deal_sums(connection, own)
            whose = and_(
                _A.payer == series.payer,
                _A.currency == series.currency,
                or_(
                    and_(_A.job == series.job, _A.kind.in_([AccountKind.PAYEE.value, AccountKind.PAYMENT.value])),
                    advance,
                ),
            )
            return JournalState(
                before=before,
                after=after,
                posted=dict(posted),
                recouped=sums(connection, advance, _E.kind == EntryKind.RECOUP.value, ~here),
                paid_ahead=sums(connection, advance, _E.kind == EntryKind.OPENING.value),
                paid_ahead_here=sums(connection, advance, _E.kind == EntryKind.OPENING.value, own),
                taxed_in_month=_taxed_in_month(connection, series, month),
                owner=_owner(connection, series, period),
                periods=tuple(sorted((row.period_start, row.period) for row in connection.execute(labels))),
                statements=_last_statements(connection, here),
                entries={EntryKind(kind): int(number) for kind, number in connection.execute(counts)},
                balances=sums(connection, whose),
                moves=moves_of_causes(moves),
                moved_to=_moved_to(connection, series),
                former=tuple(filter(None, map(series_of_cause, moves))),
                move_entries=len(moves),
                deals=_deals_before(deals, period, period_start),
                deals_here=_added_up(sums for (label, _), sums in deals.items() if label == period),
            )

    def _payees(
        self, connection: Connection, series: Series, period: str, start: dt.date
    ) -> tuple[dict[JournalAccount, int], dict[JournalAccount, int]]:
        is_before = or_(_E.period_start.is_(None), _E.period_start < start)
        before = func.sum(case((and_(_E.period != period, is_before), _P.amount_cents), else_=0))
        after = func.sum(case((and_(_E.period != period, ~is_before), _P.amount_cents), else_=0))
        query = (
            select(*ACCOUNT, before, after)
            .select_from(POSTED)
            .where(
                _A.kind == AccountKind.PAYEE.value,
                _A.job == series.job,
                _A.payer == series.payer,
                _A.currency == series.currency,
            )
            .group_by(_A.id, *ACCOUNT)
        )
        earlier, later = dict[JournalAccount, int](), dict[JournalAccount, int]()
        for *fields, cents_before, cents_after in connection.execute(query):
            account = account_of(fields)
            if cents_before:
                earlier[account] = int(cents_before)
            if cents_after:
                later[account] = int(cents_after)
        return earlier, later

    def balances(
        self,
        before: dt.datetime | None = None,
        series: Series | None = None,
        payees: Collection[str] | None = None,
    ) -> dict[JournalAccount, int]:
        """Return the balance of each account that is not at nothing: the trial balance, or some accounts of it."""
        conditions = [_E.at < before] if before is not None else []
        conditions += [_A.payee.in_(list(payees))] if payees is not None else []
        if series is not None:
            conditions += [_A.job == series.job, _A.payer == series.payer, _A.currency == series.currency]
        with self._db.reading() as connection:
            return sums(connection, *conditions)

    def disagreeing(self, submission_ids: Iterable[str]) -> list[str]:
        """Return which of these submissions have money elsewhere than the journal says; normally none."""
        with self._db.reading() as connection:
            return [
                row.id for row, target, posted, _ in expected_and_posted(connection, submission_ids) if target != posted
            ]

    def booked_by(self, run_ids: Iterable[str], before: dt.datetime) -> set[str]:
        found = set[str]()
        with self._db.reading() as connection:
            for some in chunks(run_ids):
                found.update(connection.scalars(select(_E.by).where(_E.by.in_(some), _E.at < before).distinct()))
        return found

    def payee_moves(self) -> dict[str, str]:
        """Return whose accounts have moved: document before -> document since, by any job."""
        query = select(_E.cause).where(_E.kind == EntryKind.MOVE.value).order_by(_E.number)
        with self._db.reading() as connection:
            return moves_of_causes(connection.scalars(query))

    def deals(self) -> dict[Series, dict[str, DealSums]]:
        """Return what deals come to, under the names that series and payees have by now: series -> period -> sums.

        Of a series that has any, all periods of which something is posted.
        """
        found, now = defaultdict[Series, dict[str, DealSums]](dict), self.payee_moves()
        with self._db.reading() as connection:
            query = select(_E.job, _E.payer, _E.currency).join_from(journal_entries, journal_deal_sums).distinct()
            for series in [Series(*row) for row in connection.execute(query)]:
                own = and_(_E.job == series.job, _E.payer == series.payer, _E.currency == series.currency)
                last = _last_name(connection, series)
                for period in connection.scalars(select(_E.period).where(own, _E.period != "").distinct()):
                    found[last].setdefault(period, {})
                for (period, _), sums_ in deal_sums(connection, own).items():
                    renamed = renamed_sums(sums_, lambda payee: now.get(payee, payee))
                    found[last][period] = joined_sums(found[last].get(period, {}), renamed)
        return found

    def payees(self) -> set[str]:
        with self._db.reading() as connection:
            return set(connection.scalars(select(_A.payee).distinct())) - {""}

    def account_numbers(self) -> dict[JournalAccount, int]:
        """Return the number of each account there is, which never changes."""
        with self._db.reading() as connection:
            rows = connection.execute(select(_A.id, *ACCOUNT)).all()
        return {account_of(fields): int(number) for number, *fields in rows}

    def payee_codes(self, payees: Iterable[str] | None = None) -> dict[str, str]:
        """Return by which code each payee stands in what is exported; of all where none are given."""
        query, found = select(_A.payee, func.min(_A.id)).where(_A.payee != "").group_by(_A.payee), dict[str, str]()
        with self._db.reading() as connection:
            for some in chunks(payees) if payees is not None else [None]:
                rows = connection.execute(query if some is None else query.where(_A.payee.in_(some)))
                found |= {payee: payee_code(number) for payee, number in rows}
        return found

    def balances_of_payees(self, payees: Iterable[str]) -> dict[JournalAccount, int]:
        """Return what is owed in royalties to some payees, by any job, payer and currency: not at nothing."""
        found = dict[JournalAccount, int]()
        with self._db.reading() as connection:
            for some in chunks(payees):
                found |= sums(connection, _A.payee.in_(some), _A.kind == AccountKind.PAYEE.value)
        return found

    def entries(
        self,
        since: dt.datetime | None = None,
        before: dt.datetime | None = None,
    ) -> list[tuple[dt.datetime, str, JournalEntry]]:
        """Return entries in the order they were booked, each with its moment and the run or people that booked it."""
        conditions = [_E.at >= since] if since is not None else []
        conditions += [_E.at < before] if before is not None else []
        query = select(_E.number, _E.id, _E.kind, _E.job, _E.payer, _E.currency, _E.period, _E.period_start, _E.cause)
        query = query.add_columns(_E.reason, _E.at, _E.by).where(*conditions)
        with self._db.reading() as connection:
            rows = connection.execute(query.order_by(_E.number)).all()
            postings = defaultdict[int, list[Posting]](list)
            for some in chunks(row.number for row in rows):
                legs = select(_P.entry_number, _P.amount_cents, *ACCOUNT).select_from(POSTED)
                for number, cents, *fields in connection.execute(legs.where(_P.entry_number.in_(some))):
                    postings[number].append(Posting(account_of(fields), int(cents)))
        return [
            (
                row.at,
                row.by,
                JournalEntry(
                    id=row.id,
                    kind=EntryKind(row.kind),
                    series=Series(row.job, row.payer, row.currency),
                    period=row.period,
                    period_start=row.period_start,
                    cause=row.cause,
                    postings=tuple(sorted(postings[row.number], key=lambda posting: posting.account)),
                    reason=row.reason,
                ),
            )
            for row in rows
        ]


def _deals_before(deals: Mapping[tuple[str, dt.date | None], DealSums], period: str, start: dt.date) -> DealsBefore:
    others = {about: sums for about, sums in deals.items() if about[0] != period}
    earlier = (sums for (_, begun), sums in others.items() if begun is None or begun < start)
    begun = tuple((first, sums) for (_, first), sums in sorted(others.items(), key=str) if first is not None)
    return DealsBefore(_added_up(earlier), _added_up(others.values()), begun)


def _added_up(sums: Iterable[DealSums]) -> DealSums:
    return reduce(joined_sums, sums, {})


def _last_statements(connection: Connection, here: ColumnElement[bool]) -> str:
    query = select(_E.cause).where(here, _E.cause.startswith(STATEMENTS)).order_by(_E.number.desc()).limit(1)
    return connection.scalar(query) or ""


def _moved_to(connection: Connection, series: Series) -> Series | None:
    query = select(_E.job, _E.payer, _E.currency).where(_E.cause == series_move(series)).order_by(_E.number.desc())
    row = connection.execute(query.limit(1)).one_or_none()
    return None if row is None else Series(*row)


def _last_name(connection: Connection, series: Series) -> Series:
    """Return what a series is called by now; one that went back to a name it had is called so."""
    seen = [series]
    while (moved := _moved_to(connection, seen[-1])) is not None and moved not in seen:
        seen.append(moved)
    return seen[-1]


def _taxed_in_month(connection: Connection, series: Series, month: dt.date) -> dict[JournalAccount, int]:
    first = month.replace(day=1)
    following = (first + dt.timedelta(days=32)).replace(day=1)
    since, until = (dt.datetime.combine(day, dt.time(), BRASILIA) for day in (first, following))
    found = SignedSums[JournalAccount]()
    withheld = sums(
        connection,
        _A.kind == AccountKind.TAX.value,
        _A.payer == series.payer,
        _A.currency == series.currency,
        _E.at >= since,
        _E.at < until,
    )
    for account, cents in withheld.items():
        found[series.account(AccountKind.TAX, account.payee, account.reference)] += cents
    return {account: cents for account, cents in found.items() if cents}


def _owner(connection: Connection, series: Series, period: str) -> dict[str, tuple[int, int]]:
    query = (
        select(_E.period, _A.reference, SUM)
        .select_from(POSTED)
        .where(
            _A.kind == AccountKind.OWNER.value,
            _A.job == series.job,
            _A.payer == series.payer,
            _A.currency == series.currency,
            _E.period != period,
        )
        .group_by(_E.period, _A.reference)
    )
    own, stated = SignedSums[str](), SignedSums[str]()
    for label, reference, cents in connection.execute(query):
        own[label] -= int(cents)
        stated[label] -= int(cents) if reference == STATED else 0
    return {label: (own[label], stated[label]) for label in own}
