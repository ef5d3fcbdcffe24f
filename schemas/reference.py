"""A reference, as people type it to tell two payments to one payee apart, and the form of it that identities rest on.

People retype a reference, copy it from elsewhere, let a spreadsheet make a number of it, or save it on another
machine. None of that makes it another payment. What they read stays as they typed it.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Soft hyphens, joiners, direction marks and tags are of category Cf; these are invisible too, and are of others.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Before NFKC, which would make accents with blanks of some of them.
_SIGNS: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`\u02b9\u02bb\u02bc\uff07", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02", '"')
    | dict.fromkeys("\u2044\u2215\uff0f", "/")
    | dict.fromkeys("\u2212\u02d7\u2043\u2796", "-")  # signs that look like dashes and are no punctuation to Unicode
)
_DASHES: Final = frozenset({"Pd"})
_NUMBER_WORD: Final = re.compile(r"(?<!\w)(?:n\. ?[oº°]|n[o°]|nr|nro|num|n(?:u|ú)mero|n(?=\.)|#)\.? ?(?=\d)")
_LEADING_ZEROS: Final = re.compile(r"(?<![\d.,])0+(?=\d)")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?:,\d{3})+")
_DECIMALS: Final = re.compile(r"(\d+)[.,](\d{1,2})")


@lru_cache(maxsize=1 << 16)
def normal_reference(text: str) -> str:
    r"""Return the form of a reference by which two spellings of it are one.

    Case, blanks, invisible characters, kinds of dashes and quotation marks, composed or decomposed accents, "nº" and
    the like before a number, leading zeros, a number's thousands and empty decimals, and punctuation at the end do not
    tell two references apart. Accents do.

    >>> normal_reference("Nota  Nº\u00a017."), normal_reference("017,00"), normal_reference("NF\u2013 8")
    ('nota 17', '17', 'nf-8')
    """
    while (form := _simplified(text)) != text:  # what one rule takes away may be all that kept another from its work
        text = form
    return text


def _simplified(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).casefold()
    text = unicodedata.normalize("NFKC", text)
    if not text.isascii():
        text = "".join(map(_plain, _INVISIBLE.sub("", text)))
    text = " ".join(text.split())
    text = re.sub(r" ?([-/]) ?", r"\1", text).strip("'\" ")
    text = _NUMBER_WORD.sub("", text).rstrip(".,;: ")
    return _plain_number(_LEADING_ZEROS.sub("", text))


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    return "" if category == "Cf" else "-" if category in _DASHES else character


def _plain_number(text: str) -> str:
    """Write a reference that is a number and nothing else as a whole number, or with a point and no empty decimals."""
    if _THOUSANDS.fullmatch(text):
        return re.sub("[.,]", "", text)
    if found := _DECIMALS.fullmatch(text):
        whole, decimals = found[1], found[2].rstrip("0")
        return f"{whole}.{decimals}" if decimals else whole
    return text
