"""The states of payments, reports, plans, runs and funding: their colour, whose turn it is, and who may act.

One table: cards, buttons and refusals read it, and so does every colour that is shown. What a state is called is in the
catalogues (`place.*` of a payment, `funding.state.*` of a report towards its payer, `state.*` of the others), and what
is posted with it in docs/rules.md.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from schemas.acts import OF_TWO, ActKind
from schemas.approval import DeskUser, Role
from schemas.funding import FundingState
from schemas.plan import Place
from schemas.submission import SubmissionState


class Tone(StrEnum):
    """What a colour says; each way of showing it has its own colours."""

    NONE = ""
    HEADER = "header"
    GOOD = "good"
    MOVING = "moving"
    WAITING = "waiting"
    TROUBLE = "trouble"
    QUIET = "quiet"


class Turn(StrEnum):
    """Who has to do something next."""

    NOBODY = "nobody"
    UNSAID = "unsaid"  # the service does not say what it waits for
    SERVICE = "service"
    PREPARER = "preparer"
    APPROVER = "approver"
    RESOLVER = "resolver"


# Who may do what; looking at what the service says moves no money, and anybody may.
PART_OF: Final[Mapping[ActKind, Role | None]] = {
    ActKind.OPEN_MONTH: Role.PREPARER,
    ActKind.HAND_IN: Role.PREPARER,
    ActKind.WITHDRAW: Role.PREPARER,
    ActKind.RUN: Role.PREPARER,
    ActKind.CORRECT: Role.PREPARER,
    ActKind.APPROVE: Role.APPROVER,
    ActKind.REJECT: Role.APPROVER,
    ActKind.SETTLE: None,
    ActKind.LINK: Role.RESOLVER,
    ActKind.DECLARE_ABSENT: Role.RESOLVER,
    ActKind.TAKE_LINK_BACK: Role.RESOLVER,
    ActKind.DECIDE: Role.RESOLVER,
    ActKind.RECEIVE: None,
    ActKind.RETURNED: Role.RESOLVER,
    ActKind.EXCHANGE_RATE: Role.RESOLVER,
    ActKind.FUND: Role.RESOLVER,
    ActKind.CONFIRM_RECEIVER: Role.APPROVER,
    ActKind.EXPLAIN_LINE: Role.RESOLVER,
    ActKind.HOLD: None,
    ActKind.RELEASE: Role.RESOLVER,
    ActKind.UNFREEZE: Role.RESOLVER,
}


@dataclass(frozen=True, slots=True)
class State:
    """How something stands.

    Attributes:
        acts: What people can do about it; nothing where nothing is open.
    """

    tone: Tone
    turn: Turn = Turn.NOBODY
    acts: tuple[ActKind, ...] = ()


def possible_acts(state: State, parts: Collection[Role]) -> tuple[ActKind, ...]:
    """Return what somebody may do about a matter.

    Args:
        parts: What they may do in the house.

    >>> possible_acts(PLANS["waiting"], {Role.PREPARER})
    ()
    >>> possible_acts(PLANS["waiting"], {Role.APPROVER})
    (<ActKind.APPROVE: 'approve'>, <ActKind.REJECT: 'reject'>)
    """
    return tuple(act for act in state.acts if may(act, parts))


def may(act: ActKind, parts: Collection[Role]) -> bool:
    """Whether somebody may do something at all, whatever it is about."""
    return PART_OF[act] is None or PART_OF[act] in parts


def missing_parts(users: Iterable[DeskUser]) -> dict[Role, int]:
    """Return how many more users need each part, so that every open matter has somebody who may end it.

    Of those who declare absent what is in doubt, whoever sent it is none, and any preparer or approver may have.

    """
    enabled, missing = [user for user in users if not user.disabled], dict[Role, int]()
    senders = [user.key for user in enabled if {Role.PREPARER, Role.APPROVER} & user.roles]
    for act, part in PART_OF.items():
        able = {user.key for user in enabled if part in user.roles}
        left = min((len(able - {sender}) for sender in senders), default=len(able))
        count = (1 + (act in OF_TWO)) - (left if act is ActKind.DECLARE_ABSENT else len(able))
        if part is not None and count > 0:
            missing[part] = max(count, missing.get(part, 0))
    return missing


_QUIET: Final = State(Tone.QUIET)
_PAID: Final = State(Tone.GOOD)
_AT_SERVICE: Final = State(Tone.MOVING, Turn.SERVICE, (ActKind.SETTLE,))
_TO_APPROVE: Final = State(Tone.WAITING, Turn.APPROVER, (ActKind.APPROVE, ActKind.REJECT))
_TO_RUN: Final = State(Tone.WAITING, Turn.PREPARER, (ActKind.RUN,))
_TO_CORRECT: Final = State(Tone.WAITING, Turn.PREPARER, (ActKind.CORRECT, ActKind.RUN))
_BROKEN: Final = State(Tone.TROUBLE, Turn.PREPARER, (ActKind.CORRECT, ActKind.RUN))
_STOPPED: Final = State(Tone.TROUBLE, Turn.PREPARER, (ActKind.RUN,))
_UNKNOWN: Final = State(Tone.TROUBLE, Turn.RESOLVER, (ActKind.SETTLE, ActKind.LINK, ActKind.DECLARE_ABSENT))
_TO_FUND: Final = State(Tone.WAITING, Turn.RESOLVER, (ActKind.FUND, ActKind.SETTLE))
_TO_DECIDE: Final = State(Tone.TROUBLE, Turn.RESOLVER, (ActKind.DECIDE,))

# Of one sum: where it is.
PAYMENTS: Final[Mapping[Place, State]] = MappingProxyType(
    {
        Place.PAID: _PAID,
        Place.OWNER: _PAID,
        Place.PROCESSING: _AT_SERVICE,
        Place.WITHHELD: State(Tone.WAITING),
        Place.INCOME_TAX: _QUIET,
        Place.TAX: _QUIET,
        Place.RECOUPED: _QUIET,
        Place.CARRIED: _QUIET,
        Place.DUPLICATE: _QUIET,
        Place.PLANNED: _TO_APPROVE,
        Place.HELD: _TO_CORRECT,
        Place.NOT_SENT: _TO_RUN,
        Place.REFUSED: _BROKEN,
        Place.IN_DOUBT: _UNKNOWN,
        Place.CONFLICT: _TO_DECIDE,
        Place.UNDETERMINED: _TO_DECIDE,
        Place.FAILED: State(Tone.TROUBLE, Turn.RESOLVER, (ActKind.DECIDE, ActKind.RUN)),
        Place.EXCLUDED: _TO_DECIDE,
        Place.RETURNED: State(Tone.TROUBLE, Turn.RESOLVER, (ActKind.DECIDE, ActKind.RETURNED)),
    }
)

# Of one report.
REPORTS: Final[Mapping[SubmissionState, State]] = MappingProxyType(
    {
        SubmissionState.PLANNED: _TO_APPROVE,
        SubmissionState.APPROVED: _TO_RUN,
        SubmissionState.SENDING: State(Tone.MOVING, Turn.SERVICE, (ActKind.SETTLE,)),
        SubmissionState.ACCEPTED: _AT_SERVICE,
        SubmissionState.PROCESSING: _AT_SERVICE,
        SubmissionState.PAID: _PAID,
        SubmissionState.PARTIAL: _TO_DECIDE,
        SubmissionState.EXCLUDED: _TO_DECIDE,
        SubmissionState.FAILED: State(Tone.TROUBLE, Turn.RESOLVER, (ActKind.DECIDE, ActKind.RUN)),
        SubmissionState.REFUSED: _BROKEN,
        SubmissionState.NOT_SENT: _TO_RUN,
        SubmissionState.IN_DOUBT: _UNKNOWN,
        SubmissionState.ABSENT: _STOPPED,
        SubmissionState.WITHDRAWN: _QUIET,
    }
)

# Of one report towards whoever pays for it; one that has ended otherwise than paid has its own colour.
FUNDINGS: Final[Mapping[FundingState, State]] = MappingProxyType(
    {
        FundingState.ENDED: State(Tone.NONE),
        FundingState.MISMATCH: State(Tone.TROUBLE, Turn.APPROVER, (ActKind.CONFIRM_RECEIVER, ActKind.SETTLE)),
        FundingState.RECEIVER_UNKNOWN: State(Tone.WAITING, Turn.APPROVER, (ActKind.CONFIRM_RECEIVER, ActKind.SETTLE)),
        FundingState.OVER: State(Tone.TROUBLE, Turn.RESOLVER, (ActKind.FUND, ActKind.SETTLE)),
        FundingState.PAID_WAITING: _AT_SERVICE,
        FundingState.SHORT: _TO_FUND,
        FundingState.YOURS_TO_PAY: _TO_FUND,
        FundingState.RATE_WANTED: State(Tone.WAITING, Turn.RESOLVER, (ActKind.EXCHANGE_RATE, ActKind.SETTLE)),
        FundingState.AT_SERVICE: _AT_SERVICE,
        FundingState.FROM_BALANCE: _TO_FUND,
        FundingState.NOT_SAID: State(Tone.MOVING, Turn.UNSAID, (ActKind.FUND, ActKind.SETTLE)),
        FundingState.FEE_UNPAID: _TO_FUND,
        FundingState.DONE: _PAID,
    }
)

# Of one plan.
PLANS: Final[Mapping[str, State]] = MappingProxyType(
    {
        "waiting": _TO_APPROVE,
        "approved": _PAID,
        "rejected": State(Tone.TROUBLE, Turn.PREPARER, (ActKind.CORRECT, ActKind.RUN)),
        "replaced": _QUIET,
    }
)

# Of one run, as its end and the desk name it.
RUNS: Final[Mapping[str, State]] = MappingProxyType(
    {
        "running": State(Tone.MOVING),
        "done": _PAID,
        "nothing_to_pay": _QUIET,
        "went_on": _QUIET,
        "settling": _AT_SERVICE,
        "awaiting_approval": _TO_APPROVE,
        "approval_wanted": _TO_APPROVE,
        "rejected": _BROKEN,
        "done_with_rows_held": _TO_CORRECT,
        "rows_refused": _BROKEN,
        "no_sound_plan": _BROKEN,
        "unreadable_file": _BROKEN,
        "configuration": _BROKEN,
        "refused": _BROKEN,
        "not_sent": _TO_RUN,
        "another_run": _TO_RUN,
        "interrupted": _STOPPED,
        "bug": _STOPPED,
        "in_doubt": _UNKNOWN,
        "discrepancies": _TO_DECIDE,
        "frozen": State(Tone.TROUBLE, Turn.RESOLVER, (ActKind.DECIDE,)),
    }
)


def tone_of(name: str) -> Tone:
    """Return the colour of a state by its name, whatever it is a state of; none of a name that is no state's.

    >>> tone_of("paid"), tone_of("waiting"), tone_of("of another house")
    (<Tone.GOOD: 'good'>, <Tone.WAITING: 'waiting'>, <Tone.NONE: ''>)
    """
    tables: tuple[Mapping[str, State], ...] = (REPORTS, PLANS, RUNS, PAYMENTS)  # type: ignore[assignment]
    return next((table[name].tone for table in tables if name in table), Tone.NONE)
