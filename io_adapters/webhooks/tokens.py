"""The unguessable part of a registered URL: made once, told to the service, kept by us as a hash alone."""

import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import Final

PATH: Final = "/hooks/"
TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A new token.

    Attributes:
        text: 256 bits, as a part of a path; for the service alone.
        sha256: Hex digest, which is what is kept.
    """

    text: str = field(repr=False)
    sha256: str

    def url_at(self, base_url: str) -> str:
        """Return the URL to register: the base, without a slash at its end, and the secret path."""
        return base_url.rstrip("/") + PATH + self.text


def make_token() -> MadeToken:
    """Make a token of 256 random bits."""
    text = secrets.token_urlsafe(TOKEN_BYTES)
    return MadeToken(text, sha256_of(text.encode()))


def sha256_of(token: bytes) -> str:
    """Return what is kept of a token."""
    return sha256(token).hexdigest()


def is_known(raw_path: bytes, known: Collection[str]) -> bool:
    """Say whether a request's path ends in a token we know.

    Takes the same time for every path of one length: a hash is made of whatever stands there, and it is compared with
    each known one to the last digit. What stands before the secret path is a proxy's business.
    """
    before, mark, token = raw_path.rpartition(PATH.encode())
    given = sha256_of(token if mark else before + b"\0" + raw_path)
    found = False
    for digest in known:
        found |= compare_digest(given, digest)
    return found
