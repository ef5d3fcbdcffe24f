"""Who says something, where a word takes more than one person: a typed name is one person, however it is written."""

import unicodedata
from collections.abc import Iterable


def same_person(name: str) -> str:
    """Return what all writings of a name have in common; what nobody sees of one (U+200B, say) makes no difference.

    >>> same_person("  José  DA Silva ") == same_person("jose\u0301 da silva")
    True
    """
    seen = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return " ".join(seen.casefold().split())


def different_people(names: Iterable[str]) -> frozenset[str]:
    """Return the people behind some names, blank ones left out.

    >>> sorted(different_people(["Ana", "ana ", "", "Bia"]))
    ['ana', 'bia']
    """
    return frozenset(map(same_person, names)) - {""}
