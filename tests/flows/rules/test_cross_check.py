"""Tables held against each other: one telling for each thing a person has to put right."""

from dataclasses import replace

import pandas as pd
import pytest

from flows.intake.rules.inputs import input_totals
from flows.payables.rules.cross_check import cross_check
from schemas.job import resolve_period
from schemas.parsing.row_accounting import join_runs, runs_of
from tests.spec.office import inputs, job, statement
from tests.spec.tables import CPF, RECORDINGS, advances, held_rows, lines, payees, payments, same, shares

OCTOBER = resolve_period("2026-10", None)


def checked(came_in, **changes):
    """Cross-check; every row that came in was used so far."""
    rows = pd.concat(
        [frame[["file", "sheet", "row"]] for frame in (came_in.payments, came_in.shares, came_in.advances)]
    )
    runs = [runs_of(rows.assign(disposition="used", codes=""))]
    for one in came_in.statements:
        lines_of = one.totals.by_platform.groupby(["file", "sheet"], as_index=False)
        used = lines_of.agg(first_row=("first_row", "min"), last_row=("last_row", "max"), rows=("lines", "sum"))
        runs.append(used.assign(disposition="used", codes=""))
    return cross_check(replace(came_in, rows=join_runs(runs)), job(**changes), OCTOBER)


def dispositions(found, file):
    rows = found.rows[found.rows["file"] == file]
    return rows.groupby("disposition")["rows"].sum().to_dict()


def told(found):
    return [(issue.code.value, issue.severity.value, issue.file, issue.row) for issue in found.issues]


def test_tables_that_agree_are_left_alone():
    came_in = inputs(
        [statement(lines("| recording | amount |\n| samba | 1.00 |"))],
        payments=payments("| payee | amount |\n| ana | 1.00 |"),
        payees=payees("ana"),
        shares=shares("| payee | recording | share |\n| ana | samba | 50 |"),
    )
    found = checked(came_in)
    assert found.issues == ()
    assert set(found.rows["disposition"]) == {"used"}


def test_shares_of_somebody_the_payees_do_not_hold_are_told_row_by_row_and_stay_in_use():
    found = checked(
        inputs(
            payees=payees("ana"),
            payee_problems={CPF["caio"]: "PIX_CPF"},
            shares=shares("| payee | share |\n| ana | 20 |\n| bia | 20 |\n| caio | 20 |\n| davi | 20 |"),
        )
    )
    unknown = ("TAXID_UNKNOWN_PAYEE", "error", "shares.xlsx")
    assert told(found) == [(*unknown, 3), (*unknown, 5)]
    assert set(found.rows["disposition"]) == {"used"}


PAYMENTS_OF_STRANGERS = payments(
    """
    | payee | key             | amount |
    | ana   |                 | 1.00   |
    | bia   |                 | 2.00   |
    | caio  | caio@example.com | 3.00  |
    """
)


def test_a_payment_without_a_destination_to_somebody_the_payees_do_not_hold_is_held():
    found = checked(inputs(payments=PAYMENTS_OF_STRANGERS, payees=payees("ana")))
    assert told(found) == [("TAXID_UNKNOWN_PAYEE", "error", "payments.xlsx", 3)]
    assert same(
        found.rows,
        """
        | first_row | rows | disposition | reason              |
        | 2         | 2    | used        |                     |
        | 3         | 1    | held        | TAXID_UNKNOWN_PAYEE |
        """,
    )


def test_a_job_without_payees_knows_nobody_and_asks_for_nobody():
    assert checked(inputs(payments=PAYMENTS_OF_STRANGERS), payees=None).issues == ()


LINES = lines(
    """
    | recording | title   | month   | amount |
    | samba     |         | 2026-09 | 1.00   |
    | valsa     |         | 2026-09 | 2.00   |
    | valsa     |         | 2026-10 | 4.00   |
    |           | Sem nome |        | 8.00   |
    | valsa     |         | 2026-09 | 16.00  |
    """
)
SAMBA = shares("| payee | recording | share |\n| ana | samba | 50 |")


@pytest.mark.parametrize(("rule", "disposition"), [("hold", "held"), ("owner", "used"), ("error", "used")])
def test_lines_without_a_share_are_told_once_for_each_asset_at_its_first_line(rule, disposition):
    found = checked(inputs([statement(LINES)], payees=payees("ana"), shares=SAMBA), rules={"unmatched": rule})
    assert told(found) == [
        ("SHARE_UNMATCHED", "warning", "statement.tsv", 3),
        ("SHARE_UNMATCHED", "warning", "statement.tsv", 5),
    ]
    valsa, nameless = found.issues
    assert "3" in str(valsa.message)
    assert "Sem nome" in str(nameless.message)
    went = dispositions(found, "statement.tsv")
    assert went == ({"used": 1, "held": 4} if disposition == "held" else {"used": 5})


def test_an_asset_without_a_share_is_told_once_in_each_file():
    second = lines("| recording | amount |\n| valsa | 1.00 |", file="second.tsv")
    found = checked(inputs([statement(LINES), statement(second)], payees=payees("ana"), shares=SAMBA))
    assert [(issue.file, issue.row) for issue in found.issues] == [
        ("statement.tsv", 3),
        ("statement.tsv", 5),
        ("second.tsv", 2),
    ]


def test_a_share_that_has_ended_leaves_only_the_later_lines_uncovered():
    ended = shares("| payee | recording | share | to |\n| ana | valsa | 50 | 2026-09-30 |\n| ana | samba | 50 | |")
    found = checked(inputs([statement(LINES)], payees=payees("ana"), shares=ended))
    assert [issue.row for issue in found.issues] == [4, 5]


def test_a_statement_of_which_no_line_is_sound_is_no_reason_to_stumble():
    came_in = inputs(
        [statement(lines("| amount |"), held=held_rows("| payee | amount | problem |\n| | 1.00 | ISRC_FORMAT |"))]
    )
    assert checked(came_in).issues == ()


def two_files():
    first = payments("| payee | reference | amount |\n| ana | | 10.00 |\n| bia | show | 20.00 |", file="first.xlsx")
    second = payments(
        "| payee | reference | amount |\n| caio | | 30.00 |\n| ana | | 10.00 |\n| bia | disco | 40.00 |",
        file="second.xlsx",
    )
    return inputs(payments=pd.concat([first, second], ignore_index=True))


def test_one_payee_paid_by_two_files_is_held_in_both_and_each_row_names_the_other():
    found = checked(two_files(), payees=None)
    assert told(found) == [
        ("ROW_DUPLICATE", "error", "first.xlsx", 2),
        ("ROW_DUPLICATE", "error", "second.xlsx", 3),
    ]
    here, there = (str(issue.message) for issue in found.issues)
    assert "3 (second.xlsx)" in here
    assert "2 (first.xlsx)" in there
    assert same(found.payments, "| payee | amount |\n| bia | 20.00 |\n| bia | 40.00 |\n| caio | 30.00 |")
    held = found.held_payments[["file", "row", "tax_id", "amount", "codes"]].to_dict("records")
    assert [(h["file"], h["row"], str(h["amount"]), h["codes"]) for h in held] == [
        ("first.xlsx", 2, "10.00", "ROW_DUPLICATE"),
        ("second.xlsx", 3, "10.00", "ROW_DUPLICATE"),
    ]
    assert dispositions(found, "first.xlsx") == {"held": 1, "used": 1}
    assert dispositions(found, "second.xlsx") == {"held": 1, "used": 2}
    assert found.rows[found.rows["disposition"] == "held"]["first_row"].tolist() == [2, 3]


def test_holding_doubled_payments_moves_no_centavo_out_of_sight():
    came_in = two_files()
    assert input_totals(checked(came_in, payees=None), {}) == input_totals(came_in, {}) == 11_000


def test_an_asset_shared_out_more_than_whole_is_told_for_each_month_in_which_it_is():
    overfull = shares(
        """
        | payee | recording | share | from       |
        | ana   | valsa     | 60    |            |
        | bia   | valsa     | 50    | 2026-10-01 |
        | ana   | samba     | 100   |            |
        """
    )
    found = checked(inputs([statement(LINES)], payees=payees("ana", "bia"), shares=overfull))
    (issue,) = (one for one in found.issues if one.code.value == "PERCENT_SUM")
    assert (issue.severity.value, issue.file) == ("error", "shares.xlsx")
    assert RECORDINGS["valsa"] in str(issue.message)
    assert "2026-10-01" in str(issue.message)
    assert "110" in str(issue.message)


def test_a_currency_without_a_rate_is_told_once_a_file_whether_its_lines_are_sound_or_held():
    drawn = "| recording | currency | amount |\n| samba | USD | 1.00 |\n| samba | USD | 1.00 |\n| samba | EUR | 1.00 |"
    held = held_rows("| payee | currency | amount | problem |\n| | GBP | 1.00 | ISRC_FORMAT |\n| | | | AMOUNT_FORMAT |")
    rows = statement(lines(drawn), held=held, rates={"EUR": "6.00"})
    found = checked(inputs([rows], payees=payees("ana"), shares=SAMBA))
    assert [(issue.code.value, issue.file, issue.row) for issue in found.issues] == [
        ("CURRENCY_NO_RATE", "held.xlsx", None),
        ("CURRENCY_NO_RATE", "statement.tsv", None),
    ]
    assert ["GBP" in str(found.issues[0].message), "USD" in str(found.issues[1].message)] == [True, True]


def test_a_share_written_twice_is_told_and_what_it_is_a_share_of_waits():
    drawn = """
        | payee | recording | share | role     | from       |
        | ana   | samba     | 25    | composer |            |
        | bia   | samba     | 25    |          |            |
        | ana   | samba     | 25    | composer |            |
        | ana   | samba     | 25    | producer |            |
        | ana   | samba     | 25    | composer | 2026-11-01 |
        | ana   | valsa     | 25    | composer |            |
        | ana   | samba     | 25    | composer |            |
    """
    found = checked(inputs(payees=payees("ana", "bia"), shares=shares(drawn)))
    assert told(found) == [("ROW_DUPLICATE", "error", "shares.xlsx", row) for row in (4, 8)]
    assert all("row 2" in str(issue.message) or "linha 2" in str(issue.message) for issue in found.issues)
    assert dispositions(found, "shares.xlsx") == {"used": 5, "held": 2}
    assert len(found.shares) == 5
    assert set(found.shares_in_question["isrc"]) == {RECORDINGS["samba"]}


def test_shares_that_are_not_the_same_are_left_alone():
    found = checked(inputs(payees=payees("ana", "bia"), shares=shares("| payee | share |\n| ana | 20 |\n| bia | 20 |")))
    assert (told(found), len(found.shares)) == ([], 2)


@pytest.mark.parametrize(
    ("again", "doubled"),
    [
        ("| ana | 50.00 | show | 2026-01-15 |", True),
        ("| ana | 60.00 | show | 2026-01-15 |", True),
        ("| ana | 50.00 | show | 2026-02-15 |", False),
        ("| ana | 50.00 | tour | 2026-01-15 |", False),
        ("| bia | 50.00 | show | 2026-01-15 |", False),
    ],
    ids=["the same", "another amount", "another day", "another reference", "another payee"],
)
def test_an_advance_written_twice_holds_whose_it_is(again, doubled):
    drawn = f"| payee | amount | reference | date |\n| ana | 50.00 | show | 2026-01-15 |\n{again}"
    found = checked(inputs(payees=payees("ana", "bia"), advances=advances(drawn)))
    assert told(found) == ([("ROW_DUPLICATE", "error", "advances.csv", 3)] if doubled else [])
    assert dict(found.advance_problems) == ({CPF["ana"]: "ROW_DUPLICATE"} if doubled else {})
    assert len(found.advances) == (1 if doubled else 2)
    assert dispositions(found, "advances.csv") == ({"used": 1, "held": 1} if doubled else {"used": 2})


def test_a_list_that_was_used_before_contradicts_nothing():
    both = pd.concat(
        [payments("| payee | amount |\n| ana | 1.00 |", file=name) for name in ("new.xlsx", "old.xlsx")],
        ignore_index=True,
    )
    came_in = inputs(payments=both, payees=payees("ana"))
    assert [code for code, *_ in told(checked(came_in))] == ["ROW_DUPLICATE", "ROW_DUPLICATE"]
    found = cross_check(came_in, job(), OCTOBER, ["old.xlsx"])
    assert (told(found), len(found.payments)) == ([], 2)
