"""Names and references, and the normal forms in which they are compared."""

import re
import unicodedata
from collections.abc import Iterable
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
_NUMBER_WORD: Final = re.compile(r"(?<!\w)(?:(?:n\. ?[oº°]|n[o°]|nr|nro|num|n(?:u|ú)mero|n(?=\.)|#)\.? ?)+(?=\d)")
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


_INVOICE_WORDS: Final = re.compile(
    r"(?:nota fiscal|nfs-e|nfs|nfse|nf-e|nfe|nf|nota|invoice|fatura|recibo)(?![^\W\d_])[ .:/-]*"
)


def invoice_number(number: str, day: str) -> str:
    """Return what an invoice is known by: its number without the words before it, and the year of its day.

    >>> invoice_number("NF 017", "2026-10-05"), invoice_number("Nota Fiscal nº 17", "2026-11-02")
    ('17 of 2026', '17 of 2026')
    """
    while (bare := normal_reference(_INVOICE_WORDS.sub("", normal_reference(number), count=1))) != number:
        number = bare
    return f"{number} of {day[:4]}"


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


_LOOKS_LIKE: Final = str.maketrans(
    # Cyrillic, small and capital
    dict(zip("авгеһіјкӏмноԛпрсѕтуѵԝхьԁӀ", "abrehijklmhoqnpcstyvwxbdl", strict=True))
    | dict(zip("АВЕІЈКМНОРСЅТУХԌԚԜѴ", "ABEIJKMHOPCSTYXGQWV", strict=True))
    # Greek, where small and capital look like different letters
    | dict(zip("αβγεηικνοπρτυχωϲϳ", "abyenikvonptuxwcj", strict=True))
    | dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ", "ABEZHIKMNOPTYXCJ", strict=True))
    # Latin: a stroke, a missing dot, another shape
    | dict(zip("øłđħŧıȷɑɡɩƖØŁĐĦŦꞮ", "oldhtijagilOLDHTI", strict=True))
    # digits and signs that pass for letters, and the many dashes and apostrophes
    | dict(zip("01|‐‑‒–—−’‘ʼ´`", "oll------'''''", strict=True))
)
# Blank, though no blanks to Unicode.
_FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_CAPITAL_I_FOR_L: Final = re.compile(r"(?<=[a-z])I")


def same_person(name: str) -> str:
    """Return what all names have in common that look alike: their letters and digits alone, in one case and script.

    >>> same_person("  José  DA Silva ") == same_person("jose\u0301 da silva") == same_person("Jose da Silva")
    True
    >>> same_person("Ana-Maria D'Ávila Jr.") == same_person("ana maria davila jr") == same_person("AnaMaria d.Avila Jr")
    True
    >>> same_person("Аnа Lіma") == same_person("Ana Lima")  # Cyrillic А, а and і
    True
    """
    parts = unicodedata.normalize("NFKD", name)
    seen = "".join(char for char in parts if not _is_invisible(char))
    folded = _CAPITAL_I_FOR_L.sub("l", seen.translate(_LOOKS_LIKE)).casefold()
    return "".join(char for char in folded if char.isalnum())


def _is_invisible(char: str) -> bool:
    """Whether nobody sees a character by itself: format and control characters, marks on letters, fillers."""
    return char in _FILLERS or (unicodedata.category(char) in {"Cc", "Cf", "Mn", "Me"} and not char.isspace())


def is_plain_name(name: str) -> bool:
    """Whether a name is what it looks like: no control or format character in it, and letters of one script alone.

    >>> is_plain_name("Ana D'Ávila-Prado Jr."), is_plain_name("Ana\u202e"), is_plain_name("An\u0430")  # Cyrillic а
    (True, False, False)
    """
    hidden = any(unicodedata.category(char) in _HIDDEN or char in _FILLERS for char in name)
    return not hidden and len(scripts_of(name)) <= 1


_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def different_people(names: Iterable[str]) -> frozenset[str]:
    """Return the people behind some names, blank ones left out.

    >>> sorted(different_people(["Ana", "ana ", "", "Bia"]))
    ['ana', 'bia']
    """
    return frozenset(map(same_person, names)) - {""}


def scripts_of(name: str) -> frozenset[str]:
    """Name the scripts a name's letters are of, as Unicode calls them.

    >>> sorted(scripts_of("Аna 2"))  # Cyrillic А
    ['CYRILLIC', 'LATIN']
    """
    letters = (char for char in unicodedata.normalize("NFKC", name) if char.isalpha())
    return frozenset(unicodedata.name(char, "UNKNOWN").split()[0] for char in letters)
