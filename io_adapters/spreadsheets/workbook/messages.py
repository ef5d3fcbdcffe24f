"""The pipe between parent and child: a short JSON header, then bytes. Nothing that could run, so no pickle."""

import json
import struct
from collections.abc import Mapping
from typing import IO, Any, Final

# What one message may hold; the first rows of a workbook's sheets are words, its tables are bytes.
MOST_WORDS_BYTES: Final = 64 * 2**20
MOST_BODY_BYTES: Final = 2**30
_LENGTHS: Final = struct.Struct(">QQ")

Words = dict[str, Any]


class Broken(Exception):
    """The other side ended in the middle of a message, or does not speak as agreed."""


def send(stream: IO[bytes], words: Mapping[str, object], body: bytes | memoryview = b"") -> None:
    """Send one message.

    Raises:
        OSError: the other side is gone.
    """
    head = json.dumps(words).encode()
    stream.write(_LENGTHS.pack(len(head), len(body)))
    stream.write(head)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Words, bytes] | None:
    """Receive one message; None when the other side has ended.

    Raises:
        Broken: it ended within a message, or the message is none.
    """
    lengths = stream.read(_LENGTHS.size)
    if not lengths:
        return None
    words_bytes, body_bytes = _LENGTHS.unpack(lengths) if len(lengths) == _LENGTHS.size else (0, 0)
    if not 0 < words_bytes <= MOST_WORDS_BYTES or body_bytes > MOST_BODY_BYTES:
        raise Broken
    head, body = stream.read(words_bytes), stream.read(body_bytes)
    if len(head) < words_bytes or len(body) < body_bytes:
        raise Broken
    try:
        words = json.loads(head)
    except ValueError:
        raise Broken from None
    if not isinstance(words, dict):
        raise Broken
    return words, body
