"""Acts: what people did, each with its effect, once; a chain, by which a row that was changed or taken out is known."""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple


class ActKind(StrEnum):
    """What people do; those of files and months are told by the table of acts, the older ones move there."""

    OPEN_MONTH = "open_month"  # of a job, with what holds for that month alone
    HAND_IN = "hand_in"  # a file for a month, or one that was withdrawn, once more
    WITHDRAW = "withdraw"  # a file that was handed in by mistake, or whose place another takes
    CORRECT = "correct"  # cells of a file
    RUN = "run"  # a job, for a month
    APPROVE = "approve"  # a plan, or what checks cost
    REJECT = "reject"
    SETTLE = "settle"  # look at what the service says
    LINK = "link"  # a submission in doubt to the report of the service that it is
    DECLARE_ABSENT = "declare_absent"  # a submission in doubt that the service never had
    DECIDE = "decide"  # on single payments, or on what stops all sending


@dataclass(frozen=True, slots=True)
class Act:
    """What a person did.

    Attributes:
        subject: What it is about: a file, by the hex digest of its bytes, or a job, by its name.
        facts: What else has to be known of it; codes and labels, nobody's name or document.
        why: In the person's words.
        at: When (UTC).
    """

    kind: ActKind
    by: str
    subject: str
    why: str
    at: dt.datetime
    facts: Mapping[str, str] = field(default_factory=dict)


class Delivery(NamedTuple):
    """A file that was handed in for a month of a job.

    Attributes:
        sha256: Of its bytes, in hex.
    """

    job: str
    period: str
    sha256: str


def withdrawn(acts: Iterable[Act]) -> frozenset[Delivery]:
    """Return the deliveries that count no more: the last word on each is that it was withdrawn."""
    on_files = [act for act in acts if act.kind in {ActKind.HAND_IN, ActKind.WITHDRAW}]
    last = {Delivery(act.facts["job"], act.facts["period"], act.subject): act.kind for act in on_files}
    return frozenset(delivery for delivery, kind in last.items() if kind is ActKind.WITHDRAW)


def named_deliveries(acts: Iterable[Act], sha256: str) -> dict[Delivery, str]:
    """Return the deliveries of files that people handed in by name, by the beginning of their digest -> its name."""
    return {
        Delivery(act.facts["job"], act.facts["period"], act.subject): act.facts["name"]
        for act in acts
        if act.kind is ActKind.HAND_IN and "name" in act.facts and act.subject.startswith(sha256)
    }


# What the first act is chained to.
BEGINNING: Final = "0" * 64


def chained(previous: str, act: Act) -> str:
    """Return the hash of an act and of the one before it: SHA-256 of its canonical JSON, in hex."""
    values = [previous, act.kind.value, act.by, act.subject, act.why, act.at.astimezone(dt.UTC).isoformat()]
    text = json.dumps([*values, dict(act.facts)], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def first_broken(acts: Iterable[tuple[Act, str, str]]) -> int | None:
    """Return the number, from 1, of the first act that does not follow from the one before; None where all do.

    Args:
        acts: Each with the hash it is chained to and its own, in order.
    """
    before = BEGINNING
    for number, (act, previous, own) in enumerate(acts, start=1):
        if previous != before or own != chained(previous, act):
            return number
        before = own
    return None
