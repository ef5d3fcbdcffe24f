"""Which header is which column: headers compared as people read them."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.layouts.layout import Layout


@dataclass(frozen=True, slots=True)
class HeaderMatch:
    """What a header row says about a layout's columns. Positions count from 0, column A.

    Attributes:
        positions: Canonical column -> position; a column that more than one header claims is not in it.
        duplicates: Canonical column -> the positions that claim it, two or more.
        missing: Required canonical columns that no header claims, in the layout's order.
        unknown: Positions whose header the layout does not name.
        ignored: Positions whose header the layout names as not to be read, or to be read by a rule of its own.
    """

    positions: dict[str, int]
    duplicates: dict[str, tuple[int, ...]]
    missing: tuple[str, ...]
    unknown: tuple[int, ...]
    ignored: tuple[int, ...]


def fold(text: str) -> str:
    """Reduce a header to what counts when people compare two: letters and digits, no case, no accents.

    A header made of marks alone ("%") stays what it is.

    >>> fold(" Valor Líquido (R$) "), fold("CPF/CNPJ"), fold("%")
    ('valorliquidor', 'cpfcnpj', '%')
    """
    bare = "".join(mark for mark in unicodedata.normalize("NFKD", text.casefold()) if mark.isalnum())
    return bare or text.strip()


def match_headers(headers: Sequence[str], layout: Layout) -> HeaderMatch:
    """Tell which header is which column of a layout.

    Args:
        headers: Texts of the header row, from column A; "" for a column without one.
        layout: Whose columns are looked for.

    Returns:
        Every position with a header in exactly one of positions, duplicates, unknown and ignored.
    """
    column_of = {fold(alias): column for column, aliases in layout.columns.items() for alias in aliases}
    rules = [*([layout.sign.column] if layout.sign else []), *(rule.column for rule in layout.leave_out)]
    not_read = {fold(header) for header in (*layout.ignored, *rules)}
    claims: dict[str, list[int]] = {}
    unknown: list[int] = []
    ignored: list[int] = []
    for position, header in enumerate(headers):
        folded = fold(header)
        if not folded:
            continue
        if folded in column_of:
            claims.setdefault(column_of[folded], []).append(position)
        elif folded in not_read:
            ignored.append(position)
        else:
            unknown.append(position)
    return HeaderMatch(
        positions={column: found[0] for column, found in claims.items() if len(found) == 1},
        duplicates={column: tuple(found) for column, found in claims.items() if len(found) > 1},
        missing=tuple(column for column in layout.required if column not in claims),
        unknown=tuple(unknown),
        ignored=tuple(ignored),
    )
