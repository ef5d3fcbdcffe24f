"""Exit codes: one per kind of outcome, and which one wins when several hold."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final


class ExitCode(IntEnum):
    """How a command ended, told to the program that called it."""

    DONE = 0
    USAGE = 2
    CONFIGURATION = 10
    UNREADABLE_FILE = 11
    ROWS_REFUSED = 12
    NO_SOUND_PLAN = 13
    APPROVAL_WANTED = 14
    ROWS_HELD = 15
    REFUSED = 20
    NOT_SENT = 21
    IN_DOUBT = 22
    STILL_OPEN = 23
    ANOTHER_RUN = 30
    FROZEN = 31
    DISCREPANCIES = 40
    BUG = 70


# The worst news first. Codes that end a command before it began (2, 10, 11, 13) never meet another one.
PRECEDENCE: Final = (
    ExitCode.BUG,
    ExitCode.FROZEN,
    ExitCode.ANOTHER_RUN,
    ExitCode.USAGE,
    ExitCode.CONFIGURATION,
    ExitCode.UNREADABLE_FILE,
    ExitCode.NO_SOUND_PLAN,
    ExitCode.IN_DOUBT,
    ExitCode.REFUSED,
    ExitCode.NOT_SENT,
    ExitCode.APPROVAL_WANTED,
    ExitCode.DISCREPANCIES,
    ExitCode.STILL_OPEN,
    ExitCode.ROWS_HELD,
    ExitCode.ROWS_REFUSED,
    ExitCode.DONE,
)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """Return the code that wins; DONE when there is none."""
    return min(codes, key=PRECEDENCE.index, default=ExitCode.DONE)
