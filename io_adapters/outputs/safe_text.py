"""Text that others wrote, made fit for a file that a spreadsheet program will open.

A cell that begins with = + - @ (or tab, CR, LF, NUL) may be run as a formula: OWASP ASVS 5.0, 1.2.10. Programs also
look past leading spaces and read full-width forms, so those count as well.
"""

import re
import unicodedata
from typing import Final

_STARTS_A_FORMULA: Final = "=+-@"
_RUNS_AT_ONCE: Final = "\t\r\n\0"

# What XML 1.0 cannot bear: control characters, halves of surrogate pairs, two non-characters.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Spreadsheets read _x000D_ in a stored text as an escape; the underscore itself must then be escaped.
_LOOKS_ESCAPED: Final = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

LONGEST_CELL_TEXT: Final = 32_767


def looks_like_formula(text: str) -> bool:
    """Tell whether a spreadsheet program could take a text for a formula.

    >>> [looks_like_formula(t) for t in ("=1+1", "  @sum", "＝1", "Ana", "10")]
    [True, True, True, False, False]
    """
    if not text:
        return False
    if text[0] in _RUNS_AT_ONCE:
        return True
    for character in text:
        if unicodedata.category(character)[0] not in "ZC":  # spaces, controls and invisible marks hide what follows
            return unicodedata.normalize("NFKC", character)[0] in _STARTS_A_FORMULA
    return False


def cell_text(text: str) -> str:
    """Return a text as an xlsx cell stores it: what XML cannot bear becomes U+FFFD, the length is Excel's."""
    kept = _NOT_XML.sub("\ufffd", text)[:LONGEST_CELL_TEXT]
    return _LOOKS_ESCAPED.sub("_x005F_", kept).replace("\r", "_x000D_")  # XML readers turn a bare CR into LF


def csv_text(text: str) -> str:
    """Return a text as a CSV field that no spreadsheet program runs: a formula gets a leading apostrophe."""
    kept = _NOT_XML.sub("\ufffd", text)
    return f"'{kept}" if looks_like_formula(text) else kept
