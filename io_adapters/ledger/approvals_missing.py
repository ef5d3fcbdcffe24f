"""Whose approvals count for a plan, and how many more it needs."""

import datetime as dt

from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.plans import StoredPlan
from schemas.approval import PlanRule, rule_of, stricter
from schemas.errors import DecisionRefused
from schemas.job import Job
from schemas.messages import Message


def rule_for(ledger: Ledger, job: Job, plan: StoredPlan | None = None) -> PlanRule:
    """Return whose yes a plan needs: the stricter of its job now, its job when it was frozen, and the policy."""
    return stricter(rule_of(job), ledger.decision_rules.policy(), plan.rule if plan else None)


def approvers_needed(rule: PlanRule, plan: StoredPlan, *, needs_review: bool = False) -> int:
    """How many people must approve a plan; 0 for one that is small enough, unless a person must look at it.

    Where somebody other than the preparer must, and nobody is known to have brought a file that it rests on, one more:
    whoever brought it could be the one.
    """
    needed = rule.approvers_needed(plan.total_cents, plan.largest_cents, needs_review=needs_review)
    return needed + bool(needed and rule.other_than_preparer and plan.unclaimed)


def approvals_given(
    ledger: Ledger,
    rule: PlanRule,
    plan: StoredPlan,
    needed: int,
    now: dt.datetime,
    *,
    by_flag: bool = True,
    used: bool = False,
) -> frozenset[str]:
    """Return who has said yes to this very plan and total, and counts for what they are now."""
    return frozenset(ledger.approvals.counting(plan.digest, rule, needed, now, by_flag=by_flag, used=used))


def approvals_missing(ledger: Ledger, job: Job, plan: StoredPlan, now: dt.datetime) -> int:
    """How many more people must say yes to a plan that waits for approval; the next run has the last word on that.

    A plan only waits when somebody must look at it.
    """
    rule = rule_for(ledger, job, plan)
    needed = approvers_needed(rule, plan, needs_review=True)
    return max(0, needed - len(approvals_given(ledger, rule, plan, needed, now)))


def require_typed_name_counts(ledger: Ledger, job: str | None) -> None:
    """Refuse a name that was only typed where people have to sign in.

    Args:
        job: Whose money the word is about; None for a word about all jobs.

    Raises:
        DecisionRefused: the job, or any of them, counts only words of people who signed in; nothing was recorded.
    """
    rules = ledger.decision_rules
    if rules.any_wants_signed_in() if job is None else rules.wants_signed_in(job):
        raise DecisionRefused(
            Message("approval.signed_in_any") if job is None else Message("approval.signed_in_job", job=job)
        )
