"""Long lists, a page at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Paged(Generic[T]):
    """One page of a list; pages count from 1."""

    items: Sequence[T]
    page: int
    pages: int
    total: int
    first: int


def page_of(items: Sequence[T], page: int, size: int) -> Paged[T]:
    """Cut a page out of a list; a page that is not there is the nearest one.

    >>> page_of("abcde", 2, 2).items, page_of("abcde", 9, 2).page
    ('cd', 3)
    """
    pages = max(1, -(-len(items) // size))
    number = min(max(1, page), pages)
    start = (number - 1) * size
    return Paged(items[start : start + size], number, pages, len(items), start + 1 if items else 0)
