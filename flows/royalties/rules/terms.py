"""Terms of payees: own minimum, frequency, holds, what advances take from, and the taxes to withhold."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from schemas.issues import IssueCode
from schemas.job import Period, Rules
from schemas.tables.model import DataFrame, Record, records
from schemas.tables.payees import USUAL_MINIMUM, Invoices, Taxes
from schemas.values.money import round_half_even_cents

# Kind -> centavos withheld.
Withheld = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Tax:
    """One tax of one payee: a part of what is payable, or an amount of it.

    Attributes:
        part: Of the gross, exact; 0 where an amount is given.
    """

    kind: str
    part: Fraction
    amount_cents: int


# Payee -> their taxes.
TaxesOf = Mapping[str, Sequence[Tax]]


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one payee's royalties in a period."""

    minimum_cents: int
    is_due: bool = True
    recoups_carried: bool = False

    def most_to_recoup(self, earned: int, carried_in: int) -> int:
        """Return what advances may take at most; nothing is taken out of less than nothing."""
        return max(0, earned + carried_in if self.recoups_carried else earned)

    def pays(self, cents: int) -> bool:
        return self.is_due and cents > 0 and cents >= self.minimum_cents


@dataclass(frozen=True, slots=True)
class TermsOfPayees:
    """The terms of everybody: the job's, those of payees who have their own, and the taxes withheld of payees."""

    usual: Terms
    own: Mapping[str, Terms] = field(default_factory=dict)
    taxes: TaxesOf = field(default_factory=dict)

    def of(self, payee: str) -> Terms:
        return self.own.get(payee, self.usual)


_MONTHS_DUE: Final = {"quarterly": (3, 6, 9, 12), "half_yearly": (6, 12)}


def is_due(frequency: str, period: Period) -> bool:
    """Whether royalties of a frequency are due in a period: whether it holds the last day of a quarter or half year.

    >>> from schemas.job import resolve_period
    >>> [is_due("quarterly", resolve_period(month, None)) for month in ("2026-08", "2026-09")]
    [False, True]
    """
    months = _MONTHS_DUE.get(frequency)
    if months is None:
        return True
    ends = (
        dt.date(year + month // 12, month % 12 + 1, 1) - dt.timedelta(days=1)
        for year in range(period.start.year, period.end.year + 1)
        for month in months
    )
    return any(period.start <= end <= period.end for end in ends)


def terms_of(payees: pd.DataFrame, rules: Rules, period: Period, taxes: DataFrame[Taxes]) -> TermsOfPayees:
    """Read everybody's terms: what a payee's row leaves blank is the job's."""
    own = dict[str, Terms]()
    for row in records(payees[["tax_id", "minimum_cents", "frequency", "recoup_from"]]):
        minimum_cents = row["minimum_cents"] if row["minimum_cents"] != USUAL_MINIMUM else rules.minimum_payout
        recoups_carried = (row["recoup_from"] or rules.recoup_from) == "earned_and_carried"
        own[row["tax_id"]] = Terms(minimum_cents, is_due(row["frequency"], period), recoups_carried)
    usual = Terms(rules.minimum_payout, recoups_carried=rules.recoup_from == "earned_and_carried")
    return TermsOfPayees(usual, own, taxes_of(taxes, period))


def invoiced_of(payees: pd.DataFrame, invoices: DataFrame[Invoices], period: Period) -> dict[str, int]:
    """Return what payees who must invoice have invoiced for a period, in centavos; nothing where that is nothing.

    An invoice is of a period that is named by its month, or in which its day lies.
    """
    found = dict.fromkeys(payees.loc[payees["must_invoice"], "tax_id"], 0)
    for row in records(invoices) if found else ():
        if row["tax_id"] in found and is_invoice_of(row, period):
            found[row["tax_id"]] += row["amount_cents"]
    return found


def is_invoice_of(row: Record, period: Period) -> bool:
    """Whether an invoice is of a period: named by its month, or by a day in it."""
    return bool(row["period"] == period.label or period.start.isoformat() <= row["period"] <= period.end.isoformat())


HOLD_CODES: Final[Mapping[str, IssueCode]] = {
    "dispute": IssueCode.HOLD_DISPUTE,
    "invoice": IssueCode.HOLD_INVOICE,
    "court_order": IssueCode.HOLD_COURT_ORDER,
    "other": IssueCode.HOLD_OTHER,
}


def held_back(payees: pd.DataFrame, today: dt.date) -> dict[str, IssueCode]:
    """Return whose money people hold back on a day, royalties and payments rows alike, and why.

    A hold lasts through its last day; without one, until the cell is empty.
    """
    held = payees.loc[payees["hold"] != "", ["tax_id", "hold", "hold_until"]]
    return {
        row["tax_id"]: HOLD_CODES[row["hold"]]
        for row in records(held)
        if not row["hold_until"] or today.isoformat() <= row["hold_until"]
    }


def languages_of(payees: pd.DataFrame) -> dict[str, Any]:
    """Return the language of payees who want their statements in one of their own."""
    own = payees.loc[payees["language"] != "", ["tax_id", "language"]]
    return dict(own.itertuples(index=False, name=None))


def minimums_of(payees: pd.DataFrame) -> dict[str, int]:
    """Return the minimum, in centavos, of payees who have one of their own."""
    own = payees.loc[payees["minimum_cents"] != USUAL_MINIMUM, ["tax_id", "minimum_cents"]]
    return dict(own.itertuples(index=False, name=None))


def taxes_of(taxes: DataFrame[Taxes], period: Period) -> dict[str, list[Tax]]:
    """Return the taxes of each payee that hold on the first day of a period, in order of their kinds."""
    day, found = period.start.isoformat(), dict[str, list[Tax]]()
    for row in sorted(records(taxes), key=lambda row: (row["tax_id"], row["kind"])):
        holds = (not row["valid_from"] or row["valid_from"] <= day) and (not row["valid_to"] or day <= row["valid_to"])
        if holds:
            part = Fraction(Decimal(row["percentage"] or 0)) / 100
            found.setdefault(row["tax_id"], []).append(Tax(row["kind"], part, row["amount_cents"]))
    return found


def percent_of(part: Fraction) -> Decimal:
    """Return a part as the percentage that the table of taxes gives.

    >>> percent_of(Fraction(11, 40))
    Decimal('27.5')
    """
    percent = part * 100
    return Decimal(percent.numerator) / Decimal(percent.denominator)


def withhold(
    taxes: Sequence[Tax], gross_cents: int, in_month_cents: Mapping[str, int] = MappingProxyType({})
) -> dict[str, int]:
    """Return what is withheld of a gross amount, by kind: half a centavo to even, and never more than there is.

    Args:
        in_month_cents: Kind -> what was withheld in the month, by any job: an amount is taken once, a part of each.

    >>> withhold([Tax("IRRF", Fraction(11, 40), 0), Tax("ISS", Fraction(0), 500)], 10_000)
    {'IRRF': 2750, 'ISS': 500}
    """
    left, found = max(0, gross_cents), dict[str, int]()
    for tax in taxes:
        fixed_cents = max(0, tax.amount_cents - in_month_cents.get(tax.kind, 0))
        cents = min(left, fixed_cents if tax.amount_cents else round_half_even_cents(tax.part * max(0, gross_cents)))
        if cents:
            found[tax.kind] = cents
            left -= cents
    return found
