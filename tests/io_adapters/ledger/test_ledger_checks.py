"""Account checks cost money: one in flight per account, never beyond the budget, counted before they are made."""

import datetime as dt
import threading

import pytest

from io_adapters.ledger.account_checks import CheckAnswered, CheckBudget, NotReserved
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import open_ledger
from io_adapters.ledger.outbox import Proof
from schemas.attempt import AccountCheck, AttemptState
from schemas.errors import BrokenInvariant
from schemas.journal import AccountKind, EntryKind
from tests.io_adapters.ledger.conftest import evidence

A = AttemptState


def ended(check, state=A.ACCEPTED, message="", *, valid=None, days=1):
    return CheckAnswered(check.id, Proof(state, evidence(message)), 200, b"{}", valid, days)


def turn(ledger, answered, wanted, budget):
    deadline_at = ledger.now() + dt.timedelta(minutes=15)
    return ledger.checks.record_and_reserve(answered, dict.fromkeys(wanted, b"{}"), budget, deadline_at)


def reserve(ledger, fingerprint, owner, run_id="run-1", budget_cents=1000):
    return turn(ledger, (), [fingerprint], CheckBudget(run_id, 36, budget_cents, owner))[fingerprint]


def finish(ledger, check, state=A.ACCEPTED, message="", *, valid=None, days=90):
    turn(ledger, [ended(check, state, message, valid=valid, days=days)], (), CheckBudget(check.run_id, 36, 0, None))


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
    assert sum(isinstance(result, AccountCheck) for result in results) == 5
    assert results.count(NotReserved.OVER_BUDGET) == 19
    assert ledgers[0].checks.spent("run-1") == 180
    for ledger in ledgers:
        ledger.close()


@pytest.mark.parametrize(("began", "asks"), [("before", False), ("after", True)])
def test_an_answer_that_another_run_was_given_meanwhile_is_not_asked_for_again(ledger, me, clock, began, asks):
    """A run may have looked at kept answers just before; one that began later has seen it, and may ask anew."""

    def begin() -> None:
        ledger.runs.begin("run-2", "job", "2026-10", "run", "ana", "job.yaml", "payer")

    if began == "before":
        begin()
    clock.move(seconds=1)
    finish(ledger, reserve(ledger, "account", me), valid=True)
    clock.move(seconds=1)
    if began == "after":
        begin()
    taken = reserve(ledger, "account", me, run_id="run-2")
    assert isinstance(taken, AccountCheck) == asks
    assert asks or taken is NotReserved.IN_FLIGHT


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
    assert sum(isinstance(result, AccountCheck) for result in results) == 1
    assert results.count(NotReserved.IN_FLIGHT) == 7


def test_an_answer_is_kept_until_it_expires(ledger, clock, me):
    finish(ledger, reserve(ledger, "a", me), message="ok", valid=True, days=90)
    finish(ledger, reserve(ledger, "b", me), message="closed", valid=False, days=1)
    kept = ledger.checks.kept(["a", "b", "c"], clock())
    assert {name: (check.result, check.message) for name, check in kept.items()} == {
        "a": ("valid", "ok"),
        "b": ("invalid", "closed"),
    }
    assert kept["a"].checked_at == clock()
    assert ledger.checks.kept(["a", "b"], clock() + dt.timedelta(days=1)).keys() == {"a"}
    assert ledger.checks.kept(["a"], clock() + dt.timedelta(days=90)) == {}


def test_the_latest_answer_counts(ledger, clock, me):
    finish(ledger, reserve(ledger, "a", me), message="", valid=True, days=90)
    finish(ledger, reserve(ledger, "a", me), message="closed since", valid=False, days=0)
    assert ledger.checks.kept(["a"], clock()) == {}
    assert [check.result for check in ledger.checks.for_run("run-1")] == ["valid", "invalid"]


def test_a_call_that_never_left_costs_nothing_and_one_without_answer_counts(ledger, me):
    finish(ledger, reserve(ledger, "a", me), A.NOT_SENT, "no connection")
    assert ledger.checks.spent("run-1") == 0
    finish(ledger, reserve(ledger, "a", me), A.IN_DOUBT, "no answer")
    assert ledger.checks.spent("run-1") == 36
    assert ledger.checks.spent("run-2") == 0


def test_checks_of_workers_that_are_gone_count_as_spent_and_may_be_made_again(ledger, clock, me):
    other = Owner("elsewhere", 1, "boot", "1", "run-9")
    reserve(ledger, "a", other, run_id="run-9")
    reserve(ledger, "b", me)
    assert [check.fingerprint for check in ledger.checks.doubt_abandoned(lambda owner: owner == other)] == ["a"]
    assert ledger.checks.spent("run-9") == 36
    assert ledger.checks.kept(["a"], clock()) == {}
    assert ledger.checks.for_run("run-9")[0].result == "unknown"
    assert isinstance(reserve(ledger, "a", me), AccountCheck)


def test_an_answer_that_comes_when_nobody_counted_on_it_any_more_is_kept_and_its_money_stays_spent(ledger, clock):
    other = Owner("elsewhere", 1, "boot", "1", "run-9")
    for state, valid in ((A.ACCEPTED, True), (A.NOT_SENT, None)):
        check = reserve(ledger, state.value, other, run_id="run-9")
        ledger.checks.doubt_abandoned(lambda owner: owner == other)
        finish(ledger, check, state, valid=valid)
    assert ledger.checks.spent("run-9") == 2 * 36
    assert ledger.checks.kept(["accepted", "not_sent"], clock()).keys() == {"accepted"}


def test_what_a_process_on_another_machine_was_checking_may_be_asked_again_long_after_its_deadline(ledger, clock, me):
    other = Owner("elsewhere", 1, "boot", "1", "run-9")
    reserve(ledger, "a", other, run_id="run-9")
    clock.move(minutes=19)
    assert ledger.checks.doubt_abandoned(lambda _owner: False) == []
    clock.move(minutes=2)
    assert [check.was_in_doubt for check in ledger.checks.doubt_abandoned(lambda _owner: False)] == [True]
    assert ledger.checks.spent("run-9") == 36
    assert isinstance(reserve(ledger, "a", me), AccountCheck)


def test_every_check_has_its_bytes_its_answer_and_its_journal(ledger, me):
    check = reserve(ledger, "a", me)
    assert (check.body, check.state, check.cost_cents) == (b"{}", A.SENDING, 36)
    finish(ledger, check, message="ok", valid=True)
    assert [(line.before, line.after, line.by) for line in ledger.checks.transitions(check.id)] == [
        (None, A.SENDING, "run-1"),
        (A.SENDING, A.ACCEPTED, "run-1"),
    ]
    assert [(answer.outcome, answer.raw) for answer in ledger.checks.answers(check.id)] == [(A.ACCEPTED, b"{}")]


def test_a_turn_writes_answers_down_and_reserves_the_most_wanted_in_one(ledger, clock, me):
    budget = CheckBudget("run-1", 36, 3 * 36, me)
    first = turn(ledger, (), ["a", "b"], budget)
    assert [leave.fingerprint for leave in first.values()] == ["a", "b"]
    answers = [ended(first["a"], message="ok", valid=True), ended(first["b"], A.NOT_SENT)]
    second = turn(ledger, answers, ["c", "d", "e"], budget)
    assert [second[name] is NotReserved.OVER_BUDGET for name in ("c", "d", "e")] == [False, False, True]
    assert ledger.checks.kept(["a", "b"], clock()).keys() == {"a"}
    assert ledger.checks.spent("run-1") == 3 * 36


def test_a_turn_passes_over_what_another_is_checking_and_reserves_the_rest(ledger, me):
    reserve(ledger, "b", me, run_id="run-2")
    leaves = turn(ledger, (), ["a", "b", "c"], CheckBudget("run-1", 36, 1000, me))
    assert leaves["b"] is NotReserved.IN_FLIGHT
    assert ledger.checks.in_flight(["a", "b", "c", "d"]) == {"a", "b", "c"}
    assert ledger.checks.spent("run-1") == 2 * 36


def test_a_turn_in_which_one_check_ends_twice_writes_nothing(ledger, me):
    budget = CheckBudget("run-1", 36, 1000, me)
    leaves = turn(ledger, (), ["a", "b"], budget)
    turn(ledger, [ended(leaves["a"], valid=True)], (), budget)
    with pytest.raises(BrokenInvariant, match="ended twice"):
        turn(ledger, [ended(leaves[name], valid=False) for name in ("b", "a")], ["c"], budget)
    assert ledger.checks.in_flight(["a", "b", "c"]) == {"b"}


def test_the_ledger_remembers_whom_the_service_ever_refused(ledger, clock, me):
    finish(ledger, reserve(ledger, "a", me), message="closed", valid=False, days=0)
    finish(ledger, reserve(ledger, "a", me), message="", valid=True, days=90)
    finish(ledger, reserve(ledger, "b", me), message="", valid=True, days=90)
    assert ledger.checks.refused_before(["a", "b", "c"]) == {"a"}


def test_what_checks_cost_is_an_entry_of_its_day_and_what_never_left_is_given_back(ledger, clock, me):
    ledger.runs.begin("run-1", "aurora", "2026-10", "payout", "Ana", "job.yaml", "12345678000195")

    def booked():
        sums = ledger.journal.balances()
        return {account.kind: (account.job, account.payer, cents) for account, cents in sums.items()}

    def expected(cost):
        charged = {AccountKind.EXPENSE: cost, AccountKind.FLOAT: -cost}
        return {kind: ("aurora", "12345678000195", cents) for kind, cents in charged.items() if cents}

    first, second = reserve(ledger, "a", me), reserve(ledger, "b", me)
    assert booked() == expected(ledger.checks.spent("run-1")) == expected(72)
    finish(ledger, first, message="ok", valid=True)
    assert booked() == expected(72)
    clock.move(days=2)
    finish(ledger, second, A.NOT_SENT, "no connection")
    assert booked() == expected(ledger.checks.spent("run-1")) == expected(36)
    days = [at.date() for at, _, entry in ledger.journal.entries() if entry.kind is EntryKind.COST]
    assert (len(days), len(set(days))) == (3, 2)
