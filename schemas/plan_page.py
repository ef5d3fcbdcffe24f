"""A plan as the desk shows it, kept as it was when it was frozen: every figure people look at, nothing to pay with."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pydantic import TypeAdapter

from schemas.plan_view import ChecksView, NotPaid, PayeeNotice, PlanChanges, PlanRow


@dataclass(frozen=True, slots=True)
class BatchLine:
    """One report of the plan; `owner_cents` is in `amount_cents`."""

    number: int
    payments: int
    amount_cents: int
    owner_cents: int


@dataclass(frozen=True, slots=True)
class PlanPage:
    """What a person sees of a plan. Tax ids are masked wherever they stand.

    Attributes:
        digest: Identity of the plan; None of a provisional one.
        job, period, currency, payer_name: Of the job.
        exchange: The rate of the reports, such as "1 USD = BRL 5.4312"; "" in BRL.
        total_cents: Sum of all reports.
        payees: How many people would be paid.
        batches: The reports.
        totals: Centavos by place; "in" is the sum of all others.
        rows: Rows read, used, held, duplicate, ignored.
        planned: Every payment, the largest first.
        others: Every obligation that is not planned.
        not_paid: The same, summed by place and reason.
        checks: Account checks still to be made.
        notices: Whom to look at; where everybody is new, that alone is no reason.
        first_ever: Whether the ledger has never paid anybody.
        changes: What is not as it was.
        stopped: Whether rows have problems and the job says that then nothing is sent.
        reasons: Reason -> language -> words.
        reasons_to_look: Why a person must look at the plan, whatever --yes says: for each, language -> words.
    """

    digest: str | None
    job: str
    period: str
    currency: str
    payer_name: str
    exchange: str
    total_cents: int
    payees: int
    batches: tuple[BatchLine, ...]
    totals: Mapping[str, int]
    rows: Mapping[str, int]
    planned: tuple[PlanRow, ...]
    others: tuple[PlanRow, ...]
    not_paid: tuple[NotPaid, ...]
    checks: ChecksView
    notices: tuple[PayeeNotice, ...]
    first_ever: bool
    changes: PlanChanges
    stopped: bool
    reasons: Mapping[str, Mapping[str, str]]
    reasons_to_look: tuple[Mapping[str, str], ...] = ()

    @property
    def payments(self) -> int:
        """How many payment entries all reports have."""
        return sum(batch.payments for batch in self.batches)

    @property
    def owner_cents(self) -> int:
        """The owner's part of all reports."""
        return sum(batch.owner_cents for batch in self.batches)

    @property
    def largest(self) -> tuple[PlanRow, ...]:
        """The ten largest payments, the owner's part aside."""
        return tuple(islice((row for row in self.planned if row.kind != "owner"), 10))

    def to_bytes(self) -> bytes:
        """Write the page for the ledger."""
        return zlib.compress(_PAGE.dump_json(self), level=3)

    @classmethod
    def from_bytes(cls, data: bytes) -> "PlanPage":
        """Read what `to_bytes` wrote."""
        return _PAGE.validate_json(zlib.decompress(data))


_PAGE: Final = TypeAdapter(PlanPage)
