"""What the service says of an account, made fit to be shown beside a row."""

import re
from collections.abc import Iterable
from typing import Final

_LONGEST: Final = 200
_HIDDEN: Final = "…"


def mask_words(text: str, known: Iterable[str]) -> str:
    """Hide in a sentence whatever may be an address, a number, or part of a name that is known.

    >>> mask_words("conta 1234-5 de Maria Souza inexistente", ["Maria de Souza"])
    'conta … de … inexistente'

    Args:
        text: One line.
        known: Names of those the sentence may be about.
    """
    names = {part.casefold() for name in known for part in re.findall(r"\w+", name) if len(part) > 2}
    told: list[str] = []
    for word in text.split():
        bare = "".join(re.findall(r"\w", word)).casefold()
        shown = _HIDDEN if "@" in word or re.search(r"\d", word) or bare in names else word
        if shown != _HIDDEN or told[-1:] != [_HIDDEN]:
            told.append(shown)
    sentence = " ".join(told)
    return sentence if len(sentence) <= _LONGEST else sentence[:_LONGEST] + _HIDDEN
