"""Check accounts with the paid call: after everything that is free, within the budget, each at most once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Final, Literal

from flows.stages.draft import work_out_again
from flows.stages.run import Run
from flows.steps.account_checks import (
    AccountToCheck,
    CheckResult,
    Verdict,
    accounts_to_ask,
    accounts_to_pay,
    check_cost_cents,
)
from schemas.exit_codes import ExitCode
from schemas.masking import mask_account, mask_pix_key, mask_tax_id
from schemas.reconciliation import AccountCheckCounts

AT_A_TIME: Final = 8
FAILURES_IN_A_ROW: Final = 5


def check_accounts(run: Run) -> None:
    """Ask the service about every account nobody has an answer for, and hold the payments that must not be made.

    Effects: at most `budget` centavos are spent. Safe to repeat: an answer is kept, an unanswered call counts as spent
    and is not made again by itself.
    """
    rules = run.job.account_checks
    if rules.when == "never":
        return
    accounts = accounts_to_pay(run.require_worked().obligations, ownership=rules.ownership)
    asked = accounts_to_ask(accounts, run.verdicts, rules.when)
    checker = _Checker(run, len(asked))
    verdicts = checker.check_all(asked)
    reused = {name: verdict for name, verdict in run.verdicts.items() if name not in verdicts}
    run.verdicts |= verdicts
    _account_for(run, accounts, verdicts, reused, checker.made)
    work_out_again(run)


class _Checker:
    """Makes the calls, some at a time, and stops asking after a run of failures."""

    def __init__(self, run: Run, total: int) -> None:
        self._run = run
        self._total = total
        self._lock = Lock()
        self._failures = 0
        self._done = 0
        self.made: set[str] = set()

    def check_all(self, accounts: Sequence[AccountToCheck]) -> dict[str, Verdict]:
        """Check accounts in order; returns a verdict for each."""
        with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="account-check") as pool:
            verdicts = list(pool.map(self._check, accounts))
        return {account.fingerprint: verdict for account, verdict in zip(accounts, verdicts, strict=True)}

    def _check(self, account: AccountToCheck) -> Verdict:
        if self._failures >= FAILURES_IN_A_ROW:
            return Verdict(CheckResult.UNKNOWN, "not asked: too many calls in a row went unanswered")
        run, rules = self._run, self._run.job.account_checks
        reserved = run.ledger.checks.reserve(
            account.fingerprint,
            run_id=run.id,
            cost_cents=check_cost_cents(rules.fee),
            budget_cents=rules.budget,
            owner=run.owner,
        )
        if isinstance(reserved, str):
            return Verdict(CheckResult(reserved))
        answer = run.require_service().api.validate_account(account.request)
        verdict = Verdict(_result(valid=answer.valid), answer.message)
        run.ledger.checks.finish(
            reserved,
            result=_recorded(verdict.result),
            message=answer.message,
            charged=answer.sent,
            valid_for_days=rules.valid_for_days,
        )
        self._count(account, verdict, charged=answer.sent)
        return verdict

    def _count(self, account: AccountToCheck, verdict: Verdict, *, charged: bool) -> None:
        with self._lock:
            self._failures = self._failures + 1 if verdict.result is CheckResult.UNKNOWN else 0
            self._done += 1
            if charged:
                self.made.add(account.fingerprint)
            self._run.progress.advance("account checks", self._done, self._total)


def _result(*, valid: bool | None) -> CheckResult:
    if valid is None:
        return CheckResult.UNKNOWN
    return CheckResult.VALID if valid else CheckResult.INVALID


def _recorded(result: CheckResult) -> Literal["valid", "invalid", "unknown"]:
    if result is CheckResult.VALID:
        return "valid"
    return "invalid" if result is CheckResult.INVALID else "unknown"


def _account_for(
    run: Run,
    accounts: Sequence[AccountToCheck],
    verdicts: dict[str, Verdict],
    reused: dict[str, Verdict],
    made: set[str],
) -> None:
    """Tell every account's result, what was paid for it, and what the run may still spend."""
    cost = check_cost_cents(run.job.account_checks.fee)
    results = [verdict.result for verdict in verdicts.values()]
    run.checks = AccountCheckCounts(
        made=len(made),
        reused=len(reused),
        invalid=sum(verdict.result is CheckResult.INVALID for verdict in run.verdicts.values()),
        unknown=results.count(CheckResult.UNKNOWN),
        cost_cents=run.ledger.checks.spent(run.id),
        budget_cents=run.job.account_checks.budget,
    )
    for account in accounts:
        verdict = verdicts.get(account.fingerprint) or reused.get(account.fingerprint)
        if verdict is None:
            continue
        charged = account.fingerprint in made
        run.check_rows.append(
            {
                "payee": mask_tax_id(account.payee),
                "destination_masked": _masked(account),
                "result": verdict.result.value,
                "made": charged,
                "cost_cents": cost if charged else 0,
                "message": verdict.message,
            }
        )
        if verdict.result is not CheckResult.VALID:
            run.codes.add(ExitCode.ROWS_HELD)


def _masked(account: AccountToCheck) -> str:
    request = account.request
    if request.pixKey and request.pixKeyType:
        return mask_pix_key(request.pixKey, request.pixKeyType)
    return f"{request.bankCode} {request.agency} {mask_account(request.account or '')}"
