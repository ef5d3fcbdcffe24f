"""The journal in the ledger: entries posted in the transaction of their cause, and what they sum up to."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, case, func, insert, or_, select

from io_adapters.ledger.claims import claimed_sums, raise_epoch, require_epoch
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.tables import (
    attempts,
    decisions,
    journal_accounts,
    journal_entries,
    journal_postings,
    plans,
    reports,
    submissions,
    submitted,
)
from schemas.approval import Decision, DecisionKind
from schemas.job import BRASILIA, labelled_period
from schemas.journal import (
    STATED,
    STATEMENTS,
    AccountKind,
    BookedPayment,
    BookedPosting,
    EntryKind,
    JournalAccount,
    JournalEntry,
    JournalState,
    Posting,
    ReportFigures,
    Series,
    difference,
    entry_id,
    given_up,
    moves_of_causes,
    postings_of,
    series_move,
    series_of_cause,
    where_claims_are,
)
from schemas.submission import UNTOLD, SubmissionState
from schemas.wire import SplitReport, cents_of, parse_json

_A: Final = journal_accounts.c
_E: Final = journal_entries.c
_P: Final = journal_postings.c
_POSTED: Final = journal_postings.join(journal_accounts).join(journal_entries)
_ACCOUNT: Final = tuple(_A[name] for name in JournalAccount.__dataclass_fields__)
_SUM: Final = func.sum(_P.amount_cents)


def post(connection: Connection, entries: Iterable[JournalEntry], *, by: str, now: dt.datetime) -> None:
    """Post entries, within the transaction of what causes them; one that stands already is not posted again.

    Args:
        entries: In the order in which things happened.
        by: The run, or the people, on whose word.
    """
    wanted = {entry.id: entry for entry in entries}
    known = set[str]()
    for some in chunks(wanted):
        known.update(connection.scalars(select(_E.id).where(_E.id.in_(some))))
    new = [entry for name, entry in wanted.items() if name not in known]
    if not new:
        return
    numbers = _account_numbers(connection, {posting.account for entry in new for posting in entry.postings})
    rows = list[dict[str, int]]()
    for entry in new:
        values = {
            "id": entry.id,
            "kind": entry.kind.value,
            "job": entry.series.job,
            "payer": entry.series.payer,
            "currency": entry.series.currency,
            "period": entry.period,
            "period_start": entry.period_start,
            "cause": entry.cause,
            "by": by,
            "reason": entry.reason,
            "at": now,
        }
        number = connection.execute(insert(journal_entries).values(values).returning(_E.number)).scalar_one()
        rows += [
            {"account_id": numbers[posting.account], "entry_number": number, "amount_cents": posting.amount_cents}
            for posting in entry.postings
        ]
    if rows:
        connection.execute(insert(journal_postings), rows)


def _account_numbers(connection: Connection, accounts: set[JournalAccount]) -> dict[JournalAccount, int]:
    """Return the row of each account, made where there was none."""
    found = _known_accounts(connection, accounts)
    missing = sorted(accounts - found.keys())
    if missing:
        names = JournalAccount.__dataclass_fields__
        connection.execute(insert(journal_accounts), [{name: getattr(a, name) for name in names} for a in missing])
        found |= _known_accounts(connection, set(missing))
    return found


def _known_accounts(connection: Connection, accounts: set[JournalAccount]) -> dict[JournalAccount, int]:
    found = dict[JournalAccount, int]()
    for payer in {account.payer for account in accounts}:
        own = {account for account in accounts if account.payer == payer}
        for some in chunks(account.payee for account in own):
            query = select(_A.id, *_ACCOUNT).where(_A.payee.in_(some), _A.payer == payer)
            for number, *fields in connection.execute(query):
                account = _account_of(fields)
                if account in own:
                    found[account] = number
    return found


def _account_of(fields: Sequence[Any]) -> JournalAccount:
    return JournalAccount(AccountKind(fields[0]), *fields[1:])


def _sums(connection: Connection, *conditions: ColumnElement[bool]) -> dict[JournalAccount, int]:
    """Return the sum of each account's postings, of those that are not at nothing."""
    return _all_sums(connection, *conditions, having=_SUM != 0)


def _all_sums(
    connection: Connection, *conditions: ColumnElement[bool], having: ColumnElement[bool] | None = None
) -> dict[JournalAccount, int]:
    query = select(*_ACCOUNT, _SUM).select_from(_POSTED).where(*conditions).group_by(_A.id, *_ACCOUNT)
    rows = connection.execute(query if having is None else query.having(having))
    return {_account_of(fields): int(cents) for *fields, cents in rows}


# What a plan posts of its inputs, and against which account where only some of it is taken back.
_TAKEN_BACK: Final[Mapping[EntryKind, AccountKind]] = {
    EntryKind.READ: AccountKind.SOURCE,
    EntryKind.OPENING: AccountKind.OUTSIDE,
    EntryKind.RECOUP: AccountKind.OUTSIDE,
    EntryKind.WITHHOLD: AccountKind.OUTSIDE,
}


def take_back(
    connection: Connection,
    run_ids: Collection[str],
    period: tuple[str, str],
    payees: Collection[str] | None,
    *,
    by: str,
    now: dt.datetime,
) -> None:
    """Post the opposite of what runs have posted of their inputs, within a transaction: their plan was withdrawn.

    Args:
        connection: Within the transaction that withdraws what was not sent.
        payees: Of whom nothing is sent any more; None for everybody, where nothing of the plan was sent.
        by: The run, or the people, on whose word.
    """
    mine = and_(_E.by.in_(list(run_ids)), _E.job == period[0], _E.period == period[1])
    mine = and_(mine, _E.kind.in_([kind.value for kind in _TAKEN_BACK]))
    query = select(_E.kind, _E.period_start, *_ACCOUNT, _SUM).select_from(_POSTED).where(mine)
    found = defaultdict[tuple[EntryKind, Series, dt.date], Counter[JournalAccount]](Counter)
    for kind, start, *fields, cents in connection.execute(query.group_by(_E.kind, _E.period_start, _A.id, *_ACCOUNT)):
        account = _account_of(fields)
        series = Series(period[0], account.payer, account.currency)
        if cents and (payees is None or account.payee in payees):
            found[EntryKind(kind), series, start][account] -= int(cents)
    entries = list[JournalEntry]()
    for (kind, series, start), sums in found.items():
        sums[series.account(_TAKEN_BACK[kind])] -= sum(sums.values())
        name, number = _next_entry(connection, kind, series, period[1])
        cause = f"{STATEMENTS}withdrawn" if kind is EntryKind.READ else f"{kind.value} {period[1]} {number}"
        entries.append(JournalEntry(name, kind, series, period[1], start, cause, postings_of(sums)))
    post(connection, entries, by=by, now=now)
    raise_epoch(connection)


def post_row_decisions(connection: Connection, given: Iterable[Decision], *, now: dt.datetime) -> None:
    """Post what people decided on payments rows, within the transaction that writes it down.

    A row that was paid outside, or that nobody is to be paid for, is owed no more; one of which that was said before,
    and that is to be paid after all, is owed again. A row of which nothing is posted yet is left to its run.
    """
    for decision in given:
        of_row = and_(_A.kind == AccountKind.PAYMENT.value, _A.reference == decision.obligation_key)
        for account, cents in _all_sums(connection, of_row).items():
            mine = _A.reference.in_([account.reference, given_up(account).reference])
            posted = _sums(connection, mine, _E.kind == EntryKind.DECISION.value)
            target = Counter[JournalAccount]()
            if decision.kind in {DecisionKind.PAID, DecisionKind.DROP}:
                target[account] = posted.get(account, 0) + max(0, -cents)
            if decision.kind is DecisionKind.DROP:
                target[given_up(account)] = -target[account]
            series = Series(account.job, account.payer, account.currency)
            change = Counter(difference(target, posted))
            change[series.account(AccountKind.OUTSIDE)] -= change.total()
            if any(change.values()):
                latest = select(_E.period, _E.period_start).select_from(_POSTED).where(of_row)
                latest = latest.where(_E.period_start.is_not(None)).order_by(_E.number.desc()).limit(1)
                period, start = connection.execute(latest).one()
                name, number = _next_entry(connection, EntryKind.DECISION, series, period)
                cause = f"{EntryKind.DECISION.value} {period} {number}"
                entry = JournalEntry(name, EntryKind.DECISION, series, period, start, cause, postings_of(change))
                post(connection, [entry], by=decision.by, now=now)


def _next_entry(connection: Connection, kind: EntryKind, series: Series, period: str) -> tuple[str, int]:
    """Name the next entry of a kind about a period, as a run would, and number it."""
    here = and_(_E.job == series.job, _E.payer == series.payer, _E.currency == series.currency)
    count = select(func.count()).where(here, _E.period == period, _E.kind == kind.value)
    number = (connection.scalar(count) or 0) + 1
    return entry_id(kind, series.job, series.payer, series.currency, period, number), number


def post_submissions(connection: Connection, submission_ids: Iterable[str], *, by: str, now: dt.datetime) -> None:
    """Post where the money of submissions is by now, less what was posted of them, within a transaction.

    Called by whatever changes what a submission pays or what is known of it: its state, its last report, people's
    decisions on it. Where nothing has changed of the money, nothing is posted.

    Args:
        by: The run, or the people, on whose word.
    """
    entries = list[JournalEntry]()
    for row, target, before, number in _standing(connection, submission_ids):
        entry = _entry_of(row, difference(target, before), before, number)
        entries += [entry] if entry is not None else []
    post(connection, entries, by=by, now=now)


def _standing(
    connection: Connection, submission_ids: Iterable[str]
) -> Iterator[tuple[Row[Any], dict[JournalAccount, int], dict[JournalAccount, int], int]]:
    """Yield each submission with where its money is, what is posted of it, and by how many entries."""
    columns = (submissions.c.id, submissions.c.job, submissions.c.currency, submissions.c.period, plans.c.payer)
    for some in chunks(submission_ids):
        query = select(*columns, attempts.c.state).select_from(submitted.join(plans)).where(submissions.c.id.in_(some))
        found = connection.execute(query).all()
        claimed, posted = claimed_sums(connection, some), _posted_of(connection, some)
        figures = _figures(connection, [row.id for row in found if row.state in {SubmissionState.PAID, *UNTOLD}])
        words = _decided(connection, [row.id for row in found if row.state in UNTOLD])
        for row in found:
            number, before = posted[row.id]
            target = where_claims_are(
                Series(row.job, row.payer, row.currency),
                claimed[row.id],
                SubmissionState(row.state),
                figures.get(row.id, ReportFigures()),
                words[row.id],
            )
            yield row, target, before, number


def _entry_of(
    row: Row[Any], change: dict[JournalAccount, int], before: dict[JournalAccount, int], number: int
) -> JournalEntry | None:
    """Say what has happened to a submission's money; None for nothing."""
    if not change:
        return None
    kinds = Counter[AccountKind]()
    for account, cents in change.items():
        kinds[account.kind] += cents
    is_back = kinds[AccountKind.PAYEE] + kinds[AccountKind.PAYMENT] < 0
    if not before and not kinds[AccountKind.SERVICE]:
        kind = EntryKind.SEND
    elif is_back and kinds[AccountKind.SERVICE] > 0:
        kind = EntryKind.RETURN
    elif is_back:
        kind = EntryKind.RELEASE
    elif row.state in UNTOLD and (kinds[AccountKind.SERVICE] or kinds[AccountKind.OUTSIDE]):
        kind = EntryKind.DECISION
    else:
        kind = EntryKind.REPORT
    series = Series(row.job, row.payer, row.currency)
    start = labelled_period(row.period).start
    name = entry_id(EntryKind.SEND, row.id, number + 1)
    return JournalEntry(name, kind, series, row.period, start, row.id, postings_of(change))


def _posted_of(
    connection: Connection, submission_ids: Sequence[str]
) -> dict[str, tuple[int, dict[JournalAccount, int]]]:
    """Return how many entries each submission has, and what they sum up to."""
    counts = select(_E.cause, func.count()).where(_E.cause.in_(submission_ids)).group_by(_E.cause)
    numbers = {cause: int(number) for cause, number in connection.execute(counts)}
    sums = defaultdict[str, dict[JournalAccount, int]](dict)
    if numbers:
        query = select(_E.cause, *_ACCOUNT, _SUM).select_from(_POSTED).where(_E.cause.in_(list(numbers)))
        for cause, *fields, cents in connection.execute(query.group_by(_E.cause, _A.id, *_ACCOUNT)):
            if cents:
                sums[cause][_account_of(fields)] = int(cents)
    return {name: (numbers.get(name, 0), sums[name]) for name in submission_ids}


def _figures(connection: Connection, submission_ids: Sequence[str]) -> dict[str, ReportFigures]:
    found = dict[str, ReportFigures]()
    query = select(reports.c.submission_id, reports.c.document).where(reports.c.submission_id.in_(submission_ids))
    for name, document in connection.execute(query.order_by(reports.c.id)) if submission_ids else ():
        report = SplitReport.model_validate(parse_json(bytes(document)))
        found[name] = ReportFigures(
            paid_cents=_cents(report.paidAmount),
            tax_cents=_cents(report.irAmount),
            fee_cents=_cents(report.feeAmount),
            held_nothing=_holds_nothing(report),
        )
    return found


def _cents(amount: Decimal | None) -> int | None:
    return None if amount is None else cents_of(amount)


def _holds_nothing(report: SplitReport) -> bool:
    amount, count = report.withholdAmount, report.withholdPayments
    return (amount is not None or count is not None) and not amount and not count


def _decided(connection: Connection, submission_ids: Sequence[str]) -> dict[str, dict[str, DecisionKind]]:
    """Return the last word on what each report did for each obligation."""
    found = defaultdict[str, dict[str, DecisionKind]](dict)
    query = select(decisions).where(decisions.c.submission_id.in_(submission_ids)).order_by(decisions.c.id)
    for row in connection.execute(query) if submission_ids else ():
        found[row.submission_id][row.obligation_key] = DecisionKind(row.kind)
    return found


class Journal:
    """The record of all entries, and what they sum up to."""

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
        """Return what the journal says of a series when a period is worked out.

        Args:
            month: A day of the month in which taxes would be withheld, in Brazil.
        """
        own = and_(_E.job == series.job, _E.payer == series.payer, _E.currency == series.currency)
        here = and_(own, _E.period == period)
        with self._db.reading() as connection:
            before, after = self._payees(connection, series, period, period_start)
            posted = defaultdict[EntryKind, dict[JournalAccount, int]](dict)
            query = (
                select(_E.kind, *_ACCOUNT, _SUM).select_from(_POSTED).where(here).group_by(_E.kind, _A.id, *_ACCOUNT)
            )
            for kind, *fields, cents in connection.execute(query):
                if cents:
                    posted[EntryKind(kind)][_account_of(fields)] = int(cents)
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
                recouped=_sums(connection, advance, _E.kind == EntryKind.RECOUP.value, ~here),
                paid_ahead=_sums(connection, advance, _E.kind == EntryKind.OPENING.value),
                paid_ahead_here=_sums(connection, advance, _E.kind == EntryKind.OPENING.value, own),
                taxed_in_month=_taxed_in_month(connection, series, month),
                owner=_owner(connection, series, period),
                periods=tuple(sorted((row.period_start, row.period) for row in connection.execute(labels))),
                statements=_last_statements(connection, here),
                entries={EntryKind(kind): int(number) for kind, number in connection.execute(counts)},
                balances=_sums(connection, whose),
                moves=moves_of_causes(moves),
                moved_to=_moved_to(connection, series),
                former=tuple(filter(None, map(series_of_cause, moves))),
                move_entries=len(moves),
            )

    def _payees(
        self, connection: Connection, series: Series, period: str, start: dt.date
    ) -> tuple[dict[JournalAccount, int], dict[JournalAccount, int]]:
        is_before = or_(_E.period_start.is_(None), _E.period_start < start)
        before = func.sum(case((and_(_E.period != period, is_before), _P.amount_cents), else_=0))
        after = func.sum(case((and_(_E.period != period, ~is_before), _P.amount_cents), else_=0))
        query = (
            select(*_ACCOUNT, before, after)
            .select_from(_POSTED)
            .where(
                _A.kind == AccountKind.PAYEE.value,
                _A.job == series.job,
                _A.payer == series.payer,
                _A.currency == series.currency,
            )
            .group_by(_A.id, *_ACCOUNT)
        )
        earlier, later = dict[JournalAccount, int](), dict[JournalAccount, int]()
        for *fields, cents_before, cents_after in connection.execute(query):
            account = _account_of(fields)
            if cents_before:
                earlier[account] = int(cents_before)
            if cents_after:
                later[account] = int(cents_after)
        return earlier, later

    def balances(self, before: dt.datetime | None = None, series: Series | None = None) -> dict[JournalAccount, int]:
        """Return the balance of each account that is not at nothing: the trial balance.

        Args:
            before: Only of entries booked before a moment.
        """
        conditions = [_E.at < before] if before is not None else []
        if series is not None:
            conditions += [_A.job == series.job, _A.payer == series.payer, _A.currency == series.currency]
        with self._db.reading() as connection:
            return _sums(connection, *conditions)

    def disagreeing(self, submission_ids: Iterable[str]) -> list[str]:
        """Return which of these submissions have money elsewhere than the journal says; normally none."""
        with self._db.reading() as connection:
            return [row.id for row, target, posted, _ in _standing(connection, submission_ids) if target != posted]

    def of_period(self, job: str, period: str) -> dict[tuple[EntryKind, JournalAccount], int]:
        """Return what is posted about a period of a job, by kind of entry and account."""
        query = select(_E.kind, *_ACCOUNT, _SUM).select_from(_POSTED).where(_E.job == job, _E.period == period)
        with self._db.reading() as connection:
            rows = connection.execute(query.group_by(_E.kind, _A.id, *_ACCOUNT)).all()
        return {(EntryKind(kind), _account_of(fields)): int(cents) for kind, *fields, cents in rows if cents}

    def paid_between(self, since: dt.datetime, before: dt.datetime) -> list[BookedPayment]:
        """Return what was booked as paid by the service, and what it kept, from a moment on and before another."""
        is_kept = case((_A.kind == AccountKind.SERVICE_TAX.value, _P.amount_cents), else_=0)
        kinds = (AccountKind.SERVICE.value, AccountKind.SERVICE_FEE.value, AccountKind.SERVICE_TAX.value)
        query = (
            select(_E.cause, _A.payee, _E.at, _SUM, func.sum(is_kept))
            .select_from(_POSTED)
            .where(_A.kind.in_(kinds), _E.at >= since, _E.at < before)
            .group_by(_E.number, _E.cause, _E.at, _A.payee)
            .order_by(_E.number, _A.payee)
        )
        with self._db.reading() as connection:
            return [
                BookedPayment(cause, payee, at, -int(whole) + int(kept), -int(kept))
                for cause, payee, at, whole, kept in connection.execute(query)
            ]

    def open_claims(self, before: dt.datetime) -> dict[tuple[str, JournalAccount], int]:
        """Return what each submission had in transit before a moment, by its id and the payee's account."""
        query = (
            select(_E.cause, *_ACCOUNT, _SUM)
            .select_from(_POSTED)
            .where(_A.kind == AccountKind.TRANSIT.value, _E.at < before)
            .group_by(_E.cause, _A.id, *_ACCOUNT)
            .having(_SUM != 0)
        )
        with self._db.reading() as connection:
            return {(cause, _account_of(fields)): int(cents) for cause, *fields, cents in connection.execute(query)}

    def booked_by(self, run_ids: Iterable[str], before: dt.datetime) -> set[str]:
        """Return which of these runs have booked anything before a moment."""
        found = set[str]()
        with self._db.reading() as connection:
            for some in chunks(run_ids):
                found.update(connection.scalars(select(_E.by).where(_E.by.in_(some), _E.at < before).distinct()))
        return found

    def last_periods(self, before: dt.datetime, payees: Iterable[str]) -> dict[JournalAccount, str]:
        """Return the latest period that each account of some payees has an entry about, booked before a moment."""
        found = dict[JournalAccount, str]()
        query = select(*_ACCOUNT, func.max(_E.period)).select_from(_POSTED).group_by(_A.id, *_ACCOUNT)
        with self._db.reading() as connection:
            for some in chunks(payees):
                rows = connection.execute(query.where(_A.payee.in_(some), _E.at < before))
                found |= {_account_of(fields): period for *fields, period in rows}
        return found

    def of_payees(self, payees: Collection[str]) -> list[BookedPosting]:
        """Return the postings of some payees' accounts in the order they were booked: one indexed read."""
        of_entry = (_E.number, _E.kind, _E.job, _E.payer, _E.currency, _E.period, _E.period_start, _E.cause)
        query = select(*of_entry, _P.amount_cents, *_ACCOUNT).select_from(_POSTED).where(_A.payee.in_(list(payees)))
        with self._db.reading() as connection:
            rows = sorted(connection.execute(query).all(), key=lambda row: row[0])
        return [
            BookedPosting(EntryKind(kind), Series(*series), period, start, cause, _account_of(fields), int(cents))
            for _, kind, *series, period, start, cause, cents, fields in ((*row[:9], row[9:]) for row in rows)
        ]

    def payee_moves(self) -> dict[str, str]:
        """Return whose accounts have moved: document before -> document since, by any job."""
        query = select(_E.cause).where(_E.kind == EntryKind.MOVE.value).order_by(_E.number)
        with self._db.reading() as connection:
            return moves_of_causes(connection.scalars(query))

    def payees(self) -> set[str]:
        """Return the tax id of everybody who has an account."""
        with self._db.reading() as connection:
            return set(connection.scalars(select(_A.payee).distinct())) - {""}

    def account_numbers(self) -> dict[JournalAccount, int]:
        """Return the number of each account there is, which never changes."""
        with self._db.reading() as connection:
            rows = connection.execute(select(_A.id, *_ACCOUNT)).all()
        return {_account_of(fields): int(number) for number, *fields in rows}

    def balances_of_payees(self, payees: Iterable[str]) -> dict[JournalAccount, int]:
        """Return what is owed in royalties to some payees, by any job, payer and currency: not at nothing."""
        found = dict[JournalAccount, int]()
        with self._db.reading() as connection:
            for some in chunks(payees):
                found |= _sums(connection, _A.payee.in_(some), _A.kind == AccountKind.PAYEE.value)
        return found

    def entries(
        self,
        since: dt.datetime | None = None,
        before: dt.datetime | None = None,
        kind: EntryKind | None = None,
    ) -> list[tuple[dt.datetime, str, JournalEntry]]:
        """Return entries in the order they were booked, each with its moment and the run or people that booked it.

        Args:
            since: Only those booked from this moment on.
            before: Only those booked before this one.
        """
        conditions = [_E.at >= since] if since is not None else []
        conditions += [_E.at < before] if before is not None else []
        conditions += [_E.kind == kind.value] if kind is not None else []
        query = select(_E.number, _E.id, _E.kind, _E.job, _E.payer, _E.currency, _E.period, _E.period_start, _E.cause)
        query = query.add_columns(_E.reason, _E.at, _E.by).where(*conditions)
        with self._db.reading() as connection:
            rows = connection.execute(query.order_by(_E.number)).all()
            postings = defaultdict[int, list[Posting]](list)
            for some in chunks(row.number for row in rows):
                legs = select(_P.entry_number, _P.amount_cents, *_ACCOUNT).select_from(_POSTED)
                for number, cents, *fields in connection.execute(legs.where(_P.entry_number.in_(some))):
                    postings[number].append(Posting(_account_of(fields), int(cents)))
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


def _last_statements(connection: Connection, here: ColumnElement[bool]) -> str:
    query = select(_E.cause).where(here, _E.cause.startswith(STATEMENTS)).order_by(_E.number.desc()).limit(1)
    return connection.scalar(query) or ""


def _moved_to(connection: Connection, series: Series) -> Series | None:
    query = select(_E.job, _E.payer, _E.currency).where(_E.cause == series_move(series)).order_by(_E.number.desc())
    row = connection.execute(query.limit(1)).one_or_none()
    return None if row is None else Series(*row)


def _taxed_in_month(connection: Connection, series: Series, month: dt.date) -> dict[JournalAccount, int]:
    """Return what was withheld in a month, by any job of the payer, as accounts of the series."""
    first = month.replace(day=1)
    following = (first + dt.timedelta(days=32)).replace(day=1)
    since, until = (dt.datetime.combine(day, dt.time(), BRASILIA) for day in (first, following))
    found = Counter[JournalAccount]()
    withheld = _sums(
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
    """Return the owner's part of each other period, and what was stated of it."""
    query = (
        select(_E.period, _A.reference, _SUM)
        .select_from(_POSTED)
        .where(
            _A.kind == AccountKind.OWNER.value,
            _A.job == series.job,
            _A.payer == series.payer,
            _A.currency == series.currency,
            _E.period != period,
        )
        .group_by(_E.period, _A.reference)
    )
    own, stated = Counter[str](), Counter[str]()
    for label, reference, cents in connection.execute(query):
        own[label] -= int(cents)
        stated[label] -= int(cents) if reference == STATED else 0
    return {label: (own[label], stated[label]) for label in own}
