"""Invoices (notas fiscais) that payees have sent for their royalties: number, day, amount and period."""

from schemas.issues import IssueCode
from schemas.tables.cells import CellFinding, Column, ColumnKind
from schemas.tables.contract import CANONICAL_TAX_ID, TableModel, text, whole
from schemas.tables.draft import TableDraft


class Invoices(TableModel):
    """Shape: one row per invoice, in centavos. `date` is an ISO text; `period` "YYYY-MM" or an ISO day of it."""

    file = text()
    sheet = text()
    row = whole(at_least=1)
    tax_id = text(CANONICAL_TAX_ID)
    number = text()
    date = text(matches=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
    amount_cents = whole(above=0)
    period = text(matches=r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$")


COLUMNS = (
    Column("tax_id", ColumnKind.TAX_ID, required=True),
    Column("number", ColumnKind.REFERENCE, required=True),
    Column("date", ColumnKind.DATE, required=True),
    Column("amount", ColumnKind.PAYABLE, required=True, target="amount_cents"),
    Column("period", ColumnKind.PERIOD, required=True),
)


def hold_repeated_numbers(draft: TableDraft) -> None:
    """Hold rows of one payee that bear the same number: an invoice is one document."""
    for positions in draft.groups("tax_id", "number"):
        for position in positions:
            others = draft.row_list(positions, but=position)
            draft.findings.append(CellFinding(position, None, IssueCode.ROW_DUPLICATE, {"other": others}))


RULES = (hold_repeated_numbers,)
