"""The trace of one payee's money in one period, from source rows to report.

Exact amounts are `Decimal`, rounded ones integer centavos. A tax id is only masked here, and a destination is nowhere.
"""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from schemas.errors import ExitCode
from schemas.messages import Message
from schemas.reasons import Reasons
from schemas.values.costs_taken import part_after
from schemas.values.millionths import Millionths


class FileState(StrEnum):
    """Whether a file is still the one that a run has read."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    UNREADABLE = "unreadable"
    UNPROVEN = "unproven"  # the ledger cannot tell which bytes the run read; only the sums can

    @property
    def is_read(self) -> bool:
        return self in {FileState.SAME, FileState.UNPROVEN}


class TraceProblem(StrEnum):
    """What does not add up."""

    PART = "part"  # amount, rate and share do not make what the ledger recorded of a part
    LINES = "lines"  # the lines of the statements, or their rows on record, do not make the amount of a part
    EARNED = "earned"  # the exact parts do not make what was rounded
    PLACES = "places"  # what came in is not where the places say


@dataclass(frozen=True, slots=True)
class LinesFound:
    """Lines of one statement that are part of a sum.

    Attributes:
        file, sheet: Where; sheet is "" for text files.
        amount: Their exact sum, in the part's currency.
    """

    file: str
    sheet: str
    ranges: tuple[tuple[int, int], ...]
    lines: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class ShareTaken:
    """What a payee has of a part in one role, and what that makes exactly in the job's currency.

    Attributes:
        share_ppm: Of what `costs` have left, as `schemas.values.costs_taken` keeps them.
        per_unit: Money a unit that they have in place of a share, in the job's currency; "" for none.
        terms: Why it is another part than stated, as `schemas.values.share_terms` keeps it.
    """

    role: str
    share_ppm: Millionths
    earned: Decimal
    costs: str = ""
    per_unit: str = ""
    terms: str = ""

    @property
    def about(self) -> tuple[str, str, str, str]:
        """What shares of one sum of lines are told apart by."""
        return self.role, self.costs, self.per_unit, self.terms

    @property
    def of_whole(self) -> Millionths:
        """Its part of the lines, before costs."""
        return part_after(self.costs, self.share_ppm)


@dataclass(frozen=True, slots=True)
class RoyaltyPart:
    """Lines of one recording on one platform, and what the payee has of them.

    Attributes:
        isrc, upc, release, title, artist, platform, period, currency: As the lines say; "" where they do not.
        territory, income, format, price: As the lines say, where share rows ask about them; a blank where none does.
        source_amount: Their exact sum, in `currency`.
        rate_day, rate_origin: Of the rate, where the job still says so; None and "" elsewhere.
        found: The lines, as they were read again; of a file that was not, or is not the same any more, nothing.
        recorded: The same lines as the run has kept them: of each sheet the first and the last row, and what lies
            between may be other lines too.
    """

    isrc: str
    upc: str
    release: str
    title: str
    artist: str
    platform: str
    territory: str
    income: str
    format: str
    price: str
    period: str
    currency: str
    lines: int
    units: int
    source_amount: Decimal
    rate: Decimal
    shares: tuple[ShareTaken, ...]
    rate_day: dt.date | None = None
    rate_origin: str = ""
    found: tuple[LinesFound, ...] = ()
    recorded: tuple[LinesFound, ...] = ()

    @property
    def lines_found(self) -> int:
        return sum(lines.lines for lines in self.found)

    @property
    def only_recorded(self) -> tuple[LinesFound, ...]:
        """What the run has kept of the lines of sheets that were not read again."""
        read_again = {(lines.file, lines.sheet) for lines in self.found}
        return tuple(lines for lines in self.recorded if (lines.file, lines.sheet) not in read_again)


@dataclass(frozen=True, slots=True)
class TracedWay:
    """From exact earnings to what is payable: earned - recouped + carried in = carried out + held + tax + payable.

    Attributes:
        carried_from: Label of the period that carried in; "" when none was posted.
    """

    earned_exact: Decimal
    earned_cents: int
    recouped_cents: int
    carried_in_cents: int
    carried_out_cents: int
    held_cents: int
    payable_cents: int
    carried_from: str = ""
    payable: "PayableWay | None" = None


@dataclass(frozen=True, slots=True)
class AdvanceTaken:
    """What a period recoups of one advance, in centavos.

    Attributes:
        advanced_cents: What was paid ahead; None where the table lists it no more, and it stays recouped as it was.
        scope: What it is recouped from, as `schemas.tables.recoup_scope` keeps it; "" for all.
        part_ppm: How much of that it takes at the most in a period (`schemas.values.millionths`); None for all.
        ceiling_cents: What may be taken of what its scope has earned, or of all; None where nothing but that bounds it.
    """

    reference: str
    scope: str
    part_ppm: str | None
    advanced_cents: int | None
    elsewhere_cents: int
    ceiling_cents: int | None
    taken_cents: int


@dataclass(frozen=True, slots=True)
class TaxTaken:
    """One tax that is withheld of a payment, in centavos.

    Attributes:
        percent: Of the payment; None where an amount is given.
    """

    kind: str
    percent: Decimal | None
    amount_cents: int
    in_month_cents: int
    taken_cents: int


@dataclass(frozen=True, slots=True)
class PayableWay:
    """How a run came from what is due for a period to what it pays: terms and figures, in centavos.

    Attributes:
        balance_cents: Without what is in reserve.
        invoiced_cents: What is invoiced and not paid yet; None of who need not invoice.
        reserved_cents: In reserve, and not due by now.
    """

    later_cents: int
    paid_before_cents: int
    withheld_before_cents: int
    balance_cents: int
    minimum_cents: int
    is_due: bool
    is_held: bool
    invoiced_cents: int | None
    payable_cents: int
    waiting_cents: int
    reserved_cents: int = 0
    advances: tuple[AdvanceTaken, ...] = ()
    taxes: tuple[TaxTaken, ...] = ()

    @property
    def withheld_cents(self) -> dict[str, int]:
        return {tax.kind: tax.taken_cents for tax in self.taxes if tax.taken_cents}


@dataclass(frozen=True, slots=True)
class TracedDecision:
    """A person's word on an obligation; `about` is the report it explains, "" for the row as it stood."""

    kind: str
    by: str
    at: dt.datetime
    evidence: str
    about: str


@dataclass(frozen=True, slots=True)
class TracedObligation:
    """One sum that is owed, and where it is; `row` is 0 unless it is a row of a payments file.

    `place` is one of `schemas.plan.SHOWN_PLACES`.
    """

    key: str
    kind: str
    reference: str
    amount_cents: int
    place: str
    reasons: Reasons
    file: str
    sheet: str
    row: int
    submission_id: str
    decisions: tuple[TracedDecision, ...] = ()


@dataclass(frozen=True, slots=True)
class TracedApproval:
    """Who said yes to a plan, and when."""

    by: str
    kind: str
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class TracedRate:
    """The exchange update of a report in a foreign currency."""

    update_id: str
    currency: str
    rate: str
    state: str


@dataclass(frozen=True, slots=True)
class TracedReport:
    """A submission that pays, or was to pay, the payee.

    Attributes:
        split_id, status: The service's; None until known.
        sent_at: When it was last sent; None before.
        seen_at: When the service last showed the report; None when it never has.
    """

    submission_id: str
    amount_cents: int
    payments: int
    state: str
    reason: Message | None
    split_id: str | None
    status: str | None
    sent_at: dt.datetime | None
    seen_at: dt.datetime | None
    run_id: str
    plan_digest: str
    prepared_by: str
    planned_at: dt.datetime
    approved_at: dt.datetime | None
    approvals: tuple[TracedApproval, ...]
    steps: tuple[tuple[str, dt.datetime, str], ...]
    rate: TracedRate | None


@dataclass(frozen=True, slots=True)
class PayeeTrace:
    """One payee in one period of one job.

    Attributes:
        payer_name: Who pays; "" when no run left books.
        run_id: The run whose books tell it; "" when no run left any.
        advances_left_cents: What of the payee's advances is still to be recouped afterwards; None where the books do
            not say.
    """

    job: str
    period: str
    currency: str
    language: str
    run_id: str
    name: str
    tax_id_masked: str
    obligations: tuple[TracedObligation, ...]
    way: TracedWay | None
    parts: tuple[RoyaltyPart, ...]
    files: tuple[tuple[str, FileState], ...]
    reports: tuple[TracedReport, ...]
    in_cents: int
    places_cents: tuple[tuple[str, int], ...]
    problems: tuple[TraceProblem, ...] = ()
    statements_read: bool = False
    payer_name: str = ""
    advances_left_cents: int | None = None

    @property
    def codes(self) -> frozenset[ExitCode]:
        unreadable = any(state is FileState.UNREADABLE for _, state in self.files)
        codes = {ExitCode.UNREADABLE_FILE} if unreadable else set[ExitCode]()
        return frozenset(codes | ({ExitCode.DISCREPANCIES} if self.problems else set()))
