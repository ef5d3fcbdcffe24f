"""Passwords as argon2id hashes, judged in the same time whether or not a user exists."""

import threading
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from schemas.desk_people import LONGEST_PASSWORD, SHORTEST_PASSWORD, DeskUser
from schemas.errors import DecisionRefused

_HASHER: Final = PasswordHasher()  # RFC 9106's second recommendation: 64 MiB, 3 passes, 4 lanes
# Each hash takes 64 MiB for a moment; many at once would take the machine.
_AT_ONCE: Final = threading.BoundedSemaphore(2)
# Of no password; unknown users are judged against it.
_NOBODYS: Final = _HASHER.hash("\0 nobody's password")


def hash_password(password: str) -> str:
    """Return the hash that is kept of a password.

    Raises:
        DecisionRefused: it is too short or too long.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise DecisionRefused(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    with _AT_ONCE:
        return _HASHER.hash(password)


def is_password_of(user: DeskUser | None, password: str) -> bool:
    """Whether a password is that of a user who may sign in; takes as long for a user who does not exist."""
    kept = _NOBODYS if user is None else user.password_hash
    if len(password) > LONGEST_PASSWORD:
        password = ""
    try:
        with _AT_ONCE:
            _HASHER.verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False
    return user is not None and not user.disabled
