"""Accrual: what a period leaves for later ones, of one payee."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Accrual:
    """One payee's sum that a period carries over, or has recouped.

    Attributes:
        kind: Carried to the next period, or recouped from an advance.
        payee: Tax id.
        reference: Which advance; "" for what is carried.
        amount_cents: The sum; a carried debt is negative.
    """

    kind: Literal["carried", "recouped"]
    payee: str
    reference: str
    amount_cents: int
