"""Make paid account checks: each written down before it is made, some at a time, and no more after a run of failures.

Every turn is one transaction: the answers that came are written down, and the next checks reserved. Twice as many are
reserved as may be under way, so that no line waits for the ledger. Whatever happens, what was reserved and never sent
is given back, and what was sent and not answered counts as spent.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from flows.stages.run import Run
from flows.steps.account_checks import AccountToCheck, CheckResult, Verdict, check_cost_cents
from io_adapters.ledger.checks import Ended, NotReserved, Purse, Reservation
from io_adapters.ledger.checks import Verdict as Recorded
from io_adapters.split_api.checking import AccountCalls

FAILURES_IN_A_ROW: Final = 5
LEASE_S: Final = 900.0
_RENEW_AFTER_S: Final = 60.0
_RESULTS: Final = {True: CheckResult.VALID, False: CheckResult.INVALID, None: CheckResult.UNKNOWN}
_RECORDED: Final[dict[CheckResult, Recorded]] = {CheckResult.VALID: "valid", CheckResult.INVALID: "invalid"}


def ask_accounts(run: Run, accounts: Sequence[AccountToCheck]) -> dict[str, Verdict]:
    """Ask about accounts in order; returns a verdict for each, by fingerprint.

    Effects: at most the job's budget is spent by one run, however often this is called for it.
    """
    if not accounts:
        return {}
    asking, at_a_time = _Asking(run, accounts), run.job.account_checks.at_a_time
    api = run.require_service().api
    with api.account_calls(at_a_time=at_a_time, give_up_after=FAILURES_IN_A_ROW) as calls:
        asking.walk(calls)
    return asking.verdicts


class _Asking:
    """One walk through the accounts."""

    def __init__(self, run: Run, accounts: Sequence[AccountToCheck]) -> None:
        rules = run.job.account_checks
        self.verdicts: dict[str, Verdict] = {}
        self._run = run
        self._total = len(accounts)
        self._requests = {account.fingerprint: account.request for account in accounts}
        self._left = deque(self._requests)
        self._open: dict[str, Reservation] = {}
        self._purse = Purse(run.id, check_cost_cents(rules.fee), rules.budget, run.owner)
        self._ahead = 2 * rules.at_a_time
        self._money = True
        self._failures = 0
        self._stopped = False
        self._unwritten: list[Ended] = []
        self._renewed_s = run.clock.monotonic_s()

    def walk(self, calls: AccountCalls) -> None:
        """Ask until nothing is left, the money is used up, or too many went unanswered."""
        try:
            while self._left or self._open or self._unwritten:
                self._turn(calls)
                if self._open:
                    self._judge(calls)
                elif not self._money:
                    break
                if self._stopped:
                    self._give_back(calls)
        except BaseException:
            self._leave(calls)
            raise
        self._give_up(CheckResult.OVER_BUDGET)

    def _turn(self, calls: AccountCalls) -> None:
        """Write down what ended, reserve what comes next, and let it begin."""
        room = self._ahead - len(self._open) if self._money else 0
        wanted = [self._left.popleft() for _ in range(min(room, len(self._left)))]
        leaves = self._run.ledger.checks.turn(self._unwritten, wanted, self._purse)
        self._unwritten = []
        self._open |= {name: leave for name, leave in leaves.items() if isinstance(leave, Reservation)}
        over = [name for name, leave in leaves.items() if leave is NotReserved.OVER_BUDGET]
        busy = [name for name, leave in leaves.items() if leave is NotReserved.IN_FLIGHT]
        self.verdicts |= {name: Verdict(CheckResult.IN_FLIGHT) for name in busy}
        self._left.extendleft(reversed(over))
        self._money = self._money and not over
        calls.begin((name, self._requests[name]) for name in wanted if name in self._open)
        self._tell()

    def _judge(self, calls: AccountCalls) -> None:
        for name, answer in calls.answers():
            never_left = not answer.answered and not answer.sent
            result = CheckResult.NOT_ASKED if never_left else _RESULTS[answer.valid]
            self._end(name, Verdict(result, answer.message), charged=answer.sent)
            self._failures = 0 if answer.answered else self._failures + 1
            self._stopped = self._stopped or self._failures >= FAILURES_IN_A_ROW or calls.gave_up
            self._money = self._money or not answer.sent

    def _end(self, name: str, verdict: Verdict, *, charged: bool) -> None:
        self.verdicts[name] = verdict
        recorded = _RECORDED.get(verdict.result, "unknown")
        days = 0 if recorded == "unknown" else self._run.job.account_checks.valid_for_days
        self._unwritten.append(Ended(self._open.pop(name), recorded, verdict.message, charged, days))

    def _give_back(self, calls: AccountCalls) -> None:
        """Stop asking: what was reserved and not sent costs nothing; what is under way is waited for."""
        self._give_up(CheckResult.NOT_ASKED)
        for name in calls.give_back():
            self._end(name, Verdict(CheckResult.NOT_ASKED), charged=False)

    def _give_up(self, result: CheckResult) -> None:
        while self._left:
            self.verdicts[self._left.popleft()] = Verdict(result)

    def _leave(self, calls: AccountCalls) -> None:
        """Break off, by an interrupt or a bug: what was sent, or may have been, counts as spent."""
        self._give_back(calls)
        for name in list(self._open):
            self._end(name, Verdict(CheckResult.UNKNOWN, "broken off before the answer came"), charged=True)
        self._run.ledger.checks.turn(self._unwritten, (), self._purse)

    def _tell(self) -> None:
        now_s = self._run.clock.monotonic_s()
        if now_s - self._renewed_s > _RENEW_AFTER_S:
            self._run.ledger.leases.renew(self._run.job.job, self._run.owner, LEASE_S)
            self._renewed_s = now_s
        self._run.progress.advance("account checks", len(self.verdicts), self._total)
