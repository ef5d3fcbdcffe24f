"""A payee's account period by period, and what is owed to payees on a day; amounts in centavos."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from schemas.errors import BrokenInvariant
from schemas.obligation import Reasons
from schemas.plan import PAID_LESS_TAX, Inferred, Place

P = Place
# What an account sums apart, in the order it is shown; each place of a sum is in one of them.
GROUPS: Final[Mapping[str, frozenset[str]]] = {
    "tax": frozenset({P.TAX}),
    "recouped": frozenset({P.RECOUPED}),
    "carried_out": frozenset({P.CARRIED}),
    "held": frozenset({P.HELD, P.CONFLICT, P.WITHHELD}),
    "open": frozenset(
        {P.PLANNED, P.NOT_SENT, P.IN_DOUBT, P.PROCESSING, P.UNDETERMINED, *Inferred, P.REFUSED, P.FAILED}
    ),
    "paid": frozenset({P.PAID, PAID_LESS_TAX}),
    "owner": frozenset({P.OWNER}),
    "income_tax": frozenset({P.INCOME_TAX}),
    "excluded": frozenset({P.EXCLUDED}),
    "duplicate": frozenset({P.DUPLICATE}),
}


def _require_that_it_adds_up(cents: int, groups_cents: Mapping[str, int]) -> None:
    """Raise where the groups do not make what came in: such a line is never shown."""
    if cents != sum(groups_cents.values()):
        raise BrokenInvariant(f"{cents} centavos came in, and {sum(groups_cents.values())} have a place")


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One period of an account: earned + rows + carried in = the sum of all groups, or else `BrokenInvariant`.

    Attributes:
        run_id: The run whose books tell it; "" when no run left any.
        advances_left_cents: What of the payee's advances is still to be recouped afterwards; None where not known.
    """

    period: str
    run_id: str
    earned_cents: int
    rows_cents: int
    carried_in_cents: int
    groups_cents: Mapping[str, int]
    advances_left_cents: int | None

    def __post_init__(self) -> None:
        _require_that_it_adds_up(self.earned_cents + self.rows_cents + self.carried_in_cents, self.groups_cents)


@dataclass(frozen=True, slots=True)
class AccountPayment:
    """One sum of a period that is paid, on its way, or held.

    Attributes:
        reference: As the row states it, masked; "" for royalties.
        report: Id of the report; "" before.
        sent_at: When the report was sent; None before.
    """

    period: str
    run_id: str
    kind: str
    reference: str
    amount_cents: int
    place: str
    reasons: Reasons
    report: str
    sent_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class PayeeAccount:
    """One payee's account with one job, in its currency.

    Attributes:
        payer_name: Who pays; "" where no run left books.
    """

    job: str
    currency: str
    payer_name: str
    lines: tuple[AccountLine, ...]
    payments: tuple[AccountPayment, ...]

    @property
    def opening_cents(self) -> int:
        """What stood before the first of its periods."""
        return self.lines[0].carried_in_cents if self.lines else 0

    def group_cents(self, group: str) -> int:
        return sum(line.groups_cents.get(group, 0) for line in self.lines)

    @property
    def came_in_cents(self) -> int:
        """What came in over all periods, apart from what one carried to the next."""
        return sum(line.earned_cents + line.rows_cents for line in self.lines)

    @property
    def balance_cents(self) -> int:
        """What is owed after the last of its periods, and not held."""
        return self.lines[-1].groups_cents.get("carried_out", 0) if self.lines else 0


@dataclass(frozen=True, slots=True)
class PayeeAccounts:
    """A payee's accounts with all jobs.

    Attributes:
        year: The year whose periods are told; None for all.
    """

    name: str
    tax_id_masked: str
    language: str
    year: int | None
    accounts: tuple[PayeeAccount, ...]


@dataclass(frozen=True, slots=True)
class OwedSum:
    """What was owed to one payee and not paid at the end of a day.

    Attributes:
        name: The payee's; "" for lines that no share covers.
        report: Id of the report; "" before.
        key: The obligation's, by which people decide on it; "" where the last runs know of none.
    """

    job: str
    period: str
    currency: str
    name: str = field(repr=False)
    tax_id: str = field(repr=False)
    kind: str
    reference: str
    amount_cents: int
    place: str
    reasons: Reasons
    report: str
    key: str
    obligation_cents: int


@dataclass(frozen=True, slots=True)
class Owed:
    """What was owed and not paid at the end of a day."""

    at: dt.date
    language: str
    sums: tuple[OwedSum, ...]


@dataclass(frozen=True, slots=True)
class TaxedPayment:
    """One payment that a report paid, with what was withheld for taxes.

    Attributes:
        nature: Code of the nature of the income, as the table of taxes gives it; "" elsewhere.
        withheld_cents: Kind of tax -> centavos.
    """

    payer: str
    payer_name: str
    tax_id: str = field(repr=False)
    name: str = field(repr=False)
    nature: str
    kind: str
    job: str
    period: str
    currency: str
    paid_on: dt.date
    report: str
    net_cents: int
    withheld_cents: Mapping[str, int]

    @property
    def gross_cents(self) -> int:
        return self.net_cents + sum(self.withheld_cents.values())

    @property
    def is_of_individual(self) -> bool:
        return len(self.tax_id) == len("52998224725")


@dataclass(frozen=True, slots=True)
class MonthLine:
    """One job's period in the view over a month: what came in and was carried in = the sum of all groups.

    One in which they are not the same cannot be made: `BrokenInvariant`.

    What is carried out is less than nothing where more was paid than came in: of what earlier periods had left.

    Attributes:
        exit_code: How it ended; None while it runs.
    """

    job: str
    period: str
    currency: str
    run_id: str
    state: str
    exit_code: int | None
    payments: int
    planned_cents: int
    came_in_cents: int
    carried_in_cents: int
    groups_cents: Mapping[str, int]
    fee_cents: int
    checks_cents: int

    def __post_init__(self) -> None:
        _require_that_it_adds_up(self.came_in_cents + self.carried_in_cents, self.groups_cents)


@dataclass(frozen=True, slots=True)
class MonthView:
    """All that was paid out for one month, of all jobs."""

    month: str
    language: str
    lines: tuple[MonthLine, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """One payment that the service says was paid, as its payee and an accountant are shown it.

    Attributes:
        reference: As the row states it, masked; "" for royalties.
        tax_cents: Income tax that the service kept of it; None where it kept some of the report, and
            does not say of whom.
        destination: Where it was sent, masked.
        sent_at, ended_at: When it was sent, and seen as paid (UTC).
    """

    payer_name: str
    job: str
    period: str
    currency: str
    language: str
    name: str = field(repr=False)
    tax_id_masked: str
    kind: str
    reference: str
    amount_cents: int
    tax_cents: int | None
    destination: str
    report_id: str
    split_id: str
    sent_at: dt.datetime | None
    ended_at: dt.datetime | None
    approved_by: tuple[str, ...] = ()
