"""Shares: who has which part of a recording, a release, an artist or the whole catalogue."""

import numpy as np

from schemas.issues import IssueCode
from schemas.tables.cells import Column, ColumnKind
from schemas.tables.contract import CANONICAL_TAX_ID, TableModel, text, whole
from schemas.tables.draft import Draft


class Shares(TableModel):
    """Shape: one row per payee and asset. `share_ppm` is in millionths; days are ISO texts, "" for no limit."""

    file = text()
    sheet = text()
    row = whole(at_least=1)
    isrc = text(matches=r"^([A-Z]{2}[A-Z0-9]{3}[0-9]{7})?$")
    upc = text(matches=r"^([0-9]{12,14})?$")
    release = text()
    artist = text()
    tax_id = text(CANONICAL_TAX_ID)
    role = text()
    share_ppm = whole(above=0, at_most=1_000_000)
    valid_from = text(matches=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")
    valid_to = text(matches=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")


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


_SCOPE = ("isrc", "upc", "release", "artist")


def require_scope(draft: Draft) -> None:
    """Hold shares whose cells say that a recording has no code: only where all are blank it is the whole catalogue."""
    of_everything = ~np.logical_or.reduce([draft.given(column) for column in _SCOPE])
    for column in _SCOPE:
        if column in draft.said_nothing:
            draft.report(of_everything & draft.said_nothing[column], column, IssueCode.CELL_REQUIRED)


RULES = (check_validity, require_scope)
