"""Withholding taxes from payable royalties, at the rates and amounts the accountant gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from schemas.job import Period
from schemas.tables.contract import DataFrame, records
from schemas.tables.taxes import Taxes
from schemas.values.money import round_half_even_cents

# Kind -> centavos withheld.
Withheld = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Tax:
    """One tax of one payee: a part of what is payable, or an amount of it.

    Attributes:
        kind: Such as IRRF.
        part: Of the gross, exact; 0 where an amount is given.
        amount_cents: 0 where a part is.
    """

    kind: str
    part: Fraction
    amount_cents: int


# Payee -> their taxes.
TaxesOf = Mapping[str, Sequence[Tax]]


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
        taxes: The payee's.
        gross_cents: Of this payment.
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
