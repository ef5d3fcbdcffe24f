"""Counts what the house is made of: `make census`, or `make census TIMED=1` for the seconds of check and test as well.

Plain Python; it reads the source, and runs one payout of the sample data in this process, on a sandbox of its own.
"""

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import tokenize
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from graphlib import TopologicalSorter
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType

HOUSE = Path(__file__).resolve().parents[1]
PRODUCT = ("flows", "io_adapters", "schemas")
AMOUNTS = frozenset({"amount_cents", "amount", "final_amount", "cents"})
PERSONS = frozenset({"payee", "payee_name", "name", "tax_id"})


def modules_of(*rooms: str) -> list[Path]:
    """Name all modules of some folders."""
    return sorted(path for room in rooms for path in (HOUSE / room).rglob("*.py"))


def lines_of(paths: list[Path]) -> int:
    """Count physical lines, comments, docstrings and blanks included."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def code_and_docstrings(paths: list[Path]) -> tuple[int, int]:
    """Count lines of code and lines of docstrings; comments and blanks are neither."""
    code = docstrings = 0
    for path in paths:
        text = path.read_text(encoding="utf-8")
        inside = {
            line
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node, clean=False) is not None
            for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
        }
        tokens = tokenize.generate_tokens(StringIO(text).readline)
        lines = {
            line for token in tokens if token.type not in _NO_CODE for line in range(token.start[0], token.end[0] + 1)
        }
        code, docstrings = code + len(lines - inside), docstrings + len(inside)
    return code, docstrings


_NO_CODE = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)


def rooms() -> dict[str, list[Path]]:
    """Name the modules of each folder below the packages."""
    found: dict[str, list[Path]] = {}
    for path in modules_of(*PRODUCT):
        inside = path.relative_to(HOUSE).parts
        found.setdefault("/".join(inside[:2]) if len(inside) > 2 else f"{inside[0]}/", []).append(path)
    return found


def classes_twice() -> list[str]:
    """Name the classes that stand more than once."""
    names = Counter(
        node.name
        for path in modules_of(*PRODUCT)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name != "Config"  # pandera's and pydantic's own
    )
    return sorted(name for name, count in names.items() if count > 1)


def longest_import_chain() -> list[str]:
    """Name the modules of the longest chain of imports at the head of modules."""
    paths = {_name_of(path): path for path in modules_of(*PRODUCT)}
    imports = {name: _imports(path, frozenset(paths)) - {name} for name, path in paths.items()}
    chains: dict[str, list[str]] = {}
    for name in TopologicalSorter(imports).static_order():
        chains[name] = [name, *max((chains[found] for found in sorted(imports[name])), key=len, default=[])]
    return max(chains.values(), key=len)


def _name_of(path: Path) -> str:
    return ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path, known: frozenset[str]) -> set[str]:
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {
                inner if (inner := f"{node.module}.{alias.name}") in known else node.module for alias in node.names
            }
    return found & known


def forms_of_a_payment() -> list[str]:
    """Name the classes that declare fields for both an amount and whom it is for."""
    return [
        f"{_name_of(path)}.{node.name}"
        for path in modules_of(*PRODUCT)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and (fields := _fields(node)) & AMOUNTS and fields & PERSONS
    ]


def _fields(node: ast.ClassDef) -> set[str]:
    return {one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}


def catalogues() -> list[str]:
    """Name the hand-made catalogues: modules with a table of at least three texts in both languages; and gettext's."""
    hand_made = [
        _name_of(path)
        for path in modules_of(*PRODUCT)
        if any(_is_catalogue(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    ]
    translated = sorted(path for room in PRODUCT for path in (HOUSE / room).rglob("*.po"))
    return [*hand_made, *(str(path.relative_to(HOUSE)) for path in translated)]


def _is_catalogue(node: ast.AST) -> bool:
    """A table of pairs of texts, or one of the tables of a single language that are named after it."""
    if isinstance(node, ast.Dict):
        return len(node.values) >= 3 and sum(map(_is_pair, node.values)) > len(node.values) / 2
    if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(target, ast.Name) and re.fullmatch("_?(EN|PT|PT_BR)", target.id) for target in targets)
    return False


def _is_pair(node: ast.expr) -> bool:
    texts = node.elts if isinstance(node, ast.Tuple) else node.args if isinstance(node, ast.Call) else []
    return len(texts) == 2 and all(isinstance(text, ast.Constant) and isinstance(text.value, str) for text in texts)


class Executed:
    """Notes which functions of the product run, in all threads."""

    def __init__(self) -> None:
        self._codes: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        """What Python calls at every call."""
        if event == "call":
            self._codes.add(frame.f_code)

    def functions(self) -> set[tuple[str, str]]:
        """Name file and function of each; the bodies of modules and classes, and comprehensions, are none."""
        rooms = tuple(str(HOUSE / room) + os.sep for room in PRODUCT)
        return {
            (code.co_filename, code.co_qualname if sys.version_info >= (3, 11) else code.co_name)
            for code in self._codes
            if code.co_filename.startswith(rooms) and (code.co_name == "<lambda>" or not code.co_name.startswith("<"))
        }


def one_run() -> set[tuple[str, str]]:
    """Pay the royalties of the sample data on a sandbox, and name what ran between the order and its results."""
    from flows.cli.playground import copy_samples
    from flows.launch import start_payout
    from flows.run import QuietProgress
    from flows.run_options import RunOptions
    from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings

    at_once = SandboxSettings(processing_after_s=0, done_after_s=0)
    with tempfile.TemporaryDirectory() as folder, EmbeddedSandbox(settings=at_once) as sandbox:
        copy_samples(["royalties"], Path(folder))
        os.environ |= {"REPASSE_API_URL": sandbox.url, "REPASSE_API_KEY": sandbox.api_key, "REPASSE_HOME": folder}
        executed = Executed()
        threading.setprofile(executed)
        sys.setprofile(executed)
        try:
            start_payout(
                Path(folder) / "royalties" / "job.yaml", RunOptions(yes=True, by="Ana"), progress=QuietProgress(),
                watched=False,
            )  # fmt: skip
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]
    return executed.functions()


def counted(timed: bool) -> Iterator[tuple[str, str]]:
    """Count; yields what and how many, as soon as each is known."""
    product, tests = modules_of(*PRODUCT), modules_of("tests")
    code, docstrings = code_and_docstrings(product)
    whole = f"{lines_of(product):,} lines in {len(product)} modules"
    yield "product", f"{whole}: {code:,} of code, {docstrings:,} of docstrings ({docstrings / code:.2f} a line of code)"
    for room, modules in rooms().items():
        code, docstrings = code_and_docstrings(modules)
        yield f"  {room}", f"{lines_of(modules):,} lines in {len(modules)} modules: {code:,} of code, {docstrings:,}"
    yield "tests", f"{lines_of(tests):,} lines in {len(tests)} modules"
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        functions = one_run()
    files = {file for file, _ in functions if f"{os.sep}sandbox{os.sep}" not in file}
    without = {name for name in functions if name[0] in files}
    yield "executed in one run", f"{len(without)} functions in {len(files)} modules (the sandbox not counted)"
    twice = classes_twice()
    yield "classes twice", f"{len(twice)}{': ' if twice else ''}{', '.join(twice)}"
    chain = longest_import_chain()
    yield "longest import chain", f"{len(chain)}: {' > '.join(chain)}"
    forms = forms_of_a_payment()
    yield "forms of a payment", f"{len(forms)}: {', '.join(forms)}"
    texts = catalogues()
    yield "catalogues", f"{len(texts)}: {', '.join(texts)}"
    for target in ("check", "test") if timed else ():
        began, spent = time.monotonic(), os.times()
        done = subprocess.run(["make", target], cwd=HOUSE, check=False, capture_output=True)
        now = os.times()
        cpu_s = now.children_user + now.children_system - spent.children_user - spent.children_system
        outcome = "" if done.returncode == 0 else f" (it failed: {done.returncode})"
        yield f"make {target}", f"{time.monotonic() - began:.0f} s, {cpu_s:.0f} s of processor{outcome}"


def main() -> None:
    """Print the figures."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--timed", action="store_true", help="run make check and make test, and tell their seconds")
    sys.path.insert(0, str(HOUSE))
    for what, figure in counted(words.parse_args().timed):
        print(f"{what:<30}{figure}", flush=True)


if __name__ == "__main__":
    main()
