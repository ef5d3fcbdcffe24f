"""The pages of docs that the program itself can write: `make docs` writes them, and a test holds them against it."""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import Distribution, distributions
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from flows.cli import app
from flows.cli.app import GROUPS
from io_adapters.payout_api.assumptions import ANY_2XX, PREFIX, Assumptions
from io_adapters.spreadsheets.declarations import job_schema, policy_schema, read_layout
from schemas.issues import IssueCode, severity_of
from schemas.messages import catalogue_in

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
CONSTRAINTS: Final = ROOT / "constraints.txt"
Schema = Mapping[str, Any]
TABLES: Final = ("payments", "payees", "shares", "advances", "opening", "rates", "taxes", "invoices")
CLI_INTRO: Final = """\
# The command line

Every command, its arguments and its options, as `--help` prints them. [Doubts and decisions](doubts-and-decisions.md)
says what each exit code asks of you, [operations](operations.md) which settings the environment holds.

With `--json` a command prints one document on standard output and people's text on standard error; the document holds
`exit_code` and `issues`, and `error` where nothing could be done.
"""
JOB_INTRO: Final = """\
# The job file

Every key of a job file: what it takes, what it is when left out, and what it means. `repasse new payments.xlsx` writes
a first one from your sheets, `repasse check job.yaml` names a wrong key with its line and column, and
`repasse schema job` prints the JSON Schema by which an editor completes and checks the file. Amounts are reais in
quotes, `"1234.56"`; relative paths are relative to the job file.
"""
POLICY_INTRO: Final = """\
The file that `REPASSE_POLICY` names, out of reach of those who write jobs: what every approval needs at least,
whatever a job says.
"""
TABLES_INTRO: Final = """\
## The columns of your tables

What each table may hold, and the headers its model sheet has (`repasse new --models DIR` writes them); a column in
**bold** must be there. People's other spellings are known too, see [reading files](reading-files.md).
"""
ASSUMED_INTRO: Final = """\
# What the service leaves unsaid

The interface of the payout service does not say everything. Each guess, its setting and its default stand here;
`tests/contract/test_what_the_interface_does_not_say.py` asks staging which of them hold (see
[operations](operations.md)).

| Setting | Default | What is assumed |
|---|---|---|
"""
PROBLEMS_INTRO: Final = {
    "en": """\
# Every problem in data

What each code means and what would be right, from the file down to the cell; *slanted* words are facts of the case.
Em português: [problemas](problemas.md). An **error** keeps its row, or all of its file, from being paid; a **warning**
is for a person to look at before approving; a **note** tells how something was read.

| Code | Weighs | What is wrong | What would be right |
""",
    "pt-BR": """\
# Todos os problemas nos dados

O que cada código significa e o que seria certo, do arquivo até a célula; palavras *inclinadas* são fatos do caso.
In English: [problems](problems.md). Um **erro** impede que a linha, ou o arquivo todo, seja pago; um **aviso** é para
uma pessoa ler antes de aprovar; uma **nota** diz como algo foi lido.

| Código | Peso | O que está errado | O que seria certo |
""",
}
WEIGHTS: Final = {
    "en": {"error": "error", "warning": "warning", "note": "note"},
    "pt-BR": {"error": "erro", "warning": "aviso", "note": "nota"},
}
LICENCES_INTRO: Final = """\
# Licences

Repasse is under Apache-2.0. These are the packages it is run with and tested with, as `constraints.txt` pins them,
each with the licence that its own metadata states.

| Package | Version | Licence |
|---|---|---|
"""


def cli_page() -> str:
    group = get_command(app)
    root = typer.Context(group, info_name="repasse")
    parts = [CLI_INTRO]
    for title, names in GROUPS.items():
        parts.append(f"## {title.rstrip(':')}\n")
        for name in names:
            parts += _command(group.commands[name], root)
    return "\n".join(parts)


def _command(command: Any, parent: typer.Context) -> Iterator[str]:
    context = typer.Context(command, parent=parent, info_name=command.name, max_content_width=100)
    context.max_content_width = context.terminal_width = 100
    yield f"### {context.command_path}\n\n```\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, TyperGroup):
        for child in command.commands.values():
            yield from _command(child, context)


def job_file_page() -> str:
    schema, policy = job_schema(), policy_schema()
    known = schema["$defs"]
    lines = [JOB_INTRO, "## At the top\n", *_keys(schema, known)]
    for name, paths in _parts_of(schema, known).items():
        lines += [f"\n## {', '.join(f'`{path}`' for path in paths)}\n", f"{_sentence(known[name])}\n"]
        lines += _keys(known[name], known)
    lines += ["\n## The policy\n", POLICY_INTRO, *_keys(policy, policy["$defs"]), "", TABLES_INTRO]
    for name in TABLES:
        layout = read_layout(name, ROOT)
        lines += [f"### {name}\n", f"{layout.title}.\n", "| Column | Headers |", "|---|---|"]
        for column, headers in layout.columns.items():
            shown = f"**{column}**" if column in layout.required else column
            lines.append(f"| {shown} | {', '.join(headers)} |")
        lines.append("")
    return "\n".join(lines)


def _parts_of(schema: Schema, known: Schema, path: str = "") -> dict[str, list[str]]:
    """Find the parts that keys lead to, with the keys that do (`sources.exchange`); a layout has its own schema."""
    parts: dict[str, list[str]] = {}
    for key, value in schema["properties"].items():
        inner = f"{path}.{key}".lstrip(".")
        for name in dict.fromkeys(_named_in(value)):
            if name != "Layout":
                parts.setdefault(name, []).append(inner)
                for below, paths in _parts_of(known[name], known, inner).items():
                    parts.setdefault(below, []).extend(paths)
    return parts


def _named_in(value: Any) -> list[str]:
    """Name the parts that a key's schema refers to, at any depth."""
    if isinstance(value, dict):
        own = [value["$ref"].rpartition("/")[2]] if "$ref" in value else []
        return own + [name for inner in value.values() for name in _named_in(inner)]
    return [name for inner in value for name in _named_in(inner)] if isinstance(value, list) else []


def _keys(schema: Schema, known: Schema) -> Iterator[str]:
    yield "| Key | Takes | Left out | Means |"
    yield "|---|---|---|---|"
    for key, value in schema["properties"].items():
        left_out = "must be there" if key in schema.get("required", ()) else _default(value)
        means = _sentence(value) or " ".join(_sentence(known[name]) for name in _named_in(value))
        yield f"| `{key}` | {_takes(value)} | {left_out} | {means} |"


def _default(value: Schema) -> str:
    default = value.get("default")
    if default in (None, [], {}):
        return "-"
    return f"`{default}`" if isinstance(default, str) else f"`{json.dumps(default)}`"


def _takes(value: Schema) -> str:
    """Say in words what a key takes."""
    options = [option for option in value.get("anyOf", ()) if option.get("type") != "null"]
    kinds = {option.get("type") for option in options}
    number = {"integer": "reais", "number": "a number"}
    written = [words for kind, words in number.items() if kinds == {"string", kind}]
    if written:
        return "a rate" if "decimal_places" in value else written[0]
    if options:
        return " or ".join(dict.fromkeys(map(_takes, options)))
    return next(say(value) for feature, say in TAKES.items() if feature in value)


def _takes_type(value: Schema) -> str:
    if value["type"] == "integer":
        limits = [f" {word} {value[name]}" for name, word in (("minimum", "from"), ("maximum", "to")) if name in value]
        return "a whole number" + "".join(limits)
    return "`true` or `false`" if value["type"] == "boolean" else "text"


# The first feature that a schema has says what it takes.
TAKES: Final[Mapping[str, Callable[[Schema], str]]] = {
    "enum": lambda value: " or ".join(f"`{choice}`" for choice in value["enum"]),
    "patternProperties": lambda value: f"currency: {_takes(next(iter(value['patternProperties'].values())))}",
    "additionalProperties": lambda value: f"name: {_takes(value['additionalProperties'])}",
    "items": lambda value: f"a list of {_takes(value['items'])}",
    "$ref": lambda value: "a layout" if value["$ref"].endswith("/Layout") else "keys, see below",
    "format": lambda value: f"a {value['format']}",
    "type": _takes_type,
}


def _sentence(schema: Schema) -> str:
    return " ".join(schema.get("description", "").split())


def assumed() -> dict[str, str]:
    """Return what stands below each assumption in its source, in one line: a program that runs does not read it."""
    (written,) = ast.parse(inspect.getsource(Assumptions)).body
    assert isinstance(written, ast.ClassDef)
    said = dict[str, str]()
    for field, below in pairwise(written.body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                said[name] = " ".join(text.split())
    return said


def assumptions_page() -> str:
    rows, said = [], assumed()
    for name, field in Assumptions.model_fields.items():
        shown = _shown_default(field.default)
        rows.append(f"| `{PREFIX}{name.upper()}` | `{shown}` | {said[name]} |")
    return ASSUMED_INTRO + "\n".join(rows) + "\n"


def _shown_default(default: object) -> str:
    """Show every status of 2xx as such, and no status at all in words."""
    if isinstance(default, frozenset):
        return "200 to 299" if default == ANY_2XX else ",".join(map(str, sorted(default))) or "none"
    return {True: "1", False: "0"}[default] if isinstance(default, bool) else str(default)


def problems_page(language: str) -> str:
    texts = catalogue_in(language)
    told = (
        (code, *(texts.template(f"issue.{code}.{part}").replace("|", "\\|") for part in ("wrong", "right")))
        for code in IssueCode
    )
    rows = (
        f"| `{code}` | {WEIGHTS[language][severity_of(code).value]} | {wrong} | {right} |"
        for code, wrong, right in told
    )
    table = "\n".join(re.sub(r"\{(\w+)\}", r"*\1*", row) for row in rows)
    return f"{PROBLEMS_INTRO[language]}|---|---|---|---|\n{table}\n"


def licences_page() -> str:
    installed = {_normal(found.metadata["Name"]): found for found in distributions()}
    pinned = [line.split("==")[0] for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if "==" in line]
    rows = (
        _licence_row(installed[name]) for name in map(_normal, sorted(pinned, key=str.casefold)) if name in installed
    )
    return LICENCES_INTRO + "".join(rows)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).casefold()


def _licence_row(package: Distribution) -> str:
    stated = package.metadata
    by_class = [
        line.rpartition(" :: ")[2] for line in stated.get_all("Classifier") or () if line.startswith("License ::")
    ]
    field = stated.get("License") or ""
    licence = stated.get("License-Expression") or " or ".join(by_class) or (field if len(field) < 60 else "")
    return f"| {stated['Name']} | {package.version} | {licence or 'not stated'} |\n"


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "assumptions.md": assumptions_page,
    "cli.md": cli_page,
    "job-file.md": job_file_page,
    "licences.md": licences_page,
    "problemas.md": lambda: problems_page("pt-BR"),
    "problems.md": lambda: problems_page("en"),
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
