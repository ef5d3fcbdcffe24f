"""What stops all sending: a hold, which a person puts and releases, and a freeze, which two people lift."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from flows.acts.act import FIRST, Done, House, Word, together
from flows.acts.forms import HoldSending, Release, Unfreeze
from schemas.errors import DecisionRefused
from schemas.messages import Message

FREEZE: Final = "freeze"


def hold(house: House, word: Word, said: HoldSending) -> Done:
    """Stop all sending; anybody may."""
    house.ledger.hold.put(word.by, said.why)
    in_desk = not word.is_signed_in and house.ledger.decision_rules.any_wants_signed_in()
    line = Message("cli.hold.in_desk" if in_desk else "cli.hold.put")
    return Done("held", (line,), {"held_by": word.by, "why": said.why})


def release(house: House, word: Word, _said: Release) -> Done:
    """Let sending go on.

    Raises:
        DecisionRefused: a job counts only words of people who signed in, and this name was typed.
    """
    word.require_counts(house.ledger, [None])
    released = house.ledger.hold.release(word.by)
    return Done("released", (Message("cli.hold.released" if released else "cli.hold.none"),), {"released": released})


def unfreeze(house: House, word: Word, said: Unfreeze) -> Done:
    """Take two people's word that what froze sending is understood: every tag must be accepted by name.

    Raises:
        DecisionRefused: nothing is frozen, or a tag of the freeze is not accepted, or one is not of the freeze; or a
            job counts only words of people who signed in.
        ApprovalWanted: there are not two different people.
    """
    word.require_counts(house.ledger, [None])
    frozen = house.ledger.freeze.current()
    if frozen is None:
        raise DecisionRefused(Message("freeze.none"))
    if wrong := sorted(set(frozen.tags) ^ set(said.accept)):
        raise DecisionRefused(Message("freeze.names", tags=", ".join(frozen.tags), wrong=", ".join(wrong)))
    alone = Message("freeze.two_people")
    both = together(house, word, FREEZE, name_of(frozen.tags), said.evidence, alone=alone)
    if both is None:
        return FIRST
    people, evidence = both
    house.ledger.freeze.lift(people.people, evidence, said.accept)
    return Done("lifted", (Message("cli.unfrozen", tags=", ".join(frozen.tags)),), {"accepted": list(frozen.tags)})


def name_of(tags: Sequence[str]) -> str:
    """Name a freeze by what froze it: a word on other tags is a word on another freeze."""
    return sha256("\0".join(sorted(tags)).encode()).hexdigest()
