"""Check accounts: what is free first, then what is known, then paid calls within the budget, each at most once."""

import datetime as dt
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from flows.intake.intake import record_inputs
from flows.payables.draft import Draft, redraft, with_verdicts
from flows.payables.freeze_plan import approved_plans, plan_of
from flows.payables.institutions import known_institutions
from flows.payables.rules.account_checks import (
    AccountToCheck,
    Call,
    CheckResult,
    Checks,
    CheckVerdict,
    KnownOfAccounts,
    account_rows,
    accounts_to_ask,
    accounts_to_pay,
    broke_off,
    check_cost_cents,
    count_checks,
    likely_good_first,
    payees_with_warnings,
)
from flows.payables.rules.institutions import has_bank_accounts
from flows.run import Run
from io_adapters.ledger.account_checks import CheckAnswered, CheckBudget, CheckRequest, NotReserved
from io_adapters.ledger.approvals_missing import rule_for
from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.outbox import Proof
from io_adapters.payout_api.account_checks import AccountCalls, CheckAnswer, check_body
from schemas.attempt import AccountCheck, AttemptState
from schemas.errors import ApprovalWanted, ExitCode
from schemas.messages import Message, Money
from schemas.plan import HOME_CURRENCY, short_digest
from schemas.submission import Outcome, SubmissionState
from schemas.values.masking import digest_of

S = SubmissionState

FAILURES_IN_A_ROW: Final = 5
LEASE_S: Final = 900.0
_RENEW_AFTER_S: Final = 60.0
# A check that has waited so long for its turn, since it was written down, is not sent any more.
TURN_WITHIN_S: Final = 900.0
_VERDICTS: Final = {True: CheckResult.VALID, False: CheckResult.INVALID, None: CheckResult.UNKNOWN}


def ask_accounts(run: Run, accounts: Sequence[AccountToCheck]) -> dict[str, CheckVerdict]:
    """Ask about accounts in order; returns a verdict for each, by fingerprint.

    Effects: at most the job's budget is spent by one run, however often this is called for it.
    """
    if not accounts:
        return {}
    asking, at_a_time = _Asking(run, accounts), run.job.account_checks.at_a_time
    api = run.require_service().api
    with api.account_calls(at_a_time=at_a_time, give_up_after=FAILURES_IN_A_ROW, may_send=asking.is_in_time) as calls:
        asking.ask_all(calls)
    return asking.verdicts


class _Asking:
    """Many attempts at a time: written down, sent and recorded as `send_once` does one, in groups.

    The time alone is looked at before each is sent: while it lasts, nobody takes a check from a living worker.
    """

    def __init__(self, run: Run, accounts: Sequence[AccountToCheck]) -> None:
        rules = run.job.account_checks
        self.verdicts: dict[str, CheckVerdict] = {}
        self._run = run
        self._total = len(accounts)
        self._bodies = {account.fingerprint: check_body(account.request) for account in accounts}
        self._kinds = {account.fingerprint: account.kind for account in accounts}
        self._left = deque(self._bodies)
        self._open: dict[str, AccountCheck] = {}
        self._send_before_s: dict[str, float] = {}
        house = run.ledger.decision_rules.house()
        most = (house.checks_per_day, house.checks_per_month) if house else (None, None)
        self._budget = CheckBudget(run.id, check_cost_cents(rules.fee), rules.budget, run.owner, *most)
        self._ahead = 2 * rules.at_a_time
        self._money = True
        self._failures = 0
        self._stopped = False
        self._unwritten: list[CheckAnswered] = []
        self._renewed_s = run.clock.monotonic_s()

    def is_in_time(self, name: str) -> bool:
        """Say whether a check may still be sent; asked by its line, immediately before."""
        return self._run.clock.monotonic_s() < self._send_before_s[name]

    def ask_all(self, calls: AccountCalls) -> None:
        try:
            while self._left or self._open or self._unwritten:
                self._record_and_begin(calls)
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

    def _record_and_begin(self, calls: AccountCalls) -> None:
        room = self._ahead - len(self._open) if self._money else 0
        wanted = [self._left.popleft() for _ in range(min(room, len(self._left)))]
        send_before_s = self._run.clock.monotonic_s() + TURN_WITHIN_S
        taken = self._record({name: self._bodies[name] for name in wanted})
        begun = {name: check for name, check in taken.items() if isinstance(check, AccountCheck)}
        self._open |= begun
        self._send_before_s |= dict.fromkeys(begun, send_before_s)
        over = [name for name, check in taken.items() if check is NotReserved.OVER_BUDGET]
        busy = [name for name, check in taken.items() if check is NotReserved.IN_FLIGHT]
        self.verdicts |= {name: CheckVerdict(CheckResult.IN_FLIGHT) for name in busy}
        self._left.extendleft(reversed(over))
        self._money = self._money and not over
        calls.begin((name, check.body) for name, check in begun.items())
        self._tell()

    def _record(self, wanted: Mapping[str, bytes]) -> Mapping[str, AccountCheck | NotReserved]:
        deadline_at = self._run.clock.now() + dt.timedelta(seconds=TURN_WITHIN_S + self._run.timeout_s)
        taken = self._run.ledger.checks.record_and_reserve(self._unwritten, wanted, self._budget, deadline_at)
        self._unwritten = []
        return taken

    def _judge(self, calls: AccountCalls) -> None:
        for name, answer in calls.answers():
            self._end(name, answer)
            self._failures = 0 if answer.answered else self._failures + 1
            self._stopped = self._stopped or self._failures >= FAILURES_IN_A_ROW or calls.gave_up
            self._money = self._money or not answer.sent

    def _end(self, name: str, answer: CheckAnswer) -> None:
        never_left = answer.outcome is Outcome.NOT_SENT
        self.verdicts[name] = CheckVerdict(
            CheckResult.NOT_ASKED if never_left else _VERDICTS[answer.valid], answer.message
        )
        proof = Proof(AttemptState(answer.outcome.value), Message("attempt.evidence", text=answer.message))
        days = getattr(self._run.job.account_checks.valid_for_days, self._kinds[name])
        check = self._open.pop(name)
        self._unwritten.append(
            CheckAnswered(check.id, proof, answer.http_status, answer.body, answer.valid, valid_for_days=days)
        )

    def _give_back(self, calls: AccountCalls) -> None:
        """Stop asking: what was reserved and not sent costs nothing; what is under way is waited for."""
        self._give_up(CheckResult.NOT_ASKED)
        for name in calls.give_back():
            self._end(name, CheckAnswer(Outcome.NOT_SENT, None, ""))

    def _give_up(self, result: CheckResult) -> None:
        while self._left:
            self.verdicts[self._left.popleft()] = CheckVerdict(result)

    def _leave(self, calls: AccountCalls) -> None:
        """Break off, by an interrupt or a bug: what was sent, or may have been, counts as spent."""
        self._give_back(calls)
        for name in list(self._open):
            self._end(name, CheckAnswer(Outcome.IN_DOUBT, None, "broken off before the answer came"))
        self._record({})

    def _tell(self) -> None:
        now_s = self._run.clock.monotonic_s()
        if now_s - self._renewed_s > _RENEW_AFTER_S:
            self._run.ledger.leases.renew(self._run.job.job, self._run.owner, LEASE_S)
            self._renewed_s = now_s
        self._run.progress.advance("account checks", len(self.verdicts), self._total)


# Another run's call has at most one before it on its line.
WAIT_CALLS: Final = 2
_LOOK_EVERY_S: Final = 0.2


def check_accounts(run: Run, drafted: Draft) -> Draft:
    """Ask the service about every account nobody has an answer for, and hold the payments that must not be made.

    Where most of them have no answer, the plan of the others waits for a person (exit 14); without any, exit 21.

    The order: what the list of institutions says, kept answers, then paid calls, likely-good accounts first.

    Effects: at most `budget` centavos are spent. Safe to repeat: an answer is kept, an unanswered call counts as spent
    and is not made again by itself.
    """
    if has_bank_accounts(drafted.payables.obligations):
        known_institutions(run)  # reads the list again where the copy is old; `draft_anew` looks at the copy
        drafted = redraft(run, drafted)
    rules = run.job.account_checks
    if rules.when == "never":
        return drafted
    accounts = accounts_to_pay(drafted.payables.obligations, ownership=rules.ownership)
    # The stage may be walked a second time; and what people have approved rests on the answers that its run was given.
    paid = {check.fingerprint for check in run.ledger.checks.for_run(run.id)} | _answers_of_approved(run)
    asked = [
        account
        for account in accounts_to_ask(accounts, drafted.verdicts, rules.when)
        if account.fingerprint not in paid
    ]
    if asked and (as_approved := _as_approved(run, drafted, accounts, asked)):
        return as_approved
    _require_consent(run, drafted, asked)
    reused = set(drafted.verdicts) - {account.fingerprint for account in asked} - paid
    verdicts = dict(drafted.verdicts)
    verdicts |= ask_accounts(run, likely_good_first(asked, _known_of(run, drafted, asked)))
    reused |= _wait_for_others(run, drafted, asked, verdicts)
    checks = _account_for(run, accounts, verdicts, reused)
    results = [verdicts[account.fingerprint].result for account in asked]
    if broke_off(results):
        missing = sum(result in {CheckResult.UNKNOWN, CheckResult.NOT_ASKED} for result in results)
        why = Message("review.checks_broke_off", count=missing)
        checks = replace(checks, broke_off=why)
        run.end_with(ExitCode.NOT_SENT, why)
    beyond = results.count(CheckResult.OVER_BUDGET)
    if beyond:
        checks = replace(checks, short=_budget_short(run, beyond, len(asked)))
    return replace(with_verdicts(run, drafted, verdicts), checks=checks)


def _require_consent(run: Run, drafted: Draft, asked: Sequence[AccountToCheck]) -> None:
    """Ask a person first where a run would check more accounts than the house lets any run check by itself.

    Raises:
        ApprovalWanted: nobody who counts has said yes to these very accounts.
    """
    house = run.ledger.decision_rules.house()
    most = house.checks_approval_above if house else None
    if most is None or len(asked) <= most:
        return
    record_inputs(run, drafted.intake)
    rules, job, period, now = run.job.account_checks, run.job.job, run.request.period.label, run.clock.now()
    digest = "sha256:" + digest_of("account checks", job, period, *sorted(account.fingerprint for account in asked))
    cost_cents = min(rules.budget, len(asked) * check_cost_cents(rules.fee))
    wanted = CheckRequest(digest, job, period, run.id, len(asked), cost_cents, run.request.by, now)
    run.ledger.check_requests.ask(wanted)
    request = run.ledger.check_requests.find(digest) or wanted
    if run.ledger.check_requests.counting(request, rule_for(run.ledger, run.job), now):
        run.ledger.check_requests.use(request, run.id, now)
        return
    facts = {"count": len(asked), "cost": Money(request.cost_cents, HOME_CURRENCY), "digest": short_digest(digest)}
    raise ApprovalWanted(Message("checks.consent", total=Money(request.cost_cents), **facts))


def _answers_of_approved(run: Run) -> set[str]:
    """Return the accounts about which the service answered the run of an approved plan that nobody has taken up."""
    made_by = {run.ledger.plans.get(digest).run_id for digest in approved_plans(run)}
    return {
        check.fingerprint
        for run_id in made_by
        for check in run.ledger.checks.for_run(run_id)
        if check.result != CheckResult.UNKNOWN.value
    }


def _budget_short(run: Run, beyond: int, asked: int) -> Message:
    """Say how many accounts the budget did not reach, what those cost, and what all of them cost at once."""
    rules = run.job.account_checks
    each_cents = check_cost_cents(rules.fee)
    price, enough, budget = (Money(c, HOME_CURRENCY) for c in (beyond * each_cents, asked * each_cents, rules.budget))
    return Message("review.budget_short", count=beyond, asked=asked, price=price, enough=enough, budget=budget)


def _as_approved(
    run: Run, drafted: Draft, accounts: Sequence[AccountToCheck], asked: Sequence[AccountToCheck]
) -> Draft | None:
    """Leave the plan that people have approved as it is: what it leaves out is checked by a run after it was sent."""
    approved = approved_plans(run)
    if not approved:
        return None
    verdicts = {**drafted.verdicts, **{account.fingerprint: CheckVerdict(CheckResult.NOT_ASKED) for account in asked}}
    kept = with_verdicts(run, drafted, verdicts)
    if plan_of(run, kept.payables).digest not in approved:
        return None
    run.messages.append(Message("cli.checks.approved_first", count=len(asked)))
    return replace(kept, checks=_account_for(run, accounts, verdicts, set(drafted.verdicts)))


def _known_of(run: Run, drafted: Draft, accounts: Sequence[AccountToCheck]) -> KnownOfAccounts:
    obligations, payees = drafted.payables.obligations, drafted.inputs.payees
    paid = run.ledger.history.destinations({account.obligation.payee.tax_id for account in accounts})
    return KnownOfAccounts(
        refused=run.ledger.checks.refused_before(account.fingerprint for account in accounts),
        paid={(destination.payee, destination.destination) for destination in paid},
        doubtful=payees_with_warnings(obligations, payees, run.issues),
    )


def _wait_for_others(
    run: Run, drafted: Draft, asked: Sequence[AccountToCheck], verdicts: dict[str, CheckVerdict]
) -> set[str]:
    """Wait, for a while, for the answers to calls that other runs are making; returns the accounts they answered.

    An account whose call came to nothing there is asked about here, once.
    """
    waiting = {name for name, verdict in verdicts.items() if verdict.result is CheckResult.IN_FLIGHT}
    ends_at_s = run.clock.monotonic_s() + WAIT_CALLS * run.timeout_s
    answered, freed = set[str](), set[str]()
    while waiting and run.clock.monotonic_s() < ends_at_s:
        run.ledger.checks.doubt_abandoned(lambda owner: _gone(run, owner))
        landed = waiting - run.ledger.checks.in_flight(waiting)
        kept = run.ledger.checks.kept(landed, run.clock.now())
        for name in landed & kept.keys():
            verdicts[name] = CheckVerdict(CheckResult(kept[name].result), kept[name].message)
            answered.add(name)
        freed |= landed - kept.keys()
        waiting -= landed
        if waiting:
            run.clock.sleep(_LOOK_EVERY_S)
    again = [account for account in asked if account.fingerprint in freed]
    verdicts |= ask_accounts(run, likely_good_first(again, _known_of(run, drafted, again)))
    return answered


def _gone(run: Run, owner: Owner) -> bool:
    return is_gone(owner, run.owner)


def _account_for(
    run: Run, accounts: Sequence[AccountToCheck], verdicts: Mapping[str, CheckVerdict], reused: set[str]
) -> Checks:
    calls = [
        Call(check.fingerprint, check.result, check.message, check.cost_cents)
        for check in run.ledger.checks.for_run(run.id)
    ]
    rows = account_rows(accounts, verdicts, reused, calls)
    if any(row["result"] != CheckResult.VALID for row in rows):
        run.codes.add(ExitCode.ROWS_HELD)
    return Checks(count_checks(rows, run.job.account_checks.budget), rows)
