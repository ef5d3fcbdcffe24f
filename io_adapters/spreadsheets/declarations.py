"""YAML as plain values, with the line and column of every key: a problem in a declaration is told where it stands."""

import difflib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import resources
from io import StringIO
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.scalarfloat import ScalarFloat
from ruamel.yaml.scalarint import ScalarInt
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

from io_adapters.spreadsheets.files import lies_within
from schemas.errors import ConfigurationError
from schemas.job import NO_HOUSE_COLUMNS, HouseColumns, HousePolicy, Job
from schemas.layouts.answers import ColumnAnswer, columns_yaml
from schemas.layouts.layout import Layout
from schemas.messages import Listed, Message

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class YamlText:
    """A parsed YAML document."""

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
            except (KeyError, TypeError):  # merged in from an anchor (<<), or in a tagged value that keeps no places
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


_LONGEST_DECLARATION: Final = 200_000
_DEEPEST: Final = 30
_MOST_TOKENS: Final = 10_000
_LONGEST_PLAIN: Final = 2_000  # characters; a number of more digits cannot be made, and no name or path has as many
_OPENING: Final = (BlockMappingStartToken, BlockSequenceStartToken, FlowMappingStartToken, FlowSequenceStartToken)
_CLOSING: Final = (BlockEndToken, FlowMappingEndToken, FlowSequenceEndToken)


@functools.lru_cache(maxsize=16)  # a run reads its job file again wherever it asks what holds by now
def parse_yaml(text: str, name: str) -> YamlText:
    """Parse one YAML 1.2 document; what is returned may be another caller's too, and is read only.

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
    return YamlText(name, _plain(tree), tree)


def _require_plain(text: str, name: str) -> None:
    """Refuse what no declaration needs, before anything is made of it: its tokens are read one by one."""
    if len(text) > _LONGEST_DECLARATION:
        raise ConfigurationError(Message("error.declaration_long", name=name, limit=_LONGEST_DECLARATION))
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
                raise ConfigurationError(Message("error.declaration_long", name=name, limit=_LONGEST_DECLARATION))
            depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
            if depth > _DEEPEST:
                raise ConfigurationError(Message("error.declaration_deep", name=name, limit=_DEEPEST))
    except YAMLError:
        return  # what is wrong with it is told where it is parsed


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


_LAYOUTS: Final = resources.files("schemas.layouts")
# Said of every member of a union that a value does not have the shape of, and of lists whose items are wrong.
_VAGUE: Final = frozenset({"model_type", "string_type", "too_short"})

Model = TypeVar("Model", bound=BaseModel)
# No line of a person's file is broken when another part of it is written anew.
_WIDE: Final = 10_000


@dataclass(frozen=True, slots=True)
class JobFile:
    """A job and where it was read."""

    job: Job
    folder: Path
    path: Path
    sha256: str


def is_declaration(name: str) -> bool:
    """Say whether a name is that of a job or a layout; whatever else a person gives is a file with data.

    >>> is_declaration("job.YML"), is_declaration("extrato.ofx")
    (True, False)
    """
    return name.lower().endswith((".yaml", ".yml"))


def read_job(path: str | Path) -> JobFile:
    """Read and check a job file.

    Raises:
        ConfigurationError: it is missing or wrong; the message has one line per problem, each with its place.
    """
    path = Path(path)
    if not path.is_file():
        names = [file.name for file in sorted(path.parent.glob("*.y*ml"))] if path.parent.is_dir() else []
        near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.5)
        raise ConfigurationError(
            Message("error.no_job_file_near", path=str(path), near=str(path.with_name(near[0])))
            if near
            else Message("error.no_job_file", path=str(path))
        )
    if not is_declaration(path.name):
        raise ConfigurationError(Message("error.job_is_a_sheet", path=str(path)))
    content = _bytes_of(path)
    return JobFile(
        _checked(parse_yaml(_text_of(content, path), path.name), Job),
        path.resolve().parent,
        path,
        sha256(content).hexdigest(),
    )


def check_job(text: str, name: str) -> Job:
    """Check the text of a job file that is not written yet.

    Raises:
        ConfigurationError: it is wrong; the message has one line per problem, each with its place.
    """
    return _checked(parse_yaml(text, name), Job)


def with_table_files(text: str, table: str, files: Sequence[str]) -> str:
    """Return the text of a job file in which a table beside the sources is read from other files.

    Everything else stays as it is written, comments included.
    """

    def change(document: CommentedMap) -> None:
        value = files[0] if len(files) == 1 else list(files)
        if isinstance(document.get(table), dict):
            document[table]["files"] = value
        else:
            document[table] = value

    return _changed(text, change)


def with_columns_of(text: str, place: str, said: Mapping[str, ColumnAnswer]) -> str:
    """Return the text of a job file that says other things of the headers of a source or a table.

    Everything else stays as it is written, comments included.

    Args:
        place: The number of a source, from 1, or the name of a table beside the sources.
        said: Header -> what it is, of all headers there; nothing takes the key out.
    """

    def change(document: CommentedMap) -> None:
        holder, key = (document["sources"], int(place) - 1) if place.isdecimal() else (document, place)
        if not isinstance(holder[key], dict):
            holder[key] = _in_one_line({"files": holder[key]})
        holder[key].pop("columns", None)
        if said:
            holder[key]["columns"] = _flow(YAML(typ="safe").load(columns_yaml(said)))

    return _changed(text, change)


def _flow(value: str | Sequence[str] | Mapping[str, Any]) -> Any:  # noqa: ANN401 - as YAML has it
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _in_one_line({name: _flow(inner) for name, inner in value.items()})
    line = CommentedSeq(value)
    line.fa.set_flow_style()
    return line


def _in_one_line(values: Mapping[str, Any]) -> CommentedMap:
    line = CommentedMap(values)
    line.fa.set_flow_style()
    return line


def _changed(text: str, change: Callable[[CommentedMap], None]) -> str:
    """Return the text of a declaration after a change; what is not changed stays as it is written."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _WIDE
    # How far its lists are indented, as whoever wrote it has it.
    document, sequence, offset = load_yaml_guess_indent(text, yaml=yaml)
    yaml.indent(sequence=sequence or 2, offset=offset or 0)
    change(document)
    written = StringIO()
    yaml.dump(document, written)
    return written.getvalue()


def read_policy(path: Path) -> HousePolicy:
    """Read the least a house asks of every job.

    Raises:
        ConfigurationError: it is missing or wrong; the message has one line per problem, each with its place.
    """
    if not path.is_file():
        raise ConfigurationError(Message("error.no_policy", path=str(path)))
    return _read(path, HousePolicy)


def read_house_columns(path: Path) -> tuple[HouseColumns, str]:
    """Read what a house has answered of columns in its senders' statements, and the hex digest of the file's bytes.

    Nothing, where there is no such file.

    Raises:
        ConfigurationError: it is wrong, or names no sender's layout.
    """
    if not path.is_file():
        return NO_HOUSE_COLUMNS, ""
    content = _bytes_of(path)
    document = parse_yaml(_text_of(content, path), path.name)
    columns = _checked(replace(document, values=document.values or {}), HouseColumns)
    senders = [name for name in known_layouts() if _known_layout(name).is_of_a_sender]
    for name in columns.root.keys() - set(senders):
        line, column = document.at((name,))
        facts = {"place": f"{path.name}:{line}:{column}", "layout": name, "near": _nearest(name, tuple(senders))}
        raise ConfigurationError(Message("error.columns_of_whom", **facts))
    return columns, sha256(content).hexdigest()


def with_house_columns(path: Path, said: Iterable[tuple[str, Mapping[str, ColumnAnswer]]]) -> bytes:
    """Return a house's answers that say this of senders' headers, too; nothing, where the file says so already.

    Args:
        path: The file; there need not be one.
        said: Layout, and header -> answer.
    """
    before = _text_of(_bytes_of(path), path) if path.is_file() else ""
    new = [(layout, _flow(YAML(typ="safe").load(columns_yaml(answers)))) for layout, answers in said if answers]

    def change(document: CommentedMap) -> None:
        for layout, answers in new:
            document[layout] = document.get(layout) or CommentedMap()
            document[layout].update(answers)

    text = _changed(before or f"{new[0][0]}:\n", change) if new else before
    return b"" if text == before else text.encode()


def is_path(layout: str) -> bool:
    return "/" in layout or is_declaration(layout)


def read_layout(layout: str | Layout, folder: Path) -> Layout:
    """Return the layout a job means.

    Raises:
        ConfigurationError: there is none of this name, or its file is missing or wrong.
    """
    if isinstance(layout, Layout):
        return layout
    if is_path(layout):
        path = folder / layout
        if not path.is_file():
            raise ConfigurationError(Message("error.no_layout_file", path=str(path)))
        return _read(path, Layout)
    if layout not in known_layouts():
        known = known_layouts()
        near = _nearest(layout, known)
        raise ConfigurationError(Message("error.layout_unknown", layout=layout, near=near, known=Listed(known)))
    return _known_layout(layout)


@functools.cache
def known_layouts() -> tuple[str, ...]:
    """Return the names of the layouts that come with Repasse, sorted."""
    return tuple(sorted(file.name.removesuffix(".yaml") for file in _LAYOUTS.iterdir() if file.name.endswith(".yaml")))


@functools.cache
def bank_layouts() -> tuple[Layout, ...]:
    """Return the layouts of banks' statements that come with Repasse: OFX, then sheets by their headers."""
    return tuple(_known_layout(f"banks/{name}") for name in ("ofx", "bank"))


@functools.cache
def _known_layout(name: str) -> Layout:
    # What comes with the program has nothing whose place is told: libyaml reads it in a tenth of the time.
    return Layout.model_validate(YAML(typ="safe").load((_LAYOUTS / f"{name}.yaml").read_text("utf-8")))


def job_schema() -> dict[str, Any]:
    return _schema(Job)


def policy_schema() -> dict[str, Any]:
    return _schema(HousePolicy)


def layout_schema() -> dict[str, Any]:
    return _schema(Layout)


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(mode="validation")
    for part in (schema, *schema["$defs"].values()):
        for described in part.get("properties", {}).values():
            if "$ref" in described:  # a block's keys have their own defaults, in reais as people write them
                described.pop("default", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def _read(path: Path, model: type[Model]) -> Model:
    return _checked(parse_yaml(_text_of(_bytes_of(path), path), path.name), model)


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            if not lies_within(file.fileno(), path):
                raise ConfigurationError(Message("error.declaration_elsewhere", path=str(path)))
            return file.read(4 * _LONGEST_DECLARATION + 1)  # four bytes are the most that a character takes
    except OSError as error:
        raise ConfigurationError(Message("error.file_unreadable", path=str(path), kind=type(error).__name__)) from None


def _text_of(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise ConfigurationError(Message("error.not_utf8", path=str(path.name))) from None


def _checked(document: YamlText, model: type[Model]) -> Model:
    try:
        return model.model_validate(document.values)
    except (ArithmeticError, RecursionError) as error:  # of a value that no check foresaw
        raise ConfigurationError(Message("error.not_yaml", name=document.name, kind=type(error).__name__)) from None
    except ValidationError as error:
        problems = _without_noise(document, error.errors(include_url=False, include_input=False))
        found = sorted({_located(document, model, problem) for problem in problems}, key=lambda at: (at[0], str(at[1])))
        lines = (Listed((f"{document.name}:{line}:{column}", wrong), " ") for (line, column), wrong in found)
        raise ConfigurationError(Listed(tuple(lines), "\n")) from None


def _without_noise(document: YamlText, problems: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out what is only said because of a more precise problem in the same place."""
    precise = (document.written(problem["loc"]) for problem in problems if problem["type"] not in _VAGUE)
    explained = {place[:length] for place in precise for length in range(len(place) + 1)}
    return [p for p in problems if p["type"] not in _VAGUE or document.written(p["loc"]) not in explained]


def _located(document: YamlText, model: type[BaseModel], problem: ErrorDetails) -> tuple[tuple[int, int], Listed]:
    path = document.written(problem["loc"])
    wrong: Message | str = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "missing":
        path, wrong = (*path, problem["loc"][-1]), Message("declaration.required")
    elif problem["type"] == "model_type":
        wrong = Message("declaration.mapping")
    elif problem["type"] == "extra_forbidden":
        wrong = Message("declaration.unknown_key", near=_nearest(str(path[-1]), _keys_at(model, path[:-1])))
    name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
    return document.at(path), Listed((name, wrong) if name else (wrong,), ": ")


def _nearest(word: str, known: tuple[str, ...]) -> Message | str:
    near = difflib.get_close_matches(word, known, n=1)
    return Message("error.near", name=near[0]) if near else ""


def _keys_at(model: type[BaseModel], path: KeyPath) -> tuple[str, ...]:
    models = {model}
    for step in path:
        named = [candidate.model_fields[step] for candidate in models if step in candidate.model_fields]
        if named:  # else an item's number or a mapping's key: still the same models
            models = {inner for field in named for inner in _models_in(field.annotation)}
    return tuple(sorted({key for candidate in models for key in candidate.model_fields}))


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
