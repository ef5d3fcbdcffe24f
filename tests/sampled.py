"""One case in so many on every run of the tests, and the others in the long one."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def sampled(cases: Iterable[Any], *, one_in: int = 3) -> Sequence[Any]:
    """Mark all cases but every so many as `long`.

    Args:
        cases: For `pytest.mark.parametrize`: a value each, a tuple of values, or a `pytest.param`, whose name is kept.
        one_in: Of how many one is played every time; the first one is.
    """
    return [case if place % one_in == 0 else _later(case) for place, case in enumerate(cases)]


def _later(case: Any) -> Any:
    if hasattr(case, "marks"):  # a `pytest.param`
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.long])
    return pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.long)
