"""Something that happens at a certain moment of a run, such as its end."""

from collections.abc import Callable
from io import StringIO

from flows.terminal import QuietProgress


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
