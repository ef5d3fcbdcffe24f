"""Who says something, where a word takes more than one person: names that look alike are one person.

Unicode lists thousands of characters that look alike (UTS 39); its skeletons need ICU, and no kept library of Python's
makes them. Names here are written in Latin letters, so what matters is what can pass for those: other forms of the same
letter (accents, case, full width, mathematical, all of which Unicode decomposes), letters of Cyrillic and Greek, Latin
letters with a stroke or without their dot, and what nobody sees.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

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
    """Return what all names have in common that look alike: accents, case, other scripts, blanks make no difference.

    >>> same_person("  José  DA Silva ") == same_person("jose\u0301 da silva") == same_person("Jose da Silva")
    True
    >>> same_person("Аnа Lіma") == same_person("Ana Lima")  # Cyrillic А, а and і
    True
    """
    parts = unicodedata.normalize("NFKD", name)
    seen = "".join(char for char in parts if not _is_invisible(char))
    return " ".join(_CAPITAL_I_FOR_L.sub("l", seen.translate(_LOOKS_LIKE)).casefold().split())


def _is_invisible(char: str) -> bool:
    """Whether nobody sees a character by itself: format and control characters, marks on letters, fillers."""
    return char in _FILLERS or (unicodedata.category(char) in {"Cc", "Cf", "Mn", "Me"} and not char.isspace())


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
