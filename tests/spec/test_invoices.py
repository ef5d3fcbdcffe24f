"""Payees who must invoice: what of their invoices counts for a period, and what is said where it is not enough."""

import pandas as pd
import pytest

from flows.payables.rules.invoices import to_invoice
from flows.royalties.rules.accrue import balances_frame
from schemas.job import resolve_period
from schemas.tables.obligations import PayeeBalances
from schemas.values.money import parse_plain_amount
from tests.spec.tables import CPF, _completed, payees, table

CASES = """
    | must invoice | payable | tax   | invoices                            | said            |
    | yes          | 100.00  |       |                                     | INVOICE_MISSING |
    | yes          | 100.00  |       | 2026-10 100.00                      |                 |
    | yes          | 85.00   | 15.00 | 2026-10 100.00                      |                 |
    | yes          | 85.00   | 15.00 | 2026-10 85.00                       | INVOICE_AMOUNT  |
    | yes          | 100.00  |       | 2026-10 60.00, 2026-10-31 40.00     |                 |
    | yes          | 100.00  |       | 2026-09 100.00                      | INVOICE_MISSING |
    | yes          | 100.00  |       | 2026-10 100.00, 2026-11-01 5.00     |                 |
    | yes          | 100.00  |       | 2026-10 100.01                      | INVOICE_AMOUNT  |
    | yes          | 0.00    |       |                                     |                 |
    | no           | 100.00  |       |                                     |                 |
"""


@pytest.mark.parametrize("row", table(CASES), ids=lambda row: f"{row['payable']} {row['invoices']}".strip())
def test_invoices_of_the_period_must_come_to_what_is_payable_before_tax(row):
    invoices = [found.split() for found in row["invoices"].split(", ") if found]
    rows = [
        {"tax_id": CPF["ana"], "number": str(number), "period": period, "amount_cents": parse_plain_amount(amount)}
        for number, (period, amount) in enumerate(invoices)
    ]
    cents = (parse_plain_amount(row["tax"] or "0"), parse_plain_amount(row["payable"]))
    balance = (CPF["ana"], "Ana", sum(cents), 0, 0, 0, 0, *cents)
    balances = balances_frame(pd.DataFrame([balance], columns=list(PayeeBalances.columns)))
    known = payees("ana").assign(must_invoice=row["must invoice"] == "yes")
    wanting = to_invoice(balances, known, _completed("invoices", rows, "notas.csv"), resolve_period("2026-10", None))
    assert [both.code.value for both in wanting.values()] == ([row["said"]] if row["said"] else [])
