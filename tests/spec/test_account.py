"""A payee's account: in which column a sum stands, and what the columns come to over months."""

from flows.tracing.account import accounts_of
from schemas.account import GROUPS
from schemas.plan import STANDINGS, Inferred
from schemas.trace import PayeeTrace, TracedWay
from schemas.values.money import parse_plain_amount
from tests.spec.tables import reais, table

COLUMNS = """
    | column      | where the sum is                                                              |
    | tax         | tax                                                                           |
    | recouped    | recouped                                                                      |
    | carried_out | carried                                                                       |
    | held        | held, conflict, withheld                                                      |
    | open        | planned, not_sent, in_doubt, processing, undetermined, refused, failed, INFERRED |
    | paid        | paid, paid_less_tax, owner                                                    |
    | income_tax  | income_tax                                                                    |
    | excluded    | excluded                                                                      |
    | duplicate   | duplicate                                                                     |
"""


def cents(text: str) -> int:
    return parse_plain_amount(text or "0")


def month(row: dict[str, str]) -> PayeeTrace:
    """One period of one payee, as its trace tells it; the columns after the first four are places."""
    places = {name: cents(row[name]) for name in STANDINGS if row.get(name)}
    earned_cents, carried_in_cents = cents(row["earned"]), cents(row["carried in"])
    way = TracedWay(
        earned_exact=0, earned_cents=earned_cents, recouped_cents=0, carried_in_cents=carried_in_cents,
        carried_out_cents=0, held_cents=0, payable_cents=0,
    )  # fmt: skip
    return PayeeTrace(
        job=row.get("job", "selo"), period=row["month"], currency="BRL", language="en", run_id="run", name="Ana",
        tax_id_masked="***", obligations=(), way=way, parts=(), files=(), reports=(),
        in_cents=earned_cents + cents(row["rows"]) + carried_in_cents, places_cents=tuple(places.items()),
    )  # fmt: skip


def test_each_place_of_a_sum_has_its_column():
    inferred = ", ".join(value.value for value in Inferred)  # of a partial report, by its figures alone
    columns = COLUMNS.replace("INFERRED", inferred)
    drawn = {row["column"]: set(row["where the sum is"].split(", ")) for row in table(columns)}
    assert drawn == {column: {str(standing) for standing in standings} for column, standings in GROUPS.items()}


YEAR = """
    | month   | earned | rows  | carried in | recouped | carried | held  | paid   | processing |
    | 2026-10 | 45.00  |       |            | 40.00    | 5.00    |       |        |            |
    | 2026-11 | 10.00  | 12.00 | 5.00       |          | 15.00   |       | 12.00  |            |
    | 2026-12 | 30.00  |       | 15.00      |          |         | 20.00 |        | 25.00      |
    | 2027-01 | -3.00  |       |            |          | -3.00   |       |        |            |
"""


def told(year: int | None) -> dict[str, str]:
    """What the account of a year comes to, in reais."""
    (account,) = accounts_of([month(row) for row in reversed(table(YEAR))], year).accounts
    sums = {name: account.group_cents(name) for name in ("recouped", "held", "open", "paid")}
    sums = {"opening": account.opening_cents, "came in": account.came_in_cents} | sums
    return {name: reais(sum_cents) for name, sum_cents in (sums | {"balance": account.balance_cents}).items()}


def test_an_account_opens_with_what_was_carried_in_and_ends_with_what_is_carried_on():
    by_year = """
        | year | opening | came in | recouped | held  | open  | paid  | balance |
        | 2026 | 0.00    | 97.00   | 40.00    | 20.00 | 25.00 | 12.00 | 0.00    |
        | 2027 | 0.00    | -3.00   | 0.00     | 0.00  | 0.00  | 0.00  | -3.00   |
        |      | 0.00    | 94.00   | 40.00    | 20.00 | 25.00 | 12.00 | -3.00   |
    """
    for row in table(by_year):
        year = row.pop("year")
        assert told(int(year) if year else None) == row


def test_each_job_has_an_account_of_its_own():
    rows = table(YEAR)
    found = accounts_of([month(rows[0] | {"job": "editora"}), month(rows[1])])
    assert [(account.job, [line.period for line in account.lines]) for account in found.accounts] == [
        ("editora", ["2026-10"]),
        ("selo", ["2026-11"]),
    ]


def test_a_year_of_which_nothing_is_on_record_has_no_account():
    assert accounts_of([month(row) for row in table(YEAR)], 2020) is None
