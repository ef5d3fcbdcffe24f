"""A person's word on one obligation whose fate neither the ledger nor the service can tell."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum


class DecisionKind(StrEnum):
    """What the person says."""

    PAY = "pay"  # it was not paid, or more is owed: the next plan may pay it
    PAID = "paid"  # it was paid, by the report or outside: nothing more is owed
    DROP = "drop"  # nobody is to be paid for it


@dataclass(frozen=True, slots=True)
class Decision:
    """One word, bound to what was to be paid when it was said: another amount or destination is another question.

    Attributes:
        obligation_key: Which obligation; for a word on a row of a payments file, the row's own.
        submission_id: The partial or excluded report that the word explains; "" for a word on the row as it stood.
        kind: What is said.
        amount_cents: What was to be paid.
        destination: Fingerprint of where it was to go.
        by: Who says it.
        evidence: What they rely on.
        at: When (UTC).
    """

    obligation_key: str
    submission_id: str
    kind: DecisionKind
    amount_cents: int
    destination: str
    by: str
    evidence: str
    at: dt.datetime

    @property
    def reason(self) -> str:
        """The word as a reason, for people."""
        return f"{self.kind.value}, decided by {self.by}"
