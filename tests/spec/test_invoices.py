"""Payees who must invoice: an invoice is paid for its amount, up to the balance; the rest waits for another one."""

import pytest

from schemas.values.money import parse_plain_amount
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import CPF, _completed, lines, payees, reais, shares, table, taxes

# Ana earned R$ 100.00. Paid and tax come to what is invoiced; what waits is before tax.
CASES = """
    | must invoice | tax % | invoices                        | paid   | tax   | waits  | reason          |
    | yes          |       |                                 |        |       | 100.00 | INVOICE_MISSING |
    | yes          |       | 2026-10 100.00                  | 100.00 |       |        |                 |
    | yes          | 15    | 2026-10 100.00                  | 85.00  | 15.00 |        |                 |
    | yes          | 15    | 2026-10 80.00                   | 68.00  | 12.00 | 20.00  | INVOICE_MISSING |
    | yes          |       | 2026-10 60.00, 2026-10-31 40.00 | 100.00 |       |        |                 |
    | yes          |       | 2026-09 100.00                  |        |       | 100.00 | INVOICE_MISSING |
    | yes          |       | 2026-10 100.00, 2026-11-01 5.00 | 100.00 |       |        |                 |
    | yes          |       | 2026-10 100.01                  |        |       | 100.00 | INVOICE_AMOUNT  |
    | no           |       |                                 | 100.00 |       |        |                 |
"""


def invoices(text):
    rows = [
        {"tax_id": CPF["ana"], "number": str(number), "period": period, "amount_cents": parse_plain_amount(amount)}
        for number, (period, amount) in enumerate(found.split() for found in text.split(", ") if found)
    ]
    return _completed("invoices", rows, "notas.csv")


def earned(amount, invoiced, tax="", *, must=True):
    return inputs(
        [statement(lines(f"| recording | amount |\n| samba | {amount} |"))],
        payees=payees("ana").assign(must_invoice=must),
        shares=shares("| payee | share |\n| ana | 100 |"),
        invoices=invoices(invoiced),
        **({"taxes": taxes(f"| payee | kind | rate |\n| ana | IRRF | {tax} |")} if tax else {}),
    )


def came_to(payables):
    def sum_of(*places):
        cents = sum(owed.amount_cents for owed in payables.obligations if owed.place in places)
        return reais(cents) if cents else ""

    reasons = {owed.reason for owed in payables.obligations if owed.place == "held"}
    return {"paid": sum_of("planned"), "tax": sum_of("tax"), "waits": sum_of("held"), "reason": "".join(reasons)}


@pytest.mark.parametrize("row", table(CASES), ids=lambda row: f"{row['tax %']} {row['invoices']}".strip() or "none")
def test_an_invoice_is_paid_for_its_amount_as_far_as_the_balance_covers_it(row):
    payables = Office().compute_payables(
        earned("100.00", row["invoices"], row["tax %"], must=row["must invoice"] == "yes")
    )
    assert came_to(payables) == {name: row[name] for name in ("paid", "tax", "waits", "reason")}


def test_an_invoice_is_paid_once_and_another_one_pays_the_rest():
    office = Office()
    office.send(earned("100.00", "2026-10 60.00"))
    assert came_to(office.compute_payables(earned("100.00", "2026-10 60.00")))["waits"] == "40.00"
    more = office.compute_payables(earned("130.00", "2026-10 60.00, 2026-10 55.00"))
    assert (came_to(more)["paid"], came_to(more)["waits"]) == ("55.00", "15.00")
