"""How fast accounts are checked: 5,000, 50 at a time, by a service that answers in 100 ms; ideally 500 a second."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest

from flows.account_checks.check_accounts import ask_accounts, check_accounts
from flows.intake.read import read
from flows.payables.draft import draft
from flows.payables.rules.account_checks import CheckResult, KnownOfAccounts, accounts_to_pay, likely_good_first
from flows.run import QuietProgress
from flows.run_request import read_run_request
from flows.runner import opened_run
from flows.settings import read_settings
from tests.bench.conftest import Figures
from tests.payments_job import write_payments_job

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

CHECKS, AT_A_TIME, LATENCY_S = 5_000, 50, 0.1
IDEAL_S = CHECKS * LATENCY_S / AT_A_TIME


@pytest.fixture
def service() -> Iterator[str]:
    """A service in a process of its own; its base URL."""
    program = [sys.executable, str(Path(__file__).with_name("check_service.py")), str(LATENCY_S)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/external"
        process.terminate()


def test_five_thousand_accounts_fifty_at_a_time(
    figures: Figures, service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    job = write_payments_job(tmp_path / "job", CHECKS, checks="new_or_changed")
    text = job.path.read_text(encoding="utf-8")
    job.path.write_text(text.replace("account_checks: {", f"account_checks: {{at_a_time: {AT_A_TIME}, "))
    monkeypatch.setenv("REPASSE_API_URL", service)
    monkeypatch.setenv("REPASSE_API_KEY", "key")
    monkeypatch.setenv("REPASSE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("REPASSE_LEDGER_URL", raising=False)
    with opened_run("payout", read_run_request(job.path), read_settings(), QuietProgress()) as run:
        drafted = draft(run, read(run))
        accounts = likely_good_first(accounts_to_pay(drafted.payables.obligations, ownership=True), KnownOfAccounts())
        began = perf_counter()
        verdicts = ask_accounts(run, accounts)
        asking_s = perf_counter() - began
        assert {verdict.result for verdict in verdicts.values()} == {CheckResult.VALID}
        assert run.ledger.checks.spent(run.id) == CHECKS * 36
    with opened_run("payout", read_run_request(job.path), read_settings(), QuietProgress()) as run:
        drafted = draft(run, read(run))
        began = perf_counter()
        counts = check_accounts(run, drafted).checks.counts
        second_night_s = perf_counter() - began
        assert (counts.made, counts.reused, counts.cost_cents) == (0, CHECKS, 0)
    share = f"the ideal, so {IDEAL_S / asking_s:.1%} of its throughput"
    what = f"check {CHECKS:,} accounts, {AT_A_TIME} at a time, 100 ms each"
    figures.add(what, asking_s, baseline_median=IDEAL_S, baseline=share)
    figures.add("    the second night, nothing to ask", second_night_s)
