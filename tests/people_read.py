"""A plugin of pytest: tests, and examples in docstrings, read what is told as people at their own work do."""

from collections.abc import Iterator

import pytest

from schemas.readers import for_people


@pytest.fixture(scope="session", autouse=True)
def _a_person_reads() -> Iterator[None]:
    """Name people to whoever runs the tests; what strangers read has tests of its own."""
    with for_people():
        yield
