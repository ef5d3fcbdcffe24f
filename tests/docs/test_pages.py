"""README and docs say what the program does: what they name exists, and what exists is named."""

import re
import shlex
from collections.abc import Iterator

import pytest
from ruamel.yaml import YAML
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from flows.cli import app
from flows.settings import VARIABLES
from io_adapters.spreadsheets.declarations import check_job, job_schema, known_layouts, layout_schema, policy_schema
from schemas.errors import ExitCode
from schemas.issues import IssueCode
from schemas.job import Job
from schemas.messages import catalogue_in
from schemas.plan import Place
from schemas.states import PAYMENTS
from schemas.submission import SubmissionState
from tests.docs.generated import DOCS, PAGES, ROOT

TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "sample_data/README.md", "tests/README.md")
ALL = (*TOP, *sorted(f"docs/{path.name}" for path in DOCS.glob("*.md")))
BY_HAND = tuple(page for page in ALL if page.removeprefix("docs/") not in PAGES)
# Of other programs, of tests alone, or made up as an example
FOREIGN_KEYS = frozenset(
    [
        "work_pool",
        "name",
        "job_variables",
        "image",
        "image_pull_policy",
        "auto_remove",
        "volumes",
        "env",
        "finished_job_ttl",
        "mode",
    ]
)
OF_TESTS = frozenset({"REPASSE_REQUIRE_SYSTEM", *(f"REPASSE_CONTRACT_{name}" for name in ("URL", "KEY", "PARTIES"))})
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def inline_code(page: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", FENCED.sub("", text_of(page)))


def commands_shown(page: str) -> Iterator[list[str]]:
    """Split what a page shows of the command line into words, comments left out: lines of blocks, and inline code."""
    lines = [line for language, block in FENCED.findall(text_of(page)) if not language for line in block.splitlines()]
    for line in [*lines, *inline_code(page)]:
        called = re.match(r"(?:[A-Z_]+=\S+ )*repasse (?!:)(.+)", line)
        if called:
            yield shlex.split(called[1].partition(" #")[0].replace("'", ""))


def wrong_in(words: list[str]) -> str:
    """Say which word leads to no command, or which option the command has not."""
    command: TyperGroup | TyperCommand = get_command(app)
    words = list(words)
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            return words[0]
        command = command.commands[words.pop(0)]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return " ".join(word for word in words if word.startswith("--") and word.split("=")[0] not in {*known, "--help"})


@pytest.mark.parametrize("name", [name for name in PAGES if name != "licences.md"])
def test_a_generated_page_says_what_the_program_says(name):
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "`make docs` writes it"


def test_the_licence_of_every_package_that_is_installed_is_told():
    rows = set(text_of("docs/licences.md").splitlines())
    assert set(PAGES["licences.md"]().splitlines()) <= rows, "`make docs` writes them"


def test_every_command_and_option_that_is_shown_exists():
    shown = [(page, words) for page in BY_HAND for words in commands_shown(page)]
    assert len(shown) > 80
    assert [(page, words) for page, words in shown if wrong_in(words)] == []


@pytest.mark.parametrize("page", ALL)
def test_every_file_it_links_to_is_there(page):
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text_of(page)) if "://" not in link]
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_every_page_can_be_reached_from_the_readme():
    links = set(re.findall(r"\]\((docs/[^)#]+\.md)\)", text_of("README.md")))
    assert [page for page in ALL if page.startswith("docs/") and page not in links] == []


def test_every_exit_code_is_in_the_playbook_and_no_page_names_another():
    rows = re.findall(r"^\| (\d+) \| ", text_of("docs/doubts-and-decisions.md"), re.MULTILINE)
    assert list(map(int, rows)) == sorted(map(int, ExitCode))
    named = {int(code) for page in ALL for code in re.findall(r"\b(?:exit|exits|exit code) (\d+)\b", text_of(page))}
    assert named <= set(map(int, ExitCode))


def test_every_setting_is_described_and_none_is_that_does_not_exist():
    read = {
        name
        for room in ("flows", "io_adapters", "schemas")
        for path in (ROOT / room).rglob("*.py")
        for name in re.findall(r"REPASSE_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8"))
    }
    read |= set(VARIABLES)
    read = {name for name in read if not name.startswith("REPASSE_ASSUME")} - OF_TESTS
    described = re.findall(r"^\| `(REPASSE_[A-Z_]*[A-Z])` \|", text_of("docs/operations.md"), re.MULTILINE)
    assert sorted(described) == sorted(read)
    named = {name for page in ALL for name in re.findall(r"REPASSE_[A-Z_]*[A-Z]", text_of(page))}
    assert {name for name in named if not name.startswith("REPASSE_ASSUME")} - OF_TESTS <= read


def test_every_key_that_a_page_writes_is_one_of_a_job_a_layout_or_a_policy():
    known = {key for schema in (job_schema(), layout_schema(), policy_schema()) for key in keys_of(schema)}
    written = [(page, key) for page in BY_HAND for key in keys_written(page)]
    assert len(written) > 40
    assert [(page, key) for page, key in written if key not in known | FOREIGN_KEYS | {*known_layouts()}] == []


def keys_of(schema: dict) -> set[str]:
    parts = (schema, *schema.get("$defs", {}).values())
    return {key for part in parts for key in part.get("properties", {})}


def keys_written(page: str) -> Iterator[str]:
    """Name the keys of the YAML that a page shows: in blocks, and inline where it is a mapping."""
    blocks = [block for language, block in FENCED.findall(text_of(page)) if language == "yaml"]
    mappings = [code for code in inline_code(page) if re.match(r"[a-z_]+: [^:]*\S", code) or code.startswith("{")]
    for block in [*blocks, *mappings]:
        yield from keys_in(YAML(typ="safe").load(block))


def keys_in(value: object) -> Iterator[str]:
    """Name keys at every depth; what stands below a header, a currency or an element's field is the user's."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if re.fullmatch(r"[a-z_]+", str(key)):
                yield key
            if key not in {"columns", "fields", "env", "exchange", "received", "only"}:
                yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)


def test_every_problem_that_a_page_names_exists():
    shape = re.compile(r"(?:FILE|SHEET|COLUMN|ROW|AMOUNT|TAXID|PIX|BANK|ACCOUNT|LINES|SHARE)_[A-Z_]+")
    named = {(page, code) for page in BY_HAND for code in inline_code(page) if shape.fullmatch(code)}
    assert named
    assert {(page, code) for page, code in named if code not in set(IssueCode)} == set()


def test_every_make_target_is_named_and_none_is_that_does_not_exist():
    makefile = text_of("Makefile")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
    named = {
        name for page in BY_HAND for name in re.findall(r"\bmake ([a-z-]+)(?=[`\n ]*(?:$|[`#,; ]))", text_of(page))
    }
    code = {name for page in BY_HAND for span in inline_code(page) for name in re.findall(r"\bmake ([a-z-]+)$", span)}
    assert code <= targets
    assert targets - named - {"pure", "clean"} == set()


@pytest.mark.parametrize(("page", "language"), [("docs/rules.md", "en"), ("docs/regras.md", "pt-BR")])
def test_where_each_sum_is_stands_in_the_rules_with_its_word_and_whose_turn_it_is(page, language):
    words = catalogue_in(language)
    rows = [line.strip("| ").split(" | ") for line in text_of(page).splitlines() if line.startswith("| `")]
    told = {row[0].strip("`"): row for row in rows if row[0].strip("`") in set(Place)}
    assert list(told) == list(Place)
    for place, row in told.items():
        assert (row[1], row[-1]) == (words(f"place.{place}"), words(f"turn.{PAYMENTS[Place(place)].turn}"))
    reports = " ".join(row[3] for row in told.values())
    assert all(f"`{state}`" in reports for state in SubmissionState)


def test_the_first_pages_stay_short_and_the_job_in_the_readme_is_one():
    assert len(text_of("README.md").splitlines()) <= 120
    assert len(text_of("CONTRIBUTING.md").splitlines()) <= 130
    (job,) = [block for language, block in FENCED.findall(text_of("README.md")) if language == "yaml"]
    assert isinstance(check_job(job, "README.md"), Job)
