"""Shares: who has which part of a recording, a release, an artist or the whole catalogue."""

import numpy as np
import pandas as pd
import pandera.pandas as pa
from pandera.typing import Series

from schemas.issues import IssueCode
from schemas.tables.cells import Column, ColumnKind
from schemas.tables.contract import TableModel, is_canonical_tax_id
from schemas.tables.draft import Draft


class Shares(TableModel):
    """Shape: one row per payee and asset. `share_ppm` is in millionths; days are ISO texts, "" for no limit."""

    file: Series[str]
    sheet: Series[str]
    row: Series[int] = pa.Field(ge=1)
    isrc: Series[str] = pa.Field(str_matches=r"^([A-Z]{2}[A-Z0-9]{3}[0-9]{7})?$")
    upc: Series[str] = pa.Field(str_matches=r"^([0-9]{12,14})?$")
    release: Series[str]
    artist: Series[str]
    tax_id: Series[str]
    role: Series[str]
    share_ppm: Series[int] = pa.Field(gt=0, le=1_000_000)
    valid_from: Series[str] = pa.Field(str_matches=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")
    valid_to: Series[str] = pa.Field(str_matches=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")

    @pa.check("tax_id", name="is a canonical CPF or CNPJ")
    def _tax_ids(cls, tax_ids: "pd.Series[str]") -> "pd.Series[bool]":  # noqa: N805
        return is_canonical_tax_id(tax_ids)

    class Config:
        """A column that is not named here is an error."""

        strict = True


COLUMNS = (
    Column("isrc", ColumnKind.ISRC),
    Column("upc", ColumnKind.UPC),
    Column("release", ColumnKind.TEXT),
    Column("artist", ColumnKind.TEXT),
    Column("tax_id", ColumnKind.TAX_ID, required=True),
    Column("role", ColumnKind.TEXT),
    Column("share", ColumnKind.SHARE, required=True, target="share_ppm"),
    Column("valid_from", ColumnKind.DATE),
    Column("valid_to", ColumnKind.DATE),
)


def check_validity(draft: Draft) -> None:
    """Hold shares that end before they begin."""
    first, last = draft.canonical["valid_from"], draft.canonical["valid_to"]
    reversed_ = np.array([bool(f and t and t < f) for f, t in zip(first, last, strict=True)], dtype=bool)
    draft.report(reversed_, "valid_to", IssueCode.DATE_ORDER)


RULES = (check_validity,)
