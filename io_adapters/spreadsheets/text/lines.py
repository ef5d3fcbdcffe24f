"""Physical lines: LF, CRLF and a lone CR each end one, inside quotes or not, as every text editor counts them."""

from collections.abc import Iterable
from typing import Final

import numpy as np

LF: Final = 10
CR: Final = 13

# What is worked on at a time stays in the processor's cache.
_TILE_BYTES: Final = 2**20


def positions_of(byte: int, array: np.ndarray) -> np.ndarray:
    """Return the positions of a byte in an array of uint8, int32."""
    tiles = range(0, len(array), _TILE_BYTES)
    found = [np.flatnonzero(array[at : at + _TILE_BYTES] == byte).astype(np.int32) + np.int32(at) for at in tiles]
    return np.concatenate(found) if found else np.empty(0, np.int32)


def count_line_ends(content: bytes) -> int:
    r"""Count the lines that end in some bytes.

    >>> count_line_ends(b"a\nb\r\nc\rd")
    3
    """
    returns = content.count(b"\r")
    return content.count(b"\n") + (returns - content.count(b"\r\n") if returns else 0)


def count_line_ends_before(chunks: Iterable[bytes], offset: int) -> int:
    """Count the lines that end before an offset of a text in chunks; a CRLF may be cut in two."""
    ends = 0
    after_return = False
    for chunk in chunks:
        counted = chunk[:offset]
        ends += count_line_ends(counted) - (after_return and counted.startswith(b"\n"))
        after_return = counted.endswith(b"\r")
        offset -= len(counted)
        if not offset:
            break
    return ends


def line_ends(content: bytes) -> np.ndarray:
    """Return the position of each line's last byte."""
    array = np.frombuffer(content, np.uint8)
    if b"\r" not in content:
        return positions_of(LF, array)
    before_line_feed = np.append(array[1:] == LF, [False])
    return np.flatnonzero((array == LF) | ((array == CR) & ~before_line_feed))


def line_start(content: bytes, line: int) -> int:
    """Return the position at which a line starts, the first being 0; the length of the content for one beyond it."""
    if line == 0:
        return 0
    ends = line_ends(content)
    return int(ends[line - 1]) + 1 if line <= len(ends) else len(content)


def end_of_last_line(content: bytes) -> int:
    """Return how much of some bytes is whole lines; a CR at their very end may be half of a CRLF."""
    after_line_feed = content.rfind(b"\n") + 1
    return max(after_line_feed, content.rfind(b"\r", after_line_feed, max(len(content) - 1, 0)) + 1)
