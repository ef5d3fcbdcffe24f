"""Invoices (notas fiscais) that payees have sent for their royalties: number, day, amount and period."""

from schemas.issues import IssueCode
from schemas.tables.cells import CellFinding, ColumnKind
from schemas.tables.draft import TableDraft
from schemas.tables.model import ISO_DAY, PayeeTable, Series, cells


class Invoices(PayeeTable):
    """Shape: one row per invoice, in centavos. `date` is an ISO text; `period` "YYYY-MM" or an ISO day of it."""

    number: Series[str] = cells(ColumnKind.REFERENCE, required=True)
    date: Series[str] = cells(ColumnKind.DATE, required=True, str_matches=f"^{ISO_DAY}$")
    amount_cents: Series[int] = cells(ColumnKind.PAYABLE, "amount", required=True, gt=0)
    period: Series[str] = cells(ColumnKind.PERIOD, required=True, str_matches=r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$")


def hold_repeated_numbers(draft: TableDraft) -> None:
    """Hold rows of one payee that bear the same number: an invoice is one document."""
    for positions in draft.groups("tax_id", "number"):
        for position in positions:
            others = draft.row_list(positions, but=position)
            draft.findings.append(CellFinding(position, None, IssueCode.ROW_DUPLICATE, {"other": others}))


RULES = (hold_repeated_numbers,)
