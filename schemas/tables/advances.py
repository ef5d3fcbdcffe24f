"""Advances: what a payee was paid ahead, to be recouped from royalties."""

from schemas.tables.cells import Column, ColumnKind
from schemas.tables.contract import CANONICAL_TAX_ID, TableModel, text, whole
from schemas.tables.draft import Rule


class Advances(TableModel):
    """Shape: one row per advance, in centavos.

    `date` is an ISO text or ""; `isrc` ties the advance to one recording, or is "".
    """

    file = text()
    sheet = text()
    row = whole(at_least=1)
    tax_id = text(CANONICAL_TAX_ID)
    reference = text()
    amount_cents = whole(above=0)
    date = text(matches=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")
    isrc = text(matches=r"^([A-Z]{2}[A-Z0-9]{3}[0-9]{7})?$")


COLUMNS = (
    Column("tax_id", ColumnKind.TAX_ID, required=True),
    Column("reference", ColumnKind.REFERENCE),
    Column("amount", ColumnKind.PAYABLE, required=True, target="amount_cents"),
    Column("date", ColumnKind.DATE),
    Column("isrc", ColumnKind.ISRC),
)
RULES: tuple[Rule, ...] = ()
