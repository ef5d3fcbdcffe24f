"""Bytes of any encoding, handed on as UTF-8 in chunks, never cut inside a character that had to be translated."""

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a text's characters are written.

    Attributes:
        name: For people.
        codec: Python's name for it.
        mark: The byte order mark with which the file begins; b"" when it has none.
    """

    name: str
    codec: str
    mark: bytes = b""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some of a file, as UTF-8; `last` on the one after which there is nothing more."""

    content: bytes
    last: bool


class Undecodable(Exception):
    """A byte that the encoding does not have, or U+0000, which no table holds; counted from 1 at the file's start."""

    def __init__(self, byte: int) -> None:
        super().__init__(f"byte {byte}")
        self.byte = byte


_MARKED: Final = (
    Encoding("UTF-8", "utf-8", codecs.BOM_UTF8),
    Encoding("UTF-16", "utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("UTF-16", "utf-16-be", codecs.BOM_UTF16_BE),
)
_UNMARKED: Final = (Encoding("UTF-8", "utf-8"), Encoding("cp1252", "cp1252"))


def likely_encodings(start: bytes) -> tuple[Encoding, ...]:
    """Return the encodings that a file with these first bytes may have, the likeliest first.

    A byte order mark leaves one. Without it UTF-8 comes first, since text in cp1252 hardly ever is legal UTF-8 by
    chance, while nearly everything is legal cp1252.
    """
    marked = tuple(encoding for encoding in _MARKED if start.startswith(encoding.mark))
    return marked or _UNMARKED


class Utf8Text:
    """A file's text as UTF-8, taken piece by piece from its start; its byte order mark is left out.

    The stream's position is not relied upon between two pieces.
    """

    def __init__(self, stream: BinaryIO, encoding: Encoding, chunk_bytes: int, *, check: bool = False) -> None:
        """Begin.

        Args:
            stream: Seekable.
            encoding: Of the file.
            chunk_bytes: How much of the file to take at a time.
            check: Whether to look for what the encoding does not have. Without it UTF-8 is handed on as it is.
        """
        self._stream = stream
        self._encoding = encoding
        self._chunk_bytes = chunk_bytes
        self._check = check
        self._as_is = encoding.codec == "utf-8"
        self._decoder = codecs.getincrementaldecoder(encoding.codec)()
        self._size_bytes = stream.seek(0, os.SEEK_END)
        self._offset = len(encoding.mark)

    def more(self, rest: bytes = b"") -> Chunk:
        """Return what comes next.

        Args:
            rest: The end of what was handed out before, if it is wanted again, in front.

        Raises:
            Undecodable: with `check` only, and for encodings that are translated.
        """
        again = len(rest) if self._as_is else 0  # reading it again is quicker than copying what comes behind it
        self._stream.seek(self._offset - again)
        content = self._stream.read(again + self._chunk_bytes)
        last = len(content) <= again or self._offset - again + len(content) >= self._size_bytes
        if self._check or not self._as_is:
            text = self._decoded(content[again:], last=last)
        self._offset += len(content) - again
        return Chunk(content if self._as_is else rest + text.encode(), last)

    def skip(self, length: int) -> bytes:
        """Pass over the first bytes of the text; returns what was taken from the file beyond them."""
        if self._as_is:
            self._offset += length
            return b""
        chunk = self.more()
        while len(chunk.content) < length and not chunk.last:
            chunk = self.more(chunk.content)
        return chunk.content[length:]

    def __iter__(self) -> Iterator[bytes]:
        """Yield the rest of the text, a piece at a time; at least one piece."""
        last = False
        while not last:
            chunk = self.more()
            yield chunk.content
            last = chunk.last

    def _decoded(self, content: bytes, *, last: bool) -> str:
        began = self._offset - len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(content, final=last)
        except UnicodeDecodeError as error:
            raise Undecodable(began + error.start + 1) from None
        nul = text.find("\0")
        if nul >= 0:
            raise Undecodable(began + len(text[:nul].encode(self._encoding.codec)) + 1)
        return text
