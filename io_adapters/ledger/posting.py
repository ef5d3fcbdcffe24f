"""Posting entries of the journal, in the transaction of their cause."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, select

from io_adapters.ledger.claims import claimed_sums, raise_epoch
from io_adapters.ledger.decision_rows import sound_decisions
from io_adapters.ledger.engine import chunks
from io_adapters.ledger.tables import (
    attempts,
    decisions,
    journal_accounts,
    journal_deal_sums,
    journal_entries,
    journal_postings,
    plans,
    reports,
    runs,
    submissions,
    submitted,
)
from schemas.approval import Decision, DecisionKind
from schemas.attempt import FREE, AttemptKind
from schemas.deal_sums import DealSum, DealSumKind
from schemas.job import BRASILIA, labelled_period
from schemas.journal import (
    CHECKS,
    STATEMENTS,
    AccountKind,
    EntryKind,
    JournalAccount,
    JournalEntry,
    ReportFigures,
    Series,
    Transfer,
    cause_beside,
    charge,
    difference,
    entry_id,
    given_up,
    postings_of,
    where_claims_are,
)
from schemas.plan import HOME_CURRENCY
from schemas.submission import UNTOLD, SubmissionState
from schemas.values.money import SignedSums
from schemas.wire import SplitReport, cents_of, parse_json

_A: Final = journal_accounts.c
_E: Final = journal_entries.c
_P: Final = journal_postings.c
_D: Final = journal_deal_sums.c
POSTED: Final = journal_postings.join(journal_accounts).join(journal_entries)
ACCOUNT: Final = tuple(_A[name] for name in JournalAccount.__dataclass_fields__)
SUM: Final = func.sum(_P.amount_cents)


def post(connection: Connection, entries: Iterable[JournalEntry], *, by: str, now: dt.datetime) -> None:
    """Post entries, within the transaction of what causes them; one that stands already is not posted again."""
    wanted = {entry.id: entry for entry in entries}
    known = set[str]()
    for some in chunks(wanted):
        known.update(connection.scalars(select(_E.id).where(_E.id.in_(some))))
    new = [entry for name, entry in wanted.items() if name not in known]
    if not new:
        return
    numbers = _account_numbers(connection, {posting.account for entry in new for posting in entry.postings})
    rows, day = list[dict[str, int]](), now.astimezone(BRASILIA).date().isoformat()
    quantities = list[dict[str, Any]]()
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
            "day": day,
            "month": day[: len("2026-10")],
        }
        number = connection.execute(insert(journal_entries).values(values).returning(_E.number)).scalar_one()
        rows += [
            {"account_id": numbers[posting.account], "entry_number": number, "amount_cents": posting.amount_cents}
            for posting in entry.postings
        ]
        quantities += [
            {"entry_number": number, **name._asdict(), "quantity": str(quantity)} for name, quantity in entry.deal_sums
        ]
    if rows:
        connection.execute(insert(journal_postings), rows)
    if quantities:
        connection.execute(insert(journal_deal_sums), quantities)


def deal_sums(
    connection: Connection, *conditions: ColumnElement[bool]
) -> dict[tuple[str, dt.date | None], dict[DealSum, Fraction]]:
    """Sum what entries add to sums that deals rest on.

    Returns:
        Label and first day of a period -> its sums.
    """
    columns = (_E.period, _E.period_start, _D.kind, _D.payee, _D.row, _D.quantity)
    query = select(*columns).select_from(journal_deal_sums.join(journal_entries)).where(*conditions)
    found = defaultdict[tuple[str, dt.date | None], dict[DealSum, Fraction]](dict)
    for period, start, kind, payee, row, quantity in connection.execute(query):
        name, of_period = DealSum(DealSumKind(kind), payee, row), found[period, start]
        of_period[name] = of_period.get(name, Fraction(0)) + Fraction(quantity)
    return found


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
            query = select(_A.id, *ACCOUNT).where(_A.payee.in_(some), _A.payer == payer)
            for number, *fields in connection.execute(query):
                account = account_of(fields)
                if account in own:
                    found[account] = number
    return found


def account_of(fields: Sequence[Any]) -> JournalAccount:
    return JournalAccount(AccountKind(fields[0]), *fields[1:])


def sums(connection: Connection, *conditions: ColumnElement[bool]) -> dict[JournalAccount, int]:
    return all_sums(connection, *conditions, having=SUM != 0)


def all_sums(
    connection: Connection, *conditions: ColumnElement[bool], having: ColumnElement[bool] | None = None
) -> dict[JournalAccount, int]:
    query = select(*ACCOUNT, SUM).select_from(POSTED).where(*conditions).group_by(_A.id, *ACCOUNT)
    rows = connection.execute(query if having is None else query.having(having))
    return {account_of(fields): int(cents) for *fields, cents in rows}


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
    """Post the opposite of what runs have posted of their inputs, within a transaction: their plan was withdrawn."""
    mine = and_(_E.by.in_(list(run_ids)), _E.job == period[0], _E.period == period[1])
    mine = and_(mine, _E.kind.in_([kind.value for kind in _TAKEN_BACK]))
    query = select(_E.kind, _E.period_start, *ACCOUNT, SUM).select_from(POSTED).where(mine)
    found = defaultdict[tuple[EntryKind, Series, dt.date], SignedSums[JournalAccount]](SignedSums)
    for kind, start, *fields, cents in connection.execute(query.group_by(_E.kind, _E.period_start, _A.id, *ACCOUNT)):
        account = account_of(fields)
        series = Series(period[0], account.payer, account.currency)
        if cents and (payees is None or account.payee in payees):
            found[EntryKind(kind), series, start][account] -= int(cents)
    gone = dict[tuple[Series, dt.date], dict[DealSum, Fraction]]()
    for payer, currency in connection.execute(select(_E.payer, _E.currency).where(mine).distinct()).all():
        series = Series(period[0], payer, currency)
        of_series = deal_sums(connection, mine, _E.payer == payer, _E.currency == currency)
        for (_, start), sums_ in of_series.items():
            own = {name: -sum_ for name, sum_ in sums_.items() if sum_ and (payees is None or name.payee in payees)}
            if own and start is not None:
                gone[series, start] = own
                found[EntryKind.READ, series, start]  # which there may be none of
    entries = list[JournalEntry]()
    for (kind, series, start), sums in found.items():
        sums[series.account(_TAKEN_BACK[kind])] -= sum(sums.values())
        name, number = _next_entry(connection, kind, series, period[1])
        cause = f"{STATEMENTS}withdrawn" if kind is EntryKind.READ else f"{kind.value} {period[1]} {number}"
        entry = JournalEntry(name, kind, series, period[1], start, cause, postings_of(sums))
        taken = gone.get((series, start), {}) if kind is EntryKind.READ else {}
        entries.append(replace(entry, deal_sums=tuple(taken.items())))
    post(connection, entries, by=by, now=now)
    raise_epoch(connection)


def post_row_decisions(connection: Connection, given: Iterable[Decision], *, now: dt.datetime) -> None:
    """Post what people decided on payments rows, within the transaction that writes it down.

    A row that was paid outside, or that nobody is to be paid for, is owed no more; one of which that was said before,
    and that is to be paid after all, is owed again. A row of which nothing is posted yet is left to its run.
    """
    for decision in given:
        of_row = and_(_A.kind == AccountKind.PAYMENT.value, _A.reference == decision.obligation_key)
        for account, cents in all_sums(connection, of_row).items():
            mine = _A.reference.in_([account.reference, given_up(account).reference])
            posted = sums(connection, mine, _E.kind == EntryKind.DECISION.value)
            target = SignedSums[JournalAccount]()
            if decision.kind in {DecisionKind.PAID, DecisionKind.DROP}:
                target[account] = posted.get(account, 0) + max(0, -cents)
            if decision.kind is DecisionKind.DROP:
                target[given_up(account)] = -target[account]
            series = Series(account.job, account.payer, account.currency)
            change = SignedSums(difference(target, posted))
            change[series.account(AccountKind.OUTSIDE)] -= change.total()
            if any(change.values()):
                latest = select(_E.period, _E.period_start).select_from(POSTED).where(of_row)
                latest = latest.where(_E.period_start.is_not(None)).order_by(_E.number.desc()).limit(1)
                period, start = connection.execute(latest).one()
                name, number = _next_entry(connection, EntryKind.DECISION, series, period)
                cause = f"{EntryKind.DECISION.value} {period} {number}"
                entry = JournalEntry(name, EntryKind.DECISION, series, period, start, cause, postings_of(change))
                post(connection, [entry], by=decision.by, now=now)


def post_check_costs(connection: Connection, run_ids: Iterable[str], *, now: dt.datetime) -> None:
    """Post what the account checks of runs cost by now, less what was posted of it, within a transaction."""
    for run_id in run_ids:
        run = connection.execute(select(runs.c.job, runs.c.period, runs.c.payer).where(runs.c.run_id == run_id)).first()
        if run is None or not run.job:
            continue
        series, cause = Series(run.job, run.payer, HOME_CURRENCY), f"{CHECKS} {run_id}"
        is_check = and_(attempts.c.kind == AttemptKind.ACCOUNT_CHECK.value, attempts.c.run_id == run_id)
        charged = attempts.c.state.not_in([state.value for state in FREE])
        spent_cents = connection.scalar(select(func.sum(attempts.c.cost_cents)).where(is_check, charged)) or 0
        target = Transfer()
        charge(target, series, CHECKS, int(spent_cents))
        change = difference(target.sums, sums(connection, _E.cause == cause))
        if change:
            number = connection.scalar(select(func.count()).where(_E.cause == cause)) or 0
            name, start = entry_id(EntryKind.COST, run_id, number + 1), labelled_period(run.period).start
            entry = JournalEntry(name, EntryKind.COST, series, run.period, start, cause, postings_of(change))
            post(connection, [entry], by=run_id, now=now)


def _next_entry(connection: Connection, kind: EntryKind, series: Series, period: str) -> tuple[str, int]:
    here = and_(_E.job == series.job, _E.payer == series.payer, _E.currency == series.currency)
    count = select(func.count()).where(here, _E.period == period, _E.kind == kind.value)
    number = (connection.scalar(count) or 0) + 1
    return entry_id(kind, series.job, series.payer, series.currency, period, number), number


def post_submissions(connection: Connection, submission_ids: Iterable[str], *, by: str, now: dt.datetime) -> None:
    """Post where the money of submissions is by now, less what was posted of them, within a transaction.

    Called by whatever changes what a submission pays or what is known of it: its state, its last report, people's
    decisions on it. Where nothing has changed of the money, nothing is posted.
    """
    entries = list[JournalEntry]()
    for row, target, before, number in expected_and_posted(connection, submission_ids):
        entry = _entry_of(row, difference(target, before), before, number)
        entries += [entry] if entry is not None else []
    post(connection, entries, by=by, now=now)


def expected_and_posted(
    connection: Connection, submission_ids: Iterable[str]
) -> Iterator[tuple[Row[Any], dict[JournalAccount, int], dict[JournalAccount, int], int]]:
    columns = (submissions.c.id, submissions.c.job, submissions.c.currency, submissions.c.period, plans.c.payer)
    for some in chunks(submission_ids):
        query = select(*columns, attempts.c.state).select_from(submitted.join(plans)).where(submissions.c.id.in_(some))
        found = connection.execute(query).all()
        claimed, posted = claimed_sums(connection, some), _posted_of(connection, some)
        figures = _figures(connection, [row.id for row in found if row.state in {SubmissionState.PAID, *UNTOLD}])
        decided = _decided(connection, [row.id for row in found if row.state in UNTOLD])
        for row in found:
            number, before = posted[row.id]
            target = where_claims_are(
                Series(row.job, row.payer, row.currency),
                claimed[row.id],
                SubmissionState(row.state),
                figures.get(row.id, ReportFigures()),
                decided[row.id],
                report=row.id,
            )
            yield row, target, before, number


def post_beside(
    connection: Connection,
    submission_id: str,
    split_id: str,
    figures: ReportFigures | None,
    *,
    by: str,
    now: dt.datetime,
) -> bool:
    """Post what another report of one POST has paid beside the submission's own, less what was posted of it.

    It was owed to nobody, so its payees owe it back. No tax was withheld with it, and none of it is the owner's.

    Args:
        figures: None where it has not paid.

    Returns:
        Whether anything was posted.
    """
    ((row, *_),) = expected_and_posted(connection, [submission_id])
    claims = claimed_sums(connection, [submission_id])[submission_id]
    paid = [replace(claim, taxes_cents={}) for claim in claims if claim.kind != "owner"]
    series, cause = Series(row.job, row.payer, row.currency), cause_beside(submission_id, split_id)
    target = where_claims_are(series, paid, SubmissionState.PAID, figures, report=row.id) if figures else {}
    change = difference(target, sums(connection, _E.cause == cause))
    if not change:
        return False
    number = connection.scalar(select(func.count()).where(_E.cause == cause)) or 0
    kind, start = EntryKind.REPORT if figures else EntryKind.RETURN, labelled_period(row.period).start
    name = entry_id(kind, cause, number + 1)
    post(connection, [JournalEntry(name, kind, series, row.period, start, cause, postings_of(change))], by=by, now=now)
    return True


def _entry_of(
    row: Row[Any], change: dict[JournalAccount, int], before: dict[JournalAccount, int], number: int
) -> JournalEntry | None:
    """Say what has happened to a submission's money; None for nothing."""
    if not change:
        return None
    kinds = SignedSums[AccountKind]()
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
    counts = select(_E.cause, func.count()).where(_E.cause.in_(submission_ids)).group_by(_E.cause)
    numbers = {cause: int(number) for cause, number in connection.execute(counts)}
    sums = defaultdict[str, dict[JournalAccount, int]](dict)
    if numbers:
        query = select(_E.cause, *ACCOUNT, SUM).select_from(POSTED).where(_E.cause.in_(list(numbers)))
        for cause, *fields, cents in connection.execute(query.group_by(_E.cause, _A.id, *ACCOUNT)):
            if cents:
                sums[cause][account_of(fields)] = int(cents)
    return {name: (numbers.get(name, 0), sums[name]) for name in submission_ids}


def _figures(connection: Connection, submission_ids: Sequence[str]) -> dict[str, ReportFigures]:
    found = dict[str, ReportFigures]()
    columns = (reports.c.submission_id, reports.c.document, reports.c.went_back)
    query = select(*columns).where(reports.c.submission_id.in_(submission_ids)).order_by(reports.c.id)
    for name, document, went_back in connection.execute(query) if submission_ids else ():
        figures = figures_of(SplitReport.model_validate(parse_json(bytes(document))))
        # What came back is posted apart: of such a report its fee alone is news of what it had paid.
        found[name] = replace(found[name], fee_cents=figures.fee_cents) if went_back and name in found else figures
    return found


def figures_of(report: SplitReport) -> ReportFigures:
    """Read what a report says of the money."""
    return ReportFigures(
        paid_cents=_cents(report.paidAmount),
        tax_cents=_cents(report.irAmount),
        fee_cents=_cents(report.feeAmount),
        held_nothing=_holds_nothing(report),
    )


def _cents(amount: Decimal | None) -> int | None:
    return None if amount is None else cents_of(amount)


def _holds_nothing(report: SplitReport) -> bool:
    amount, count = report.withholdAmount, report.withholdPayments
    return (amount is not None or count is not None) and not amount and not count


def _decided(connection: Connection, submission_ids: Sequence[str]) -> dict[str, dict[str, DecisionKind]]:
    found = defaultdict[str, dict[str, DecisionKind]](dict)
    query = select(decisions).where(decisions.c.submission_id.in_(submission_ids)).order_by(decisions.c.id)
    for decision in sound_decisions(connection, query) if submission_ids else ():
        found[decision.submission_id][decision.obligation_key] = decision.kind
    return found
