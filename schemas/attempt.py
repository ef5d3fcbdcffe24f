"""Attempts: the states of one effect that is asked of the service, and the transitions between them.

Every kind of attempt goes the same way; a kind adds what is its own before and after it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeVar

from schemas.errors import BrokenInvariant


class AttemptKind(StrEnum):
    """What is asked for."""

    REPORT = "report"
    EXCHANGE_RATE = "exchange_rate"
    ACCOUNT_CHECK = "account_check"
    CONTACT = "contact"


class AttemptState(StrEnum):
    """Where an attempt of any kind can stand; a kind has more states, and these by the same names."""

    APPROVED = "approved"
    SENDING = "sending"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    NOT_SENT = "not_sent"
    IN_DOUBT = "in_doubt"
    ABSENT = "absent"


A = AttemptState
# Only a call that certainly never left, or was refused as documented, is not charged.
FREE: Final = frozenset({A.NOT_SENT, A.REFUSED})

_SENT_ONCE: Final[dict[str, frozenset[AttemptState]]] = {
    A.APPROVED: frozenset({A.SENDING}),
    A.SENDING: frozenset({A.ACCEPTED, A.REFUSED, A.NOT_SENT, A.IN_DOUBT}),
    A.NOT_SENT: frozenset({A.APPROVED}),
    A.IN_DOUBT: frozenset({A.ACCEPTED, A.ABSENT}),
}

State = TypeVar("State", bound=StrEnum)
State_co = TypeVar("State_co", bound=StrEnum, covariant=True)


def transitions(states: type[State], own: Mapping[State, Iterable[State]]) -> dict[State, frozenset[State]]:
    """Return the table of transitions of a kind: what every attempt goes through, and what only this kind does."""
    return {
        state: frozenset(map(states, _SENT_ONCE.get(state, ()))) | frozenset(own.get(state, ())) for state in states
    }


def check_transition(table: Mapping[State, frozenset[State]], before: State, after: State) -> None:
    """Refuse a transition that the table of its kind does not name.

    Raises:
        BrokenInvariant: the transition is not allowed.
    """
    if after not in table[before]:
        raise BrokenInvariant(f"an attempt cannot go from {before} to {after}")


# Of a kind with no states of its own.
TRANSITIONS: Final = transitions(AttemptState, {})
# The sync that was to create a contact ended before it did; the next one asks first, and begins anew.
CONTACT_TRANSITIONS: Final = transitions(AttemptState, {A.APPROVED: {A.ABSENT}})


@dataclass(frozen=True, slots=True)
class PlainAttempt:
    """An attempt that has nothing of its own: the creation of a contact. Fields as in `Attempt`."""

    id: str
    state: AttemptState
    body: bytes
    run_id: str
    was_in_doubt: bool


@dataclass(frozen=True, slots=True)
class AccountCheck(PlainAttempt):
    """One paid check of one account, as the ledger holds it.

    It is written down as being sent, together with the money reserved for it: the job's budget is the consent to it.
    """

    fingerprint: str
    cost_cents: int


class Attempt(Protocol[State_co]):
    """What every attempt has, whatever it asks for.

    Attributes:
        body: The exact bytes to send.
        was_in_doubt: Whether these bytes may have arrived before.
    """

    @property
    def id(self) -> str: ...
    @property
    def state(self) -> State_co: ...
    @property
    def body(self) -> bytes: ...
    @property
    def run_id(self) -> str: ...
    @property
    def was_in_doubt(self) -> bool: ...
