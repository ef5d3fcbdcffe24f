"""Guarantees: what a payee is owed beside their shares, once, where these have earned less than a contract promises."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from flows.royalties.rules.allocation import Allocation
from flows.royalties.rules.recoupment import earned_apart
from flows.royalties.rules.reserves import steps_between
from schemas.deal_sums import DealsBefore, DealSum, DealSumKind, DealSums
from schemas.job import Period
from schemas.tables.model import DataFrame, records
from schemas.tables.payees import Advances
from schemas.tables.recoup_scope import names_in_scope


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What guarantees come to in a period.

    Attributes:
        owed: Payee and reference -> what earnings are short of the guarantee, exact, in the job's currency.
        sums: What was earned of each in the period, and what is owed of it.
    """

    owed: dict[tuple[str, str], Fraction] = field(default_factory=dict)
    sums: dict[DealSum, Fraction] = field(default_factory=dict)


def settle_guarantees(
    rows: DataFrame[Advances], allocation: Allocation, period: Period, before: DealsBefore
) -> Guarantees:
    """Say what is owed: in the first period that ends on or after the day of a guarantee, and in no other.

    Args:
        rows: `amount_cents` is what is guaranteed, `scope` what has to earn it, `date` until when.
    """
    found = Guarantees()
    if rows.empty:
        return found
    columns = sorted({column for scope in rows["scope"].unique() for column in names_in_scope(scope)})
    earned = earned_apart(allocation.earned_by(["tax_id", *columns]), columns, set(rows["tax_id"]))
    for row in records(rows):
        payee, day = row["tax_id"], dt.date.fromisoformat(row["date"])
        name = DealSum(DealSumKind.EARNED, payee, f"{row['reference']}|{row['scope']}")
        here = earned[payee].of(row["scope"]) / 100 if payee in earned else Fraction(0)
        owed = name._replace(kind=DealSumKind.OWED)
        is_settled = any(name in sums and start < period.start for start, sums in _after(before, day, period))
        if is_settled or before.others.get(owed):
            continue
        found.sums[name] = here
        if day <= period.end:
            short = Fraction(row["amount_cents"], 100) - before.earlier.get(name, Fraction(0)) - here
            if short > 0:
                found.sums[owed] = short
                found.owed[payee, row["reference"]] = found.owed.get((payee, row["reference"]), Fraction(0)) + short
    return found


def _after(before: DealsBefore, day: dt.date, period: Period) -> Iterator[tuple[dt.date, DealSums]]:
    """Go through the periods that end on or after a day, as long as this one."""
    until = steps_between(day, period)
    return ((start, sums) for start, sums in before.periods if steps_between(start, period) <= until)
