"""Payees who must send an invoice: their royalties are held until invoices of the period come to the gross amount."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from schemas.issues import IssueCode
from schemas.job import Period
from schemas.obligation import Obligations, because
from schemas.plan import Place
from schemas.tables.contract import DataFrame, records
from schemas.tables.invoices import Invoices
from schemas.tables.obligations import PayeeBalances
from schemas.tables.payees import Payees


class ToInvoice(NamedTuple):
    """What a payee has to invoice for a period before tax, and what has been invoiced, in centavos."""

    gross_cents: int
    invoiced_cents: int

    @property
    def code(self) -> IssueCode | None:
        """What is wrong; None where both agree."""
        if self.gross_cents == self.invoiced_cents:
            return None
        return IssueCode.INVOICE_AMOUNT if self.invoiced_cents else IssueCode.INVOICE_MISSING


def to_invoice(
    balances: DataFrame[PayeeBalances], payees: DataFrame[Payees], invoices: DataFrame[Invoices], period: Period
) -> dict[str, ToInvoice]:
    """Hold what payees who must invoice have payable against what they have invoiced for the period.

    Returns:
        Tax id -> both amounts, of payees of whom something is payable and the two do not agree.
    """
    must = set(payees.loc[payees["must_invoice"], "tax_id"])
    if not must:
        return {}
    invoiced = dict[str, int]()
    for row in records(invoices):
        if _is_of(row["period"], period):
            invoiced[row["tax_id"]] = invoiced.get(row["tax_id"], 0) + row["amount_cents"]
    found = {
        row["tax_id"]: ToInvoice(row["payable_cents"] + row["taxed_cents"], invoiced.get(row["tax_id"], 0))
        for row in records(balances)
        if row["tax_id"] in must and row["payable_cents"] > 0
    }
    return {tax_id: both for tax_id, both in found.items() if both.code}


def _is_of(text: str, period: Period) -> bool:
    """Whether an invoice is of a period: of its month, or of a day within it."""
    return text == period.label or period.start.isoformat() <= text <= period.end.isoformat()


def hold_uninvoiced(obligations: Obligations, wanting: Mapping[str, ToInvoice]) -> Obligations:
    """Hold planned royalties of payees whose invoices do not come to what they have payable."""
    if not wanting:
        return obligations
    return tuple(
        replace(owed, place=Place.HELD, reasons=because(code.value))
        if owed.kind == "royalty"
        and owed.place is Place.PLANNED
        and owed.payee.tax_id in wanting
        and (code := wanting[owed.payee.tax_id].code)
        else owed
        for owed in obligations
    )
