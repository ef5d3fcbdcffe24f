"""Which exchange rate a currency has, from its source or from the table of rates, and which rates want a word."""

import datetime as dt
from decimal import Decimal

import pytest

from flows.intake.rules.inputs import RateTable
from schemas.job import Exchange, resolve_period
from schemas.payee_statement import Quote
from tests.spec.tables import table

OCTOBER = resolve_period("2026-10", None)
TABLE = """
    | currency | day        | rate   | source |
    | USD      | 2026-09-30 | 5.30   | PTAX   |
    | USD      | 2026-10-30 | 5.4312 | PTAX   |
    | USD      | 2026-11-03 | 5.60   | PTAX   |
    | EUR      | 2026-09-15 | 6.10   | BCE    |
    | GBP      | 2026-11-03 | 7.00   | PTAX   |
    | BRL      | 2026-10-01 | 2      | joke   |
"""


def of_table(*in_question):
    rows = (
        Quote(row["currency"], Decimal(row["rate"]), dt.date.fromisoformat(row["day"]), row["source"])
        for row in table(TABLE)
    )
    return RateTable(tuple(rows), frozenset(in_question))


def chosen(*in_question, **own):
    """Currency -> rate and day of a source in October."""
    exchange = {
        currency: Exchange.model_validate({"rate": rate, "date": "2026-10-15", "source": "contract"})
        for currency, rate in own.items()
    }
    quotes = of_table(*in_question).quotes(exchange, "BRL", OCTOBER)
    return {quote.currency: (str(quote.rate), f"{quote.day}", quote.origin) for quote in quotes}


def test_the_last_day_of_the_table_up_to_the_end_of_the_period_counts_and_a_later_one_never():
    assert chosen() == {"USD": ("5.4312", "2026-10-30", "PTAX"), "EUR": ("6.10", "2026-09-15", "BCE")}


def test_what_a_source_says_goes_before_the_table():
    assert chosen(USD="5.00")["USD"] == ("5.00", "2026-10-15", "contract")


@pytest.mark.parametrize(("unread", "left"), [("USD", {"EUR"}), ("", set())])
def test_a_currency_with_a_row_in_question_has_no_rate_of_the_table(unread, left):
    assert set(chosen(unread)) == left
