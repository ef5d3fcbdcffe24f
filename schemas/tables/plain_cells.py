"""Plainly sound cells of statement lines: a rule narrower than the readers', which whole columns are held against.

A cell that matches the pattern of its column is read as it stands, to the value that the column's reader would give it;
any other is the reader's to judge. The patterns mean the same to Python and to RE2, which DuckDB uses.
"""

from typing import Final

from schemas.tables.cells import ColumnKind
from schemas.values.money import DecimalMark

# Printable letters that are composed already, no backslash, no blank at either end, and no "#" that begins an error.
_LETTERS: Final = "$-\\[\\]-~\u00c0-\u024f"
_TEXT: Final = rf'[!"{_LETTERS}](?:[ !"#{_LETTERS}]{{0,198}}[!"#{_LETTERS}])?'

_PATTERNS: Final = {
    ColumnKind.TEXT: _TEXT,
    ColumnKind.ISRC: r"[A-Z]{2}[A-Z0-9]{3}[0-9]{7}",
    ColumnKind.UPC: r"[0-9]{12}|[1-9][0-9]{12,13}",
    ColumnKind.PERIOD: r"[0-9]{4}-(?:0[1-9]|1[0-2])",
    ColumnKind.CURRENCY: r"[A-Z]{3}",
    ColumnKind.COUNT: r"-?[0-9]{1,15}",
}
_POINT: Final = r"-?[0-9]{1,13}(?:\.[0-9]{1,18})?"
_COMMA: Final = _POINT.replace(r"\.", ",")
_WHOLE: Final = r"-?[0-9]{1,13}"

# Texts of which one proves, or leaves open, how a column of amounts writes its decimals.
TELLING_AMOUNTS: Final = (
    r"-?[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,18})",
    r"-?[0-9]+,(?:[0-9]{1,2}|[0-9]{4,18})",
    r"-?[1-9][0-9]{0,2}[.,][0-9]{3}",
)


def plain_pattern(kind: ColumnKind) -> str:
    """Return the pattern of plain cells of a kind of column; amounts have `plain_amounts`."""
    return _PATTERNS[kind]


def plain_amounts(mark: DecimalMark | None, *, numbers: bool) -> str:
    """Return the pattern of plain amounts.

    Args:
        mark: The decimal mark of the column; None when nothing decides it, so that whole numbers alone are plain.
        numbers: Whether the cells are numbers of a workbook, which are written with a point whatever people type.
    """
    if numbers or mark == ".":
        return _POINT
    return _COMMA if mark == "," else _WHOLE
