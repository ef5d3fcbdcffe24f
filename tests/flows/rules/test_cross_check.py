"""Tables held against each other: one telling for each thing a person has to put right."""

from dataclasses import replace

import pandas as pd

from flows.intake.rules.inputs import input_totals
from flows.payables.rules.cross_check import cross_check
from schemas.job import resolve_period
from schemas.parsing.row_accounting import join_runs, runs_of
from tests.spec.office import inputs, job, statement
from tests.spec.tables import RECORDINGS, lines, payees, payments, same, shares

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


def test_a_list_that_was_used_before_contradicts_nothing():
    both = pd.concat(
        [payments("| payee | amount |\n| ana | 1.00 |", file=name) for name in ("new.xlsx", "old.xlsx")],
        ignore_index=True,
    )
    came_in = inputs(payments=both, payees=payees("ana"))
    assert [code for code, *_ in told(checked(came_in))] == ["ROW_DUPLICATE", "ROW_DUPLICATE"]
    found = cross_check(came_in, job(), OCTOBER, ["old.xlsx"])
    assert (told(found), len(found.payments)) == ([], 2)
