"""Account checks cost money: one in flight per account, never beyond the budget, counted before they are made."""

import datetime as dt
import threading

import pytest

from io_adapters.ledger import NotReserved, Owner, Reservation, open_ledger
from io_adapters.ledger.account_checks import CheckBudget, Ended
from schemas.errors import BrokenInvariant


def ended(leave, result, message="", *, charged=True, days=1):
    return Ended(leave, result, message, charged, days)


def reserve(ledger, fingerprint, owner, run_id="run-1", budget_cents=1000):
    return ledger.checks.reserve(fingerprint, run_id, cost_cents=36, budget_cents=budget_cents, owner=owner)


def test_racing_workers_never_spend_more_than_the_budget(ledger_url, clock, me):
    ledgers = [open_ledger(ledger_url, clock=clock) for _ in range(8)]
    barrier = threading.Barrier(8)
    results = []

    def work(number):
        barrier.wait()
        mine = (f"account {number}-{step}" for step in range(3))
        results.extend(reserve(ledgers[number], account, me, budget_cents=200) for account in mine)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(result, Reservation) for result in results) == 5
    assert results.count(NotReserved.OVER_BUDGET) == 19
    assert ledgers[0].checks.spent("run-1") == 180
    for ledger in ledgers:
        ledger.close()


def test_one_account_is_checked_by_one_worker_at_a_time(ledger, me):
    barrier = threading.Barrier(8)
    results = []

    def work(number):
        barrier.wait()
        results.append(reserve(ledger, "account", me, run_id=f"run-{number}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(result, Reservation) for result in results) == 1
    assert results.count(NotReserved.IN_FLIGHT) == 7


def test_an_answer_is_kept_until_it_expires(ledger, clock, me):
    ledger.checks.finish(reserve(ledger, "a", me), "valid", "ok", charged=True, valid_for_days=90)
    ledger.checks.finish(reserve(ledger, "b", me), "invalid", "closed", charged=True, valid_for_days=1)
    kept = ledger.checks.kept(["a", "b", "c"], clock())
    assert {name: (check.result, check.message) for name, check in kept.items()} == {
        "a": ("valid", "ok"),
        "b": ("invalid", "closed"),
    }
    assert kept["a"].checked_at == clock()
    assert ledger.checks.kept(["a", "b"], clock() + dt.timedelta(days=1)).keys() == {"a"}
    assert ledger.checks.kept(["a"], clock() + dt.timedelta(days=90)) == {}


def test_the_latest_answer_counts(ledger, clock, me):
    ledger.checks.finish(reserve(ledger, "a", me), "valid", "", charged=True, valid_for_days=90)
    ledger.checks.finish(reserve(ledger, "a", me), "invalid", "closed since", charged=True, valid_for_days=0)
    assert ledger.checks.kept(["a"], clock()) == {}
    assert [check.result for check in ledger.checks.for_run("run-1")] == ["valid", "invalid"]


def test_a_call_that_never_left_costs_nothing_and_one_without_answer_counts(ledger, me):
    ledger.checks.finish(reserve(ledger, "a", me), "unknown", "no connection", charged=False, valid_for_days=0)
    assert ledger.checks.spent("run-1") == 0
    ledger.checks.finish(reserve(ledger, "a", me), "unknown", "no answer", charged=True, valid_for_days=0)
    assert ledger.checks.spent("run-1") == 36
    assert ledger.checks.spent("run-2") == 0


def test_checks_of_workers_that_are_gone_count_as_spent_and_may_be_made_again(ledger, clock, me):
    other = Owner("elsewhere", 1, "boot", "1", "run-9")
    lost = reserve(ledger, "a", other, run_id="run-9")
    reserve(ledger, "b", me)
    assert ledger.checks.abandoned(lambda owner: owner == other) == ["a"]
    assert ledger.checks.spent("run-9") == 36
    assert ledger.checks.kept(["a"], clock()) == {}
    assert ledger.checks.for_run("run-9")[0].result == "unknown"
    assert isinstance(reserve(ledger, "a", me), Reservation)
    with pytest.raises(BrokenInvariant, match="ended twice"):
        ledger.checks.finish(lost, "valid", "", charged=True, valid_for_days=90)


def test_a_turn_writes_answers_down_and_reserves_the_most_wanted_in_one(ledger, clock, me):
    purse = CheckBudget("run-1", 36, 3 * 36, me)
    first = ledger.checks.turn((), ["a", "b"], purse)
    assert [leave.fingerprint for leave in first.values()] == ["a", "b"]
    answers = [ended(first["a"], "valid", "ok"), ended(first["b"], "unknown", charged=False, days=0)]
    second = ledger.checks.turn(answers, ["c", "d", "e"], purse)
    assert [second[name] is NotReserved.OVER_BUDGET for name in ("c", "d", "e")] == [False, False, True]
    assert ledger.checks.kept(["a", "b"], clock()).keys() == {"a"}
    assert ledger.checks.spent("run-1") == 3 * 36


def test_a_turn_passes_over_what_another_is_checking_and_reserves_the_rest(ledger, me):
    reserve(ledger, "b", me, run_id="run-2")
    leaves = ledger.checks.turn((), ["a", "b", "c"], CheckBudget("run-1", 36, 1000, me))
    assert leaves["b"] is NotReserved.IN_FLIGHT
    assert ledger.checks.in_flight(["a", "b", "c", "d"]) == {"a", "b", "c"}
    assert ledger.checks.spent("run-1") == 2 * 36


def test_a_turn_in_which_one_check_ends_twice_writes_nothing(ledger, me):
    purse = CheckBudget("run-1", 36, 1000, me)
    leaves = ledger.checks.turn((), ["a", "b"], purse)
    ledger.checks.turn([ended(leaves["a"], "valid")], (), purse)
    with pytest.raises(BrokenInvariant, match="ended twice"):
        ledger.checks.turn([ended(leaves[name], "invalid") for name in ("b", "a")], ["c"], purse)
    assert ledger.checks.in_flight(["a", "b", "c"]) == {"b"}


def test_the_ledger_remembers_whom_the_service_ever_refused(ledger, clock, me):
    ledger.checks.finish(reserve(ledger, "a", me), "invalid", "closed", charged=True, valid_for_days=0)
    ledger.checks.finish(reserve(ledger, "a", me), "valid", "", charged=True, valid_for_days=90)
    ledger.checks.finish(reserve(ledger, "b", me), "valid", "", charged=True, valid_for_days=90)
    assert ledger.checks.refused_before(["a", "b", "c"]) == {"a"}
