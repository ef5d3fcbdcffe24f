"""Approval: a person's word on the frozen plan, or what the job says may go without one."""

from collections.abc import Sequence

from flows.stages.earlier_reports import attempts_of, require_still_failed
from flows.stages.plan_view import warn_of_plan
from flows.stages.reasons_to_look import reasons_to_look, were_shown
from flows.stages.run import Run
from flows.stages.words_given import approvers_needed, rule_for, words_given
from flows.steps.accrue import History
from flows.steps.exchange_rate import facts_of
from flows.steps.inputs import Inputs
from flows.steps.work_out import Worked
from io_adapters.ledger.accrual_posting import Accrual, AccrualPosting
from io_adapters.ledger.plans import StoredPlan
from schemas.approval import GOOD_FOR, PlanRule
from schemas.exit_codes import ExitCode
from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode, Severity
from schemas.job import Job, Period
from schemas.money import format_cents
from schemas.plan import Approval, ApprovalKind, PaymentPlan
from schemas.told import Told


def approve(run: Run) -> None:
    """Turn a plan that has the words it needs into approved submissions, which claim their obligations.

    Carry-over and recoupment are posted in the same transaction. A plan that lacks words is left as it is, and the run
    ends with exit 14, naming digest and total. Where files are used again and nothing of them is to be paid now, there
    is nothing that a person could approve, and nothing is posted.
    """
    plan = run.plan
    if plan is None:
        raise RuntimeError("no plan has been frozen")
    reasons = reasons_to_look(run, plan)
    if reasons and not were_shown(run, plan, reasons):
        run.ledger.approvals.void(plan.digest)
    run.issues += _limits_passed(run, plan)
    accruals = _accruals(run)
    if not plan.batches:
        if run.used_before.released:
            files = ", ".join(sorted(run.used_before.released))
            run.end_with(ExitCode.APPROVAL_WANTED, run.say("approval.again_unpaid", files=files))
        elif accruals is not None:
            run.ledger.accruals.post(accruals, run.id)
        return
    stored, must_look = run.ledger.plans.get(plan.digest), bool(reasons)
    rule = rule_for(run.ledger, run.job, stored)
    wanted = approvers_needed(rule, stored, must_look=must_look)
    if run.order.yes:
        _take_yes(run, plan, rule, wanted, must_look=must_look)
    given = words_given(run.ledger, rule, stored, wanted, run.clock.now(), by_flag=not must_look)
    if len(given) < wanted:
        lacking = wanted - len(given)
        run.end_with(ExitCode.APPROVAL_WANTED, _call_for_approval(run, stored, rule, wanted, lacking, reasons))
        warn_of_plan(run)
        return
    require_still_failed(run, {attempt.report_id for attempt in attempts_of(run).values()})
    run.ledger.submissions.approve_plan(
        plan.digest, run.id, accruals, run.clock.now(), approvers=wanted, rule=rule, by_flag=not must_look
    )
    run.progress.tell(run.say("approval.given", payments=plan.payees, batches=len(plan.batches)))


def _accruals(run: Run) -> AccrualPosting | None:
    if run.standing is None:
        raise RuntimeError("the ledger was not asked")
    return what_to_post(run.job, run.order.period, run.require_inputs(), run.standing.history, run.require_worked())


def what_to_post(job: Job, period: Period, inputs: Inputs, history: History, worked: Worked) -> AccrualPosting | None:
    """Say in the ledger's words what a period leaves for later ones; None where there is nothing to say.

    An open period is posted as it is, and "nothing" is a posting too where there were royalties. Of a period that a
    later one has closed, only what has changed in it is.
    """
    late = history.closed is not None
    if not worked.postings and (late or not (inputs.statements or history.carried_in)):
        return None
    rows = tuple(Accrual(one.kind, one.payee, one.reference, one.amount_cents) for one in worked.postings)
    return AccrualPosting(job.job, job.payer.tax_id, job.currency, period.label, period.start, rows, late)


def _limits_passed(run: Run, plan: PaymentPlan) -> list[Issue]:
    """Tell which of the limits the plan is above: the job's, or the policy's where those are lower."""
    rule, language, file = rule_for(run.ledger, run.job), run.job.outputs.language, run.order.job_path.name
    passed = [
        (IssueCode.LIMIT_PAYMENT, rule.payment_limit_cents, plan.largest_cents),
        (IssueCode.LIMIT_RUN, rule.run_limit_cents, plan.total_cents),
    ]
    return [
        make_issue(
            code,
            language=language,
            file=file,
            severity=Severity.WARNING,
            found=format_cents(cents, language),
            limit=format_cents(limit, language),
        )
        for code, limit, cents in passed
        if limit is not None and cents > limit
    ]


def _take_yes(run: Run, plan: PaymentPlan, rule: PlanRule, wanted: int, *, must_look: bool) -> None:
    """Count --yes as the word of whoever started the run, within the job's limits and where one word is enough."""
    if wanted > 1 or rule.identities == "signed_in" or rule.other_than_preparer or must_look:
        run.progress.tell(run.say("approval.yes"))
        return
    now = run.clock.now()
    run.ledger.approvals.record(
        Approval(plan.digest, run.order.by, ApprovalKind.YES_FLAG, plan.total_cents, now, now + GOOD_FOR)
    )


def _call_for_approval(
    run: Run, plan: StoredPlan, rule: PlanRule, wanted: int, missing: int, reasons: Sequence[Told]
) -> str:
    """Say how many people must still approve the plan, who counts, where they say so, and why one must look."""
    facts = {
        "people": missing,
        "payments": plan.payees,
        "batches": plan.batches,
        "currency": plan.currency,
        "total": format_cents(plan.total_cents, run.language),
        "digest": plan.digest,
    }
    lines = [run.say("approval.wanted", **facts)]
    signed_in = rule.identities == "signed_in"
    lines.append(run.say("approval.in_desk" if signed_in else "approval.how", **facts))
    if wanted > 1 or rule.other_than_preparer:
        lines.append(run.say("approval.others_only", people=", ".join(sorted(plan.preparers))))
    elif rule.other_than_preparer is None and run.ledger.desk_users.list():
        lines.append(run.say("approval.others_in_desk", people=", ".join(sorted(plan.preparers))))
    if run.plan is not None and run.plan.exchange:
        lines.append(run.say("rate.terms", **facts_of(run.plan.exchange)))
    return "\n  ".join([*lines, *(reason.in_words(run.language) for reason in reasons)])
