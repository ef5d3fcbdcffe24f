"""Carry-overs and recoupments are posted once per period, together with the period's plan."""

import datetime as dt

import pytest

from io_adapters.ledger import Accrual, AccrualPosting
from schemas.errors import UnsoundPlan

JOB = ("aurora-royalties", "payer", "BRL")


def posting(month: int, *rows: Accrual) -> AccrualPosting:
    return AccrualPosting(*JOB, f"2026-{month:02}", dt.date(2026, month, 1), rows)


def carried(payee: str, cents: int) -> Accrual:
    return Accrual("carried", payee, "", cents)


def recouped(payee: str, advance: str, cents: int) -> Accrual:
    return Accrual("recouped", payee, advance, cents)


def test_a_period_begins_with_what_the_latest_one_before_it_left(ledger):
    ledger.accruals.post(posting(8, carried("ana", 900), carried("bia", -50)), "run-1")
    ledger.accruals.post(posting(9, carried("ana", 1200)), "run-2")
    assert ledger.accruals.carried_in(*JOB, dt.date(2026, 10, 1)) == {"ana": 1200}
    assert ledger.accruals.carried_in(*JOB, dt.date(2026, 9, 1)) == {"ana": 900, "bia": -50}
    assert ledger.accruals.carried_in(*JOB, dt.date(2026, 8, 1)) == {}
    assert ledger.accruals.carried_in("another", "payer", "BRL", dt.date(2026, 10, 1)) == {}


def test_a_period_that_left_nothing_is_a_posting_too(ledger):
    ledger.accruals.post(posting(8, carried("ana", 900)), "run-1")
    ledger.accruals.post(posting(9), "run-2")
    assert ledger.accruals.carried_in(*JOB, dt.date(2026, 10, 1)) == {}


def test_posting_a_period_again_replaces_it(ledger):
    ledger.accruals.post(posting(9, carried("ana", 900), recouped("ana", "adv-1", 70)), "run-1")
    ledger.accruals.post(posting(9, carried("bia", 100)), "run-2")
    assert ledger.accruals.posted("aurora-royalties", "2026-09") == [posting(9, carried("bia", 100))]
    assert ledger.accruals.recouped(*JOB, "2026-10") == {}


def test_what_other_periods_recouped_is_summed_by_advance(ledger):
    ledger.accruals.post(posting(8, recouped("ana", "adv-1", 100), recouped("ana", "adv-2", 7)), "run-1")
    ledger.accruals.post(posting(9, recouped("ana", "adv-1", 30)), "run-2")
    assert ledger.accruals.recouped(*JOB, "2026-10") == {("ana", "adv-1"): 130, ("ana", "adv-2"): 7}
    assert ledger.accruals.recouped(*JOB, "2026-09") == {("ana", "adv-1"): 100, ("ana", "adv-2"): 7}


def test_posting_a_later_period_closes_the_earlier(ledger):
    ledger.accruals.post(posting(9, carried("ana", 1)), "run-1")
    assert not ledger.accruals.is_closed("aurora-royalties", dt.date(2026, 9, 1))
    ledger.accruals.post(posting(10), "run-2")
    assert ledger.accruals.is_closed("aurora-royalties", dt.date(2026, 9, 1))
    with pytest.raises(UnsoundPlan, match="2026-09 is closed: 2026-10"):
        ledger.accruals.post(posting(9), "run-3")
    assert ledger.accruals.posted("aurora-royalties", "2026-09") == [posting(9, carried("ana", 1))]


def test_accruals_are_posted_with_the_plan(ledger, desk, make_plan, clock):
    plan = make_plan({"ana": 100})
    desk.store(plan)
    desk.sign(plan)
    assert ledger.accruals.posted("aurora-royalties", "2026-10") == []
    ledger.submissions.approve_plan(plan.digest, "run-1", posting(10, carried("bia", 3)), clock())
    assert ledger.accruals.posted("aurora-royalties", "2026-10") == [posting(10, carried("bia", 3))]
