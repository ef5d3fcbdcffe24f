"""Shares of some lines alone: of a territory, a kind of income, a service, a format.

Varied: which column is asked about, with words or with "except"; where rows stand; how words are written on either
side. Held constant: one currency, one month.
"""

from decimal import Decimal

import pytest

from flows.intake.rules.inputs import sum_lines
from flows.payables.rules.cross_check import cross_check
from flows.royalties.rules.allocation import allocate
from flows.royalties.rules.deals import Deals
from schemas.errors import UnsoundPlan
from schemas.job import resolve_period
from schemas.messages import render
from schemas.tables.royalties import CONDITIONS, asked_about
from schemas.values.line_conditions import read_condition
from tests.spec.office import inputs, job, statement
from tests.spec.tables import lines, payees, same, shares

OCTOBER = "2026-10-01"


def share_out(lines_drawn, shares_drawn):
    of_payees = shares(shares_drawn)
    totals = sum_lines(lines(lines_drawn), asked_about([of_payees]))
    return allocate(totals, Deals(of_payees), rates={"BRL": Decimal(1)}, first_day=OCTOBER).earnings


def earned(lines_drawn, shares_drawn):
    """What each payee, "" for owner and nobody, earned in all."""
    found = share_out(lines_drawn, shares_drawn)
    return {
        name: str(of) for name, of in found.groupby("tax_id")["earned"].sum().map(lambda sum_: sum_.normalize()).items()
    }


def told(lines_drawn, shares_drawn):
    of_payees = shares(shares_drawn)
    read = statement(lines(lines_drawn), conditions=asked_about([of_payees]))
    came_in = inputs([read], shares=of_payees, payees=payees("ana", "bia", "caio"))
    found = cross_check(came_in, job(), resolve_period("2026-10", None)).issues
    return [(issue.code.value, issue.row, render(issue.message, "en")) for issue in found]


LINES = """
    | recording | territory | income   | store | format  | amount |
    | samba     | BR        | sync     | Onda  | stream  | 10.00  |
    | samba     | Portugal  | mecânico | Praia | stream  | 20.00  |
    | samba     | US        | mecânico | Onda  | LP      | 40.00  |
"""


@pytest.mark.parametrize(
    ("asked", "to_ana"),
    [
        ("| territory |\n| Brasil |", "10"),
        ("| territory |\n| pt or BRA |", "30"),
        ("| territory |\n| except Brazil |", "60"),
        ("| territory |\n| except br or Estados Unidos |", "20"),
        ("| income |\n| MECANICO |", "60"),
        ("| service |\n| onda |", "50"),
        ("| format |\n| except lp |", "30"),
        ("| territory | service |\n| US or PT | Onda |", "40"),
        ("| territory |\n| todos |", "70"),
    ],
)
def test_a_share_is_of_the_lines_alone_that_say_what_it_asks(asked, to_ana):
    header, row = asked.split("\n")
    found = share_out(LINES, f"| payee | recording | share {header}\n| ana | samba | 100 {row}")
    assert same(
        found[found["tax_id"] != ""].groupby("tax_id", as_index=False)["earned"].sum(),
        f"| payee | earned |\n| ana | {to_ana} |",
    )
    assert found["earned"].sum() == Decimal(70), "what is not Ana's is nobody's, and not lost"


def test_the_rows_that_ask_most_decide_alone_and_the_others_have_the_rest():
    found = share_out(
        LINES,
        """
        | payee | recording | share | territory | income   |
        | ana   | samba     | 50    |           |          |
        | bia   | samba     | 40    | except BR |          |
        | caio  | samba     | 30    | US        | mecânico |
        """,
    )
    assert same(
        found[["tax_id", "territory", "share_ppm", "earned"]],
        """
        | payee | territory | share_ppm | earned |
        | ana   | BR        | 500000    | 5      |
        |       | BR        | 500000    | 5      |
        | bia   | Portugal  | 400000    | 8      |
        |       | Portugal  | 600000    | 12     |
        | caio  | US        | 300000    | 12     |
        |       | US        | 700000    | 28     |
        """,
    )


def test_nothing_of_some_lines_is_said_by_a_share_of_nought():
    found = share_out(
        LINES,
        """
        | payee | recording | share | income   |
        | ana   | samba     | 50    |          |
        | ana   | samba     | 0     | mecânico |
        """,
    )
    assert same(
        found[["tax_id", "role", "earned"]],
        """
        | payee | role  | earned |
        | ana   |       | 5      |
        |       | owner | 5      |
        |       | owner | 20     |
        |       | owner | 40     |
        """,
    )


def test_a_narrower_name_decides_before_a_condition_of_a_wider_one_and_where_it_asks_in_vain_the_wider_has_it():
    found = share_out(
        LINES,
        """
        | payee | recording | share | territory |
        | ana   | samba     | 100   | US        |
        | bia   |           | 100   | PT        |
        | caio  |           | 100   |           |
        """,
    )
    assert same(
        found[["tax_id", "territory", "earned"]],
        "| payee | territory | earned |\n| ana | US | 40 |\n| bia | Portugal | 20 |\n| caio | BR | 10 |",
    )


def test_on_top_of_some_lines_a_share_adds_to_those_lines_alone():
    found = share_out(
        LINES,
        """
        | payee | recording | share | territory | base   |
        | ana   | samba     | 50    |           |        |
        | bia   | samba     | 10    | US        | on top |
        """,
    )
    assert same(
        found[found["tax_id"] != ""][["tax_id", "territory", "earned"]],
        """
        | payee | territory | earned |
        | ana   | BR        | 5      |
        | ana   | Portugal  | 10     |
        | ana   | US        | 20     |
        | bia   | US        | 4      |
        """,
    )


@pytest.mark.parametrize(
    "rows",
    [
        "| ana | samba | 50 | US | |\n| bia | samba | 50 | | mecânico |",
        "| ana | samba | 50 | US or BR | |\n| bia | samba | 50 | US | |",
        "| ana | samba | 50 | except BR | |\n| bia | samba | 50 | US | |",
    ],
)
def test_two_rows_that_ask_different_things_of_one_line_and_as_many_make_no_plan_and_both_are_named(rows):
    drawn = f"| payee | recording | share | territory | income |\n{rows}"
    with pytest.raises(UnsoundPlan):
        share_out(LINES, drawn)
    (found,) = [issue for issue in told(LINES, drawn) if issue[0] == "SHARE_CONDITIONS_CLASH"]
    assert "rows 2, 3" in found[2]


@pytest.mark.parametrize("asked", ["US", "except US"])
def test_a_line_that_does_not_say_what_a_share_asks_is_held_and_told(asked):
    silent = LINES.replace("| BR        |", "|           |")
    drawn = f"| payee | recording | share | territory |\n| ana | samba | 50 | {asked} |\n| bia | samba | 40 | |"
    found = share_out(silent, drawn)
    assert same(
        found[found["role"] == "in question"][["tax_id", "earned"]],
        "| payee | earned |\n| | 10 |",
    )
    assert [(code, row) for code, row, _ in told(silent, drawn) if code == "SHARE_LINE_SILENT"] == [
        ("SHARE_LINE_SILENT", 2)
    ]


def test_whoever_is_shut_out_by_a_row_that_asks_more_is_told():
    drawn = "| payee | recording | share | territory |\n| ana | samba | 50 | |\n| bia | samba | 40 | US |"
    assert [(code, row) for code, row, _ in told(LINES, drawn)] == [("SHARE_SHUT_OUT", 2)]


def test_a_word_that_no_line_says_is_told_with_the_words_that_lines_say():
    drawn = "| payee | recording | share | income |\n| ana | samba | 50 | sincronização |\n| ana | samba | 40 | |"
    (found,) = [text for code, _, text in told(LINES, drawn) if code == "SHARE_NEVER_MET"]
    assert "mecânico" in found
    assert "sync" in found


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("territory", "Brasil, Portugal"), ("territory", "resto do mundo"), ("territory", "BR |"),
        ("territory", "BR | exceto PT"), ("format", "CD; LP"), ("income", "exceto todos"), ("platform", "exceto |"),
    ],
)  # fmt: skip
def test_a_cell_with_two_readings_says_no_condition(column, text):
    assert read_condition(column, text) is None


@pytest.mark.parametrize("column", CONDITIONS)
def test_a_condition_that_is_true_of_every_line_changes_nothing(column):
    drawn = {
        "territory": "BR or PT or US",
        "income": "sync or mecânico",
        "platform": "Onda or Praia",
        "format": "stream or LP",
    }
    name = "service" if column == "platform" else column
    deal = "| payee | recording | share |\n| ana | samba | 12.5 |\n| bia | samba | 33.3333 |"
    header, *rows = deal.split("\n")
    asked = "\n".join([f"{header} {name} |", *(f"{row} {drawn[column]} |" for row in rows)])
    assert earned(LINES, asked) == earned(LINES, deal)
