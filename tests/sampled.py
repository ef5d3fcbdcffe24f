"""How much is played on every run of the tests, how much in the long one, and how much where all is asked for."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, settings

# SIMULATE=all plays the simulations whole, an hour and more; the long tests play a part of each.
EVERYTHING: Final = os.environ.get("SIMULATE") == "all"


def sampled(cases: Iterable[Any], *, one_in: int = 3) -> Sequence[Any]:
    """Of cases that are much alike, play every so many each time, and the others as `long`.

    Args:
        cases: For `pytest.mark.parametrize`: a value each, a tuple of values, or a `pytest.param`, whose name is kept.
        one_in: Of how many one is played every time; the first one is.
    """
    return [_later(case) if place % one_in else case for place, case in enumerate(cases)]


def in_turn(cases: Iterable[Any], others: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Put one of others beside each case, in turn; with SIMULATE=all, each beside all of them."""
    alone = [case if type(case) is tuple else (case,) for case in cases]
    if EVERYTHING:
        return [(*case, other) for case in alone for other in others]
    return [(*case, others[place % len(others)]) for place, case in enumerate(alone)]


def _later(case: Any) -> Any:
    if hasattr(case, "marks"):  # a `pytest.param`
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.long])
    return pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.long)


def histories(*, count: int, steps: int, every: tuple[int, int]) -> settings:
    """Return how a state machine that pays is played: the same histories every time, and none made smaller.

    Args:
        count: How many histories.
        steps: The most steps of one.
        every: Both, with SIMULATE=all.
    """
    count, steps = every if EVERYTHING else (count, steps)
    return settings(
        max_examples=count,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        print_blob=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )
