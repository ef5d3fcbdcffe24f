"""Acts: what people did, each with its effect, once; a chain, by which a row that was changed or taken out is known."""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple


class ActKind(StrEnum):
    """What people do. What is only offered, and never recorded under its own name, stands last."""

    OPEN_MONTH = "open_month"  # of a job, with what holds for that month alone
    HAND_IN = "hand_in"  # a file for a month, or one that was withdrawn, once more
    WITHDRAW = "withdraw"  # a file that was handed in by mistake, or whose place another takes
    CORRECT = "correct"  # cells of a file
    BRING = "bring"  # a file to the desk
    RECEIVE = "receive"  # a file that lies in a job's folder, and of which nobody was known to have brought it
    CHANGE_JOB = "change_job"  # a file of a job
    CONFIRM_KEY_TYPES = "confirm_key_types"  # of Pix keys of a job
    RUN = "run"  # a job, for a month
    PREPARE = "prepare"  # a plan, of the bytes that a run has read
    APPROVE = "approve"  # a plan
    REJECT = "reject"
    AGREE_TO_CHECKS = "agree_to_checks"  # of accounts, with what they cost
    LINK = "link"  # a submission in doubt to the report of the service that it is
    TAKE_LINK_BACK = "take_link_back"
    DECLARE_ABSENT = "declare_absent"  # a submission in doubt that the service never had
    DECIDE = "decide"  # on a single payment
    RETURNED = "returned"  # a payment came back, whole or in part
    HOLD = "hold"  # all sending
    RELEASE = "release"
    FREEZE = "freeze"  # all sending, by the program: ledger and service disagree
    UNFREEZE = "unfreeze"
    FIRST_WORD = "first_word"  # of two that something needs
    EXCHANGE_RATE = "exchange_rate"  # of one report, by hand
    FUND = "fund"  # what was paid to the service for one report
    CONFIRM_RECEIVER = "confirm_receiver"  # of the service's Pix codes
    READ_BANK = "read_bank"  # a statement of the bank
    EXPLAIN_LINE = "explain_line"  # of the bank
    ACCEPT_KEY = "accept_key"  # another key of the service
    ACCEPT_CLOCK = "accept_clock"
    LOOSEN_POLICY = "loosen_policy"
    SEAL_AGAIN = "seal_again"  # the acts so far, after the key that sealed them was lost
    ADD_USER = "add_user"  # of the desk
    CHANGE_USER = "change_user"  # their password, roles, or whether they may sign in
    SIGN_IN = "sign_in"
    SIGN_IN_REFUSED = "sign_in_refused"
    SIGN_OUT = "sign_out"
    ACCEPT_ADDRESS = "accept_address"  # of a payee, for statements
    MAIL_STATEMENTS = "mail_statements"
    CHANGE_CONTACTS = "change_contacts"  # of the service's address book
    SET_WEBHOOK = "set_webhook"  # an address to which the service reports, or one that it may no longer use
    DOWNLOAD = "download"  # what a run has written of payees
    SETTLE = "settle"  # look at what the service says


# It takes two people to say these.
OF_TWO: Final = frozenset({ActKind.DECLARE_ABSENT, ActKind.TAKE_LINK_BACK, ActKind.UNFREEZE})
# After these, looks at the ledger from before no longer stand: they bear on what is payable.
BEAR_ON_PLANS: Final = frozenset(
    {ActKind.OPEN_MONTH, ActKind.HAND_IN, ActKind.WITHDRAW, ActKind.DECIDE, ActKind.RETURNED}
)


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


@dataclass(frozen=True, slots=True)
class RecordedAct:
    """An act as it stands in its chain.

    Attributes:
        number: Rises from act to act.
        previous: Hash of the act before it.
        sha256: Its own.
    """

    number: int
    act: Act
    previous: str
    sha256: str

    def as_json(self) -> dict[str, object]:
        """Return it as plain JSON values, for those who keep records of many programs; people's words stay here."""
        act = self.act
        told = {"number": self.number, "at": act.at.isoformat(), "kind": act.kind.value, "by": act.by}
        facts = {
            name: fact for name, fact in act.facts.items() if name != "name"
        }  # a file may be called after somebody
        return told | {"subject": act.subject, "facts": facts, "sha256": self.sha256}


# What the first act is chained to.
BEGINNING: Final = "0" * 64


def chained(previous: str, act: Act) -> str:
    """Return the hash of an act and of the one before it: SHA-256 of its canonical JSON, in hex."""
    values = [previous, act.kind.value, act.by, act.subject, act.why, act.at.astimezone(dt.UTC).isoformat()]
    text = json.dumps([*values, dict(act.facts)], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def first_broken(acts: Iterable[RecordedAct]) -> int | None:
    """Return the number of the first act that does not follow from the one before; None where all do."""
    before = BEGINNING
    for recorded in acts:
        if recorded.previous != before or recorded.sha256 != chained(before, recorded.act):
            return recorded.number
        before = recorded.sha256
    return None


def digest_of(*facts: object) -> str:
    """Return the hash of some facts, in hex: by it an act names what was written with it.

    >>> digest_of("pay", 100) == digest_of("pay", 101)
    False
    """
    return hashlib.sha256(json.dumps(facts, ensure_ascii=False, default=str).encode()).hexdigest()
