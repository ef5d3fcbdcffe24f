"""Everything the command line says can be said in both languages, about the same facts."""

import string

import pytest

from flows.wording import TEXTS


def facts(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_tell_the_same_facts(key):
    portuguese, english = TEXTS[key]
    assert facts(portuguese) == facts(english)
    assert portuguese
    assert english
