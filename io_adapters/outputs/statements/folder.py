"""Writing the statements of a run into its folder: in this process for a few, in several for many."""

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import Final

from typst import Compiler, Fonts, TypstError

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.statements.page import Page, page_of
from schemas.payee_statement import PayeeStatement

_LONGEST_SLUG: Final = 48
_NO_LETTER: Final = re.compile(r"[^a-z]+")
# Also "name (2).pdf", which stands beside a file that could not be replaced.
_OURS: Final = re.compile(r"statement-(?:[a-z]+-)*[a-z2-7]{8}(?: \([2-9]\))?\.pdf")


def file_name(statement: PayeeStatement) -> str:
    """Name a statement's file: "statement-", the letters of the name, and the token.

    Digits of a name are left out: a company's may hold its tax id. Only lower-case ASCII, so that no file system
    confuses two names or refuses one.
    """
    plain = unicodedata.normalize("NFKD", statement.name).encode("ascii", "ignore").decode().lower()
    slug = _NO_LETTER.sub("-", plain)[:_LONGEST_SLUG].strip("-")
    return "-".join(filter(None, ("statement", slug, statement.token))) + ".pdf"


def remove_other_statements(folder: Path, kept: Iterable[Path]) -> None:
    """Remove statements of an earlier writing that are not among the kept ones; other files are left alone."""
    staying = {path.name for path in kept}
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.name not in staying:
            path.unlink(missing_ok=True)


_TEMPLATE: Final = Path(__file__).with_name("statement.typ")


class Typesetter:
    """Sets pages, one after the other.

    Only the fonts that Typst brings are used (Libertinus Serif for Latin, Greek, Cyrillic and Hebrew; DejaVu Sans Mono
    for Arabic, Armenian and Georgian), so that a page looks the same on every machine. A character that none of them
    has is shown as an empty box; the text itself stays in the file.
    """

    def __init__(self) -> None:
        fonts = Fonts(include_system_fonts=False)
        self._compiler = Compiler(_TEMPLATE, root=_TEMPLATE.parent, font_paths=fonts, ignore_system_fonts=True)

    def pdf(self, page: dict[str, object]) -> bytes:
        """Set one page of `page_of`; the same page gives the same bytes.

        Raises:
            OSError: Typst cannot set the page; its own words are left out, for they may repeat what is on it.
            TypeError: Typst gave something else than a PDF; a bug.
        """
        try:
            # Without a time of making, which would make every writing differ.
            made = self._compiler.compile(format="pdf", sys_inputs={"page": json.dumps(page, ensure_ascii=False)})
        except TypstError:
            raise OSError("a statement could not be set") from None
        if not isinstance(made, bytes):
            raise TypeError("a PDF was expected")
        return made


NamedPage = tuple[str, Page]


def write_pages(pages: Iterable[NamedPage], folder: Path) -> list[Path]:
    """Write each page under its name.

    Raises:
        OSError: the folder cannot be written.
    """
    typesetter = Typesetter()
    return [replace_atomically(folder / name, typesetter.pdf(page)) for name, page in pages]


FEW: Final = 25
PER_PROCESS: Final = 250
_MODULE: Final = "io_adapters.outputs.statements.folder"


def write_statements(statements: Iterable[PayeeStatement], folder: Path) -> list[Path]:
    """Write one PDF per statement, and remove those of an earlier writing whose payees are no longer there.

    Raises:
        OSError: the folder cannot be written, or a process that writes ended early; each file there is whole.
    """
    pages = _named_pages(statements)
    first = list(islice(pages, FEW + 1))
    written = _in_processes(chain(first, pages), folder) if len(first) > FEW else write_pages(first, folder)
    if folder.is_dir():
        remove_other_statements(folder, written)
    return written


def _named_pages(statements: Iterable[PayeeStatement]) -> Iterator[NamedPage]:
    taken = set[str]()
    for statement in statements:
        name = file_name(statement)
        if name in taken:  # the same payee twice; two payees differ in their tokens
            raise ValueError("two statements bear one token")
        taken.add(name)
        yield name, page_of(statement)


def _in_processes(pages: Iterator[NamedPage], folder: Path) -> list[Path]:
    workers, written, running = os.cpu_count() or 1, list[Path](), deque[Future[list[Path]]]()
    with ThreadPoolExecutor(workers) as threads:
        while share := list(islice(pages, PER_PROCESS)):
            running.append(threads.submit(_write_elsewhere, share, folder))
            if len(running) > workers:
                written += running.popleft().result()
        for future in running:
            written += future.result()
    return written


def _write_elsewhere(pages: Sequence[tuple[str, Page]], folder: Path) -> list[Path]:
    done = subprocess.run(  # noqa: S603  # our own module, in our own interpreter
        [sys.executable, "-P", "-m", _MODULE, str(folder.absolute())],
        input=json.dumps(pages, ensure_ascii=False).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # what goes wrong inside may repeat what is on the page
        check=False,
    )
    if done.returncode:
        raise OSError(f"statements could not be written (the process that wrote them ended with {done.returncode})")
    return [folder / name for name in json.loads(done.stdout)]


NO_OUTPUT = 74  # EX_IOERR of sysexits.h


def main() -> int:
    """Write what stdin holds, a JSON list of pairs of name and page; tells the names of the files on stdout."""
    pages = [(str(name), page) for name, page in json.load(sys.stdin.buffer)]
    try:
        written = write_pages(pages, Path(sys.argv[1]))
    except OSError:
        return NO_OUTPUT
    sys.stdout.write(json.dumps([path.name for path in written]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
