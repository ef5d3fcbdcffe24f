"""Digests that name things: the same content has the same name, and a name gives no content away."""

import hashlib
from typing import Final


def digest_of(*parts: str | bytes) -> str:
    """Return the sha256 of length-framed parts as hex; no two different lists of parts share an input."""
    encoded = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return hashlib.sha256(b"".join([len(data).to_bytes(8, "big") + data for data in encoded])).hexdigest()


_BASE32: Final = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS: Final = [first + second for first in _BASE32 for second in _BASE32]


def short_token(hex_digest: str, length: int) -> str:
    """Return a hex digest as lower-case base32, cut to a length people and names can bear."""
    bits = int(hex_digest, 16) >> 6  # two characters at a time hold 250 of its 256 bits
    return "".join([_PAIRS[bits >> shift & 1023] for shift in range(240, 240 - 5 * length, -10)])[:length]
