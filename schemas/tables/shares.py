"""Shares: who has which part of a recording, a release, an artist or the whole catalogue."""

import re
from typing import Final

import numpy as np

from schemas.issues import IssueCode
from schemas.tables.cells import ColumnKind
from schemas.tables.draft import TableDraft
from schemas.tables.model import ISO_DAY, ISRC, Column, PayeeTable, Series, cells
from schemas.values.reading import fold_word

# A share beside the group that covers a line; any other base than "" is a role of that group, in small letters.
ON_TOP: Final = "on top"
_ON_TOP_WORDS: Final = frozenset({"ontop", "porfora", "amais", "adicional", "encima", "additional"})
_OUT_OF: Final = re.compile(r"(?:da parte d[eoa]s?|out of|de la parte de)\s+(\S.*)", re.IGNORECASE)


class Shares(PayeeTable):
    """Shape: one row per payee and asset. `share_ppm` is in millionths; days are ISO texts, "" for no limit.

    `base` says what the share is taken from: "" for the whole, beside the others of its group; "on top" for the whole,
    besides whatever group covers the line; otherwise the role, in small letters, whose part of the group it is taken
    out of. It is in millionths of the whole in each case.
    """

    isrc: Series[str] = cells(ColumnKind.ISRC, str_matches=f"^({ISRC})?$")
    upc: Series[str] = cells(ColumnKind.UPC, str_matches=r"^([0-9]{12,14})?$")
    release: Series[str] = cells(ColumnKind.TEXT)
    artist: Series[str] = cells(ColumnKind.TEXT)
    role: Series[str] = cells(ColumnKind.TEXT)
    share_ppm: Series[int] = cells(ColumnKind.SHARE, "share", required=True, gt=0, le=1_000_000)
    valid_from: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    valid_to: Series[str] = cells(ColumnKind.DATE, str_matches=f"^({ISO_DAY})?$")
    base: Series[str] = cells(ColumnKind.TEXT)

    @classmethod
    def also_read(cls) -> tuple[Column, ...]:
        """See `TableModel`."""
        return (Column("title", ColumnKind.TEXT),)


def check_validity(draft: TableDraft) -> None:
    """Hold shares that end before they begin."""
    first, last = draft.canonical["valid_from"], draft.canonical["valid_to"]
    reversed_ = np.array([bool(f and t and t < f) for f, t in zip(first, last, strict=True)], dtype=bool)
    draft.report(reversed_, "valid_to", IssueCode.DATE_ORDER)


def read_bases(draft: TableDraft) -> None:
    """Read what each share is taken from: "por fora", or "da parte de artista"."""
    bases = [_base_of(text) for text in draft.canonical["base"]]
    unknown = np.array([base is None for base in bases], dtype=bool)
    draft.report(unknown & draft.sound("base"), "base", IssueCode.SHARE_BASE)
    draft.canonical["base"] = np.array([base or "" for base in bases], dtype=object)


def _base_of(text: str) -> str | None:
    """Return the base that a cell says; None for words that say none.

    >>> _base_of("Por fora"), _base_of("da parte do Artista"), _base_of("out of artist"), _base_of("sobre o líquido")
    ('on top', 'artista', 'artist', None)
    """
    if not text or fold_word(text) in _ON_TOP_WORDS:
        return ON_TOP if text else ""
    found = _OUT_OF.fullmatch(text.strip())
    return " ".join(found[1].casefold().split()) if found else None


_SCOPE = ("isrc", "upc", "release", "artist")


# Of the whole catalogue.
_WHOLE: Final = frozenset(
    {
        *("todoocatalogo", "catalogo", "catalogointeiro", "catalogocompleto", "todocatalogo", "todasasfaixas", "todas"),
        *("todos", "tudo", "geral", "all", "wholecatalogue", "wholecatalog", "entirecatalogue", "entirecatalog"),
        *("fullcatalogue", "fullcatalog", "catalogue", "catalog", "todoelcatalogo", "alltracks"),
    }
)


def require_scope(draft: TableDraft) -> None:
    """Hold shares that do not say what they are shares of.

    A row without a code, a release and an artist is of the whole catalogue where the table names nothing else, or where
    it says so ("todo o catálogo"). Beside rows that name something, or with a word for "none", it is not. A title
    without a code is one recording, whatever release or artist stands beside it, and names none.
    """
    whole = np.zeros(len(draft.rows), dtype=bool)
    for column in (*_SCOPE, "title"):
        says_whole = np.array([fold_word(text) in _WHOLE for text in draft.texts[column]], dtype=bool)
        draft.canonical[column][says_whole], draft.texts[column][says_whole] = "", ""
        draft.findings = [one for one in draft.findings if one.column != column or not says_whole[one.position]]
        whole |= says_whole
    of_nothing = ~np.logical_or.reduce([whole, *(draft.given(column) for column in _SCOPE)])
    titled = draft.given("title") & ~draft.given("isrc") & ~draft.given("upc")
    draft.report(titled, "title", IssueCode.SHARE_SCOPE)
    said_none = np.zeros(len(draft.rows), dtype=bool)
    for column in _SCOPE:
        if column in draft.said_nothing:
            draft.report(of_nothing & ~titled & draft.said_nothing[column], column, IssueCode.CELL_REQUIRED)
            said_none |= draft.said_nothing[column]
    if not of_nothing.all():
        draft.report(of_nothing & ~titled & ~said_none, None, IssueCode.SHARE_SCOPE)


# What two rows of one payee agree in that are the same share.
SAME_SHARE: Final = ("isrc", "upc", "release", "artist", "role", "valid_from", "valid_to", "base")

RULES = (check_validity, read_bases, require_scope)
