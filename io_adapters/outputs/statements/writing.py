"""Sets pages and writes them into a folder, each file whole or not at all."""

from collections.abc import Iterable
from pathlib import Path

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.statements.page import Page
from io_adapters.outputs.statements.typesetting import Typesetter

NamedPage = tuple[str, Page]


def write_pages(pages: Iterable[NamedPage], folder: Path) -> list[Path]:
    """Write each page under its name.

    Returns:
        Where they are, in order.

    Raises:
        OSError: the folder cannot be written.
    """
    typesetter = Typesetter()
    return [replace_atomically(folder / name, typesetter.pdf(page)) for name, page in pages]
