"""A payee's account: in which column a sum stands, and what the columns come to over months."""

from flows.books.account import accounts_of
from schemas.account import GROUPS
from schemas.job import labelled_period
from schemas.journal import AccountKind, BookedPosting, EntryKind, Series
from schemas.plan import Inferred
from schemas.trace import PayeeTrace
from schemas.values.money import parse_plain_amount
from tests.spec.tables import reais, table

A, K = AccountKind, EntryKind
COLUMNS = """
    | column      | where the sum is                                                              |
    | tax         | tax                                                                           |
    | recouped    | recouped                                                                      |
    | carried_out | carried                                                                       |
    | held        | held, conflict, withheld                                                      |
    | open        | planned, not_sent, in_doubt, processing, undetermined, refused, failed, INFERRED |
    | paid        | paid, paid_less_tax                                                           |
    | owner       | owner                                                                         |
    | income_tax  | income_tax                                                                    |
    | excluded    | excluded                                                                      |
    | duplicate   | duplicate                                                                     |
"""


def cents(text: str) -> int:
    return parse_plain_amount(text or "0")


def trace(period: str, job: str = "selo") -> PayeeTrace:
    """What names a payee, and tells of no payments."""
    return PayeeTrace(
        job=job, period=period, currency="BRL", language="en", run_id="run", name="Ana", tax_id_masked="***",
        obligations=(), way=None, parts=(), files=(), reports=(), in_cents=0, places_cents=(),
    )  # fmt: skip


def posted(row: dict[str, str], job: str = "selo") -> list[BookedPosting]:
    """What a month posts of Ana: what came in, what advances took, what was sent and paid."""
    series, period = Series(job, "payer", "BRL"), labelled_period(row["month"])
    payee, payment = series.account(A.PAYEE, "ana"), series.account(A.PAYMENT, "ana", row["month"])
    moves = [
        (K.READ, series.account(A.SOURCE), payee, row["earned"]),
        (K.READ, series.account(A.SOURCE), payment, row["rows"]),
        (K.RECOUP, payee, series.account(A.ADVANCE, "ana", "disco"), row["recouped"]),
        (K.SEND, payment if row["rows"] else payee, series.account(A.SERVICE, "ana"), row["paid"]),
        (K.SEND, payee, series.account(A.TRANSIT, "ana"), row["on its way"]),
    ]
    found = []
    for kind, debit, credit, amount in moves:
        about = (kind, series, period.label, period.start, "")
        legs = ((debit, cents(amount)), (credit, -cents(amount)))
        found += [BookedPosting(*about, account, leg) for account, leg in legs if leg and account.payee]
    return found


def test_each_place_of_a_sum_has_its_column():
    inferred = ", ".join(value.value for value in Inferred)  # of a partial report, by its figures alone
    columns = COLUMNS.replace("INFERRED", inferred)
    drawn = {row["column"]: set(row["where the sum is"].split(", ")) for row in table(columns)}
    assert drawn == {column: {str(place) for place in places} for column, places in GROUPS.items()}


YEAR = """
    | month   | earned | rows  | recouped | paid   | on its way |
    | 2026-10 | 45.00  |       | 40.00    |        |            |
    | 2026-11 | 10.00  | 12.00 |          | 12.00  |            |
    | 2026-12 | 30.00  |       |          |        | 25.00      |
    | 2027-01 | -3.00  |       |          |        |            |
"""


def told(year: int | None) -> dict[str, str]:
    """What the account of a year comes to, in reais."""
    rows = table(YEAR)
    entries, traces = [entry for row in rows for entry in posted(row)], [trace(row["month"]) for row in rows]
    (account,) = accounts_of(entries, traces, year).accounts
    sums = {name: account.group_cents(name) for name in ("recouped", "open", "paid")}
    sums = {"opening": account.opening_cents, "came in": account.came_in_cents} | sums
    return {name: reais(sum_cents) for name, sum_cents in (sums | {"balance": account.balance_cents}).items()}


def test_an_account_opens_with_what_was_carried_in_and_ends_with_what_is_carried_on():
    by_year = """
        | year | opening | came in | recouped | open  | paid  | balance |
        | 2026 | 0.00    | 97.00   | 40.00    | 25.00 | 12.00 | 20.00   |
        | 2027 | 20.00   | -3.00   | 0.00     | 0.00  | 0.00  | 17.00   |
        |      | 0.00    | 94.00   | 40.00    | 25.00 | 12.00 | 17.00   |
    """
    for row in table(by_year):
        year = row.pop("year")
        assert told(int(year) if year else None) == row


def test_each_job_has_an_account_of_its_own():
    rows = table(YEAR)
    entries = [*posted(rows[0], "editora"), *posted(rows[1])]
    found = accounts_of(entries, [trace("2026-10", "editora"), trace("2026-11")])
    assert [(account.job, [line.period for line in account.lines]) for account in found.accounts] == [
        ("editora", ["2026-10"]),
        ("selo", ["2026-11"]),
    ]


def test_a_year_of_which_nothing_is_on_record_has_no_account():
    rows = table(YEAR)
    assert accounts_of([entry for row in rows for entry in posted(row)], [trace("2026-10")], 2020) is None
