"""Decoding: bytes of any encoding as UTF-8 in chunks, never cut inside a character."""

import codecs
import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Final


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a text's characters are written."""

    name: str
    codec: str
    mark: bytes = b""
    doubtful: bool = False


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
_UTF_8: Final = Encoding("UTF-8", "utf-8")
_UTF_16: Final = (Encoding("UTF-16", "utf-16-le"), Encoding("UTF-16", "utf-16-be"))
# One byte a character; the first of those that make words of a text alike is taken.
_SINGLE_BYTE: Final = (
    Encoding("cp1252", "cp1252"),
    Encoding("Mac Roman", "mac-roman"),
    Encoding("cp850", "cp850"),
    Encoding("cp1250", "cp1250"),
    Encoding("cp1251", "cp1251"),
)
START_BYTES: Final = 4096
_HALF: Final = 0.4
_ASCII: Final = 0x80


def likely_encodings(start: bytes, words: Callable[[], Iterable[bytes]]) -> Iterator[Encoding]:
    """Yield the encodings that a file may have, the likeliest first.

    A byte order mark leaves one, as do zeros at every other byte. Otherwise UTF-8 comes first, since text with one byte
    a character hardly ever is legal UTF-8 by chance; then the encoding that makes words of the file's words.
    """
    marked = [encoding for encoding in _MARKED if start.startswith(encoding.mark)]
    if marked:
        yield marked[0]
    elif zeros := utf_16_without_a_mark(start):
        yield zeros
    else:
        yield _UTF_8
        yield _likeliest(words())


def utf_16_without_a_mark(start: bytes) -> Encoding | None:
    """Tell UTF-16 by the zeros that plain letters have at every other byte; None for anything else."""
    halves = (start[1::2], start[::2])
    zeros = [half.count(0) for half in halves]
    for encoding, own, other in zip(_UTF_16, zeros, reversed(zeros), strict=True):
        if own > _HALF * len(halves[0]) and not other:
            return encoding
    return None


# A word with an ASCII letter before something beyond ASCII, or one of nothing else, as of another alphabet.
_WORD: Final = re.compile(rb"[A-Za-z\x80-\xff]*[A-Za-z][\x80-\xff][A-Za-z\x80-\xff]*|[\x80-\xff]{3,}")
_MOST_WORDS: Final = 10_000
# What stands after or within words and is no letter.
_MARKS: Final = frozenset("\u2018\u2019\u201c\u201d\u2022\u2026\u2013\u2014\u2122\u20ac©®ªº°«»·£§²³\u00a0")


def words_beyond_ascii(stream: BinaryIO, chunk_bytes: int) -> Iterator[bytes]:
    stream.seek(0)
    chunks = iter(lambda: stream.read(chunk_bytes), b"")
    found = (word[0] for chunk in chunks for word in _WORD.finditer(chunk))
    return itertools.islice(found, _MOST_WORDS)


def _likeliest(words: Iterable[bytes]) -> Encoding:
    counted = Counter(words)
    senses = [sum(n * _sense(word, encoding) for word, n in counted.items()) for encoding in _SINGLE_BYTE]
    all_beyond = sum(n * _beyond(word) for word, n in counted.items())
    most = max(senses)
    likeliest = _SINGLE_BYTE[senses.index(most)]
    return replace(likeliest, doubtful=most < _PLAUSIBLE * all_beyond or likeliest.codec in _ONE_OF_MANY)


# The greatest part of a text makes words in its own encoding; other alphabets share their bytes.
_PLAUSIBLE: Final = 0.8
_ONE_OF_MANY: Final = frozenset({"cp1251"})


def _beyond(word: bytes) -> int:
    """Count what `_sense` judges: the characters beyond ASCII after a word's first, but for a run of mere marks."""
    is_word = not set(word.decode("cp1252", errors="replace")) <= _MARKS
    return sum(byte >= _ASCII for byte in word[1:]) if is_word else 0


def _sense(word: bytes, encoding: Encoding) -> int:
    """Count the characters of a word that an encoding makes letters of the word's own case, or usual marks.

    `Jo\u2039o` and `JOÌo` are what is left of João where another encoding was taken for its own.
    """
    text = word.decode(encoding.codec, errors="replace")
    cyrillic = sum("\u0400" <= char <= "\u04ff" for char in text)
    if 0 < cyrillic < len(text) or (cyrillic == 0 and not any(map(str.isascii, text))):
        return 0  # no word mixes alphabets, and hardly any of Latin letters is of accented ones alone
    plain = [char for char in text if char.isascii()] or list(text)
    capitals = len(plain) > 1 and all(char.isupper() for char in plain)
    return sum(
        char in _MARKS or (char.isalpha() and (char.isupper() if capitals else char.islower()))
        for char in text[1:]
        if not char.isascii()
    )


class Utf8Text:
    """A file's text as UTF-8, taken piece by piece from its start; its byte order mark is left out.

    The stream's position is not relied upon between two pieces.
    """

    def __init__(self, stream: BinaryIO, encoding: Encoding, chunk_bytes: int, *, check: bool = False) -> None:
        """Begin."""
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
