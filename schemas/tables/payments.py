"""Payments: one row, one payment."""

import numpy as np

from schemas.issues import IssueCode
from schemas.plan import HOME_CURRENCY
from schemas.tables.cells import PAYEE_COLUMNS, CellFinding, Column, ColumnKind
from schemas.tables.contract import flag, text, whole
from schemas.tables.destinations import check_destinations, hold_two_names, require_names, tell_shared_keys
from schemas.tables.draft import TableDraft
from schemas.tables.payee_data import PayeeData
from schemas.values.names import normal_reference


class Payments(PayeeData):
    """Shape: one row per payment, with its payee's data where the row brings them. Amounts in centavos.

    recurring says that the row comes back from period to period; `owner_amount_cents` is what the row reserves to the
    payer; percentage informs only ("33.3333" or "").
    """

    amount_cents = whole(above=0)
    advance = flag()
    withhold = flag()
    recurring = flag()
    reference = text()
    anticipation_id = text()
    percentage = text(matches=r"^([0-9]{1,3}(\.[0-9]{1,4})?)?$")
    owner_amount_cents = whole(at_least=0)


COLUMNS = (
    *PAYEE_COLUMNS,
    Column("amount", ColumnKind.PAYABLE, required=True, target="amount_cents"),
    Column("currency", ColumnKind.CURRENCY),
    Column("advance", ColumnKind.FLAG),
    Column("withhold", ColumnKind.FLAG),
    Column("recurring", ColumnKind.FLAG),
    Column("reference", ColumnKind.REFERENCE),
    Column("anticipation_id", ColumnKind.TEXT),
    Column("percentage", ColumnKind.PERCENTAGE),
    Column("owner_amount", ColumnKind.OPTIONAL_AMOUNT, target="owner_amount_cents"),
)


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
