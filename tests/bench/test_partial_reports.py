"""Of how many payees a partial report's figures tell whether they were paid, by the size of the report."""

import random
from decimal import Decimal

import pytest

from flows.reports.rules.tell_apart import tell_apart
from schemas.plan import BatchPayment, Inferred
from schemas.wire import SplitReport
from tests.bench.conftest import Figures, median_s

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

PAYEES = 2_000
MONTHS = 12
SIZES = (500, 200, 100)


def month_of(seed: int) -> list[BatchPayment]:
    """Royalties of many payees, from 20.00 on, a few of them large."""
    chance = random.Random(seed)
    amounts = [max(2_000, int(chance.lognormvariate(9.5, 1.3))) for _ in range(PAYEES)]
    return [
        BatchPayment(f"{n}", f"{n}", "", "royalty", f"{n}", cents, "x", withheld=False)
        for n, cents in enumerate(amounts)
    ]


def told_of(size: int, failed: int) -> float:
    """Return the share of payees that are told of, where so many of each report were not paid."""
    told = 0
    for seed in range(MONTHS):
        payments, chance = month_of(seed), random.Random(seed)
        for first in range(0, PAYEES, size):
            batch = payments[first : first + size]
            unpaid = {payment.obligation_key for payment in chance.sample(batch, failed)}
            paid_cents = sum(payment.amount_cents for payment in batch if payment.obligation_key not in unpaid)
            report = SplitReport(donePayments=len(batch) - failed, paidAmount=Decimal(paid_cents) / 100)
            found = tell_apart(batch, report)
            assert all((fate is Inferred.UNPAID) == (key in unpaid) for key, fate in found.items())
            told += len(found)
    return told / (PAYEES * MONTHS)


@pytest.mark.parametrize("failed", [1, 2, 3])
def test_smaller_reports_tell_of_more_payees(figures: Figures, failed: int):
    for size in SIZES:
        work = f"payees told of, {failed} unpaid in a report of {size}"
        figures.add(work, 100 * told_of(size, failed), unit="%")


def test_telling_apart_takes_no_time_that_people_would_notice(figures: Figures):
    payments = month_of(1)[:500]
    paid_cents = sum(payment.amount_cents for payment in payments[3:])
    report = SplitReport(donePayments=497, paidAmount=Decimal(paid_cents) / 100)
    figures.add("a report of 500 payments told apart, 3 unpaid", median_s(lambda: tell_apart(payments, report)))
