"""Jobs, layouts, policies and answers as people declare them in YAML: a problem is told where it stands.

What is read of a file, and what is changed in one, is done by the process that reads strangers' files.
"""

import difflib
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML

from io_adapters.spreadsheets.files import lies_within
from io_adapters.spreadsheets.readers import READERS, ReaderStopped
from io_adapters.spreadsheets.yaml_text import LONGEST_DECLARATION, Words, plain_from
from schemas.errors import ConfigurationError
from schemas.job import NO_HOUSE_COLUMNS, HouseColumns, HousePolicy, Job
from schemas.layouts.answers import ColumnAnswer, answer_value
from schemas.layouts.layout import Layout
from schemas.messages import Listed, Message, fact_from, render

KeyPath = tuple[str | int, ...]
Change = tuple[KeyPath, Any]


@dataclass(frozen=True, slots=True)
class YamlText:
    """A parsed YAML document.

    Attributes:
        places: Line and column, from 1, of every key and item, by the path that leads to it; 0 where it is not known.
    """

    name: str
    values: Any
    places: Mapping[KeyPath, tuple[int, int]]

    def at(self, path: KeyPath) -> tuple[int, int]:
        """Return line and column, from 1, of the key or item a path leads to, or of the last part that is written."""
        ways = (path[:length] for length in range(len(path), 0, -1))
        return next((place for way in ways if all(place := self.places.get(way, (0, 0)))), (1, 1))

    def written(self, path: KeyPath) -> KeyPath:
        """Return the steps of a path that are in the document.

        pydantic puts the names of union members between the keys: ("period", "PeriodRange", "end").
        """
        steps: KeyPath = ()
        for step in path:
            steps = (*steps, step) if (*steps, step) in self.places else steps
        return steps


@functools.lru_cache(maxsize=64)  # a run reads its job file again wherever it asks what holds by now
def parse_yaml(text: str, name: str) -> YamlText:
    """Parse one YAML 1.2 document; what is returned may be another caller's too, and is read only.

    Raises:
        ConfigurationError: it is not YAML, or a key is given twice, with line and column; it is longer or deeper than
            any declaration, or has anchors.
    """
    answer = _asked({"ask": "yaml"}, text, name)
    try:
        places = {tuple(map(plain_from, path)): (int(line), int(column)) for path, line, column in answer["places"]}
        return YamlText(name, plain_from(answer["values"]), places)
    except (LookupError, TypeError, ValueError, RecursionError) as error:  # nothing that comes out of it is trusted
        raise ConfigurationError(Message("error.not_yaml", name=name, kind=type(error).__name__)) from None


def _asked(words: Words, text: str, name: str) -> Words:
    """Return what the process that reads files makes of a text.

    Raises:
        ConfigurationError: what it refuses; or that it cannot be started, or does not answer.
    """
    if len(text) > LONGEST_DECLARATION:
        raise ConfigurationError(Message("error.declaration_long", name=name, limit=LONGEST_DECLARATION))
    try:
        answer = READERS.ask_once(words | {"name": name}, [BytesIO(text.encode("utf-8", "surrogatepass"))])
    except (ReaderStopped, OSError) as error:
        raise ConfigurationError(Message("error.declaration_unread", name=name, kind=type(error).__name__)) from None
    if "wrong" not in answer:
        return answer
    with suppress(LookupError, TypeError, ValueError, AttributeError):
        wrong = fact_from(answer["wrong"])
        if isinstance(wrong, Message | Listed) and render(wrong, "en"):  # its id and its facts are the catalogue's
            raise ConfigurationError(wrong)
    raise ConfigurationError(Message("error.not_yaml", name=name, kind="answer"))


_LAYOUTS: Final = resources.files("schemas.layouts")
# Said of every member of a union that a value does not have the shape of, and of lists whose items are wrong.
_VAGUE: Final = frozenset({"model_type", "string_type", "too_short"})

Model = TypeVar("Model", bound=BaseModel)


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
    stands = parse_yaml(text, "").values.get(table)
    value = files[0] if len(files) == 1 else list(files)
    return _changed(text, [((table, "files") if isinstance(stands, dict) else (table,), value)])


def with_columns_of(text: str, place: str, said: Mapping[str, ColumnAnswer]) -> str:
    """Return the text of a job file that says other things of the headers of a source or a table.

    Everything else stays as it is written, comments included.

    Args:
        place: The number of a source, from 1, or the name of a table beside the sources.
        said: Header -> what it is, of all headers there; nothing takes the key out.
    """
    way: KeyPath = ("sources", int(place) - 1) if place.isdecimal() else (place,)
    stands = functools.reduce(lambda holder, step: holder[step], way, parse_yaml(text, "").values)
    changes: list[Change] = [] if isinstance(stands, dict) else [(way, {"files": stands})]
    changes.append(((*way, "columns"), None))
    changes += [((*way, "columns"), {header: answer_value(answer) for header, answer in said.items()})] if said else []
    return _changed(text, changes)


def _changed(text: str, changes: Sequence[Change]) -> str:
    changed = _asked({"ask": "yaml_with", "changes": changes}, text, "").get("text")
    if not isinstance(changed, str):
        raise ConfigurationError(Message("error.not_yaml", name="", kind="TypeError"))
    return changed


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
    new = [((layout, header), answer_value(answer)) for layout, answers in said for header, answer in answers.items()]
    text = _changed(before or f"{new[0][0][0]}:\n", new) if new else before
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
            return file.read(4 * LONGEST_DECLARATION + 1)  # four bytes are the most that a character takes
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
