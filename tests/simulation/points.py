"""The places where a process can die or be overtaken, and how it comes to know that it is there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final

from sqlalchemy import Connection

from io_adapters.ledger.ledger import Ledger


class PowerCut(BaseException):
    """Everything of one process ends here, and nothing of it gets a word in."""


class Point(Enum):
    """A place on the way of money where a process can die or be overtaken, in the order of the way."""

    BEFORE_FREEZING = "before the plan is stored"
    BEFORE_APPROVING = "before the plan is approved"
    IN_APPROVING = "before the approval's commit"
    AFTER_APPROVING = "after the approval's commit"
    BEFORE_INTENT = "before the intent is written down"
    IN_INTENT = "before the intent's commit"
    AFTER_INTENT = "after the intent's commit"
    BEFORE_CONNECTING = "immediately before connecting"
    AFTER_EFFECT = "after the effect, before the answer is read"
    BEFORE_OUTCOME = "after the answer, before it is written down"
    IN_OUTCOME = "before the answer's commit"
    AFTER_OUTCOME = "after the answer's commit"
    BETWEEN_BATCHES = "between two batches"


P = Point
IN_TRANSACTION: Final = frozenset({P.IN_APPROVING, P.IN_INTENT, P.IN_OUTCOME})
# Those that come once for each batch strike at the second, but for the pause between the first and the second.
OF_THE_SECOND_BATCH: Final = frozenset(Point) - {
    *(P.BEFORE_FREEZING, P.BEFORE_APPROVING, P.IN_APPROVING, P.AFTER_APPROVING, P.BETWEEN_BATCHES)
}


class Points:
    """The points of one process, and what happens at one of them."""

    def __init__(self, at: Point | None = None, strike: Callable[[], None] = lambda: None) -> None:
        self._at = at
        self._strike = strike
        self._passes = 2 if at in OF_THE_SECOND_BATCH else 1
        self.committing: Point | None = None

    @property
    def is_passed(self) -> bool:
        """Whether what was to happen has happened."""
        return self._at is None or self._passes <= 0

    def reach(self, point: Point | None) -> None:
        """The process is there now."""
        if point is not None and point is self._at:
            self._passes -= 1
            if not self._passes:
                self._strike()

    def around(self, subject: object, name: str, before: Point, commit: Point | None, after: Point | None) -> None:
        """Put points around one method of one object."""
        method = getattr(subject, name)

        def call(*given: Any, **named: Any) -> Any:
            self.reach(before)
            self.committing = commit
            try:
                result = method(*given, **named)
            finally:
                self.committing = None
            self.reach(after)
            return result

        setattr(subject, name, call)


def watched(ledger: Ledger, points: Points) -> Ledger:
    """Put points around what a ledger writes on the way of money."""
    points.around(ledger.plans, "store", P.BEFORE_FREEZING, None, None)
    points.around(ledger.submissions, "approve_plan", P.BEFORE_APPROVING, P.IN_APPROVING, P.AFTER_APPROVING)
    points.around(ledger.submissions, "take_for_sending", P.BEFORE_INTENT, P.IN_INTENT, P.AFTER_INTENT)
    points.around(ledger.submissions, "record_outcome", P.BEFORE_OUTCOME, P.IN_OUTCOME, P.AFTER_OUTCOME)
    points.around(ledger.leases, "renew", P.BETWEEN_BATCHES, None, None)
    database = ledger._database
    really_writing = database.writing

    @contextmanager
    def writing() -> Iterator[Connection]:
        with really_writing() as connection:
            yield connection
            points.reach(points.committing)

    database.writing = writing  # type: ignore[method-assign]
    return ledger
