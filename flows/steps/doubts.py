"""When sending stops: a service that loses its answers, or answers so that every batch would fare alike."""

from typing import Final

# So many doubts that nobody has settled, of whatever run and job, and no further batch is added to them.
MOST_DOUBTS: Final = 5

# Key, address, method, size or rate: whatever is wrong with one batch is wrong with the next one too.
_OF_ALL_BATCHES: Final = frozenset({401, 403, 404, 405, 413, 429})


def stops_sending(http_status: int | None) -> bool:
    """Whether an answer to POST /split says that the batches after it would only be answered alike.

    >>> stops_sending(401), stops_sending(503), stops_sending(None)
    (True, False, False)
    """
    return http_status in _OF_ALL_BATCHES
