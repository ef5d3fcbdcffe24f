"""Where the rows of deals stand that go on over periods: what they say, what came of them so far, and what is left."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from schemas.messages import Listed, Money


class TermKind(StrEnum):
    """Of what a row of a deal goes on over periods."""

    COST = "cost"  # of an amount, or of a percentage with a cap: what is still to recover
    TIER = "tier"  # of shares: how far the ladder has come
    CAP = "cap"  # of a share: what it may still give
    GUARANTEE = "guarantee"  # what is still to be earned
    RESERVE = "reserve"  # what is kept back, and when it is due
    ADVANCE = "advance"  # what is still to be recouped


@dataclass(frozen=True, slots=True)
class DealTerm:
    """What a row says that goes on over periods; columns of `run_deals`, and of the view `deals`.

    Attributes:
        payee: Tax id; "" for a cost of the owner's.
        what: Name of a cost, role of a share, reference of a guarantee.
        about: Of which lines it is.
        row: What names its sums in `schemas.deal_sums`.
        bounds: The amount, the cap, or the bounds of a ladder of tiers, as `schemas.values.tier_bounds` reads them,
            with "|" between.
        day: Until when a guarantee has to be earned (ISO); "" for none.
    """

    kind: TermKind
    payee: str = field(repr=False)
    name: str = field(repr=False)
    what: str
    about: Listed
    row: str
    bounds: str
    day: str


@dataclass(frozen=True, slots=True)
class TermOfJob(DealTerm):
    """A term as the run that read it last has it: a row of the view `deals`."""

    job: str
    payer: str
    currency: str


class DealStanding(NamedTuple):
    """How far one row has come over all periods of a job, as it is posted.

    Attributes:
        agreed, so_far, left: Money, or so many units; None where there is no such sum.
        day: When a reserve is due, until when a guarantee has to be earned (ISO); "" for none.
    """

    job: str
    currency: str
    kind: TermKind
    name: str
    what: str
    about: Listed
    agreed: Money | int | None
    so_far: Money | int | None
    left: Money | int | None
    day: str
