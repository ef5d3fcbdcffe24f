"""Messages about people's words exist in both languages, and name the same facts in each."""

import ast
from pathlib import Path
from string import Formatter

import pytest

from schemas.errors import ApprovalWanted
from schemas.told import Told
from schemas.told_texts import TOLD

ROOT = Path(__file__).parents[2]


def facts_named(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", TOLD)
def test_a_message_names_the_same_facts_in_both_languages(key):
    portuguese, english = TOLD[key]
    assert facts_named(portuguese) == facts_named(english)
    assert portuguese != english


def test_an_error_is_told_in_the_readers_language_and_logged_in_english():
    error = ApprovalWanted(Told("approval.too_few", plan="sha256:ab", given=1, wanted=2))
    assert error.in_words("pt-BR") == "o plano sha256:ab tem 1 de 2 aprovações"
    assert error.message == str(error) == error.in_words("en") == "plan sha256:ab has 1 of 2 approvals"


def test_an_error_in_plain_words_says_them_in_every_language():
    assert ApprovalWanted("as it is").in_words("pt-BR") == "as it is"


def calls_of_told() -> list[tuple[str, set[str]]]:
    """Every place that says a message: its key and the facts it gives."""
    said = []
    for path in [*ROOT.glob("flows/**/*.py"), *ROOT.glob("io_adapters/**/*.py"), *ROOT.glob("schemas/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Told":
                keys = [one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)]
                said += [(str(key), {str(fact.arg) for fact in node.keywords}) for key in keys if isinstance(key, str)]
    return said


def test_every_message_is_said_somewhere_and_with_every_fact_it_names():
    said = calls_of_told()
    assert {key for key, _ in said} == set(TOLD)
    assert [key for key, facts in said if facts_named(TOLD[key][0]) != facts] == []
