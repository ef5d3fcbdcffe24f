"""What acts are done with, whose word they are, and what they come to."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from flows.run import Clock, Run
from io_adapters.ledger.approvals_missing import require_typed_name_counts
from io_adapters.ledger.ledger import Ledger
from schemas.errors import ApprovalWanted, DecisionRefused, ExitCode
from schemas.messages import Listed, Message
from schemas.plan import ApprovalKind
from schemas.submission import Submission
from schemas.values.names import different_people, same_person

Asking = Callable[[], AbstractContextManager[Run]]


@dataclass(frozen=True, slots=True)
class House:
    """What acts are done with.

    Attributes:
        asking: Opens a run that may ask the service.
    """

    ledger: Ledger
    clock: Clock
    asking: Asking


@dataclass(frozen=True, slots=True)
class Word:
    """Whose word an act is.

    Attributes:
        is_signed_in: They have signed in; else their names were typed.
    """

    people: tuple[str, ...]
    is_signed_in: bool = False

    @property
    def by(self) -> str:
        return ", ".join(self.people)

    @property
    def kind(self) -> ApprovalKind:
        return ApprovalKind.SIGNED_IN if self.is_signed_in else ApprovalKind.PERSON

    def require_counts(self, ledger: Ledger, jobs: Iterable[str | None]) -> None:
        """Refuse names that were only typed where the people of one of the jobs have to sign in; None is any job.

        Raises:
            DecisionRefused: they have to; nothing was recorded.
        """
        for job in () if self.is_signed_in else jobs:
            require_typed_name_counts(ledger, job)


@dataclass(frozen=True, slots=True)
class Done:
    """What an act came to.

    Attributes:
        name: What a page calls it.
        lines: For people, once it is done.
        facts: The same for programs, as plain JSON values.
    """

    name: str
    lines: tuple[Message | Listed, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    exit_code: ExitCode = ExitCode.DONE


FIRST = Done("first")


def report_called(ledger: Ledger, name: str) -> Submission:
    """Find a report of this ledger by our id for it (rp-...) or by the service's.

    Raises:
        DecisionRefused: it is none of ours.
    """
    for submission in ledger.submissions.list(bodies=False):
        if name and name in {submission.report_id, submission.split_id}:
            return submission
    raise DecisionRefused(Message("error.rate_no_report", name=name))


def together(
    house: House, word: Word, about: str, subject: str, evidence: str, *, alone: Message
) -> tuple[Word, str] | None:
    """Return the word of the two people that something needs, and what both rely on.

    Who has signed in says it alone: the first word is kept until another person says the same.

    Args:
        about: What the word is on, `absent`, `unlike`, `rate`, `receiver` or `freeze`.
        alone: What is wrong with the word of one person who has not signed in.

    Returns:
        None where this is the first word; it is written down.

    Raises:
        ApprovalWanted: there are not two different people.
    """
    if len(different_people(word.people)) > 1:
        return word, evidence
    if not word.is_signed_in:
        raise ApprovalWanted(alone)
    first = house.ledger.first_decisions.pending(about, subject)
    if first is None or same_person(first.by) == same_person(word.by):
        house.ledger.first_decisions.record(about, subject, word.by, evidence)
        return None
    both = f"{first.by}: {first.evidence}; {word.by}: {evidence}"
    return Word((first.by, word.by), is_signed_in=True), both
