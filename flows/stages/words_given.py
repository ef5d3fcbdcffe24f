"""Whose words count, and how many more a plan that waits still needs."""

import datetime as dt

from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.plans import StoredPlan
from schemas.errors import WordRefused
from schemas.job import Job
from schemas.person import different_people, same_person
from schemas.plan import ApprovalKind, PaymentPlan
from schemas.told import Told


def beyond_limits(job: Job, plan: PaymentPlan | StoredPlan) -> bool:
    """Whether the plan holds a payment, or a total, above what the job lets one person approve."""
    limits = job.rules.limits
    return (limits.payment is not None and plan.largest_cents > limits.payment) or (
        limits.run is not None and plan.total_cents > limits.run
    )


def words_given(
    ledger: Ledger, job: Job, plan: PaymentPlan | StoredPlan, now: dt.datetime, *, by_flag: bool = True
) -> frozenset[str]:
    """Return who has said yes to this very plan and total.

    Where people have to sign in, a name that was only typed does not count; with two needed, whoever prepared the plan
    does not. Nor does whoever has been kept out of the desk since.

    Args:
        ledger: Knows them.
        job: Says whose words count.
        plan: What they are about.
        now: The present moment (UTC).
        by_flag: Whether --yes counts as a word.
    """
    disabled = {same_person(user.name) for user in ledger.desk_users.list() if user.disabled}
    standing = [
        approval
        for approval in ledger.approvals.standing(plan.digest, now)
        if approval.kind is not ApprovalKind.SIGNED_IN or same_person(approval.by) not in disabled
    ]
    if job.approval.identities == "signed_in":
        standing = [approval for approval in standing if approval.kind is ApprovalKind.SIGNED_IN]
    if not by_flag:
        standing = [approval for approval in standing if approval.kind is not ApprovalKind.YES_FLAG]
    people = different_people(approval.by for approval in standing if approval.total_cents == plan.total_cents)
    if job.approval.approvers == 1 and not beyond_limits(job, plan):
        return people
    return people - {same_person(ledger.plans.get(plan.digest).prepared_by)}


def words_missing(ledger: Ledger, job: Job, plan: StoredPlan, now: dt.datetime) -> int:
    """How many more people must say yes to a plan that waits for approval; the next run has the last word on that."""
    wanted = 2 if beyond_limits(job, plan) else job.approval.approvers
    return max(0, wanted - len(words_given(ledger, job, plan, now)))


def require_typed_word_counts(ledger: Ledger, job: str | None) -> None:
    """Refuse a name that was only typed where people have to sign in.

    Args:
        ledger: Knows what each job declares.
        job: Whose money the word is about; None for a word about all jobs.

    Raises:
        WordRefused: the job, or any of them, counts only words of people who signed in; nothing was recorded.
    """
    rules = ledger.word_rules
    if rules.any_wants_signed_in() if job is None else rules.wants_signed_in(job):
        raise WordRefused(Told("approval.signed_in_any") if job is None else Told("approval.signed_in_job", job=job))
