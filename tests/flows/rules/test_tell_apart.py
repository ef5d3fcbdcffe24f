"""What the counts and sums of a partial report leave no doubt about, held against looking at every choice."""

from collections import Counter
from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.reports.rules import tell_apart as rules
from flows.reports.rules.tell_apart import certain_amounts, tell_apart
from schemas.plan import BatchPayment, Inferred
from schemas.wire import SplitReport

PAID, UNPAID, WITHHELD = Inferred.PAID, Inferred.UNPAID, Inferred.WITHHELD


def paying(*amounts_cents: int, withheld: tuple[int, ...] = ()) -> list[BatchPayment]:
    return [
        BatchPayment(f"ob-{n}", f"ob-{n}", "", "payment", f"payee-{n}", cents, "there", n in withheld)
        for n, cents in enumerate(amounts_cents)
    ]


def report(**figures: object) -> SplitReport:
    decimals = {name: Decimal(str(value)) if isinstance(value, float) else value for name, value in figures.items()}
    return SplitReport.model_validate({"status": "DONE", "pendingPayments": None} | decimals)


def told(payments: list[BatchPayment], owner_cents: int = 0, **figures: object) -> list[Inferred | None]:
    found = tell_apart(payments, report(**figures), owner_cents=owner_cents)
    return [found.get(payment.obligation_key) for payment in payments]


def test_the_one_payment_that_fits_the_sum_was_not_made_and_the_others_were():
    assert told(paying(1000, 2000, 3500), donePayments=2, paidAmount=45.0) == [PAID, UNPAID, PAID]


def test_of_equal_amounts_nobody_can_tell_which_was_paid():
    assert told(paying(1000, 1000, 3500), donePayments=2, paidAmount=45.0) == [None, None, PAID]


def test_where_every_choice_agrees_on_a_payment_that_much_is_known():
    # 10 + 40 or 20 + 30 beside 70.
    amounts = (1000, 2000, 3000, 4000, 7000)
    assert told(paying(*amounts), donePayments=3, paidAmount=120.0) == [None, None, None, None, PAID]


def test_nothing_is_told_where_the_figures_fit_no_choice():
    assert told(paying(1000, 2000), donePayments=1, paidAmount=15.0) == [None, None]


def test_nothing_is_told_where_the_report_counts_or_adds_up_to_more_than_it_has():
    payments = paying(1000, 2000)
    assert told(payments, donePayments=2, pendingPayments=1, paidAmount=30.0) == [None, None]
    assert told(payments, donePayments=1, pendingPayments=1, paidAmount=10.0, pendingAmount=20.01) == [None, None]
    assert told(payments, donePayments=1, pendingPayments=1, paidAmount=10.0, pendingAmount=20.0) == [PAID, UNPAID]


@pytest.mark.parametrize("missing", ["donePayments", "paidAmount"])
def test_nothing_is_told_where_a_figure_is_missing(missing):
    figures = {"donePayments": 1, "paidAmount": 10.0} | {missing: None}
    assert told(paying(1000, 2000), **figures) == [None, None]


def test_a_payment_is_told_of_only_where_every_reading_of_the_amount_paid_agrees():
    # 10 was paid; or 20, less 10 of tax.
    assert told(paying(1000, 2000), donePayments=1, paidAmount=10.0, irAmount=10.0) == [None, None]
    assert told(paying(1000, 3000), donePayments=1, paidAmount=10.0, irAmount=10.0) == [PAID, UNPAID]


def test_the_owners_part_may_be_in_the_amount_paid_or_not():
    assert told(paying(1000, 2500), owner_cents=700, donePayments=1, paidAmount=17.0) == [PAID, UNPAID]
    assert told(paying(1000, 2500), owner_cents=700, donePayments=1, paidAmount=10.0) == [PAID, UNPAID]
    assert told(paying(1000, 1700), owner_cents=700, donePayments=1, paidAmount=17.0) == [None, None]


def test_what_people_asked_to_hold_back_is_told_apart_where_the_service_held_just_that():
    payments = paying(1000, 2000, 3000, withheld=(1,))
    figures = {"donePayments": 1, "paidAmount": 10.0}
    assert told(payments, **figures, withholdPayments=1, withholdAmount=20.0) == [PAID, WITHHELD, UNPAID]
    assert told(payments, **figures, withholdPayments=1, withholdAmount=30.0) == [PAID, UNPAID, UNPAID]


def test_few_that_failed_among_many_are_found():
    amounts = [2_000 + pow(7, n, 3_999_971) for n in range(400)]
    failed = {17, 230}
    paid = sum(cents for n, cents in enumerate(amounts) if n not in failed)
    found = told(paying(*amounts), donePayments=398, paidAmount=paid / 100)
    assert [n for n, fate in enumerate(found) if fate is UNPAID] == sorted(failed)
    assert found.count(PAID) == 398


def test_more_than_can_be_looked_at_tells_nothing():
    amounts = [1_00 + 37 * n * n for n in range(400)]
    assert set(told(paying(*amounts), donePayments=200, paidAmount=sum(amounts[:200]) / 100)) == {None}


@settings(max_examples=300)
@given(st.lists(st.integers(1, 12), max_size=9), st.data())
def test_it_tells_just_what_every_choice_agrees_on(amounts, data):
    count = data.draw(st.integers(0, len(amounts)))
    sums = data.draw(st.sets(st.integers(0, sum(amounts) + 2), min_size=1, max_size=3))
    fitting = [
        Counter(amounts[n] for n in choice)
        for choice in combinations(range(len(amounts)), count)
        if sum(amounts[n] for n in choice) in sums
    ]
    many = Counter(amounts)
    expected = {}
    for cents in many:
        if fitting and all(choice[cents] == many[cents] for choice in fitting):
            expected[cents] = True
        elif fitting and all(choice[cents] == 0 for choice in fitting):
            expected[cents] = False
    assert certain_amounts(many, count, sums) == expected


def test_the_bound_is_on_the_work_and_never_on_what_is_true(monkeypatch):
    monkeypatch.setattr(rules, "MOST_CHOICES", 3)
    assert certain_amounts({1: 1, 2: 1, 4: 1, 8: 1, 16: 1, 32: 1}, 3, [7]) == {}
