"""Taxes to be withheld from royalties, as the accountant gives them: whose, of which kind, at which rate or amount."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

import numpy as np

from schemas.issues import IssueCode
from schemas.tables.cells import CellFinding, ColumnKind
from schemas.tables.draft import TableDraft
from schemas.tables.model import ISO_DAY, PERCENTAGE, PayeeTable, Series, cells
from schemas.tables.shares import check_validity


class Taxes(PayeeTable):
    """Shape: one row per payee, kind and time. Either `percentage` ("27.5", "" for none) or `amount_cents` is given.

    kind is a short word such as IRRF; nature the code of the income, for the accountant; days are ISO texts, "" for no
    limit.
    """

    kind: Series[str] = cells(ColumnKind.TEXT, required=True)
    percentage: Series[str] = cells(ColumnKind.PERCENTAGE, str_matches=PERCENTAGE)
    amount_cents: Series[int] = cells(ColumnKind.OPTIONAL_AMOUNT, "amount", ge=0)
    nature: Series[str] = cells(ColumnKind.TEXT)
    valid_from: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    valid_to: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")


def require_rate_or_amount(draft: TableDraft) -> None:
    """Hold rows that state both a percentage and an amount, or neither, or more than all."""
    percentages, amounts = draft.canonical["percentage"], draft.canonical["amount"]
    stated = [
        (bool(percentage), amount is not None and amount.value > 0)
        for percentage, amount in zip(percentages, amounts, strict=True)
    ]
    wrong = np.array([rate == amount for rate, amount in stated], dtype=bool)
    wrong |= np.array([bool(percentage) and Decimal(percentage) > 100 for percentage in percentages], dtype=bool)
    draft.report(wrong & draft.sound("percentage") & draft.sound("amount"), "percentage", IssueCode.TAX_RATE)


def write_kinds_alike(draft: TableDraft) -> None:
    """Write kinds in capitals, so that irrf and IRRF are one."""
    draft.canonical["kind"] = np.array([kind.upper() for kind in draft.canonical["kind"]], dtype=object)


def hold_repeated_taxes(draft: TableDraft) -> None:
    """Hold rows of one payee and kind whose times overlap: which one holds is not ours to say."""
    for positions in draft.groups("tax_id", "kind"):
        for together in _overlapping(draft, positions):
            draft.findings += [
                CellFinding(position, None, IssueCode.ROW_DUPLICATE, {"other": draft.row_list(together, but=position)})
                for position in together
            ]


def _overlapping(draft: TableDraft, positions: Iterable[int]) -> Iterator[list[int]]:
    """Yield the rows whose times overlap, two or more at a time, in the order of their beginnings."""
    first, last = draft.canonical["valid_from"], draft.canonical["valid_to"]
    together: list[int] = []
    until = ""
    for position in sorted(positions, key=lambda position: str(first[position] or "")):
        begins, ends = str(first[position] or ""), str(last[position] or _FOR_EVER)
        if together and begins > until:
            if len(together) > 1:
                yield together
            together, until = [], ""
        together.append(position)
        until = max(until, ends)
    if len(together) > 1:
        yield together


_FOR_EVER: Final = "9999-12-31"


RULES = (check_validity, write_kinds_alike, require_rate_or_amount, hold_repeated_taxes)
