"""A row below zero beside others of its payee: nobody knows whether it is to be taken off, so none of them is paid."""

import pytest

from tests.schemas.sheets import PIX_PAYEE, parse
from tests.spec.tables import table

MARIA, ANA = PIX_PAYEE, PIX_PAYEE | {"name": "Ana Lima", "tax_id": "11144477735", "pix_key": "ana@example.com"}
WHO = {"Maria": MARIA, "Ana": ANA}
SHEETS = [
    """
    | who   | amount  | paid |
    | Maria | 500,00  | no   |
    | Maria | -100,00 | no   |
    | Ana   | 80,00   | yes  |
    """,
    """
    | who   | amount   | paid |
    | Maria | (100,00) | no   |
    | Ana   | 80,00    | yes  |
    | Maria | 500,00   | no   |
    | Maria | 20,00    | no   |
    """,
    """
    | who   | amount  | paid |
    | Maria | 500,00  | yes  |
    | Ana   | -100,00 | no   |
    """,
    """
    | who   | amount | paid |
    | Maria | 500,00 | yes  |
    | Maria | 0,00   | no   |
    """,
]


@pytest.mark.parametrize("drawn", SHEETS)
def test_what_a_payee_gets_waits_while_another_row_of_theirs_is_below_zero(drawn):
    rows = table(drawn)
    parsed = parse(
        "payments", *(WHO[row["who"]] | {"amount": row["amount"], "reference": f"r{at}"} for at, row in enumerate(rows))
    )
    paid = set(parsed.frame["row"])
    assert {at + 2 for at, row in enumerate(rows) if row["paid"] == "yes"} == paid


def test_either_remedy_ends_it():
    """One row with what is left; or the row below zero taken out."""
    left = parse("payments", MARIA | {"amount": "400,00"})
    without = parse("payments", MARIA | {"amount": "500,00"}, ANA | {"amount": "80,00"})
    assert left.held.empty
    assert without.held.empty
