"""Conditions of share rows: of which lines alone a share is, by what the lines say.

Words are compared without regard to case, accents, blanks and marks; territories also by their ISO code and by their
names in English, Spanish and Portuguese, as the CLDR has them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from babel import Locale
from babel.core import get_global

from schemas.values.reading import fold_word
from schemas.words import vocabulary

_WORDS: Final = vocabulary("rows")["share_conditions"]
_EXCEPT: Final = re.compile(rf"(?:{'|'.join(_WORDS['except'])})\s+(\S.*)", re.IGNORECASE)
_EVERYTHING: Final = frozenset(map(fold_word, vocabulary("conditions")["everywhere"]))
# "The rest" is whatever the other rows do not name, or all that is not at home: whoever wrote it has to say which.
_THE_REST: Final = frozenset(_WORDS["the_rest"])
_BETWEEN: Final = "|"
_NOT: Final = "!"
_LANGUAGES: Final = ("en", "es", "pt")
_CODE_LETTERS: Final = 2


@dataclass(frozen=True, slots=True)
class LineCondition:
    """What a share row asks of one column of a line.

    Attributes:
        is_except: The line must say none of the words.
    """

    column: str
    words: frozenset[str]
    is_except: bool = False

    @property
    def text(self) -> str:
        return f"{self.column}={_NOT if self.is_except else ''}{_BETWEEN.join(sorted(self.words))}"

    def is_met(self, said: str) -> bool:
        """Tell whether a line meets it that says something; what a silent line would say is not known."""
        return (word_of(self.column, said) in self.words) is not self.is_except


def read_condition(column: str, text: str) -> str | None:
    """Read a cell: words with "|" between, "exceto" before those that are left out; None where it says no condition.

    Returns:
        The words folded and in order, "!" before them for "exceto"; "" for a cell that leaves nothing out.

    >>> read_condition("territory", "Portugal | Brasil"), read_condition("format", "exceto CD"), read_condition("income", "todos")
    ('br|pt', '!cd', '')
    >>> read_condition("territory", "Brasil, Portugal"), read_condition("territory", "resto do mundo")
    (None, None)
    """  # noqa: E501
    if not text or fold_word(text) in _EVERYTHING:
        return ""
    if "," in text or ";" in text:
        return None
    parts = [part.strip() for part in text.split(_BETWEEN)]
    left_out = [_EXCEPT.fullmatch(part) for part in parts]
    words = {word_of(column, found[1] if found else part) for part, found in zip(parts, left_out, strict=True)}
    if "" in words or words & (_THE_REST | _EVERYTHING) or (any(left_out[1:]) and not all(left_out)):
        return None
    return (_NOT if left_out[0] else "") + _BETWEEN.join(sorted(words))


def conditions_of(cells: Mapping[str, str]) -> tuple[LineCondition, ...]:
    """Return the conditions of a share row: column -> what `read_condition` came to."""
    return tuple(
        LineCondition(column, frozenset(text.removeprefix(_NOT).split(_BETWEEN)), text.startswith(_NOT))
        for column, text in cells.items()
        if text
    )


@cache
def word_of(column: str, text: str) -> str:
    """Fold a word of a condition or a line as they are compared.

    >>> word_of("territory", "Brasil"), word_of("territory", "BRA"), word_of("income", "Execução Pública")
    ('br', 'br', 'execucaopublica')
    """
    folded = fold_word(text)
    return _territory_codes().get(folded, folded) if column == "territory" else folded


def shown_word(column: str, word: str) -> str:
    """Write a folded word for people: a territory's code in capitals."""
    return word.upper() if column == "territory" and len(word) == _CODE_LETTERS else word


@cache
def _territory_codes() -> Mapping[str, str]:
    named = {
        fold_word(name): code.casefold()
        for language in _LANGUAGES
        for code, name in Locale(language).territories.items()
        if len(code) == _CODE_LETTERS
    }
    aliases = {
        fold_word(alias): codes[0].casefold()
        for alias, codes in get_global("territory_aliases").items()
        if len(codes) == 1 and len(codes[0]) == _CODE_LETTERS
    }
    return aliases | named
