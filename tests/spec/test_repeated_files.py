"""A file that was paid under another job or period is counted whole as a duplicate, and nothing of it is paid."""

import pandas as pd
import pytest

from flows.payables.rules.left_out import mark_repeated
from schemas.parsing.row_accounting import runs_of
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import held_rows, lines, payees, payments, same, shares, table

OLD = {"old.xlsx": "selo 2026-09"}


def both_files(frame_of, drawn_new, drawn_old):
    """Rows of a new file and of one that was used before."""
    return pd.concat([frame_of(drawn_new, file="new.xlsx"), frame_of(drawn_old, file="old.xlsx")], ignore_index=True)


def test_payments_of_a_repeated_file_are_duplicates_with_the_owner_s_part_and_what_was_held():
    office = Office(repeated=OLD)
    payables = office.compute_payables(
        inputs(
            payments=both_files(
                payments,
                "| payee | amount | owner |\n| ana | 1.00 | 0.10 |",
                "| payee | amount | owner |\n| bia | 2.00 | 0.20 |",
            ),
            held_payments=both_files(
                held_rows,
                "| payee | amount | problem |\n| caio | 4.00 | PIX_CPF |",
                "| payee | amount | problem |\n| davi | 8.00 | PIX_CPF |",
            ),
        )
    )
    assert same(
        payables.obligations,
        """
        | payee | kind    | amount | place     | reason         |
        | ana   | payment | 1.00   | planned   |                |
        | owner | owner   | 0.10   | planned   |                |
        | caio  | payment | 4.00   | held      | PIX_CPF        |
        | bia   | payment | 2.20   | duplicate | FILE_DUPLICATE |
        | davi  | payment | 8.00   | duplicate | FILE_DUPLICATE |
        """,
    )
    assert office.plan(payables).total_cents == 110


@pytest.mark.parametrize(
    ("new", "old", "paid", "repeated"),
    [("10.00", "5.00", "10.00", "5.00"), ("10.00", "-5.00", "10.00", "-5.00"), ("10.004", "5.004", "10.01", "5.00")],
    ids=["sales", "returns", "rounded together"],
)
def test_lines_of_a_repeated_statement_are_shared_with_nobody(new, old, paid, repeated):
    header = "| recording | amount |\n| samba |"
    payables = Office(repeated=OLD).compute_payables(
        inputs(
            [statement(both_files(lines, f"{header} {new} |", f"{header} {old} |"))],
            payees=payees("ana"),
            shares=shares("| payee | share |\n| ana | 100 |"),
        )
    )
    assert same(
        [owed for owed in payables.obligations if owed.amount_cents != 0],
        f"""
        | payee | amount     | place     |
        | ana   | {paid}     | planned   |
        |       | {repeated} | duplicate |
        """,
    )


def test_every_row_of_a_repeated_file_but_the_blank_ones_is_told_as_a_duplicate():
    rows = runs_of(
        pd.DataFrame(
            table(
                """
                | file     | row | disposition | codes   |
                | new.xlsx | 2   | used        |         |
                | old.xlsx | 2   | used        |         |
                | old.xlsx | 3   | held        | PIX_CPF |
                | old.xlsx | 4   | ignored     | blank   |
                """
            )
        ).assign(sheet="")
    )
    assert same(
        mark_repeated(rows, OLD),
        """
        | file     | first_row | rows | disposition | reason       |
        | new.xlsx | 2         | 1    | used        |              |
        | old.xlsx | 2         | 1    | duplicate   | selo 2026-09 |
        | old.xlsx | 3         | 1    | duplicate   | selo 2026-09 |
        | old.xlsx | 4         | 1    | ignored     | blank        |
        """,
    )
