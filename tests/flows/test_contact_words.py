"""What contacts and institutions say can be said in both languages, about the same facts; nothing is left unsaid."""

import string

import pytest

from flows.address_book.rules import Action, FavoriteNote, LeftOutBecause
from flows.address_book.sync import Result
from flows.contact_words import TEXTS


def facts(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_tell_the_same_facts(key):
    portuguese, english = TEXTS[key]
    assert facts(portuguese) == facts(english)
    assert portuguese
    assert english


@pytest.mark.parametrize(
    ("group", "values"),
    [("action", Action), ("result", Result), ("favorite", FavoriteNote), ("left_out", LeftOutBecause)],
)
def test_every_outcome_has_its_words(group, values):
    assert {f"{group}.{value}" for value in values} <= set(TEXTS)
