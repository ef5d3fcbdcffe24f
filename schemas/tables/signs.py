"""Amounts whose direction another column says."""

import numpy as np

from schemas.issues import IssueCode
from schemas.layouts.layout import Sign
from schemas.raw_table import RawTable
from schemas.tables.cells import Finding
from schemas.tables.draft import Draft
from schemas.tables.row_words import positions_under, rows_holding


def apply_sign(draft: Draft, raw: RawTable, sign: Sign, *, payable: bool) -> None:
    """Count the amounts of rows that say they went out below zero, whatever sign they bear.

    Args:
        draft: Rows as read, in the order of the file.
        raw: The file.
        sign: Which column says it, and how.
        payable: Whether the amounts are to be paid, and none of them may be below zero.
    """
    out = np.zeros(len(raw.cells), dtype=bool)
    for position in positions_under(raw, sign.column):
        out |= rows_holding(raw, position, sign.negative)
    amounts = draft.canonical["amount"]
    told = {found.position for found in draft.findings if found.code is IssueCode.AMOUNT_NOT_POSITIVE}
    for position in np.flatnonzero(np.isin(draft.rows, raw.cells.index.to_numpy()[out])).tolist():
        amount = amounts[position]
        if amount is None or not amount.value:
            continue
        amounts[position] = amount._replace(value=amount.value.copy_abs().copy_negate())
        if payable and position not in told:
            draft.findings.append(Finding(position, "amount", IssueCode.AMOUNT_NOT_POSITIVE))
