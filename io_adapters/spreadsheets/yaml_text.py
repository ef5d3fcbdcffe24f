"""YAML as plain values, with the line and column of every key: a problem in a declaration is told where it stands."""

from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.scalarfloat import ScalarFloat
from ruamel.yaml.scalarint import ScalarInt

from schemas.errors import ConfigurationError

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class YamlText:
    """A parsed YAML document.

    Attributes:
        name: Of the file, for messages.
        values: Plain dicts, lists, texts, numbers, booleans and dates. Floats stay floats: the model must refuse them.
        tree: The same with positions.
    """

    name: str
    values: Any
    tree: Any

    def at(self, path: KeyPath) -> tuple[int, int]:
        """Return line and column, from 1, of the key or item a path leads to, or of the last part that is written."""
        line, column = 0, 0
        node = self.tree
        for step in path:
            if not _has(node, step):
                break
            try:
                line, column = node.lc.key(step) if isinstance(node, CommentedMap) else node.lc.item(step)
            except KeyError:  # merged in from an anchor (<<), so written elsewhere
                break
            node = node[step]
        return line + 1, column + 1

    def written(self, path: KeyPath) -> KeyPath:
        """Return the steps of a path that are in the document.

        pydantic puts the names of union members between the keys: ("period", "PeriodRange", "end").
        """
        steps: list[str | int] = []
        node = self.tree
        for step in path:
            if _has(node, step):
                steps.append(step)
                node = node[step]
        return tuple(steps)


def parse_yaml(text: str, name: str) -> YamlText:
    """Parse one YAML 1.2 document.

    Raises:
        ConfigurationError: it is not YAML, or a key is given twice; with line and column.
    """
    try:
        tree = YAML(typ="rt").load(text)
    except DuplicateKeyError as error:
        what = str(error.problem).split(" with ", maxsplit=1)[0]
        raise ConfigurationError(f"{_mark(name, error)} {what}: each key may be given once") from None
    except MarkedYAMLError as error:
        raise ConfigurationError(f"{_mark(name, error)} {error.problem or error.context}") from None
    except YAMLError as error:
        raise ConfigurationError(f"{name}: not YAML ({type(error).__name__})") from None
    return YamlText(name, _plain(tree), tree)


def _has(node: Any, step: str | int) -> bool:  # noqa: ANN401
    if isinstance(node, CommentedSeq):
        return isinstance(step, int) and step < len(node)
    return isinstance(node, CommentedMap) and step in node


def _mark(name: str, error: MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else f"{name}:"


def _plain(node: Any) -> Any:  # noqa: ANN401
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    if isinstance(node, ScalarFloat):
        return float(node)
    if isinstance(node, ScalarInt):
        return int(node)
    return str(node) if isinstance(node, str) else node
