"""Moments: of a run, such as its end, and of the clock, such as a day later."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from io import StringIO

from flows.house_ledger import utc_now
from flows.run import SYSTEM_CLOCK, Clock, QuietProgress


class At(QuietProgress):
    """Does something when a stage begins; its lines are kept."""

    def __init__(self, stage: str, what: Callable[[], object]) -> None:
        self._lines = StringIO()
        super().__init__(self._lines)
        self._at = stage
        self._what = what

    def stage(self, name: str) -> None:
        """A stage begins."""
        super().stage(name)
        if name == self._at:
            self._what()


def power_cut() -> None:
    """End this run the way a person or the system ends a program."""
    raise KeyboardInterrupt


def later(**by: float) -> Clock:
    """A clock that is fast by so much."""
    return replace(SYSTEM_CLOCK, now=lambda: utc_now() + dt.timedelta(**by))
