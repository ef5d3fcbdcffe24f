"""Writing text files the same way on every machine."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path


def write_json(path: Path, content: object) -> None:
    """Write indented JSON in UTF-8, keys in the order given."""
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def write_delimited(path: Path, headers: Sequence[str], rows: Iterable[Sequence[str]], delimiter: str) -> None:
    """Write a text table whose cells need no quotes.

    Raises:
        ValueError: a cell holds the delimiter, a quote or a line break.
    """
    lines = [list(headers), *(list(row) for row in rows)]
    if any(mark in cell for line in lines for cell in line for mark in (delimiter, '"', "\n", "\r")):
        raise ValueError(f"{path.name}: a cell would need quotes")
    write_text(path, "".join(delimiter.join(line) + "\n" for line in lines))


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 with plain line feeds."""
    path.write_text(text, encoding="utf-8", newline="\n")
