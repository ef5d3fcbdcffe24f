"""Which jobs a night has to run: those that have something new, and those for which something waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from schemas.exit_codes import ExitCode


class Why(StrEnum):
    """Why a job is due, or why it is not."""

    NEW = "new"
    LEFT_OVER = "left_over"
    APPROVED = "approved"
    INTERRUPTED = "interrupted"
    REASON_GONE = "reason_gone"
    SAME = "same"
    NO_FILES = "no_files"
    OTHER_FILES = "other_files"

    @property
    def is_due(self) -> bool:
        """Whether the night runs the job."""
        return self in _DUE


_DUE: Final = frozenset({Why.NEW, Why.LEFT_OVER, Why.APPROVED, Why.INTERRUPTED, Why.REASON_GONE})

# After these the same files may come to something else: what stood in the way was not in them.
_TRY_AGAIN: Final = frozenset(
    {ExitCode.BUG, ExitCode.ANOTHER_RUN, ExitCode.NOT_SENT, ExitCode.REFUSED, ExitCode.FROZEN, ExitCode.CONFIGURATION}
)
# Account checks that the budget of one run, or the service's silence, has left for the next.
_CHECKS_LEFT: Final = frozenset({"ACCOUNT_BUDGET", "ACCOUNT_UNKNOWN"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a job of one period.

    Attributes:
        content: One number for all that the job reads, its own file included; None while files are missing.
        seen: The same of the last night that brought it to an end; None when there was none.
        left_over: Whether reports that people have approved, or rates to be set, wait to be sent.
        approved: Whether a plan that waits has the word of a person.
        approved_reads_the_same: Whether the files of that plan are those the job names now.
        interrupted: Whether the last run died before it came to an end.
        reason_gone: Whether what kept money back is not so any more: people have decided, or an account is not known to
            be invalid any longer.
    """

    content: str | None
    seen: str | None
    left_over: bool = False
    approved: bool = False
    approved_reads_the_same: bool = True
    interrupted: bool = False
    reason_gone: bool = False


def why_due(facts: Facts) -> Why:
    """Decide whether a job is due.

    What is approved and stored goes out whatever the files say. A plan that people have approved is taken up only from
    the files it was made of: run on others, it would be replaced by another plan, and their word lost.

    >>> why_due(Facts(content="1", seen="1")).is_due
    False
    """
    if facts.left_over:
        return Why.LEFT_OVER
    if facts.content is None:
        return Why.NO_FILES
    if facts.approved:
        return Why.APPROVED if facts.approved_reads_the_same else Why.OTHER_FILES
    if facts.content != facts.seen:
        return Why.NEW
    if facts.interrupted:
        return Why.INTERRUPTED
    return Why.REASON_GONE if facts.reason_gone else Why.SAME


def is_brought_to_an_end(code: ExitCode, issues: Mapping[str, int]) -> bool:
    """Say whether running a job again on the same files can be left to people.

    Args:
        code: How its run ended.
        issues: How many of each problem the run has found, by code.
    """
    return code not in _TRY_AGAIN and not any(issues.get(name) for name in _CHECKS_LEFT)
