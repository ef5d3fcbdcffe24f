"""Advances: what a payee was paid ahead, to be recouped from royalties."""

import pandas as pd
import pandera.pandas as pa
from pandera.typing import Series

from schemas.tables.cells import Column, ColumnKind
from schemas.tables.contract import TableModel, is_canonical_tax_id
from schemas.tables.draft import Rule


class Advances(TableModel):
    """Shape: one row per advance, in centavos.

    `date` is an ISO text or ""; `isrc` ties the advance to one recording, or is "".
    """

    file: Series[str]
    sheet: Series[str]
    row: Series[int] = pa.Field(ge=1)
    tax_id: Series[str]
    reference: Series[str]
    amount_cents: Series[int] = pa.Field(gt=0)
    date: Series[str] = pa.Field(str_matches=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")
    isrc: Series[str] = pa.Field(str_matches=r"^([A-Z]{2}[A-Z0-9]{3}[0-9]{7})?$")

    @pa.check("tax_id", name="is a canonical CPF or CNPJ")
    def _tax_ids(cls, tax_ids: "pd.Series[str]") -> "pd.Series[bool]":  # noqa: N805
        return is_canonical_tax_id(tax_ids)

    class Config:
        """A column that is not named here is an error."""

        strict = True


COLUMNS = (
    Column("tax_id", ColumnKind.TAX_ID, required=True),
    Column("reference", ColumnKind.TEXT),
    Column("amount", ColumnKind.PAYABLE, required=True, target="amount_cents"),
    Column("date", ColumnKind.DATE),
    Column("isrc", ColumnKind.ISRC),
)
RULES: tuple[Rule, ...] = ()
