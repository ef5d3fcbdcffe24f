"""What came in, counted straight from the rows: the other side of the books that `reconcile` closes."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction

from flows.steps.inputs import Inputs, Statement, readable_cents
from flows.steps.sum_lines import sum_up
from schemas.money import round_half_even_cents


def count_in(inputs: Inputs, carried_in: Mapping[str, int]) -> int:
    """Count the centavos a run answers for: payments rows, statements in the job's currency, and what was carried in.

    Counted without shares, advances or batches, so that a mistake in any of them shows as a sum that does not close.
    """
    payments = int(inputs.payments["amount_cents"].sum()) + int(inputs.payments["owner_amount_cents"].sum())
    held = sum(readable_cents(amount) for amount in inputs.held_payments["amount"])
    lines = round_half_even_cents(sum((worth_cents(statement) for statement in inputs.statements), Fraction(0)))
    return payments + held + lines + sum(carried_in.values())


def worth_cents(statement: Statement) -> Fraction:
    """Sum a statement's lines, sound and held, in exact centavos of the job's currency.

    By territory, while they are shared out by platform: sums made apart from each other prove each other.
    """
    sums: dict[str, Fraction] = defaultdict(Fraction)
    for total in sum_up(statement.totals.by_territory, ["currency"]):
        sums[str(total["currency"])] += Fraction(str(total["amount"]))
    for amount, currency in zip(statement.held["amount"], statement.held["currency"], strict=True):
        sums[currency] += Fraction(amount or 0)
    return sum((total * Fraction(statement.rates.get(name, 0)) for name, total in sums.items()), Fraction(0)) * 100
