"""Processes are killed while they check accounts: no run ever spends more than its budget, and none pays unseen."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.crash.payday import Payday, opened_payday

pytestmark = [pytest.mark.crash, pytest.mark.timeout(600)]

COST: Final = 36
BUDGET_CHECKS: Final = 20
ACCOUNTS: Final = 150
KILLS: Final = 8
SEED: Final = int(os.environ.get("SEED", str(random.SystemRandom().randrange(10**9))))


def checks_made(payday: Payday) -> int:
    """Count the checks the service has charged for, once nothing of a dead process is under way any more."""
    count = len(payday.audit()["account_checks"])
    while True:
        time.sleep(0.15)
        again = len(payday.audit()["account_checks"])
        if again == count:
            return count
        count = again


def spent(payday: Payday) -> dict[str, int]:
    """What each run has spent or reserved, by its own ledger."""
    with payday.ledger() as ledger:
        return {run.run_id: ledger.checks.spent(run.run_id) for run in ledger.runs.list(1_000)}


def test_no_run_spends_more_than_its_budget_however_it_dies(tmp_path: Path, new_ledger: Callable[[], str]):
    moments = random.Random(SEED)
    killed_under_way = 0
    with opened_payday(tmp_path, ACCOUNTS, per_batch=500, checks="new_or_changed", ledger_url=new_ledger()) as payday:
        job = payday.job.path.read_text(encoding="utf-8")
        job = job.replace('budget: "100000.00"', f'fee: "0.35", budget: "{BUDGET_CHECKS * COST / 100:.2f}"')
        payday.job.path.write_text(job.replace('for_s: "30"', 'for_s: "0"'), encoding="utf-8")
        payday.control.post("/settings", json={"latency_s": 0.05}).raise_for_status()
        known: dict[str, int] = {}
        made = 0
        for kill in range(KILLS):
            worker = payday.start()
            assert worker.reaches("check_accounts")
            if kill % 2:  # every other one dies under way, however slow the machine is
                while worker.process.is_alive() and len(payday.audit()["account_checks"]) == made:
                    time.sleep(0.005)
                time.sleep(moments.uniform(0.0, 0.05))
            else:
                time.sleep(moments.uniform(0.0, 0.4))
            worker.process.kill()
            worker.ended()
            now, by_run = checks_made(payday), spent(payday)
            (run,) = by_run.keys() - known.keys()
            assert now - made <= BUDGET_CHECKS, f"seed {SEED}: over the budget"
            assert (now - made) * COST <= by_run[run], f"seed {SEED}: a check nobody had written down"
            assert by_run[run] <= BUDGET_CHECKS * COST
            killed_under_way += 0 < now - made < BUDGET_CHECKS
            assert by_run | known == by_run, "what an older run had spent has changed"
            made, known = now, by_run
        while payday.pay() != 0:
            now, by_run = checks_made(payday), spent(payday)
            assert now - made <= BUDGET_CHECKS
            assert now > made, f"seed {SEED}: some account is never asked about"
            made, known = now, by_run
        assert killed_under_way, f"seed {SEED}: no kill came while checks were under way"
        paid = {entry["extPaymentId"] for create in payday.audit()["creates"] for entry in create["payments"]}
        assert paid == payday.job.owed.keys()
