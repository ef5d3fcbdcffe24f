"""A reason to freeze all sending: ledger and service disagree about something that a person has to look at."""

from dataclasses import dataclass
from typing import Final, Literal

from schemas.told import Told

AlarmKind = Literal[
    "lost_report",
    "second_ledger",
    "duplicate_report",
    "linked_twice",
    "wrong_likeness",
    "wrong_name",
    "wrong_amount",
    "wrong_currency",
    "wrong_payer",
    "paid_twice",
    "status_changed",
]


@dataclass(frozen=True, slots=True)
class Alarm:
    """What was seen, and what people name when they let sending go on.

    Attributes:
        kind: lost_report (ours, unknown to the ledger), second_ledger, duplicate_report (two reports of one name),
            linked_twice (one report for two submissions), wrong_likeness (it was found to be another), wrong_name,
            wrong_amount, wrong_currency, wrong_payer (the service tells a report otherwise than it was sent),
            paid_twice, status_changed (one that had failed).
        tag: A ledger's tag or a report id, with a colon and the field where the service tells one of them wrongly. Once
            accepted it raises no alarm again.
        told: What people read.
    """

    kind: AlarmKind
    tag: str
    told: Told


@dataclass(frozen=True, slots=True)
class Alarms:
    """What was seen at once, and the language it is told in."""

    found: tuple[Alarm, ...] = ()
    language: str = "en"

    def and_also(self, alarm: Alarm) -> "Alarms":
        """Return these and one more."""
        return Alarms((*self.found, alarm), self.language)


NO_ALARMS: Final = Alarms()
