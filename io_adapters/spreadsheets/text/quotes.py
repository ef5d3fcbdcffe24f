"""Quotes that enclose fields, told from those that are characters of a title."""

import re
from collections.abc import Iterable
from typing import Final

import numpy as np

from io_adapters.spreadsheets.text.lines import CR, LF, end_of_last_line, positions_of

QUOTE: Final = 34


def are_structural(content: np.ndarray, quotes: np.ndarray, delimiter: str, *, inside: bool = False) -> bool:
    """Tell whether each quote opens a field at its start, closes one at its end, or is one of a doubled pair.

    Then, and only then, whether a place is inside quotes depends on nothing but how many quotes come before it.

    Args:
        content: Bytes, uint8, that begin at the start of a line and end at the end of one.
        quotes: Positions of the quotes in it.
        delimiter: Between fields.
        inside: Whether the content begins inside a quoted field.
    """
    at_edge = np.zeros(256, bool)
    at_edge[[LF, CR, QUOTE, ord(delimiter)]] = True
    openers, closers = quotes[int(inside) :: 2], quotes[1 - int(inside) :: 2]
    openers, closers = openers[openers > 0], closers[closers < len(content) - 1]
    return bool(at_edge[content[openers - 1]].all() and at_edge[content[closers + 1]].all())


def all_structural(chunks: Iterable[bytes], delimiter: str) -> bool:
    """Tell whether the quotes of a whole text are structural, and the last one is closed."""
    rest = b""
    inside = False
    for chunk in chunks:
        content = rest + chunk
        end = end_of_last_line(content)
        if not part_is_structural(content[:end], delimiter, inside=inside):
            return False
        inside ^= bool(content.count(b'"', 0, end) % 2)
        rest = content[end:]
    closed = inside == bool(rest.count(b'"') % 2)
    return closed and part_is_structural(rest, delimiter, inside=inside)


def part_is_structural(content: bytes, delimiter: str, *, inside: bool = False) -> bool:
    """Tell whether the quotes of some whole lines are structural, the last one closed or not."""
    if b'"' not in content:
        return True
    array = np.frombuffer(content, np.uint8)
    return are_structural(array, positions_of(QUOTE, array), delimiter, inside=inside)


def broken_quote(text: str, delimiter: str) -> int | None:
    """Find the first quote that opens a field and is never closed, or closed in the middle of the field.

    Args:
        text: Begins where a record begins.
        delimiter: Between fields.

    Returns:
        Its position; None when all quoted fields are well formed.
    """
    edge = re.escape(delimiter) + r"\r\n"
    field = re.compile(rf'(?:\A|(?<=[{edge}]))"[^"]*+(?:""[^"]*+)*+("(?![^{edge}]))?')
    return next((found.start() for found in field.finditer(text) if found[1] is None), None)
