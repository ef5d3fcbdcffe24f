"""Who says something, where a word takes more than one person: a typed name is one person, however it is written."""

import unicodedata
from collections.abc import Iterable


def same_person(name: str) -> str:
    """Return what all writings of a name have in common.

    >>> same_person("  José  DA Silva ") == same_person("jose\u0301 da silva")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def different_people(names: Iterable[str]) -> frozenset[str]:
    """Return the people behind some names, blank ones left out.

    >>> sorted(different_people(["Ana", "ana ", "", "Bia"]))
    ['ana', 'bia']
    """
    return frozenset(map(same_person, names)) - {""}
