"""Sentences in the code are sentences: a name in one stands between backticks, unless it is a parameter or a field.

A name that a rename has put into a sentence ("what may be read_id of a reply") is found by this.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.census import classes_twice

ROOT = Path(__file__).parents[2]
ROOMS = ("flows", "io_adapters", "schemas")
SNAKE_CASE = re.compile(r"(?<![\w./{#*-])_?[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/}*(]|\.\w)")
QUOTED = re.compile(r"`[^`]*`|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'")
DESCRIBED = re.compile(r"^\s*\w+(, \w+)*: ")  # an entry of a section such as `Args:`
COMMENT = re.compile(r"(?:^ *|  )# (?!noqa|type:|fmt:)(.*)")


class Line(NamedTuple):
    """A line of a docstring or a comment, and the names of parameters and fields that it may speak of."""

    number: int
    text: str
    names: frozenset[str]


def lines_of(source: str) -> Iterator[Line]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            names = frozenset() if isinstance(node, ast.Module) else _names_in(node)
            if text is not None:
                yield from (Line(node.body[0].lineno + place, line, names) for place, line in _sentences(text))
    for number, line in enumerate(source.split("\n"), start=1):
        if comment := COMMENT.search(line):
            yield Line(number, QUOTED.sub("", comment[1]), frozenset())


def _names_in(node: ast.AST) -> frozenset[str]:
    parameters = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    fields = {
        part.target.id
        for part in ast.walk(node)
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }
    return frozenset(parameters | fields)


def _sentences(docstring: str) -> Iterator[tuple[int, str]]:
    """Leave out the examples, which end with an empty line, and code that is set apart."""
    in_example = False
    unquoted = QUOTED.sub(lambda quoted: "\n" * quoted.group().count("\n"), docstring)
    for place, line in enumerate(unquoted.split("\n")):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            yield place, line


def names_in_sentences(source: str) -> list[tuple[int, str]]:
    return [
        (line.number, word)
        for line in lines_of(source)
        for word in SNAKE_CASE.findall(DESCRIBED.sub("", line.text))
        if word not in line.names
    ]


def test_no_name_stands_in_a_sentence_without_its_backticks():
    found = {
        str(path.relative_to(ROOT)): names
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if (names := names_in_sentences(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_a_name_that_a_rename_left_in_a_sentence_is_found():
    source = '''
    """What may be id_in of a reply."""

    def read(id_in):
        """Read `split_id`, as id_in says of the answer_of.

        Args:
            id_in: The id.

        >>> read(split_id)
        """
        % the totals_apart
    '''
    assert [word for _, word in names_in_sentences(source.replace("%", "#").replace("\n    ", "\n"))] == [
        "id_in",
        "answer_of",
        "totals_apart",
    ]


def test_a_class_name_stands_once_in_the_product():
    assert classes_twice() == []


MODULE_PATH = re.compile(r"(?:flows|io_adapters|schemas)(?:\.\w+)+")


def test_every_module_that_a_string_names_is_there():
    """Such as those that a waiting process loads: no import at the head of a module says that they moved."""
    named = {
        (node.value, path.relative_to(ROOT))
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE_PATH.fullmatch(node.value)
    }
    assert named
    assert [(name, where) for name, where in named if not _is_there(name)] == []


def _is_there(name: str) -> bool:
    """Say whether a path names a module, a package, or something that a module defines."""
    path = ROOT / name.replace(".", "/")
    home = path.parent.with_suffix(".py")
    is_defined = home.exists() and re.search(rf"^(?:def |class )?{path.name}\b", home.read_text("utf-8"), re.MULTILINE)
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists() or bool(is_defined)


def test_a_module_that_moved_is_found_out():
    assert _is_there("flows.cli.app")
    assert _is_there("flows.launch.wait")
    assert not _is_there("flows.cli.gone")
    assert not _is_there("flows.cli.app.gone")
