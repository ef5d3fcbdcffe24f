"""The README says what the program does: its codes, exit codes, commands and files are the real ones.

`python -m tests.docs.test_readme` writes the table of problems anew.
"""

import re
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from flows.cli import app
from schemas.exit_codes import ExitCode
from schemas.issues import IssueCode, severity_of
from schemas.messages import catalogue_in

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PROBLEMS = ROOT / "docs" / "problems.md"
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "sample_data/README.md",
    "docs/guia.md",
    "docs/prefect.md",
    "docs/problems.md",
    "docs/regras.md",
    "docs/rules.md",
    "docs/scale.md",
)
HEAD = "| Code | Weighs | What is wrong | What would be right |\n|---|---|---|---|\n"


def table_of_problems() -> str:
    texts = catalogue_in("en")
    rows = (
        f"| `{code}` | {severity_of(code).value} | {texts.template(f'issue.{code}.wrong')} "
        f"| {texts.template(f'issue.{code}.right')} |"
        for code in IssueCode
    )
    return HEAD + "\n".join(re.sub(r"\{(\w+)\}", r"*\1*", row) for row in rows)


def test_every_problem_has_its_row():
    assert table_of_problems() in PROBLEMS.read_text(encoding="utf-8")


def test_every_exit_code_is_explained():
    cells = re.findall(r"\| (\d+) \| ", README.read_text(encoding="utf-8"))
    assert sorted(map(int, cells)) == sorted(map(int, ExitCode))


def test_every_command_it_shows_exists():
    """Groups with their commands too: `repasse contacts sync`, `repasse desk user add`."""
    shown = re.findall(
        r"^(?:[A-Z_]+=\S+ )?repasse ([a-z-]+(?: [a-z-]+)*)", README.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(set(shown)) > 15
    assert [words for words in shown if not is_command(get_command(app), words.split())] == []


def is_command(group: TyperGroup, words: list[str]) -> bool:
    """Whether the words lead to a command; those behind it are its arguments."""
    name, *rest = words
    found = group.commands.get(name)
    if isinstance(found, TyperGroup) and not found.invoke_without_command:
        return bool(rest) and is_command(found, rest)
    return found is not None and (not isinstance(found, TyperGroup) or not rest or is_command(found, rest))


@pytest.mark.parametrize("page", PAGES)
def test_every_file_it_links_to_is_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


if __name__ == "__main__":
    before, _, _ = PROBLEMS.read_text(encoding="utf-8").partition(HEAD)
    PROBLEMS.write_text(before + table_of_problems() + "\n", encoding="utf-8")
