"""Payments: one row, one payment."""

import numpy as np

from schemas.issues import IssueCode
from schemas.plan import HOME_CURRENCY
from schemas.tables.cells import CellFinding, ColumnKind
from schemas.tables.destinations import check_destinations, hold_two_names, require_names, tell_shared_keys
from schemas.tables.draft import TableDraft
from schemas.tables.model import PERCENTAGE, Column, Series, cells
from schemas.tables.payee_data import PayeeData
from schemas.values.names import normal_reference


class Payments(PayeeData):
    """Shape: one row per payment, with its payee's data where the row brings them. Amounts in centavos.

    recurring says that the row comes back from period to period; `owner_amount_cents` is what the row reserves to the
    payer; percentage informs only ("33.3333" or "").
    """

    amount_cents: Series[int] = cells(ColumnKind.PAYABLE, "amount", required=True, gt=0)
    advance: Series[bool] = cells(ColumnKind.FLAG)
    withhold: Series[bool] = cells(ColumnKind.FLAG)
    recurring: Series[bool] = cells(ColumnKind.FLAG)
    reference: Series[str] = cells(ColumnKind.REFERENCE)
    anticipation_id: Series[str] = cells(ColumnKind.TEXT)
    percentage: Series[str] = cells(ColumnKind.PERCENTAGE, str_matches=PERCENTAGE)
    owner_amount_cents: Series[int] = cells(ColumnKind.OPTIONAL_AMOUNT, "owner_amount", ge=0)

    @classmethod
    def also_read(cls) -> tuple[Column, ...]:
        """See `TableModel`."""
        return (*super().also_read(), Column("currency", ColumnKind.CURRENCY))


def hold_repeated_payments(draft: TableDraft) -> None:
    """Hold every row of a payee whose references do not tell them apart: which one is meant is not ours to say."""
    for positions in draft.groups("tax_id", "reference", form=normal_reference):
        for position in positions:
            facts = {"other": draft.row_list(positions, but=position)}
            draft.findings.append(CellFinding(position, None, IssueCode.ROW_DUPLICATE, facts))


def hold_other_currencies(draft: TableDraft) -> None:
    """Hold rows whose own column says another currency than the one that is paid in."""
    currencies, expected = draft.canonical["currency"], draft.currency or HOME_CURRENCY
    other = draft.given("currency") & draft.sound("currency") & np.asarray(currencies != expected, dtype=bool)
    for position in np.flatnonzero(other).tolist():
        facts = {"found": currencies[position], "expected": expected}
        draft.findings.append(CellFinding(position, "currency", IssueCode.AMOUNT_CURRENCY, facts))
    currencies[~other] = draft.currency


RULES = (
    require_names,
    check_destinations,
    hold_repeated_payments,
    hold_other_currencies,
    hold_two_names,
    tell_shared_keys,
)
