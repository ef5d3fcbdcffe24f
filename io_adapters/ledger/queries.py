"""Long lists of keys, in portions a database takes as parameters of one statement."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Key = TypeVar("_Key")

# SQLite allows 32,766 parameters, PostgreSQL 65,535.
_PORTION = 5_000


def chunks(keys: Iterable[_Key]) -> Iterator[list[_Key]]:
    """Yield each key once, in portions."""
    distinct = iter(dict.fromkeys(keys))
    while portion := list(islice(distinct, _PORTION)):
        yield portion
