"""The catalogues and the code agree: each text is there in both languages, names the same facts, and is used."""

import ast
import re
from functools import cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import pytest
from babel.messages.pofile import read_po

from flows.acts.forms import fields_of
from flows.acts.perform import DOES
from schemas.parsing.table import MODELS, column_names
from schemas.wire import PaymentEntry

ROOT = Path(__file__).parents[2]
LOCALE = ROOT / "schemas" / "locale"
ROOMS = ("flows", "io_adapters", "schemas")
# Lookups whose id must be there; what else looks a text up is known by an id that is.
LOOKUPS = frozenset({"Message", "render"})


@cache
def texts(locale: str) -> dict[str, tuple[str, ...]]:
    """Each id's texts, several of those that count."""
    with (LOCALE / f"{locale}.po").open("rb") as file:
        entries = [entry for entry in read_po(file, locale=locale) if entry.id]
    return {
        entry.id if isinstance(entry.id, str) else entry.id[0]: (entry.string,)
        if isinstance(entry.string, str)
        else tuple(entry.string)
        for entry in entries
    }


def facts_of(id_: str) -> set[str]:
    return {name for locale in ("en", "pt_BR") for text in texts(locale)[id_] for name in facts_in(text)}


def facts_in(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


class Use(NamedTuple):
    """Where an id is given to a lookup, and the facts beside it; None where they are not all seen."""

    where: str
    ids: tuple[str, ...]
    facts: set[str] | None


@cache
def trees() -> dict[str, ast.Module]:
    paths = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def pages() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "flows").rglob("*.html"))


@cache
def constants() -> set[str]:
    """All constants of the product: what a part of an id may be made of."""
    found = {
        str(node.value)
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int)
    }
    found |= set(PaymentEntry.model_fields)  # what a plan sends is named as on the wire
    found |= {name for table in MODELS for name in column_names(table)}
    found |= {field.name for form in DOES for field in fields_of(form)}
    # enumerations by name in lower case, and codes by their families, name texts too
    names = {
        target.id
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
    families = {constant.partition("_")[0] for constant in found if re.fullmatch("[A-Z]+_[A-Z_]+", constant)}
    return found | {name.lower() for name in names} | families | {""}


@cache
def patterns() -> tuple[re.Pattern[str], ...]:
    """Ids made of parts: f-strings that begin like an id, and `"desk.done." ~ done` in pages."""
    spaces = {id_.partition(".")[0] for id_ in texts("en")}
    made = [
        "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else "(.*)" for part in node.values)
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant)
        if str(node.values[0].value).partition(".")[0] in spaces and "." in str(node.values[0].value)
    ]
    made += [
        re.escape(f"{node.args[0].value}.") + "(.*)"
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "of_value"
        if isinstance(node.args[0], ast.Constant)
    ]
    made += [re.escape(begin) + "(.*)" for begin in re.findall(r"""["']([a-z_.]+\.)["'] ~""", pages())]
    return tuple(map(re.compile, sorted(set(made))))


def ids_in(node: ast.expr) -> tuple[str, ...]:
    """Ids that an expression can be, as far as it shows them."""
    if isinstance(node, ast.IfExp):
        return (*ids_in(node.body), *ids_in(node.orelse))
    return (node.value,) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ()


def uses() -> list[Use]:
    found = []
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                ids = ids_in(node.args[0])
                if ids and (name in LOOKUPS or all(id_ in texts("en") for id_ in ids)):
                    facts = {fact.arg or "" for fact in node.keywords}
                    found.append(Use(f"{path}:{node.lineno}", ids, None if "" in facts else facts))
    return found


def is_used(id_: str) -> bool:
    id_ = id_.removeprefix("desk.note.")  # of a message that has other words for people at the desk
    if id_ in constants() or f'"{id_}"' in pages() or f"'{id_}'" in pages():
        return True
    made = (found for pattern in patterns() if (found := pattern.fullmatch(id_)))
    return any(all(part in constants() for part in found.groups()) for found in made)


def test_both_languages_have_the_same_texts():
    assert [id_ for id_ in texts("en") if id_ not in texts("pt_BR")] == []
    assert [id_ for id_ in texts("pt_BR") if id_ not in texts("en")] == []
    assert list(texts("en")) == list(texts("pt_BR")), "a translator reads them side by side"


@pytest.mark.parametrize("locale", ["en", "pt_BR"])
def test_no_text_is_empty_and_both_languages_name_the_same_facts(locale):
    assert [id_ for id_, forms in texts(locale).items() if not all(form.strip() for form in forms)] == []
    assert [id_ for id_, forms in texts(locale).items() if set.union(*map(facts_in, forms)) != facts_of(id_)] == []


def test_every_id_in_code_and_pages_is_in_the_catalogues():
    assert [use for use in uses() if not all(id_ in texts("en") for id_ in use.ids)] == []
    wanted = set(re.findall(r"""\bt\(["']([a-z_.]+)["'](?:\)|,)""", pages()))
    assert len(wanted) > 150
    assert sorted(wanted - set(texts("en"))) == []
    assert [pattern.pattern for pattern in patterns() if not any(map(pattern.fullmatch, texts("en")))] == []


def test_every_fact_a_text_names_is_given_where_it_is_used():
    seen = [use for use in uses() if use.facts is not None and not any(id_.startswith("issue.") for id_ in use.ids)]
    assert len(seen) > 300
    assert [(use.where, id_) for use in seen for id_ in use.ids if not facts_of(id_) <= use.facts] == []


def test_no_text_is_unused():
    assert [id_ for id_ in texts("en") if not is_used(id_)] == []
