"""Subset search over a partial report's counts and sums: which payments were made, where one answer fits.

A partial report tells how many payments were done and what they come to, not which. Where exactly one choice of its
payments has that count and that sum, or every such choice agrees on a payment, that payment's fate is known from
arithmetic alone. It is told as inferred, changes no claim and frees no payment: people still decide.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from schemas.plan import BatchPayment, Inferred
from schemas.wire import SplitReport, cents_of, says_cents

# How many choices of each half of the amounts are looked at; beyond it nothing is told.
MOST_CHOICES: Final = 200_000
MOST_SOLUTIONS: Final = 200_000

_Choice = tuple[tuple[int, int], ...]  # amounts, and how many payments of each


def tell_apart(payments: Iterable[BatchPayment], report: SplitReport, *, owner_cents: int = 0) -> dict[str, Inferred]:
    """Tell which payments of a partial report its figures leave no doubt about.

    What was paid may or may not hold the tax, the fee and the owner's part: the interface does not say, so that every
    reading counts, and a payment is told of only where all readings agree.

    Returns:
        Obligation key -> what is inferred; those that are not known are left out.
    """
    if report.donePayments is None or report.paidAmount is None:
        return {}
    own = [payment for payment in payments if payment.kind != "owner"]
    if _says_too_much(own, report, owner_cents):
        return {}
    held = _held_as_asked(own, report)
    open_ones = [payment for payment in own if payment.obligation_key not in held]
    found = dict.fromkeys(held, Inferred.WITHHELD)
    amounts = Counter(payment.amount_cents for payment in open_ones)
    certain = certain_amounts(amounts, report.donePayments, _sums_that_fit(report, owner_cents))
    for payment in open_ones:
        if (is_paid := certain.get(payment.amount_cents)) is not None:
            found[payment.obligation_key] = Inferred.PAID if is_paid else Inferred.UNPAID
    # Where the rest of the report contradicts itself, what it says was held back is no fact either.
    return found if certain or not open_ones else {}


def _says_too_much(payments: Sequence[BatchPayment], report: SplitReport, owner_cents: int) -> bool:
    """Whether a report counts more payments, or adds up to more, than it has: then none of its figures is a fact."""
    counts = (report.donePayments, report.withholdPayments, report.pendingPayments)
    amounts = (report.paidAmount, report.withholdAmount, report.pendingAmount)
    total_cents = sum(payment.amount_cents for payment in payments) + owner_cents
    told_cents = sum(cents_of(amount) for amount in amounts if amount is not None)
    return sum(count or 0 for count in counts) > len(payments) or told_cents > total_cents


def _held_as_asked(payments: Sequence[BatchPayment], report: SplitReport) -> frozenset[str]:
    asked = [payment for payment in payments if payment.withheld]
    amount = report.withholdAmount
    if not asked or amount is None or report.withholdPayments != len(asked):
        return frozenset()
    fits = says_cents(amount, sum(payment.amount_cents for payment in asked))
    return frozenset(payment.obligation_key for payment in asked) if fits else frozenset()


def _sums_that_fit(report: SplitReport, owner_cents: int) -> frozenset[int]:
    paid = cents_of(report.paidAmount) if report.paidAmount is not None else 0
    kept = [(0, cents_of(amount)) for amount in (report.irAmount, report.feeAmount) if amount is not None]
    return frozenset(paid + sum(added) for added in product(*kept, (0, -owner_cents)))


def certain_amounts(amounts: Mapping[int, int], count: int, sums: Iterable[int]) -> dict[int, bool]:
    """Tell which amounts are in every choice of so many payments that comes to one of some sums, and which in none.

    Args:
        amounts: Centavos -> how many payments of that amount there are.

    Returns:
        Centavos -> True where all payments of the amount are chosen in every choice, False where none is in any. Empty
        where no choice fits, or where there are too many to look at.

    >>> certain_amounts({1000: 1, 2000: 1, 3500: 1}, 2, [4500])
    {1000: True, 2000: False, 3500: True}
    >>> certain_amounts({1000: 2, 2000: 1}, 2, [3000])
    {2000: True}
    >>> certain_amounts({1000: 1, 2000: 1, 3000: 1, 4000: 1}, 2, [5000])
    {}
    """
    everything, total = sum(amounts.values()), sum(cents * many for cents, many in amounts.items())
    if not 0 <= count <= everything:
        return {}
    by_rest = count > everything - count  # the few that were not paid are sooner found than the many that were
    chosen = everything - count if by_rest else count
    wanted = {total - cents if by_rest else cents for cents in sums}
    certain: dict[int, bool] | None = None
    values = sorted(amounts, key=lambda cents: (-amounts[cents], cents))
    for number, solution in enumerate(_solutions(values, amounts, chosen, wanted)):
        if solution is None or number >= MOST_SOLUTIONS:
            return {}
        taken = {cents: solution.get(cents, 0) for cents in (amounts if certain is None else certain)}
        whole = {cents: took > 0 for cents, took in taken.items() if took in {0, amounts[cents]}}
        certain = (
            whole if certain is None else {cents: is_in for cents, is_in in whole.items() if certain[cents] is is_in}
        )
        if not certain:
            return {}
    return {cents: is_in is not by_rest for cents, is_in in sorted((certain or {}).items())}


def _solutions(
    values: Sequence[int], amounts: Mapping[int, int], count: int, sums: Collection[int]
) -> Iterator[dict[int, int] | None]:
    """Give every choice of so many payments that comes to one of the sums; None where there is too much to look at.

    What takes from both halves of the amounts is met by count and sum; what takes from one alone is chosen there.
    """
    if count == 0 or len(values) <= 1:
        cents = values[0] if values and count else 0
        if count * cents in sums and (not count or count <= amounts.get(cents, 0)):
            yield {cents: count} if count else {}
        return
    halves = values[::2], values[1::2]
    if any(_choices_of([amounts[cents] for cents in half], count - 1) > MOST_CHOICES for half in halves):
        yield None
        return
    second: dict[tuple[int, int], list[_Choice]] = {}
    for taken, cents, choice in _choose(halves[1], amounts, count - 1):
        second.setdefault((taken, cents), []).append(choice)
    for taken, cents, choice in _choose(halves[0], amounts, count - 1):
        for wanted in sums:
            for other in second.get((count - taken, wanted - cents), ()):
                yield dict((*choice, *other))
    for half in halves:
        yield from _solutions(half, amounts, count, sums)


def _choices_of(many: Sequence[int], most: int) -> int:
    ways = [1] + [0] * most
    for times in many:
        ways = [sum(ways[max(0, taken - times) : taken + 1]) for taken in range(most + 1)]
        if sum(ways) > MOST_CHOICES:
            return MOST_CHOICES + 1
    return sum(ways)


def _choose(values: Sequence[int], amounts: Mapping[int, int], most: int) -> Iterator[tuple[int, int, _Choice]]:
    """Give every choice of at most so many payments: how many, what they come to, how many of which amounts."""
    stack: list[tuple[int, int, int, _Choice]] = [(0, 0, 0, ())]
    while stack:
        first, taken, cents, choice = stack.pop()
        yield taken, cents, choice
        for position in range(first, len(values) if taken < most else 0):
            value = values[position]
            times = range(1, min(amounts[value], most - taken) + 1)
            stack += [(position + 1, taken + n, cents + n * value, (*choice, (value, n))) for n in times]
