"""What came back of payments: who says so, what people decided on it, and where in the journal it stands."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, and_, false, func, insert, or_, select, true

from io_adapters.ledger.acts import record_act, sound_acts
from io_adapters.ledger.decision_rows import sound_decisions
from io_adapters.ledger.engine import Database, chunks, seal_of
from io_adapters.ledger.posting import all_sums, post, sums
from io_adapters.ledger.tables import (
    attempts,
    bank_words,
    claims,
    decisions,
    journal_accounts,
    journal_entries,
    plans,
    returns,
    submissions,
)
from schemas.acts import Act, ActKind, digest_of
from schemas.approval import DecisionKind
from schemas.bank import BankMatter
from schemas.errors import DecisionRefused
from schemas.job import BRASILIA, labelled_period
from schemas.journal import AccountKind, EntryKind, JournalEntry, Series, difference, entry_id, postings_of
from schemas.messages import Message, Money
from schemas.returns import (
    ENDED_RETURNS,
    ReportWentBack,
    Returned,
    ReturnState,
    Witness,
    next_number,
    return_key,
    where_it_stands,
)
from schemas.submission import SubmissionState
from schemas.values.money import SignedSums

_R, _E = returns.c, journal_entries.c


class PaidClaim(NamedTuple):
    """A payment that its report says was made.

    Attributes:
        paid_cents: What the service says that it paid, less the tax that it kept where that is known.
        left_cents: What of it has not come back.
    """

    submission_id: str
    currency: str
    job: str
    paid_cents: int
    left_cents: int
    sent_on: dt.date


class Returns:
    """The record of what came back."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of_series(self, series: Series) -> list[Returned]:
        """Return all that came back of what a job has paid, the first first; also what of it is settled."""
        mine = and_(submissions.c.job == series.job, submissions.c.currency == series.currency)
        return self._read(and_(mine, plans.c.payer == series.payer))

    def of_payments(self, obligation_keys: Iterable[str]) -> list[Returned]:
        """Return all that came back of some payments."""
        return [found for some in chunks(obligation_keys) for found in self._read(_R.obligation_key.in_(some))]

    def of_reports(self, submission_ids: Iterable[str]) -> list[Returned]:
        """Return all that came back of what some reports had paid, also that of which nobody can tell whose it is."""
        return [found for some in chunks(submission_ids) for found in self._read(_R.submission_id.in_(some))]

    def all(self) -> list[Returned]:
        return self._read(true())

    def called(self, key: str) -> Returned | None:
        """Return the return of a key, ob-.../r1."""
        with self._db.reading() as connection:
            found = read_returns(connection, _with_keys([key]))
        return found[0] if found else None

    def paid_claim(self, obligation_key: str) -> PaidClaim | None:
        """Return a payment, and what of it may come back; None where no report says that it was made."""
        with self._db.reading() as connection:
            return _paid_claim(connection, obligation_key)

    def disagreeing(self, submission_ids: Iterable[str]) -> list[str]:
        """Return what came back of these reports that the journal tells otherwise, or that is more than was paid.

        Normally none.
        """
        with self._db.reading() as connection:
            wrong = list[str]()
            for some in chunks(submission_ids):
                back, found = SignedSums[str](), read_returns(connection, _R.submission_id.in_(some))
                for each in found:
                    back[each.obligation_key] += each.amount_cents if each.counts else 0
                query = select(claims.c.obligation_key, claims.c.amount_cents).where(
                    claims.c.submission_id.in_(some), claims.c.obligation_key.in_(list(back)), claims.c.kind != "owner"
                )
                paid = {key: int(cents) for key, cents in connection.execute(query)} if back else {}
                wrong += [
                    each.key
                    for each in found
                    if (not each.is_nobodys and back[each.obligation_key] > paid.get(each.obligation_key, 0))
                    or where_it_stands(each) != sums(connection, _E.cause == each.cause)
                ]
            return wrong

    def record(self, obligation_key: str, amount_cents: int, day: dt.date, *, by: str, evidence: str) -> Returned:
        """Write down a person's word that so much of a payment came back, and post it.

        Where a report, or a line of the bank, has shown that very sum of it before, it is the same return.

        Raises:
            DecisionRefused: it is not paid, less of it is paid than that, or the same was said before: what came back
                twice on one day is said as one sum.
        """
        with self._db.writing() as connection:
            paid = _paid_claim(connection, obligation_key)
            if paid is None:
                raise DecisionRefused(Message("returned.not_paid", obligation=obligation_key))
            known = read_returns(connection, _R.submission_id == paid.submission_id)
            mine = [each for each in known if each.obligation_key == obligation_key]
            if any(Witness.PERSON in each.seen_by and each.is_same(amount_cents, day) for each in mine):
                raise DecisionRefused(Message("returned.recorded_before", obligation=obligation_key))
            seen = next(
                (each for each in mine if _is_of_report_alone(each) and each.amount_cents == amount_cents), None
            )
            if seen is None and amount_cents > paid.left_cents:
                left = Money(paid.left_cents, paid.currency)
                raise DecisionRefused(Message("returned.too_much", obligation=obligation_key, left=left))
            write = _Writing(connection, paid.submission_id, day, by, evidence, self._db.now())
            number = seen.number if seen else next_number(mine)
            write(obligation_key, number, Witness.PERSON, amount_cents)
            nobodys = [each for each in known if each.is_nobodys and each.counts]
            if seen is None and amount_cents <= sum(each.amount_cents for each in nobodys):
                write(obligation_key, number, Witness.REPORT, amount_cents)
                left_cents = amount_cents
                for each in nobodys:
                    if left_cents > 0:
                        write(each.obligation_key, each.number, Witness.WITHDRAWN, each.amount_cents)
                        left_cents -= each.amount_cents
                if left_cents < 0:
                    rest = next_number(each for each in known if each.is_nobodys)
                    write(nobodys[0].obligation_key, rest, Witness.REPORT, -left_cents)
            key = return_key(obligation_key, number)
            post_returns(connection, [key], by=by, now=self._db.now())
            return read_returns(connection, _with_keys([key]))[0]

    def take_back(self, obligation_key: str, amount_cents: int, *, by: str, evidence: str) -> Returned:
        """Write down that a person's word on a return of that sum was wrong: the payee has it, as was posted before.

        Raises:
            DecisionRefused: no such word stands, or it is decided on, or paid again.
        """
        with self._db.writing() as connection:
            mine = read_returns(connection, _R.obligation_key == obligation_key)
            is_open = (each for each in mine if Witness.PERSON in each.seen_by and each.state is ReturnState.OPEN)
            found = next((each for each in is_open if each.amount_cents == amount_cents), None)
            if found is None:
                raise DecisionRefused(Message("returned.nothing_to_take_back", obligation=obligation_key))
            now = self._db.now()
            write = _Writing(connection, found.submission_id, found.day, by, evidence, now)
            write(obligation_key, found.number, Witness.TAKEN_BACK, amount_cents)
            post_returns(connection, [found.key], by=by, now=now)
            return read_returns(connection, _with_keys([found.key]))[0]

    def see(self, submission_id: str, known: Sequence[Returned], told: ReportWentBack, *, by: str) -> None:
        """Write down what a report shows of what came back, and post it.

        What it shows no more counts no more where it alone had said so, and it is not paid again.

        Args:
            known: All that was known of the report when it was looked at; where more is by now, nothing is written, and
                the next look tells.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            write = _Writing(connection, submission_id, now.astimezone(BRASILIA).date(), by, "", now)
            if read_returns(connection, _R.submission_id == submission_id) != list(known):
                return
            nobodys = [(submission_id, told.nobodys_cents)] if told.nobodys_cents else []
            for key, cents in (*told.seen, *nobodys):
                number = next_number(each for each in known if each.obligation_key == key)
                write(key, number, Witness.REPORT, cents)
            for each in told.borne_out:
                write(each.obligation_key, each.number, Witness.REPORT, each.amount_cents)
            for each in told.paid_again:
                if _is_of_report_alone(each):
                    write(each.obligation_key, each.number, Witness.WITHDRAWN, each.amount_cents)
            mine = read_returns(connection, _R.submission_id == submission_id)
            post_returns(connection, [each.key for each in mine], by=by, now=now)

    def _read(self, which: ColumnElement[bool]) -> list[Returned]:
        with self._db.reading() as connection:
            return read_returns(connection, which)


class _Writing:
    """Writes rows of returns of one report, each with its act."""

    def __init__(
        self, connection: Connection, submission_id: str, day: dt.date, by: str, why: str, now: dt.datetime
    ) -> None:
        self._connection, self._submission_id, self._day = connection, submission_id, day
        self._by, self._why, self._now = by, why, now

    def __call__(self, obligation_key: str, number: int, witness: Witness, amount_cents: int) -> None:
        row = (obligation_key, number, witness.value, self._submission_id, amount_cents, self._day.isoformat())
        key = return_key(obligation_key, number)
        facts = {"return": digest_of(*row), "says": witness.value, "amount_cents": str(amount_cents)}
        act = Act(ActKind.RETURNED, self._by, key, self._why, self._now, facts)
        number_of_act = record_act(self._connection, seal_of(self._connection), act)
        values = dict(zip(_ROW, row, strict=True)) | {"by": self._by, "act": number_of_act}
        self._connection.execute(insert(returns).values(values))


_ROW: Final = ("obligation_key", "number", "witness", "submission_id", "amount_cents", "day")


def _is_of_report_alone(each: Returned) -> bool:
    return Witness.PERSON not in each.seen_by and each.counts and not each.claimed_by


def _with_keys(keys: Collection[str]) -> ColumnElement[bool]:
    named = [key.rpartition("/r") for key in keys]
    pairs = [and_(_R.obligation_key == paid, _R.number == int(n)) for paid, _, n in named if n.isdecimal()]
    return or_(false(), *pairs)


def read_returns(connection: Connection, which: ColumnElement[bool]) -> list[Returned]:
    """Read returns, within a transaction, each with all that is said of it; a row without its act says nothing."""
    columns = [claims.c.base_key, claims.c.reference, claims.c.payee, claims.c.destination]
    columns += [submissions.c.job, submissions.c.period, submissions.c.currency, plans.c.payer]
    of_claim = and_(claims.c.submission_id == _R.submission_id, claims.c.obligation_key == _R.obligation_key)
    query = (
        select(returns, *columns)
        .join(submissions, submissions.c.id == _R.submission_id)
        .join(plans, plans.c.digest == submissions.c.plan_digest)
        .outerjoin(claims, of_claim)
        .where(which)
        .order_by(_R.id)
    )
    rows = connection.execute(query).all()
    acts = sound_acts(connection, seal_of(connection), {row.act for row in rows}) if rows else {}
    by_key = defaultdict[str, list[Row[Any]]](list)
    for row in rows:
        digest = digest_of(*(getattr(row, name) for name in _ROW))
        if row.act in acts and acts[row.act].facts.get("return") == digest:
            by_key[return_key(row.obligation_key, row.number)].append(row)
    words, in_bank, claimed = _words(connection, by_key), _in_bank(connection, by_key), _claimed(connection, by_key)
    return [
        Returned(
            obligation_key=own[0].obligation_key,
            number=own[0].number,
            submission_id=own[0].submission_id,
            job=own[0].job,
            payer=own[0].payer,
            period=own[0].period,
            currency=own[0].currency,
            base_key=own[0].base_key or "",
            reference=own[0].reference or "",
            payee=own[0].payee or "",
            destination=own[0].destination or "",
            amount_cents=int(own[0].amount_cents),
            day=dt.date.fromisoformat(own[0].day),
            at=acts[own[0].act].at,
            seen_by=frozenset(Witness(row.witness) for row in own),
            in_bank=key in in_bank,
            word=words.get(key),
            claimed_by=claimed.get(key, ("", ""))[0],
            claimed_for=claimed.get(key, ("", ""))[1],
        )
        for key, own in by_key.items()
    ]


def _words(connection: Connection, keys: Iterable[str]) -> dict[str, DecisionKind]:
    found = dict[str, DecisionKind]()
    for some in chunks(keys):
        query = select(decisions).where(decisions.c.obligation_key.in_(some), decisions.c.submission_id == "")
        for decision in sound_decisions(connection, query.order_by(decisions.c.id)):
            found[decision.obligation_key] = decision.kind
    return found


def _in_bank(connection: Connection, keys: Iterable[str]) -> set[str]:
    later = bank_words.alias("later")
    taken_back = and_(later.c.line_id == bank_words.c.line_id, later.c.id > bank_words.c.id)
    stands = ~select(later.c.id).where(taken_back, later.c.matter == BankMatter.OPEN.value).exists()
    found = set[str]()
    for some in chunks(keys):
        of_return = and_(bank_words.c.matter == BankMatter.RETURN.value, bank_words.c.subject.in_(some))
        found.update(connection.scalars(select(bank_words.c.subject).where(of_return, stands)))
    return found


def _claimed(connection: Connection, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    found = dict[str, tuple[str, str]]()
    for some in chunks(keys):
        query = select(claims.c.obligation_key, claims.c.submission_id, submissions.c.period)
        query = query.join(submissions).where(claims.c.obligation_key.in_(some), claims.c.live)
        found |= {key: (submission_id, period) for key, submission_id, period in connection.execute(query)}
    return found


def _paid_claim(connection: Connection, obligation_key: str) -> PaidClaim | None:
    is_paid = attempts.c.state == SubmissionState.PAID.value
    query = (
        select(claims, submissions.c.job, submissions.c.currency, attempts.c.sending_at)
        .join(submissions, submissions.c.id == claims.c.submission_id)
        .join(attempts, attempts.c.id == submissions.c.id)
        .where(claims.c.obligation_key == obligation_key, claims.c.live, is_paid, claims.c.kind != "owner")
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    of_payee = and_(
        _E.cause == row.submission_id,
        journal_accounts.c.kind == AccountKind.SERVICE.value,
        journal_accounts.c.payee == row.payee,
    )
    paid_cents = min(int(row.amount_cents), -sum(all_sums(connection, of_payee).values()))
    known = read_returns(connection, _R.obligation_key == obligation_key)
    back_cents = sum(each.amount_cents for each in known if each.counts)
    sent_on = row.sending_at.astimezone(BRASILIA).date()
    return PaidClaim(row.submission_id, row.currency, row.job, paid_cents, paid_cents - back_cents, sent_on)


def post_returns(connection: Connection, keys: Collection[str], *, by: str, now: dt.datetime) -> None:
    """Post where returns stand by now, less what was posted of them, within a transaction.

    Called by whatever changes who says it, or what people decided on it.
    """
    for returned in read_returns(connection, _with_keys(keys)) if keys else ():
        change = difference(where_it_stands(returned), sums(connection, _E.cause == returned.cause))
        if not change:
            continue
        number = connection.scalar(select(func.count()).where(_E.cause == returned.cause)) or 0
        is_settled = returned.state in ENDED_RETURNS
        kind = EntryKind.DECISION if is_settled else EntryKind.RETURN
        series = Series(returned.job, returned.payer, returned.currency)
        start = labelled_period(returned.period).start
        name = entry_id(kind, returned.cause, number + 1)
        entry = JournalEntry(name, kind, series, returned.period, start, returned.cause, postings_of(change))
        post(connection, [entry], by=by, now=now)
