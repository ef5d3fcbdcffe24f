"""Writes the statements of a run into its folder: at once for a few, in processes of their own for many.

Typst keeps a little of every page it has set, so that each further one takes longer; a process that ends after some
hundreds gives it all back. Each is fed through a pipe and ends with it, so that none outlives this one.
"""

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import Final

from io_adapters.outputs.statements.names import file_name, remove_other_statements
from io_adapters.outputs.statements.page import Page, page_of
from io_adapters.outputs.statements.writing import NamedPage, write_pages
from schemas.payee_statement import PayeeStatement

FEW: Final = 25
PER_PROCESS: Final = 250
_MODULE: Final = "io_adapters.outputs.statements.child"


def write_statements(statements: Iterable[PayeeStatement], folder: Path) -> list[Path]:
    """Write one PDF per statement, and remove those of an earlier writing whose payees are no longer there.

    Args:
        statements: Taken one after the other; no more than a few hundred are held at a time.
        folder: Of the statements alone; made when there is something to write (mode 0700, files 0600).

    Returns:
        Where the files are, in the order of the statements. As with all outputs, one that could not be replaced is
        left alone and its new content is next to it, "name (2)".

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
    """Keep one process per processor busy, and no more pages waiting than those are working on."""
    workers, written, running = os.cpu_count() or 1, list[Path](), deque[Future[list[Path]]]()
    with ThreadPoolExecutor(workers) as threads:
        while share := list(islice(pages, PER_PROCESS)):
            running.append(threads.submit(_write_elsewhere, share, folder))
            if len(running) > workers:
                written += running.popleft().result()
        for one in running:
            written += one.result()
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
