"""Drafting a plan from inputs and the ledger; nothing is asked of the service or written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flows.intake.intake import Intake
from flows.intake.rules.inputs import Inputs
from flows.payables.rules.account_checks import (
    NO_CHECKS,
    AccountToCheck,
    CheckResult,
    Checks,
    CheckVerdict,
    accounts_to_pay,
    asked_again,
)
from flows.payables.rules.claims import list_in_place
from flows.payables.rules.compute import LedgerSnapshot, Payables, compute_payables, share_out
from flows.payables.rules.left_out import report_settled, set_aside
from flows.payables.snapshot import take_snapshot
from flows.run import Run
from io_adapters.ledger.account_checks import KeptCheck
from schemas.approval import least
from schemas.errors import UnsoundPlan
from schemas.issues import IssueCode
from schemas.messages import Listed, Message
from schemas.plan import PaymentPlan


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be paid, as far as it has been decided; each stage makes a new one of what it finds out.

    Attributes:
        verdicts: Check fingerprint -> what is known of the account.
        plan: The frozen plan; None before there is one.
    """

    intake: Intake
    snapshot: LedgerSnapshot
    verdicts: Mapping[str, CheckVerdict]
    payables: Payables
    checks: Checks = NO_CHECKS
    plan: PaymentPlan | None = None

    @property
    def inputs(self) -> Inputs:
        return self.intake.inputs


def draft(run: Run, intake: Intake) -> Draft:
    """Work everything out with the account answers already kept; an account nobody knows is taken as payable.

    Raises:
        UnsoundPlan: shares above 100 %, a currency without a rate, a statement in the place of another month's, or what
            the job's rules call an error.
    """
    return draft_of(run, *take_snapshot(run, intake))


def draft_of(run: Run, intake: Intake, snapshot: LedgerSnapshot) -> Draft:
    """Do the same with what the ledger was asked already.

    Raises:
        UnsoundPlan: as `draft` says.
    """
    computed = work_out(run, intake, snapshot)
    kept = kept_answers(run, computed) if run.job.account_checks.when == "new_or_changed" else {}
    return Draft(intake, snapshot, kept, _compute(run, intake, snapshot, kept) if kept else computed)


def work_out(run: Run, intake: Intake, snapshot: LedgerSnapshot) -> Payables:
    """Work out who is owed what, whatever is known of accounts.

    Raises:
        UnsoundPlan: as `draft` says.
    """
    _refuse_slips(run, intake)
    computed = _compute(run, intake, snapshot, {})
    paid = (*snapshot.claims, *snapshot.claims_elsewhere)
    if file := list_in_place(computed.obligations, paid, _handed_in(run, intake)):
        raise UnsoundPlan(Message("plan.list_in_place", file=file, period=run.request.period.label))
    return computed


def refuse_unsound(run: Run, intake: Intake, snapshot: LedgerSnapshot) -> None:
    """Refuse what no plan can be made of, working out no more than that asks for.

    Raises:
        UnsoundPlan: as `draft` says.
    """
    if len(intake.inputs.payments):  # of which a list may stand in the place of another one
        work_out(run, intake, snapshot)
        return
    _refuse_slips(run, intake)
    inputs, _ = set_aside(intake.inputs, snapshot.repeated)
    share_out(inputs, run.job, run.request.period, snapshot.history.journal.deals)


def _refuse_slips(run: Run, intake: Intake) -> None:
    if slips := intake.used_before.in_place:
        raise UnsoundPlan(Listed(tuple(Message("plan.in_place", **slip.facts) for slip in slips), "; "))
    if rates := [issue.message for issue in intake.inputs.issues if issue.code is IssueCode.RATE_OUTSIDE_PERIOD]:
        why = Listed(tuple(dict.fromkeys(rates)), "; ")
        raise UnsoundPlan(Message("plan.rate_of_other_days", why=why, period=run.request.period.label))


def _handed_in(run: Run, intake: Intake) -> frozenset[str]:
    """Name the files that somebody has said to be of this very period."""
    given = {Path(path).name for _, path in run.request.files}
    return frozenset(name for name, sha256 in intake.files if sha256 in run.request.month.confirmed) | given


def redraft(run: Run, before: Draft) -> Draft:
    """Work everything out again where the ledger knows something new by now."""
    intake, snapshot = take_snapshot(run, before.intake)
    if snapshot == before.snapshot and intake.inputs is before.inputs:
        return replace(before, snapshot=snapshot)
    return replace(draft_of(run, intake, snapshot), checks=before.checks)


def with_verdicts(run: Run, before: Draft, verdicts: Mapping[str, CheckVerdict]) -> Draft:
    """Decide anew with what is known of accounts by now; the same facts are not worked out twice."""
    if verdicts == before.verdicts:
        return before
    payables = _compute(run, before.intake, before.snapshot, verdicts)
    return replace(before, verdicts=dict(verdicts), payables=payables)


def _compute(run: Run, intake: Intake, snapshot: LedgerSnapshot, verdicts: Mapping[str, CheckVerdict]) -> Payables:
    payables = compute_payables(intake.inputs, run.job, run.request.period, snapshot, verdicts)
    return replace(payables, obligations=report_settled(payables.obligations, intake.settled))


def kept_answers(run: Run, payables: Payables) -> dict[str, CheckVerdict]:
    """Return the answers the ledger keeps about the accounts of those who would be paid."""
    accounts = accounts_to_pay(payables.obligations, ownership=run.job.account_checks.ownership)
    kept = run.ledger.checks.kept([account.fingerprint for account in accounts], run.clock.now())
    again = _asked_again(run, accounts, kept)
    return {
        name: CheckVerdict(CheckResult(answer.result), answer.message)
        for name, answer in kept.items()
        if answer.result != "unknown"  # no answer is kept of a call that had none: another run asks again
        if name not in again
    }


def _asked_again(run: Run, accounts: Sequence[AccountToCheck], kept: Mapping[str, KeptCheck]) -> frozenset[str]:
    """Name the accounts whose kept answer counts no more, by the stricter of the job's and the house's bound."""
    house, own_cents = run.ledger.decision_rules.house(), run.job.account_checks.phone_again_above
    above_cents = least([own_cents, house.phone_again_above_cents if house else None])
    if above_cents is None:
        return frozenset()
    paid = run.ledger.history.destinations({account.obligation.payee.tax_id for account in accounts})
    last_paid_at = {(used.payee, used.destination): used.last_at for used in paid}
    checked_at = {name: answer.checked_at for name, answer in kept.items() if answer.checked_at}
    return asked_again(accounts, checked_at, last_paid_at, above_cents)
