"""Check accounts: what is free first, then what is known, then paid calls within the budget, each at most once."""

from collections.abc import Sequence
from typing import Final

from flows.stages.ask_accounts import ask_accounts
from flows.stages.draft import draft_anew, work_out_again
from flows.stages.institutions import known_institutions
from flows.stages.run import Run
from flows.steps.account_checks import (
    AccountToCheck,
    CheckResult,
    Verdict,
    accounts_to_ask,
    accounts_to_pay,
    broke_off,
)
from flows.steps.check_order import KnownOfAccounts, likely_good_first, payees_with_warnings
from flows.steps.check_rows import Call, account_rows, count_checks
from flows.steps.institution_check import has_bank_accounts
from io_adapters.ledger.owner import Owner, is_gone
from schemas.exit_codes import ExitCode
from schemas.told import Told

# Another run's call has at most one before it on its line.
WAIT_CALLS: Final = 2
_LOOK_EVERY_S: Final = 0.2


def check_accounts(run: Run) -> None:
    """Ask the service about every account nobody has an answer for, and hold the payments that must not be made.

    Where most of them have no answer, the plan of the others waits for a person (exit 14); without any, exit 21.

    The order: what the list of institutions says, kept answers, then paid calls, likely-good accounts first.

    Effects: at most `budget` centavos are spent. Safe to repeat: an answer is kept, an unanswered call counts as spent
    and is not made again by itself.
    """
    if has_bank_accounts(run.require_worked().obligations):
        known_institutions(run)  # reads the list again where the copy is old; `draft_anew` looks at the copy
        draft_anew(run)
    rules = run.job.account_checks
    if rules.when == "never":
        return
    accounts = accounts_to_pay(run.require_worked().obligations, ownership=rules.ownership)
    paid = {one.fingerprint for one in run.ledger.checks.for_run(run.id)}  # the stage may be walked a second time
    asked = [one for one in accounts_to_ask(accounts, run.verdicts, rules.when) if one.fingerprint not in paid]
    reused = set(run.verdicts) - {one.fingerprint for one in asked} - paid
    verdicts = ask_accounts(run, likely_good_first(asked, _known_of(run, asked)))
    run.verdicts |= verdicts
    reused |= _wait_for_others(run, asked)
    _account_for(run, accounts, reused)
    results = [run.verdicts[one.fingerprint].result for one in asked]
    if broke_off(results):
        missing = sum(result in {CheckResult.UNKNOWN, CheckResult.NOT_ASKED} for result in results)
        run.checks_broke_off = Told("look.checks_broke_off", missing=missing)
        run.end_with(ExitCode.NOT_SENT, run.checks_broke_off.in_words(run.language))
    work_out_again(run)


def _known_of(run: Run, accounts: Sequence[AccountToCheck]) -> KnownOfAccounts:
    obligations, payees = run.require_worked().obligations, run.require_inputs().payees
    paid = run.ledger.history.destinations({one.payee for one in accounts})
    return KnownOfAccounts(
        refused=run.ledger.checks.refused_before(one.fingerprint for one in accounts),
        paid={(one.payee, one.destination) for one in paid},
        doubtful=payees_with_warnings(obligations, payees, run.issues),
    )


def _wait_for_others(run: Run, asked: Sequence[AccountToCheck]) -> set[str]:
    """Wait, for a while, for the answers to calls that other runs are making; returns the accounts they answered.

    An account whose call came to nothing there is asked about here, once.
    """
    waiting = {name for name, verdict in run.verdicts.items() if verdict.result is CheckResult.IN_FLIGHT}
    ends_at_s = run.clock.monotonic_s() + WAIT_CALLS * run.timeout_s
    answered, freed = set[str](), set[str]()
    while waiting and run.clock.monotonic_s() < ends_at_s:
        run.ledger.checks.abandoned(lambda owner: _gone(run, owner))
        landed = waiting - run.ledger.checks.in_flight(waiting)
        kept = run.ledger.checks.kept(landed, run.clock.now())
        for name in landed & kept.keys():
            run.verdicts[name] = Verdict(CheckResult(kept[name].result), kept[name].message)
            answered.add(name)
        freed |= landed - kept.keys()
        waiting -= landed
        if waiting:
            run.clock.sleep(_LOOK_EVERY_S)
    again = [one for one in asked if one.fingerprint in freed]
    run.verdicts |= ask_accounts(run, likely_good_first(again, _known_of(run, again)))
    return answered


def _gone(run: Run, owner: Owner) -> bool:
    return is_gone(owner, run.owner)


def _account_for(run: Run, accounts: Sequence[AccountToCheck], reused: set[str]) -> None:
    """Tell every account's result, every call that was paid for, and what the run may still spend."""
    calls = [
        Call(one.fingerprint, one.result, one.message, one.cost_cents) for one in run.ledger.checks.for_run(run.id)
    ]
    run.check_rows = account_rows(accounts, run.verdicts, reused, calls)
    run.checks = count_checks(run.check_rows, run.job.account_checks.budget)
    if any(row["result"] != CheckResult.VALID for row in run.check_rows):
        run.codes.add(ExitCode.ROWS_HELD)
