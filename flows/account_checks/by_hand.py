"""Checking one account by hand, at a price that is said before, with the care that a run takes."""

from collections.abc import Callable
from dataclasses import dataclass

from flows.account_checks.check_accounts import ask_accounts
from flows.intake.read import read
from flows.payables.draft import draft
from flows.payables.judge_inputs import judge_inputs
from flows.payables.rules.account_checks import (
    AccountToCheck,
    CheckResult,
    CheckVerdict,
    accounts_to_pay,
    check_cost_cents,
)
from flows.run import Run
from schemas.errors import DecisionRefused
from schemas.messages import Message
from schemas.obligation import Payee
from schemas.values.names import same_person
from schemas.values.tax_id import parse_tax_id


@dataclass(frozen=True, slots=True)
class AskedAccount:
    """One account of a job.

    Attributes:
        verdict: What is known of it, while that counts; None where nothing does.
    """

    account: AccountToCheck
    verdict: CheckVerdict | None
    cost_cents: int


def account_of(run: Run, payee: str) -> AskedAccount:
    """Find the account to which a job would pay somebody now.

    Raises:
        DecisionRefused: it would pay nobody of that name or document, several of them, or to several accounts.
    """
    rules = run.job.account_checks
    drafted = draft(run, judge_inputs(run, read(run)))
    accounts = accounts_to_pay(drafted.payables.obligations, ownership=rules.ownership)
    is_meant = _meant(payee)
    found = [account for account in accounts if is_meant(account.obligation.payee)]
    if len(found) != 1:
        raise DecisionRefused(Message("error.one_account", count=len(found)))
    kept = run.ledger.checks.kept([found[0].fingerprint], run.clock.now()).get(found[0].fingerprint)
    verdict = CheckVerdict(CheckResult(kept.result), kept.message) if kept and kept.result != "unknown" else None
    return AskedAccount(found[0], verdict, check_cost_cents(rules.fee))


def _meant(text: str) -> Callable[[Payee], bool]:
    tax_id = parse_tax_id(text).value
    return lambda payee: payee.tax_id == tax_id if tax_id else same_person(payee.name) == same_person(text)


def check_by_hand(run: Run, asked: AskedAccount, *, again: bool) -> CheckVerdict:
    """Ask the service about one account, once, unless what is known of it counts still; the answer is kept.

    Effects: one paid call, within the job's budget and what the house allows.
    """
    if asked.verdict is not None and not again:
        return asked.verdict
    return ask_accounts(run, [asked.account])[asked.account.fingerprint]
