"""Seals: a keyed hash (HMAC-SHA256) on what people said, under a key that the database does not hold.

Whoever can write to the database alone makes no approval that counts, no user who may sign in, and no session.
"""

import hmac
import json
from collections.abc import Callable


class Seal:
    """Seals facts, and recognises its own seals.

    Args:
        key: Returns the key; asked for when something is first sealed or recognised.
    """

    def __init__(self, key: Callable[[], bytes]) -> None:
        self._ask = key
        self._key: bytes | None = None

    def of(self, *facts: object) -> str:
        """Return the seal of some facts, 64 hexadecimal digits.

        Args:
            *facts: What they are facts of, then texts and numbers: the same of something else have another seal.
        """
        if self._key is None:
            self._key = self._ask()
        return hmac.new(self._key, json.dumps(facts).encode(), "sha256").hexdigest()

    def is_of(self, seal: str | None, *facts: object) -> bool:
        """Whether a seal is of these facts; an absent one is of none."""
        return seal is not None and hmac.compare_digest(seal, self.of(*facts))


# Of ledgers that end with the program, and of those that were opened without a key.
NO_KEY = Seal(lambda: b"")
