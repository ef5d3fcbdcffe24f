"""Accruals: per payee, what a period carries over and what it recouped of advances."""

from dataclasses import dataclass
from typing import Literal

AccrualKind = Literal["carried", "recouped", "taxed"]


@dataclass(frozen=True, slots=True)
class Accrual:
    """One payee's sum that a period carries over, has recouped, or has withheld.

    Attributes:
        kind: Carried to the next period, recouped from an advance, or taxed: withheld for a tax.
        payee: Tax id.
        reference: Which advance, or which tax; "" for what is carried.
        amount_cents: The sum; a carried debt is negative.
    """

    kind: AccrualKind
    payee: str
    reference: str
    amount_cents: int
