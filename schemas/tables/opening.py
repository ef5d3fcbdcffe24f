"""Opening balances: what was carried, to recoup or paid before Repasse kept the ledger."""

from decimal import Decimal
from typing import Final

import numpy as np

from schemas.issues import IssueCode
from schemas.tables.cells import CellFinding, ColumnKind
from schemas.tables.draft import TableDraft
from schemas.tables.model import ISO_DAY, ISRC, PayeeTable, Series, cells
from schemas.values.reading import fold_word

CARRIED: Final = "carried"
TO_RECOUP: Final = "to_recoup"
PAID: Final = "paid"
# What people write, folded.
WORDS: Final[dict[str, str]] = {
    "carried": CARRIED,
    "carriedin": CARRIED,
    "balance": CARRIED,
    "saldo": CARRIED,
    "saldoanterior": CARRIED,
    "torecoup": TO_RECOUP,
    "arecuperar": TO_RECOUP,
    "paid": PAID,
    "paidoutside": PAID,
    "pago": PAID,
    "pagofora": PAID,
}


class Opening(PayeeTable):
    """Shape: one row per payee and fact of one period, in centavos.

    kind carried: what is carried into the period, negative when owed back; `to_recoup`: what is left of an advance when
    the period begins; paid: what was paid for the period outside Repasse. `period` is "YYYY-MM" or an ISO day of it.
    `reference` is the advance's, or the payment's; `date` and `isrc` are the advance's, or "".
    """

    kind: Series[str] = cells(ColumnKind.TEXT, required=True, isin=[CARRIED, TO_RECOUP, PAID])
    period: Series[str] = cells(ColumnKind.PERIOD, required=True, str_matches=r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$")
    reference: Series[str] = cells(ColumnKind.REFERENCE)
    amount_cents: Series[int] = cells(ColumnKind.SIGNED_AMOUNT, "amount", required=True)
    date: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")


def read_kinds(draft: TableDraft) -> None:
    """Read what each row is; only what is carried may be owed back, and only what was paid may be nothing."""
    kinds = [WORDS.get(fold_word(text), "") for text in draft.canonical["kind"]]
    draft.canonical["kind"] = np.array(kinds, dtype=object)
    known = np.array([bool(kind) for kind in kinds], dtype=bool)
    draft.report(draft.given("kind") & ~known, "kind", IssueCode.OPENING_KIND)
    least = {CARRIED: None, PAID: Decimal(0), TO_RECOUP: Decimal("0.01")}
    too_little = [
        amount is not None and (floor := least.get(kind)) is not None and amount.value < floor
        for kind, amount in zip(kinds, draft.canonical["amount"], strict=True)
    ]
    wrong = np.array(too_little, dtype=bool) & known & draft.sound("amount")
    draft.report(wrong, "amount", IssueCode.AMOUNT_NOT_POSITIVE)


def hold_repeated_rows(draft: TableDraft) -> None:
    """Hold rows that say the same twice; two payments, or two advances of one reference, bear different dates."""
    kinds = draft.canonical["kind"]
    carried = [group for group in draft.groups("tax_id", "kind", "period") if kinds[group[0]] == CARRIED]
    others = draft.groups("tax_id", "kind", "period", "reference", "isrc", "date")
    for positions in [*carried, *(group for group in others if kinds[group[0]] in {TO_RECOUP, PAID})]:
        for position in positions:
            facts = {"other": draft.row_list(positions, but=position)}
            draft.findings.append(CellFinding(position, None, IssueCode.ROW_DUPLICATE, facts))


RULES = (read_kinds, hold_repeated_rows)
