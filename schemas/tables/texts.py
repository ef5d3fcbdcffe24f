"""Columns of names and free text: characters they must not hold, and what looks damaged or deceptive."""

import re
from typing import Final

from schemas.issues import IssueCode
from schemas.sheet_cells import CellKind
from schemas.values.reading import Reading

_CONTROLS: Final = "\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u200b\u2060-\u2064"
# Joiners, direction marks and variation selectors are part of how Persian, Hindi or Hebrew titles, and emoji, are
# written; in a name they can hide, as can fillers and tags, which no name needs.
_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c-\u200f\u206a-\u206f\u3164\ufe00-\ufe0f\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff"
)
# Titles of classical works reach some hundreds of characters; a page of text is no title.
_LONGEST_TEXT: Final = 2_000
LONGEST_REFERENCE: Final = 140
_TEXT_CONTROL: Final = re.compile(f"[{_CONTROLS}]")
_NAME_CONTROL: Final = re.compile(f"[{_CONTROLS}{_INVISIBLE}]")

_LATIN: Final = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_GREEK: Final = "\u0370-\u03ff\u1f00-\u1fff"
_CYRILLIC: Final = "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f"
_OTHER_LETTER: Final = re.compile(f"[{_GREEK}{_CYRILLIC}]")
_ALPHABETS: Final = tuple(re.compile(f"[{letters}]") for letters in (_LATIN, _GREEK, _CYRILLIC))
_WORD: Final = re.compile(r"[^\W\d_]+")

# What is left of an accented letter, a quotation mark or an emoji once UTF-8 was taken for cp1252.
_BROKEN: Final = re.compile("[\u00c2-\u00c5\u00e2\u00f0][\u00a0-\u00bf\u0152-\u02dc\u2013-\u2122]|\ufffd")
_REPLACEMENT: Final = "\ufffd"
# What is left of one within a word once Mac Roman or cp850 was taken for cp1252 (`Jo\u2039o`, `JoÆo`).
_SIGN_IN_WORD: Final = re.compile(
    "(?<=[a-z])[\u2039\u203a\u2021\u2030\u2014\u2122\u00a1-\u00a9\u00ab-\u00b6\u00b8-\u00bfÆŽ](?=[a-z])"
)


def read_name(text: str, _kind: CellKind) -> Reading[str]:
    """Read a person's or company's name; "NA" and "None" are names."""
    if found := _NAME_CONTROL.search(text):
        return Reading(None, IssueCode.NAME_CONTROL, {"code_point": _code_point(found[0])})
    if text[0] in "=+-@":
        return Reading(None, IssueCode.NAME_FORMULA)
    if not 2 <= len(text) <= 200:
        return Reading(None, IssueCode.NAME_LENGTH, {"count": len(text)})
    if text.isascii():
        has_letters = any(map(str.isalpha, text))
        return Reading(text) if has_letters else Reading(None, IssueCode.NAME_LETTERS)
    if strangers := _strangers(text):
        return Reading(text, IssueCode.NAME_CONFUSABLE, {"code_point": ", ".join(map(_code_point, strangers))})
    return Reading(text, IssueCode.NAME_ENCODING if _misread(text) else None)


def read_text(text: str, _kind: CellKind) -> Reading[str]:
    """Read free text, kept exactly."""
    if found := _TEXT_CONTROL.search(text):
        return Reading(None, IssueCode.TEXT_CONTROL, {"code_point": _code_point(found[0])})
    if len(text) > _LONGEST_TEXT:
        return Reading(None, IssueCode.TEXT_LENGTH, {"found": len(text), "limit": _LONGEST_TEXT})
    return Reading(text)


def read_reference(text: str, kind: CellKind) -> Reading[str]:
    """Read what tells payments or advances of one payee apart: a text that fits a line of a bank statement."""
    if len(text) > LONGEST_REFERENCE:
        return Reading(None, IssueCode.TEXT_LENGTH, {"found": len(text), "limit": LONGEST_REFERENCE})
    return read_text(text, kind)


def _strangers(text: str) -> list[str]:
    """Return the Greek and Cyrillic letters of words that mix alphabets."""
    if _OTHER_LETTER.search(text) is None:
        return []
    mixed = [word for word in _WORD.findall(text) if sum(bool(letters.search(word)) for letters in _ALPHABETS) > 1]
    return list(dict.fromkeys(letter for word in mixed for letter in _OTHER_LETTER.findall(word)))


def _misread(text: str) -> bool:
    """Tell whether a text was read in another encoding than its own (`JosÃ©`), or a byte in it could not."""
    if _SIGN_IN_WORD.search(text):
        return True
    if _BROKEN.search(text) is None:
        return False
    try:
        return _REPLACEMENT in text or text.encode("cp1252").decode("utf-8") != text
    except UnicodeError:
        return False


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"
