"""Carry-overs and recoupments are posted once per period, together with the period's plan."""

import datetime as dt
from dataclasses import replace

import pytest

from io_adapters.ledger import Accrual, AccrualPosting
from io_adapters.ledger.accruals import ClosedPeriod
from schemas.errors import UnsoundPlan

JOB = ("aurora-royalties", "payer", "BRL")


def posting(month: int, *rows: Accrual) -> AccrualPosting:
    return AccrualPosting(*JOB, f"2026-{month:02}", dt.date(2026, month, 1), rows)


def month(number: int) -> tuple[str, dt.date]:
    return f"2026-{number:02}", dt.date(2026, number, 1)


def late(number: int, *rows: Accrual) -> AccrualPosting:
    return replace(posting(number, *rows), late=True)


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
    assert ledger.accruals.recouped(*JOB, *month(10)) == {}


def test_a_period_finds_what_earlier_ones_recouped_by_advance_and_never_what_later_ones_did(ledger):
    ledger.accruals.post(posting(8, recouped("ana", "adv-1", 100), recouped("ana", "adv-2", 7)), "run-1")
    ledger.accruals.post(posting(9, recouped("ana", "adv-1", 30)), "run-2")
    assert ledger.accruals.recouped(*JOB, *month(10)) == {("ana", "adv-1"): 130, ("ana", "adv-2"): 7}
    assert ledger.accruals.recouped(*JOB, *month(9)) == {("ana", "adv-1"): 100, ("ana", "adv-2"): 7}
    assert ledger.accruals.recouped(*JOB, *month(8)) == {}


def test_posting_a_later_period_closes_the_earlier(ledger):
    ledger.accruals.post(posting(9, carried("ana", 1)), "run-1")
    assert ledger.accruals.closed(*JOB, *month(9)) is None
    ledger.accruals.post(posting(10, recouped("ana", "adv-1", 5)), "run-2")
    left, everywhere = {("ana", "carried", ""): 1}, {("ana", "adv-1"): 5}
    assert ledger.accruals.closed(*JOB, *month(9)) == ClosedPeriod(was_posted=True, left=left, recouped=everywhere)
    with pytest.raises(UnsoundPlan, match="2026-09 is closed: 2026-10"):
        ledger.accruals.post(posting(9), "run-3")
    assert ledger.accruals.posted("aurora-royalties", "2026-09") == [posting(9, carried("ana", 1))]


def test_another_payer_or_currency_closes_nothing(ledger):
    ledger.accruals.post(posting(9, carried("ana", 1)), "run-1")
    for series in (("aurora-royalties", "another", "BRL"), ("aurora-royalties", "payer", "USD")):
        ledger.accruals.post(AccrualPosting(*series, *month(10), ()), "run-2")
    assert ledger.accruals.closed(*JOB, *month(9)) is None


def test_what_changes_in_a_closed_period_is_added_to_what_stands_and_reaches_the_period_after_the_latest(ledger):
    ledger.accruals.post(posting(8, carried("ana", 900)), "run-1")
    ledger.accruals.post(posting(9, carried("ana", 1200), recouped("ana", "adv-1", 30)), "run-2")
    ledger.accruals.post(late(8, carried("ana", -50), recouped("ana", "adv-1", 7)), "run-3")
    ledger.accruals.post(late(8, carried("ana", 20), carried("bia", 3)), "run-4")
    assert ledger.accruals.carried_in(*JOB, dt.date(2026, 9, 1)) == {"ana": 900}
    assert ledger.accruals.carried_in(*JOB, dt.date(2026, 10, 1)) == {"ana": 1170, "bia": 3}
    assert ledger.accruals.recouped(*JOB, *month(10)) == {("ana", "adv-1"): 37}
    assert ledger.accruals.closed(*JOB, *month(8)).left == {
        ("ana", "carried", ""): 870,
        ("bia", "carried", ""): 3,
        ("ana", "recouped", "adv-1"): 7,
    }


def test_a_period_posted_again_keeps_what_was_booked_with_it(ledger):
    ledger.accruals.post(posting(8), "run-1")
    ledger.accruals.post(posting(9, carried("ana", 1200)), "run-2")
    ledger.accruals.post(late(8, carried("ana", -50), recouped("ana", "adv-1", 7)), "run-3")
    ledger.accruals.post(posting(9, carried("ana", 1000)), "run-4")
    assert ledger.accruals.carried_in(*JOB, dt.date(2026, 10, 1)) == {"ana": 950}
    # The latest period knows what was taken beside it, lest it take the same advance again.
    assert ledger.accruals.recouped(*JOB, *month(9)) == {("ana", "adv-1"): 7}


def test_only_a_closed_period_can_be_added_to(ledger):
    ledger.accruals.post(posting(9), "run-1")
    with pytest.raises(UnsoundPlan, match="2026-09 is not closed any more"):
        ledger.accruals.post(late(9, carried("ana", 1)), "run-2")


def test_accruals_are_posted_with_the_plan(ledger, desk, make_plan, clock):
    plan = make_plan({"ana": 100})
    desk.store(plan)
    desk.sign(plan)
    assert ledger.accruals.posted("aurora-royalties", "2026-10") == []
    ledger.submissions.approve_plan(plan.digest, "run-1", posting(10, carried("bia", 3)), clock())
    assert ledger.accruals.posted("aurora-royalties", "2026-10") == [posting(10, carried("bia", 3))]


def test_what_another_job_of_the_payer_recouped_of_a_named_advance_counts_whenever_it_did(ledger):
    other = replace(
        posting(12, recouped("ana", "adv-1", 40), recouped("ana", "", 9), recouped("ana", "|ISRC", 8)), job="b"
    )
    ledger.accruals.post(other, "run-1")
    ledger.accruals.post(replace(other, job="c", payer="another"), "run-2")
    assert ledger.accruals.recouped(*JOB, *month(9)) == {("ana", "adv-1"): 40}


def test_a_plan_worked_out_before_another_job_recouped_of_the_same_advance_is_refused(ledger, clock):
    ledger.runs.begin("run-a", JOB[0], "2026-09", "payout", "ana", "job.yaml")
    clock.move(seconds=1)
    ledger.accruals.post(replace(posting(9, recouped("ana", "adv-1", 40)), job="b"), "run-b")
    with pytest.raises(UnsoundPlan, match="b 2026-09 has recouped of the same advance"):
        ledger.accruals.post(posting(9, recouped("ana", "adv-1", 60)), "run-a")
    ledger.accruals.post(posting(9, recouped("ana", "adv-2", 60)), "run-a")
    clock.move(seconds=1)
    ledger.runs.begin("run-c", JOB[0], "2026-09", "payout", "ana", "job.yaml")
    ledger.accruals.post(posting(9, recouped("ana", "adv-1", 60)), "run-c")
    assert ledger.accruals.recouped(*JOB, *month(10)) == {("ana", "adv-1"): 100}
