"""What one written value says: its canonical form, or the rule it breaks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from schemas.issues import IssueCode

T = TypeVar("T")

# Blanks that spreadsheets put around a value. A line break is not one: it means two values in one cell.
BLANKS: Final = " \t\u00a0\u2007\u202f"


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value as read.

    Attributes:
        value: Canonical value; None when there is none that may be used.
        code: The rule it breaks, or the note that goes with it; None when there is nothing to say.
        facts: What the message of `code` needs to know (`schemas.issue_texts`), without the value itself.
    """

    value: T | None
    code: IssueCode | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
