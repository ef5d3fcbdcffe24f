"""Payee statements: one payee's royalties of one period, from what came in to what is paid.

Exact amounts are `Decimal`, rounded ones integer centavos. A tax id is only masked here: whoever receives the page
knows their own, and a page that goes astray must not tell it (the masks are those public bodies use).
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from typing import Literal

from schemas.values.millionths import Millionths

# Sums and differences of exact decimals: more digits than any statement's amount, rate and share have together.
EXACT = Context(prec=200)


@dataclass(frozen=True, slots=True)
class Quote:
    """What one unit of a currency was taken to be worth in the job's currency, on which day, and who said so."""

    currency: str
    rate: Decimal
    day: dt.date
    origin: str


@dataclass(frozen=True, slots=True)
class StatementHeading:
    """What all statements of one run share."""

    payer_name: str
    job: str
    period: str
    first_day: dt.date
    last_day: dt.date
    currency: str
    language: Literal["pt-BR", "en"]
    minimum_payout_cents: int = 0
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class StatementBasis:
    """What statements rest on beside a run's tables; kept with them, since the job file may have changed by then.

    Attributes:
        languages: Tax id -> language, of payees who want their statement in one of their own.
        minimums_cents: Tax id -> minimum, of payees who have one of their own.
    """

    heading: StatementHeading
    advances: tuple["AdvanceBalance", ...] = ()
    languages: Mapping[str, Literal["pt-BR", "en"]] = field(default_factory=dict)
    minimums_cents: Mapping[str, int] = field(default_factory=dict)

    def heading_for(self, payee: str) -> StatementHeading:
        if payee not in self.languages and payee not in self.minimums_cents:
            return self.heading
        minimum_cents = self.minimums_cents.get(payee, self.heading.minimum_payout_cents)
        language = self.languages.get(payee, self.heading.language)
        return replace(self.heading, language=language, minimum_payout_cents=minimum_cents)


@dataclass(frozen=True, slots=True)
class RecordingPart:
    """A payee's part of one recording, in one source currency, at one rate, under one share.

    Attributes:
        isrc: Of the recording; "" where the source names none.
        upc: Of its product; "" likewise.
        role: What the share is for; "" when the table of shares does not say.
        source_amount: Their exact sum, in `source_currency`.
        per_unit: Money a unit that they have in place of a share; "" for none.
        share_ppm: The payee's part of what `costs` have left, as `schemas.values.costs_taken` keeps them.
        earned: The exact part, in the job's currency.
    """

    isrc: str
    upc: str
    title: str
    artist: str
    role: str
    units: int
    lines: int
    source_amount: Decimal
    source_currency: str
    rate: Decimal
    share_ppm: Millionths
    per_unit: str
    costs: str
    terms: str
    earned: Decimal


@dataclass(frozen=True, slots=True)
class PartOf:
    """The exact sum of a payee's part from one platform, territory or month of sales; "" where the source is silent."""

    name: str
    earned: Decimal


@dataclass(frozen=True, slots=True)
class AdvanceBalance:
    """What this period recouped of one advance.

    Attributes:
        scope: What it is recouped from, as `schemas.tables.recoup_scope` keeps it; "" for all.
        outstanding_cents: Still to recoup afterwards; None when not known.
    """

    payee: str = field(repr=False)
    reference: str
    scope: str
    recouped_cents: int
    outstanding_cents: int | None


@dataclass(frozen=True, slots=True)
class Restated:
    """What was changed of an earlier period after it had been told, with the recordings that earn something else."""

    day: dt.date
    period: str
    amount_cents: int
    recordings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WayToPaid:
    """How royalties became what is payable, in centavos.

    `earned - recouped + carried_in = carried_out + reserved + held + taxes + payable`; payments of royalties + overpaid
    = held + payable. What was restated is part of what was carried in.
    """

    earned_exact: Decimal
    earned_cents: int
    recouped_cents: int
    carried_in_cents: int
    carried_out_cents: int
    held_cents: int
    held_reasons: tuple[str, ...]
    payable_cents: int
    overpaid_cents: int
    is_due: bool = True
    taxes: tuple[tuple[str, int], ...] = ()
    restated: tuple[Restated, ...] = ()
    reserved_cents: int = 0

    @property
    def residue(self) -> Decimal:
        """What rounding added to the exact sum, in units of the currency; less than one centavo either way."""
        return EXACT.subtract(Decimal(self.earned_cents).scaleb(-2, EXACT), self.earned_exact)


PaidKind = Literal["royalty", "payment", "returned"]


@dataclass(frozen=True, slots=True)
class StatementPayment:
    """One sum and what became of it.

    Attributes:
        report: Id of the report it went into; "" before.
        sent_on: The day the report was sent, in Brazil; None before, or when not known.
    """

    kind: PaidKind
    reference: str
    amount_cents: int
    place: str
    reasons: tuple[str, ...]
    report: str
    sent_on: dt.date | None


@dataclass(frozen=True, slots=True)
class PayeeStatement:
    """Everything one statement says.

    Attributes:
        way: From earned to payable; None without royalties.
    """

    heading: StatementHeading
    token: str
    name: str
    tax_id_masked: str
    recordings: tuple[RecordingPart, ...]
    platforms: tuple[PartOf, ...]
    territories: tuple[PartOf, ...]
    months: tuple[PartOf, ...]
    way: WayToPaid | None
    advances: tuple[AdvanceBalance, ...]
    payments: tuple[StatementPayment, ...]
