"""YAML as plain values, with the place of every key and item; and a person's file with a few of its values changed.

Whatever makes something of a stranger's YAML is in the process that reads files; its answers are plain JSON.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.tokens import (
    AliasToken,
    AnchorToken,
    BlockEndToken,
    BlockMappingStartToken,
    BlockSequenceStartToken,
    FlowMappingEndToken,
    FlowMappingStartToken,
    FlowSequenceEndToken,
    FlowSequenceStartToken,
    ScalarToken,
)
from ruamel.yaml.util import load_yaml_guess_indent

from schemas.errors import ConfigurationError
from schemas.messages import Message

Words = dict[str, Any]
LONGEST_DECLARATION: Final = 200_000
_DEEPEST: Final = 30
_MOST_TOKENS: Final = 10_000
_LONGEST_PLAIN: Final = 2_000  # characters; a number of more digits cannot be made, and no name or path has as many
_OPENING: Final = (BlockMappingStartToken, BlockSequenceStartToken, FlowMappingStartToken, FlowSequenceStartToken)
_CLOSING: Final = (BlockEndToken, FlowMappingEndToken, FlowSequenceEndToken)
# No line of a person's file is broken when another part of it is changed.
_WIDE: Final = 10_000


def yaml_words(text: str, name: str) -> Words:
    """Read one YAML 1.2 document.

    Returns:
        `values`, as `plain_words` has them, and `places`: path, line and column, from 1, of every key and item; 0 where
        it is not known.

    Raises:
        ConfigurationError: it is not YAML, or a key is given twice, with line and column; it is longer or deeper than
            any declaration, or has anchors: what a few hundred bytes of those stand for fills a machine.
    """
    _require_plain(text, name)
    try:
        tree = YAML(typ="rt").load(text)
    except DuplicateKeyError as error:
        what = str(error.problem).split(" with ", maxsplit=1)[0]
        raise ConfigurationError(Message("error.key_twice", place=_mark(name, error), what=what)) from None
    except MarkedYAMLError as error:
        raise ConfigurationError(f"{_mark(name, error)} {error.problem or error.context}") from None
    except Exception as error:  # noqa: BLE001 - whatever a parser makes of a stranger's text is a refusal
        raise ConfigurationError(Message("error.not_yaml", name=name, kind=type(error).__name__)) from None
    return {"values": plain_words(tree), "places": list(_places(tree, []))}


def yaml_with(text: str, changes: Sequence[tuple[Sequence[str | int], Any]]) -> str:
    """Return the text of a document after a few changes; what is not changed stays as it is written, comments included.

    Args:
        changes: Path of a key, and what stands there from now on, in one line; None takes the key out. What a path
            leads through is made where it is missing.
    """
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _WIDE
    # How far its lists are indented, as whoever wrote it has it.
    document, sequence, offset = load_yaml_guess_indent(text, yaml=yaml)
    yaml.indent(sequence=sequence or 2, offset=offset or 0)
    for (*way, last), value in changes:
        holder = document
        for step in way:
            if isinstance(holder, CommentedMap) and holder.get(step) is None:
                holder[step] = CommentedMap()
            holder = holder[step]
        if value is None:
            holder.pop(last, None)
        else:
            holder[last] = _in_one_line(value)
    written = StringIO()
    yaml.dump(document, written)
    return written.getvalue()


def plain_words(value: object) -> object:
    """Write a value of YAML as JSON: what JSON has no word for under the name of what it is."""
    words: object = {"other": type(value).__name__}
    match value:
        case bool() | None:
            words = value
        case str() | int() | float():  # ruamel's own ones, which know how they are written
            words = next(kind(value) for kind in (str, int, float) if isinstance(value, kind))
        case dict():
            words = {"map": [[plain_words(key), plain_words(inner)] for key, inner in value.items()]}
        case list() | set():
            words = [plain_words(inner) for inner in value]
        case dt.datetime():
            words = {"moment": value.isoformat()}
        case dt.date():
            words = {"day": value.isoformat()}
    return words


def plain_from(words: Any) -> Any:  # noqa: ANN401  # whatever YAML holds
    """Read what `plain_words` wrote.

    Raises:
        TypeError, ValueError: it did not write this.
    """
    match words:
        case {"map": [*pairs]}:
            return {plain_from(key): plain_from(value) for key, value in pairs}
        case [*items]:
            return [plain_from(item) for item in items]
        case {"moment": str(text)}:
            return dt.datetime.fromisoformat(text)
        case {"day": str(text)}:
            return dt.date.fromisoformat(text)
        case {"other": str()}:
            return object()  # nothing that any key of a declaration takes
        case bool() | str() | int() | float() | None:
            return words
    raise TypeError("no value of YAML")


def _places(node: object, way: list[Any]) -> Iterator[tuple[list[Any], int, int]]:
    if not isinstance(node, CommentedMap | CommentedSeq):
        return
    for step in node if isinstance(node, CommentedMap) else range(len(node)):
        try:
            line, column = node.lc.key(step) if isinstance(node, CommentedMap) else node.lc.item(step)
        except (KeyError, TypeError):  # in a tagged value, which keeps no places
            line, column = -1, -1  # told as 0
        path = [*way, plain_words(step)]
        yield path, line + 1, column + 1
        yield from _places(node[step], path)


def _require_plain(text: str, name: str) -> None:
    """Refuse what no declaration needs, before anything is made of it: its tokens are read one by one."""
    if len(text) > LONGEST_DECLARATION:
        raise ConfigurationError(Message("error.declaration_long", name=name, limit=LONGEST_DECLARATION))
    depth = 0
    try:
        for number, token in enumerate(YAML(typ="rt").scan(text)):
            if isinstance(token, AnchorToken | AliasToken):
                mark = token.start_mark
                place = f"{name}:{mark.line + 1}:{mark.column + 1}"
                raise ConfigurationError(Message("error.declaration_anchor", place=place))
            if isinstance(token, ScalarToken) and token.plain and len(token.value) > _LONGEST_PLAIN:
                mark = token.start_mark
                place = f"{name}:{mark.line + 1}:{mark.column + 1}"
                raise ConfigurationError(Message("error.declaration_value", place=place, limit=_LONGEST_PLAIN))
            if number > _MOST_TOKENS:
                raise ConfigurationError(Message("error.declaration_long", name=name, limit=LONGEST_DECLARATION))
            depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
            if depth > _DEEPEST:
                raise ConfigurationError(Message("error.declaration_deep", name=name, limit=_DEEPEST))
    except YAMLError:
        return  # what is wrong with it is told where it is parsed


def _mark(name: str, error: MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else f"{name}:"


def _in_one_line(value: Any) -> Any:  # noqa: ANN401 - as YAML has it
    if isinstance(value, Mapping):
        line: CommentedMap | CommentedSeq = CommentedMap({name: _in_one_line(inner) for name, inner in value.items()})
    elif isinstance(value, Sequence) and not isinstance(value, str):
        line = CommentedSeq(map(_in_one_line, value))
    else:
        return value
    line.fa.set_flow_style()
    return line
