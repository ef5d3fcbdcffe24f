"""Long lists of keys, in portions a database takes as parameters of one statement."""

from collections.abc import Iterable, Iterator
from itertools import islice

# SQLite allows 32,766 parameters, PostgreSQL 65,535.
_PORTION = 5_000


def chunks(keys: Iterable[str]) -> Iterator[list[str]]:
    """Yield each key once, in portions."""
    distinct = iter(dict.fromkeys(keys))
    while portion := list(islice(distinct, _PORTION)):
        yield portion
