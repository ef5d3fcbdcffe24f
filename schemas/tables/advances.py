"""Advances: what a payee was paid ahead, to be recouped from royalties."""

from schemas.tables.cells import ColumnKind
from schemas.tables.draft import Rule
from schemas.tables.model import ISO_DAY, ISRC, PayeeTable, Series, cells


class Advances(PayeeTable):
    """Shape: one row per advance, in centavos.

    `date` is an ISO text or ""; `isrc` ties the advance to one recording, or is "".
    """

    reference: Series[str] = cells(ColumnKind.REFERENCE)
    amount_cents: Series[int] = cells(ColumnKind.PAYABLE, "amount", required=True, gt=0)
    date: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")


RULES: tuple[Rule, ...] = ()
