"""Byte ranges of a large text, cut where rows end, so that each can be read by itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import BinaryIO, Final

import numpy as np

from io_adapters.spreadsheets.text.encodings import Encoding
from io_adapters.spreadsheets.text.records import Form, count_line_ends, end_of_last_line, part_is_structural

_CHUNK_BYTES: Final = 2**20
# The first range tells how columns are read, so the others wait for it.
_FIRST_IS_SMALLER: Final = 8
# Some line above a cut is sure to say something: blank rows at the end of a range would belong to nobody.
_SAYS_SOMETHING: Final = re.compile(rb"[0-9A-Za-z]")
_MOST_LINES_TRIED: Final = 100


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Rows of a text that follow each other.

    Attributes:
        start: Where in the file they begin.
        end: Where they end.
        first_row: Physical line on which the first of them starts.
        sha256: Hex digest of their bytes.
    """

    start: int
    end: int
    first_row: int
    sha256: str


def cut(
    stream: BinaryIO, encoding: Encoding, form: Form, begin: tuple[int, int], range_bytes: int
) -> tuple[ByteRange, ...] | None:
    """Cut a text into ranges of about so many bytes, the first one smaller.

    Without quotes that enclose fields every line feed ends a row. Among those that enclose fields it does where the
    quotes before it are even, provided that each quote stands at the edge of a field or is doubled.

    Args:
        stream: Seekable; its position is of no consequence.
        form: How its rows are cut into fields.
        begin: Where in the file the first row below the header starts, and on which physical line.

    Returns:
        The ranges, in order; None where it cannot be known without reading the rows one by one where they end.
    """
    start, first_row = begin
    digest, ranges, inside, row = sha256(), list[ByteRange](), False, first_row
    wanted = range_bytes // _FIRST_IS_SMALLER
    unit = _code_unit(encoding)
    width = unit.itemsize
    offset = start
    chunk_bytes = max(width, min(_CHUNK_BYTES, range_bytes // width * width))
    for lines, units in _whole_lines(stream, start, unit, chunk_bytes):
        if form.quoted and not part_is_structural(units, form.delimiter, inside=inside):
            return None
        place = _end_of_a_row(units, inside=inside, quoted=form.quoted) if offset + len(lines) - start >= wanted else 0
        if place:
            digest.update(lines[: place * width])
            end = offset + place * width
            ranges.append(ByteRange(start, end, first_row, digest.hexdigest()))
            start, first_row, wanted = end, row + count_line_ends(units[:place]), range_bytes
            digest = sha256()
        digest.update(lines[place * width :])
        inside ^= form.quoted and units.count(b'"') % 2 == 1
        row += count_line_ends(units)
        offset += len(lines)
    if inside:
        return None
    return (*ranges, ByteRange(start, offset, first_row, digest.hexdigest())) if offset > start else tuple(ranges)


def _code_unit(encoding: Encoding) -> "np.dtype[np.unsignedinteger]":
    return np.dtype({"utf-16-le": "<u2", "utf-16-be": ">u2"}.get(encoding.codec, "u1"))


def _whole_lines(
    stream: BinaryIO, start: int, unit: "np.dtype[np.unsignedinteger]", chunk_bytes: int
) -> Iterator[tuple[bytes, bytes]]:
    """Yield some whole lines at a time, as they are and as one byte a code unit; the last one may lack its end."""
    rest = b""
    stream.seek(start)
    while chunk := stream.read(chunk_bytes):
        content = rest + chunk
        units = _narrowed(content, unit)
        end = end_of_last_line(units)
        if end:
            yield content[: end * unit.itemsize], units[:end]
        rest = content[end * unit.itemsize :]
    if rest:
        yield rest, _narrowed(rest, unit)


def _narrowed(content: bytes, unit: "np.dtype[np.unsignedinteger]") -> bytes:
    """Write one byte for each code unit: ASCII as it is, which is all that rows are cut by."""
    if unit.itemsize == 1:
        return content
    return np.minimum(np.frombuffer(content, unit), 255).astype(np.uint8).tobytes()


def _end_of_a_row(units: bytes, *, inside: bool, quoted: bool) -> int:
    """Return where the last row that says something ends among some whole lines; 0 where none is found soon."""
    end = len(units)
    for _ in range(_MOST_LINES_TRIED):
        feed = units.rfind(b"\n", 0, end)
        if feed < 0:
            return 0
        above = units.rfind(b"\n", 0, feed) + 1
        even = not quoted or (inside + units.count(b'"', 0, feed)) % 2 == 0
        if even and _SAYS_SOMETHING.search(units, above, feed):
            return feed + 1
        end = feed
    return 0
