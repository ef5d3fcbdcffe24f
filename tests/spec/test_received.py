"""A source says what the bank got for it: lines that do not add up to it are held, all of them, and nothing else is."""

from dataclasses import replace
from decimal import Decimal

import pytest

from flows.intake.rules.hold_lines import hold_unreceived
from schemas.parsing.row_accounting import runs_frame
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import held_rows, lines, payees, same, shares

DRAWN = """
    | recording | amount | currency |
    | samba     | 10.00  | USD      |
    | valsa     | 2.504  | USD      |
    | choro     | 4.00   | EUR      |
"""


def source(received, *, drawn=DRAWN, held="", file="statement.tsv"):
    """A source of lines in dollars and euros, both worth five reais, and what the bank got for it."""
    problems = held_rows(held, file=file) if held else held_rows()
    worth = statement(lines(drawn, file=file), held=problems, rates={"USD": "5", "EUR": "5"})
    return replace(worth, received={name: Decimal(amount) for name, amount in received.items()})


def came_in(*sources):
    runs = [(file, "", 2, 9, 3, "used", "") for one in sources for file in sorted(one.files)]
    return inputs(
        sources, payees=payees("ana"), shares=shares("| payee | share |\n| ana | 100 |"), rows=runs_frame(runs)
    )


def issues(came, repeated=()):
    return hold_unreceived(came, repeated).issues


@pytest.mark.parametrize(
    "received",
    [
        {"USD": "12.50", "EUR": "4.00"},
        {"USD": "12.51", "EUR": "4"},
        {"EUR": "4.0", "USD": "12.504"},
        {},
    ],
    ids=["rounded", "rounded up", "exact", "not said"],
)
def test_lines_that_are_what_the_bank_got_are_paid(received):
    assert not issues(came_in(source(received)))


@pytest.mark.parametrize(
    ("received", "currency", "told"),
    [
        ({"USD": "12.49", "EUR": "4.00"}, "USD", ("12.49", "12.50", "0.01")),
        ({"USD": "1012.50", "EUR": "4.00"}, "USD", ("1,012.50", "12.50", "-1,000.00")),
        ({"USD": "12.50"}, "EUR", ("0.00", "4.00", "4.00")),
        ({"USD": "12.50", "EUR": "4.00", "GBP": "1.00"}, "GBP", ("1.00", "0.00", "-1.00")),
    ],
    ids=["a cent", "a thousand", "a currency more", "a currency less"],
)
def test_a_source_that_is_not_what_the_bank_got_is_held_whole_and_both_figures_are_told(received, currency, told):
    came = came_in(source(received), source({}, file="other.tsv"))
    held = hold_unreceived(came, ())
    (issue,) = held.issues
    expected, found, difference = told
    assert (issue.code.value, issue.file) == ("RECEIVED_MISMATCH", "statement.tsv")
    assert f"{currency} {expected}" in str(issue.message)
    assert f"add up to {found}, the difference is {difference};" in str(issue.message)
    assert same(
        held.rows,
        """
        | file          | rows | disposition | reason            |
        | other.tsv     | 3    | used        |                   |
        | statement.tsv | 3    | held        | RECEIVED_MISMATCH |
        """,
    )
    payables = Office().compute_payables(held)
    assert same(
        [owed for owed in payables.obligations if owed.amount_cents != 0],
        """
        | payee | amount | place   | reason            |
        | ana   | 82.52  | planned |                   |
        |       | 82.52  | held    | RECEIVED_MISMATCH |
        """,
    )


def test_lines_with_problems_are_part_of_what_the_bank_got():
    held = "| payee | amount | currency | problem |\n|  | 1.00 | USD | ISRC_FORMAT |"
    assert not issues(came_in(source({"USD": "13.50", "EUR": "4.00"}, held=held)))
    assert issues(came_in(source({"USD": "12.50", "EUR": "4.00"}, held=held)))


def test_files_that_were_used_before_are_no_part_of_it():
    first, copy = source({"USD": "12.50", "EUR": "4.00"}), source({}, file="copy.tsv")
    both = replace(
        first, totals=statement(lines(DRAWN.replace("4.00", "4.00"), file="statement.tsv")).totals, held=copy.held
    )
    assert not issues(came_in(both), ["copy.tsv"])


@pytest.mark.parametrize(("received", "held"), [("2.50", False), ("12.50", False), ("7.00", True)])
def test_lines_that_were_used_before_may_or_may_not_be_in_what_the_bank_got(received, held):
    drawn = "| recording | amount | currency |\n| valsa | 2.50 | USD |"
    before = "| payee | amount | currency | problem |\n|  | 10.00 | USD | LINES_USED_BEFORE |"
    assert bool(issues(came_in(source({"USD": received}, drawn=drawn, held=before)))) is held
