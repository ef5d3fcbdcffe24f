"""Approving and rejecting frozen plans, and the approval that a job's limits allow without a person."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flows.payables.draft import Draft, redraft, with_verdicts
from flows.payables.earlier_reports import attempts_of, require_still_failed
from flows.payables.freeze_plan import plan_of
from flows.payables.plan_review import notes_on, review_reasons, to_check, were_shown
from flows.payables.preview import warn_of_plan
from flows.payables.rules.exchange_rate import facts_of
from flows.run import Run
from io_adapters.ledger.approvals_missing import (
    approvals_given,
    approvers_needed,
    rule_for,
)
from io_adapters.ledger.claims import LedgerMoved
from io_adapters.ledger.plans import StoredPlan
from schemas.acts import ActKind
from schemas.approval import GOOD_FOR, PlanRule, ReadBytes
from schemas.errors import ExitCode
from schemas.issues import Issue, IssueCode, Severity, make_issue
from schemas.messages import Listed, Message, Money
from schemas.plan import Approval, ApprovalKind, ExchangeTerms, PaymentPlan, short_digest


def approve(run: Run, drafted: Draft) -> None:
    """Turn a plan that has the approvals it needs into approved submissions, which claim their obligations.

    What was judged is what is claimed: where another job has claimed, posted or decided something since the ledger was
    looked at, everything is judged again, until nothing has moved in between.

    Raises:
        LedgerMoved: what would be paid is another sum by now; a run that begins anew plans that.
    """
    while True:
        try:
            _approve(run, drafted)
        except LedgerMoved:
            drafted = _judged_again(run, drafted)
        else:
            return


def _judged_again(run: Run, drafted: Draft) -> Draft:
    """Work the same plan out on what the ledger says by now.

    Raises:
        LedgerMoved: it is not the same plan any more.
    """
    run.show(Message("cli.approval.moved"))
    now = redraft(run, drafted)
    if now.payables is drafted.payables:
        return now
    now = with_verdicts(run, now, drafted.verdicts)
    if drafted.plan is None or plan_of(run, now.payables).digest != drafted.plan.digest:
        raise LedgerMoved(Message("error.ledger_moved"))
    return replace(now, payables=drafted.payables, plan=drafted.plan)


def _approve(run: Run, drafted: Draft) -> None:
    """Approve a plan on what the ledger said when it was worked out.

    What the inputs say is posted in the same transaction. A plan that lacks words is left as it is, and the run
    ends with exit 14, naming digest and total. Where files are used again and nothing of them is to be paid now, there
    is nothing that a person could approve, and nothing is posted.
    """
    plan = drafted.plan
    if plan is None:
        raise RuntimeError("no plan has been frozen")
    reasons = review_reasons(run, drafted, plan)
    texts = to_check(run, drafted)
    if reasons and not were_shown(run, plan, reasons, texts):
        run.ledger.approvals.void(plan.digest)
    run.issues += _limits_passed(run, plan)
    payables, epoch = drafted.payables, drafted.snapshot.epoch
    if not plan.batches:
        if drafted.intake.used_before.released:
            files = ", ".join(sorted(drafted.intake.used_before.released))
            run.end_with(ExitCode.APPROVAL_WANTED, Message("cli.approval.again_unpaid", files=files))
            return
        for file, found in drafted.intake.used_before.gone.items():
            run.end_with(ExitCode.ROWS_HELD, Message("review.file_gone", file=file, found=found))
        run.ledger.journal.post(payables.entries, run.id, epoch)
        return
    stored, needs_review = run.ledger.plans.get(plan.digest), bool(reasons)
    rule = rule_for(run.ledger, run.job, stored)
    wanted = approvers_needed(rule, stored, needs_review=needs_review)
    if run.request.options.yes:
        _take_yes(run, plan, rule, wanted, needs_review=needs_review)
    given = approvals_given(run.ledger, rule, stored, wanted, run.clock.now(), by_flag=not needs_review)
    if len(given) < wanted:
        lacking = wanted - len(given)
        messages = [*reasons, *notes_on(run, drafted)]
        call = _call_for_approval(run, stored, rule, wanted, lacking, messages, plan.exchange)
        run.end_with(ExitCode.APPROVAL_WANTED, call)
        warn_of_plan(run, drafted)
        return
    tried = attempts_of(run.ledger, run.job.job, payables.obligations)
    require_still_failed(run, {attempt.report_id for attempt in tried.values()})
    run.ledger.submissions.approve_plan(
        plan.digest,
        run.id,
        payables.entries,
        run.clock.now(),
        taxes_cents=payables.taxes_cents,
        approvers=wanted,
        rule=rule,
        by_flag=not needs_review,
        epoch=epoch,
        texts=[text.token for text in texts],
    )
    run.show(
        Message(
            "cli.approval.given",
            payments=Message("count.payments", count=plan.payees),
            batches=Message("count.batches", count=len(plan.batches)),
        )
    )


def _limits_passed(run: Run, plan: PaymentPlan) -> list[Issue]:
    """Tell which of the limits the plan is above: the job's, or the policy's where those are lower."""
    rule, file = rule_for(run.ledger, run.job), run.request.job_path.name
    passed = [
        (IssueCode.LIMIT_PAYMENT, rule.payment_limit_cents, plan.largest_cents),
        (IssueCode.LIMIT_RUN, rule.run_limit_cents, plan.total_cents),
    ]
    return [
        make_issue(
            code,
            file=file,
            severity=Severity.WARNING,
            found=Money(cents),
            limit=Money(limit),
        )
        for code, limit, cents in passed
        if limit is not None and cents > limit
    ]


def _take_yes(run: Run, plan: PaymentPlan, rule: PlanRule, wanted: int, *, needs_review: bool) -> None:
    """Count --yes as the word of whoever started the run, within the job's limits and where one word is enough."""
    if wanted > 1 or rule.identities == "signed_in" or rule.other_than_preparer or needs_review:
        run.show(Message("cli.approval.yes"))
        return
    now = run.clock.now()
    run.ledger.approvals.record(
        Approval(plan.digest, run.request.by, ApprovalKind.YES_FLAG, plan.total_cents, now, now + GOOD_FOR)
    )


def _call_for_approval(
    run: Run,
    plan: StoredPlan,
    rule: PlanRule,
    wanted: int,
    missing: int,
    reasons: Sequence[Message],
    exchange: ExchangeTerms | None,
) -> Listed:
    """Say how many people must still approve the plan, who counts, where they say so, and why one must look."""
    facts = {
        "count": missing,
        "payments": Message("count.payments", count=plan.payees),
        "batches": Message("count.batches", count=plan.batches),
        "currency": plan.currency,
        "total": Money(plan.total_cents),
        "digest": short_digest(plan.digest),
    }
    lines = [Message("cli.approval.wanted", **facts)]
    page = run.desk_page(f"plans/{plan.digest}")
    texts = len(run.ledger.plan_views.texts_of(plan.digest))
    lines.append(
        Message("cli.approval.in_desk", **facts)
        if rule.identities == "signed_in"
        else Message("cli.approval.how", **facts, seen=seen_option(texts))
    )
    if rule.identities == "declared":
        lines.append(Message("cli.approval.typed_names"))
    if page:
        lines.append(Message("cli.approval.page", page=page))
    if wanted > 1 or rule.other_than_preparer:
        lines.append(Message("cli.approval.others_only", people=", ".join(sorted(plan.preparers))))
        lines.append(Message("cli.approval.files", files=Listed(tuple(map(_brought, plan.read[:_MOST_FILES])))))
        if rule.other_than_preparer and plan.unclaimed:
            lines.append(Message("cli.approval.unclaimed", files=", ".join(plan.unclaimed)))
    elif rule.other_than_preparer is None and run.ledger.desk_users.list():
        lines.append(Message("cli.approval.others_in_desk", people=", ".join(sorted(plan.preparers))))
    if exchange:
        lines.append(Message("cli.rate.terms", **facts_of(exchange)))
    return Listed((*lines, *reasons), "\n  ")


_MOST_FILES: Final = 12
_ACTS: Final = frozenset(kind.value for kind in ActKind)
_DIGITS: Final = 8


def _brought(file: ReadBytes) -> Message:
    people = ", ".join(file.people) or Message("desk.plan.by_nobody")
    is_act = file.name in _ACTS  # what was said of the month, which is bytes like a file's
    called = Message(f"act.{file.name}") if is_act else file.name
    return Message("cli.approval.file", file=called, hash=file.sha256[:_DIGITS], people=people)


def seen_option(texts: int) -> Message | str:
    """Return what is typed behind a command that approves a plan with so many texts to look at."""
    return Message("cli.approval.seen", count=texts) if texts else ""
