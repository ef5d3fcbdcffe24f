"""The journal for an accountant's books: beancount, hledger, CSV and Parquet; payees by code, never by document."""

import csv
import datetime as dt
import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.job import BRASILIA
from schemas.journal import STATED, AccountKind, JournalAccount, JournalEntry, payee_code
from schemas.readers import for_people
from schemas.values.money import SignedSums

A = AccountKind
Format = Literal["beancount", "hledger", "csv", "parquet"]

# How each kind of account stands in the books; the part after the second colon is the job's, the payee's and its own.
_PLACES: Final[Mapping[AccountKind, str]] = {
    A.SOURCE: "Assets:Source",
    A.PAYEE: "Liabilities:Payee",
    A.PAYMENT: "Liabilities:Payment",
    A.OWNER: "Equity:Owner",
    A.UNASSIGNED: "Liabilities:Unassigned",
    A.ADVANCE: "Assets:Advance",
    A.TAX: "Liabilities:Tax",
    A.TRANSIT: "Liabilities:Transit",
    A.SERVICE: "Assets:Service",
    A.SERVICE_TAX: "Assets:ServiceTax",
    A.SERVICE_HELD: "Assets:ServiceHeld",
    A.SERVICE_FEE: "Assets:ServiceFee",
    A.OUTSIDE: "Equity:Outside",
    A.EXPENSE: "Expenses:Service",
    A.FLOAT: "Assets:Float",
    A.BANK: "Assets:Bank",
    A.RETURNED: "Liabilities:Returned",
}


@dataclass(frozen=True, slots=True)
class Booked:
    day: dt.date
    entry: JournalEntry


@dataclass(frozen=True, slots=True)
class JournalToExport:
    """What is to be exported.

    Attributes:
        numbers: Account -> its number in the ledger, which never changes.
        codes: Name of an account, or the beginning of one -> code in the accountant's chart of accounts.
    """

    booked: Sequence[Booked]
    opening: Mapping[JournalAccount, int]
    since: dt.date
    until: dt.date
    numbers: Mapping[JournalAccount, int]
    codes: Mapping[str, str]

    def names(self) -> "AccountNames":
        return AccountNames(self.numbers)


class AccountNames:
    """Names accounts so that the same one is always called the same, and nobody can be told by it.

    None is a part of another one's name, so that what one stands at is not what several do.
    """

    def __init__(self, numbers: Mapping[JournalAccount, int]) -> None:
        self._numbers = numbers
        self._payees, self._names = dict[str, int](), dict[JournalAccount, str]()
        payers, taken = dict[str, list[str]](), set[str]()
        for account, number in sorted(numbers.items(), key=lambda item: item[1]):
            if account.payee:
                self._payees.setdefault(account.payee, number)
            known = payers.setdefault(account.job, [])
            if account.payer not in known:
                known.append(account.payer)
            name = self._name(account, number, known.index(account.payer) + 1)
            self._names[account] = name if name not in taken else f"{name}-{number}"
            taken.add(self._names[account])

    def payee(self, account: JournalAccount) -> str:
        return payee_code(self._payees[account.payee]) if account.payee else ""

    def own(self, account: JournalAccount) -> str:
        """Return the part of a name that is the account's own: of a row, of an advance; "" where the payee says it."""
        mark = _NUMBERED.get(account.kind)
        return f"{mark}{self._numbers[account]}" if mark else ""

    def of(self, account: JournalAccount) -> str:
        return self._names[account]

    def _name(self, account: JournalAccount, number: int, payer: int) -> str:
        job = (_word(account.job) or "Shared") + (f"-{payer}" if payer > 1 else "")
        whose = self.payee(account) or ("Together" if account.kind in _OF_PAYEES else "")
        own = {
            **{kind: f"{mark}{number}" for kind, mark in _NUMBERED.items()},
            A.OWNER: "Stated" if account.reference == STATED else "Own",
            A.OUTSIDE: _word(account.reference) or "Paid",
        }.get(account.kind, _word(account.reference))
        return ":".join(filter(None, (_PLACES[account.kind], job, whose, own)))


_NUMBERED: Final = {A.PAYMENT: "R", A.ADVANCE: "A"}
_OF_PAYEES: Final = frozenset({A.SERVICE, A.SERVICE_TAX, A.SERVICE_HELD, A.SERVICE_FEE, A.OUTSIDE})


def _word(text: str) -> str:
    """Return a text as one part of an account's name: plain letters, digits and dashes, beginning with a capital."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    word = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-")
    return word[:1].upper() + word[1:]


@for_people()
def export_journal(journal: JournalToExport, form: Format) -> bytes:
    """Write entries in one of the formats; the same entries are the same bytes, whatever is booked after them."""
    match form:
        case "beancount":
            return "".join(f"{line}\n" for line in _beancount(journal)).encode()
        case "hledger":
            return "".join(f"{line}\n" for line in _hledger(journal)).encode()
        case "csv":
            return _csv(journal)
        case "parquet":
            return _parquet(journal)


@dataclass(frozen=True, slots=True)
class _Step:
    day: dt.date
    entry: JournalEntry | None
    sums: Mapping[JournalAccount, int]


def _steps(journal: JournalToExport) -> Iterator[_Step]:
    """Yield entries in order, and on the first of each month what all accounts moved in the month before stand at."""
    balances, moved = SignedSums(journal.opening), set(journal.opening)
    if journal.opening:
        yield _Step(journal.since, None, journal.opening)
        moved = set()
    by_month = defaultdict[dt.date, list[Booked]](list)
    for booked in journal.booked:
        by_month[_next_month(booked.day)].append(booked)
    for following in sorted(by_month):
        for booked in by_month[following]:
            for posting in booked.entry.postings:
                balances[posting.account] += posting.amount_cents
                moved.add(posting.account)
            yield _Step(booked.day, booked.entry, {})
        if following <= journal.until + dt.timedelta(days=1):
            yield _Step(following, None, {account: balances[account] for account in sorted(moved)})
            moved = set()


def _next_month(day: dt.date) -> dt.date:
    return (day.replace(day=1) + dt.timedelta(days=32)).replace(day=1)


def _amount(cents: int) -> str:
    return f"{Decimal(cents).scaleb(-2):.2f}"


def _beancount(journal: JournalToExport) -> Iterator[str]:
    names, opened = journal.names(), set[JournalAccount]()
    yield 'option "title" "Repasse"'

    def opens(day: dt.date, accounts: Iterable[JournalAccount]) -> Iterator[str]:
        for account in accounts:
            if account not in opened:
                opened.add(account)
                yield f"{day} open {names.of(account)} {account.currency}"

    for number, step in enumerate(_steps(journal)):
        if step.entry is not None:
            yield from opens(step.day, (posting.account for posting in step.entry.postings))
            yield ""
            yield f'{step.day} * "{step.entry.kind}" "{_title(step.entry)}"'
            yield f'  id: "{step.entry.id}"'
            for posting in step.entry.postings:
                yield f"  {names.of(posting.account)}  {_amount(posting.amount_cents)} {posting.account.currency}"
        elif number == 0 and journal.opening:
            yield from opens(step.day, step.sums)
            yield ""
            yield f'{step.day} * "opening" "balances before {journal.since}"'
            yield from (f"  {names.of(a)}  {_amount(cents)} {a.currency}" for a, cents in step.sums.items())
        else:
            yield ""
            for account, cents in step.sums.items():
                # Without a tolerance of its own, beancount passes over half a unit of the last digit.
                yield f"{step.day} balance {names.of(account)}  {_amount(cents)} ~ 0.00 {account.currency}"


def _hledger(journal: JournalToExport) -> Iterator[str]:
    names, declared = journal.names(), set[JournalAccount]()

    def declare(accounts: Iterable[JournalAccount]) -> Iterator[str]:
        for account in accounts:
            if account not in declared:
                declared.add(account)
                yield f"account {names.of(account)}"

    for number, step in enumerate(_steps(journal)):
        if step.entry is not None:
            yield from declare(posting.account for posting in step.entry.postings)
            yield ""
            yield f"{step.day} * {step.entry.kind} | {_title(step.entry)}  ; id:{step.entry.id}"
            for posting in step.entry.postings:
                yield f"    {names.of(posting.account)}  {_amount(posting.amount_cents)} {posting.account.currency}"
        elif number == 0 and journal.opening:
            yield from declare(step.sums)
            yield ""
            yield f"{step.day} * opening | balances before {journal.since}"
            yield from (f"    {names.of(a)}  {_amount(cents)} {a.currency}" for a, cents in step.sums.items())
        else:
            yield ""
            yield f"{step.day} * balances"
            for a, cents in step.sums.items():
                yield f"    {names.of(a)}  0.00 {a.currency} = {_amount(cents)} {a.currency}"


def _title(entry: JournalEntry) -> str:
    """Say what an entry is about; its cause only where that is a report."""
    about = " ".join(filter(None, (entry.series.job, entry.period)))
    return f"{about}, {entry.cause}" if entry.cause.startswith("rp-") else about


_COLUMNS: Final = (
    "day", "entry", "kind", "job", "period", "report", "account", "code", "payee", "debit", "credit", "currency",
)  # fmt: skip


class _Leg(NamedTuple):
    day: dt.date
    entry: str
    kind: str
    job: str
    period: str
    report: str
    account: JournalAccount
    amount_cents: int


def _legs(journal: JournalToExport) -> Iterator[_Leg]:
    """List the postings alone: what stood before is in the rows of the days before, whatever days are asked for."""
    for booked in journal.booked:
        entry = booked.entry
        report = entry.cause if entry.cause.startswith("rp-") else ""
        about = (booked.day, entry.id, entry.kind.value, entry.series.job, entry.period, report)
        yield from (_Leg(*about, posting.account, posting.amount_cents) for posting in entry.postings)


def _rows(journal: JournalToExport) -> Iterator[tuple[object, ...]]:
    names = journal.names()
    for leg in _legs(journal):
        name, account = names.of(leg.account), leg.account
        debit, credit = (Decimal(max(0, cents)).scaleb(-2) for cents in (leg.amount_cents, -leg.amount_cents))
        yield (*leg[:6], name, _code(name, journal.codes), names.payee(account), debit, credit, account.currency)


def _code(name: str, codes: Mapping[str, str]) -> str:
    """Return the code of the longest name that an account begins with; "" for none."""
    parts = name.split(":")
    wholes = (":".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((codes[whole] for whole in wholes if whole in codes), "")


def _csv(journal: JournalToExport) -> bytes:
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_rows(journal))
    return written.getvalue().encode()


def _parquet(journal: JournalToExport) -> bytes:
    money = pa.decimal128(18, 2)
    types = {"day": pa.date32(), "debit": money, "credit": money}
    columns = list(zip(*_rows(journal), strict=True)) or [()] * len(_COLUMNS)
    table = pa.table(
        {name: pa.array(column, types.get(name, pa.string())) for name, column in zip(_COLUMNS, columns, strict=True)}
    )
    written = pa.BufferOutputStream()
    pq.write_table(table, written)
    content: bytes = written.getvalue().to_pybytes()
    return content


def day_of(moment: dt.datetime) -> dt.date:
    return moment.astimezone(BRASILIA).date()
