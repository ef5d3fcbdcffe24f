"""Whether the tests notice when a rule is wrong: `make mutants`, or `make mutants WITHOUT=names.txt`.

One line of a rule, or of what books and proves (outbox, posting, outcome), is changed at a time, mechanically; the
tests that a coverage run saw on that line must fail. Those that are to go are named in WITHOUT, one file or
`file::test` a line: what only they notice is told. Mutants are drawn with a fixed seed, so that two runs speak of the
same ones; each result is written down at once, and what is written down is not run again.
"""

import argparse
import ast
import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

HOUSE = Path(__file__).resolve().parents[1]
BUILD = HOUSE / "build" / "mutants"
COVERAGE = BUILD / "coverage"
RULES = ("flows/**/rules.py", "flows/**/rules/*.py")
PROTOCOL = ("io_adapters/ledger/outbox.py", "io_adapters/ledger/posting.py", "io_adapters/payout_api/outcome.py")
MOST = 300
MOST_QUICK = 40
MOST_JOURNEYS = 12
JOURNEYS = ("tests/flows/test_", "tests/flows/desk/", "tests/simulation/")
PATIENCE_S = 300
# How an operator is written -> how it is written wrongly.
WRITTEN = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"), ast.And: ("and", "or"), ast.Or: ("or", "and"), ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
}  # fmt: skip


@dataclass(frozen=True)
class LineMutant:
    """A piece of a file that reads otherwise: from a column to another of one line."""

    file: str
    line: int
    start: int
    end: int
    new: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}:{self.start} -> {self.new}"

    def changed(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        row = lines[self.line - 1].encode()
        lines[self.line - 1] = (row[: self.start] + self.new.encode() + row[self.end :]).decode()
        return "".join(lines)


def mutants_of(path: Path) -> Iterator[LineMutant]:
    """Yield every change of a file: comparisons, and/or, not, plus and minus, True and False, numbers."""
    text, file = path.read_text(encoding="utf-8"), str(path.relative_to(HOUSE))
    lines = [line.encode() for line in text.splitlines()]

    def between(left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[LineMutant]:
        if left.end_lineno == right.lineno:
            at = lines[right.lineno - 1].find(old.encode(), left.end_col_offset or 0, right.col_offset)
            if at >= 0:
                yield LineMutant(file, right.lineno, at, at + len(old), new)

    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in WRITTEN:
                yield from between(left, right, *WRITTEN[type(op)])
            case ast.BoolOp(op=op, values=[left, right, *_]) | ast.BinOp(left=left, op=op, right=right) if (
                type(op) in WRITTEN
            ):
                yield from between(left, right, *WRITTEN[type(op)])
            case ast.UnaryOp(op=ast.Not()):
                yield LineMutant(file, node.lineno, node.col_offset, node.col_offset + len("not "), "")
            case ast.Constant(value=bool() | int() as value):
                new = str(not value) if isinstance(value, bool) else str(value + 1)
                yield LineMutant(file, node.lineno, node.col_offset, node.end_col_offset or 0, new)


def cover() -> None:
    """Run the tests once, and keep which of them came by which line."""
    COVERAGE.parent.mkdir(parents=True, exist_ok=True)
    settings = COVERAGE.with_name("coveragerc")
    settings.write_text(f"[run]\nsource = flows,io_adapters,schemas\ndata_file = {COVERAGE}\n", encoding="utf-8")
    options = ["-p", "pytest_cov", f"--cov-config={settings}", "--cov", "--cov-context=test", "--cov-report="]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
    subprocess.run([*command, *options], cwd=HOUSE, check=False)


def tests_by_line(file: str) -> dict[int, list[str]]:
    """Return which tests came by each line of a file, in an order that does not depend on the run."""
    with sqlite3.connect(COVERAGE) as data:
        query = """SELECT context.context, line_bits.numbits FROM line_bits JOIN file ON file.id = line_bits.file_id
                   JOIN context ON context.id = line_bits.context_id WHERE file.path LIKE '%/' || ?"""
        rows = data.execute(query, [file]).fetchall()
    found: dict[int, list[str]] = {}
    for context, bits in rows:
        if context.endswith("|run"):
            for byte_at, byte in enumerate(bits):
                for bit in range(8):
                    if byte & (1 << bit):
                        found.setdefault(byte_at * 8 + bit, []).append(context.removesuffix("|run"))
    return {line: sorted(tests) for line, tests in found.items()}


def drawn() -> list[tuple[LineMutant, list[str]]]:
    """Draw the mutants, each with the tests of its line; the same ones as long as the rules are the same."""
    files = sorted({path for pattern in (*RULES, *PROTOCOL) for path in HOUSE.glob(pattern)})
    known = {str(path.relative_to(HOUSE)): tests_by_line(str(path.relative_to(HOUSE))) for path in files}
    every = [(one, known[one.file].get(one.line, [])) for path in files for one in mutants_of(path)]
    covered = sorted((pair for pair in every if pair[1]), key=lambda pair: pair[0].name)
    return random.Random(1).sample(covered, min(MOST, len(covered)))


def is_killed(tree: Path, mutant: LineMutant, tests: list[str]) -> bool:
    """Whether one of some tests fails over a mutant: of the quick ones, and then of the journeys, some of each."""
    draw = random.Random(mutant.name)
    journeys = [test for test in tests if test.startswith(JOURNEYS)]
    quick = [test for test in tests if not test.startswith(JOURNEYS)]
    chosen = [
        *draw.sample(quick, min(MOST_QUICK, len(quick))),
        *draw.sample(journeys, min(MOST_JOURNEYS, len(journeys))),
    ]
    path = tree / mutant.file
    whole = path.read_text(encoding="utf-8")
    path.write_text(mutant.changed(whole), encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not bench", *chosen]
        done = subprocess.run(command, cwd=tree, check=False, capture_output=True, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(whole, encoding="utf-8")
    return done.returncode != 0


def main() -> int:
    """Run what is not yet written down; 1 where something lives that the tests to go would have noticed."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--without", type=Path, help="names of tests that are to go, one a line")
    words.add_argument("--most", type=int, default=MOST, help="how many mutants of those drawn")
    given = words.parse_args()
    if not COVERAGE.exists():
        cover()
    going = tuple(given.without.read_text(encoding="utf-8").split()) if given.without else ()
    results = BUILD / (f"without-{given.without.stem}.jsonl" if going else "results.jsonl")
    known = {json.loads(line)["mutant"] for line in results.read_text().splitlines()} if results.exists() else set()
    trees: SimpleQueue[Path] = SimpleQueue()
    for number in range(2):
        trees.put(_copied(BUILD / f"tree-{number}"))

    def judge(pair: tuple[LineMutant, list[str]]) -> None:
        mutant, tests = pair
        goes = [test for test in tests if test.split("[")[0].startswith(going)] if going else []
        if mutant.name in known or (going and not goes):
            return
        tree = trees.get()
        try:
            stay = [test for test in tests if test not in set(goes)]
            fate = "killed" if stay and is_killed(tree, mutant, stay) else "lives"
            if fate == "lives" and goes and is_killed(tree, mutant, goes):
                fate = "killed by what goes alone"
        finally:
            trees.put(tree)
        with results.open("a", encoding="utf-8") as written:
            written.write(json.dumps({"mutant": mutant.name, "tests": len(tests), "fate": fate}) + "\n")

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(judge, drawn()[: given.most]))
    fates = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    for fate in ("killed", "lives", "killed by what goes alone"):
        of_it = [one["mutant"] for one in fates if one["fate"] == fate]
        print(f"{fate}: {len(of_it)}", *(of_it if fate != "killed" else ()), sep="\n  ")
    return int(any(one["fate"] == "killed by what goes alone" for one in fates))


def _copied(tree: Path) -> Path:
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for name in ("flows", "io_adapters", "schemas", "tests", "sample_data"):
        shutil.copytree(HOUSE / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "out"))
    for name in ("pyproject.toml", "README.md", "Makefile", "CONTRIBUTING.md"):
        shutil.copy(HOUSE / name, tree / name)
    return tree


if __name__ == "__main__":
    sys.exit(main())
