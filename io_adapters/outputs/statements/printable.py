"""Text that others wrote, made fit for a page: nothing invisible, nothing that turns the line around."""

import re
import unicodedata
from typing import Final

LONGEST: Final = 500
_LONGEST_WORD: Final = 24
_KEPT_JOINERS: Final = "\u200c\u200d"  # Persian, Indic scripts and emoji are written with them
_LONG_WORD: Final = re.compile(rf"\S{{{_LONGEST_WORD}}}(?=\S)")
_BREAK: Final = "\u200b"


def printable(text: str) -> str:
    r"""Return a text as a page can bear it.

    White space becomes one space; direction marks, zero-width and other invisible characters go; what cannot be shown
    at all becomes U+FFFD; more than 500 characters are cut, with an ellipsis. Nothing is interpreted.

    >>> printable("a\u202egnp.exe"), printable("two\nlines"), printable("nul\0")
    ('agnp.exe', 'two lines', 'nul�')
    """
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    kept = "".join(map(_shown, plain))
    return kept if len(kept) <= LONGEST else kept[: LONGEST - 1] + "…"


def wrappable(text: str) -> str:
    """Return a printable text that also wraps inside a column when it is one long word."""
    return _LONG_WORD.sub(lambda found: found[0] + _BREAK, printable(text))


def _shown(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf":
        return character if character in _KEPT_JOINERS else ""
    never_a_character = ord(character) & 0xFFFE == 0xFFFE or "\ufdd0" <= character <= "\ufdef"
    return "\ufffd" if category in {"Cc", "Cs"} or never_a_character else character
