"""Obligation: what is owed to one payee for one job, period, currency and reference; with its place and its reasons."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from schemas.plan import Place
from schemas.reasons import Reasons, reasons_text
from schemas.values.bank_account import Destination

# What is paid: a payments row, a payee's royalties, what came back, the owner's part. What is not: lines that no share
# covers, advances recouped, and what goes into the next period.
Kind = Literal["payment", "royalty", "returned", "owner", "unmatched", "tax", "recouped", "carried"]


@dataclass(frozen=True, slots=True)
class Payee:
    """A legal recipient as a report names them; texts are "" when absent."""

    tax_id: str = field(default="", repr=False)
    name: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    artist_name: str = field(default="", repr=False)
    contact_id: str = ""
    original_tax_id: str = field(default="", repr=False)
    original_name: str = field(default="", repr=False)
    parent_id: str = field(default="", repr=False)
    parent_name: str = field(default="", repr=False)


NOBODY: Final = Payee()


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row of a payments file; row 0 stands for none."""

    file: str = ""
    sheet: str = ""
    row: int = 0


NO_ROW: Final = SourceRow()


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """A sum that came in, by whom it is owed to and where it is; a run's obligations add up to its `in`.

    Attributes:
        key: Its identity, `extPaymentId` on the wire; never made of amount or account; "" for what no report carries.
        account: Pix key or bank account it goes to; None where nothing is known of one.
        account_holder: Whose account that is; "" for the payee's own.
        percentage, anticipation_id: As the row states them; "" when absent.
        deducted_cents: What was recouped and withheld before it was this much.
        submission_id: What claims it; "" while nothing does.
    """

    kind: Kind
    amount_cents: int
    place: Place
    reasons: Reasons = ()
    key: str = ""
    base_key: str = ""
    reference: str = ""
    payee: Payee = NOBODY
    account: Destination | None = field(default=None, repr=False)
    account_holder: str = field(default="", repr=False)
    destination: str = ""
    withhold: bool = False
    advance: bool = False
    recurring: bool = False
    percentage: str = ""
    anticipation_id: str = ""
    deducted_cents: int = 0
    source: SourceRow = NO_ROW
    submission_id: str = ""
    run_id: str = ""

    @property
    def reason(self) -> str:
        return reasons_text(self.reasons)

    @property
    def code(self) -> str:
        """Code of the only reason; "" where there is none, or several."""
        return self.reasons[0].code if len(self.reasons) == 1 else ""

    @property
    def holder(self) -> str:
        """Whose name the account is held under; the payee's own unless the row says otherwise."""
        return self.account_holder or self.payee.name

    @property
    def pays_somebody(self) -> bool:
        """Whether a plan pays it to a payee; the owner's part goes with them."""
        return self.place is Place.PLANNED and self.kind != "owner"


Obligations = tuple[Obligation, ...]


def planned_payments(obligations: Iterable[Obligation]) -> list[Obligation]:
    """List what a plan pays people, in the order given."""
    return [owed for owed in obligations if owed.pays_somebody]


def sum_cents(obligations: Iterable[Obligation]) -> int:
    """Add amounts up, in centavos."""
    return sum(owed.amount_cents for owed in obligations)


def any_in(obligations: Iterable[Obligation], places: Collection[Place]) -> bool:
    return any(owed.place in places for owed in obligations)


def submissions_of(obligations: Iterable[Obligation]) -> set[str]:
    """Name the submissions that claim any of them."""
    return {owed.submission_id for owed in obligations} - {""}
