"""Words on a plan, and on account checks: a yes to the total, a no, and that files of nobody's were received."""

import datetime as dt
from collections.abc import Iterator

from flows.acts.act import Done, House, Word
from flows.acts.forms import Approve, Receive, Reject
from io_adapters.ledger.account_checks import CheckRequest
from io_adapters.ledger.approvals_missing import approvals_given, approvers_needed
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.plans import StoredPlan
from schemas.approval import GOOD_FOR, stricter
from schemas.errors import ApprovalWanted, DecisionRefused
from schemas.job import BRASILIA
from schemas.messages import Listed, Message, Money
from schemas.plan import Approval, short_digest
from schemas.submission import LIVE, PlanFate, Submission, SubmissionState
from schemas.values.money import parse_amount
from schemas.values.names import is_plain_name, same_person

_FATES = ("withdrawn", "in_doubt", "sent", "ended")


def approve(house: House, word: Word, said: Approve) -> Done:
    """Write a person's yes down, bound to what it is about and to the total that the person typed. Sends nothing.

    It is about a plan, by its digest, or about account checks, by the accounts and what they cost.

    Raises:
        DecisionRefused: the total is not an amount, or the name was only typed where people have to sign in.
        ApprovalWanted: no such plan, or the total is another, or texts were not looked at, or the plan was taken up
            already, rejected, or another took its place.
    """
    if not is_plain_name(word.by):
        raise DecisionRefused(Message("approval.plain_name"))
    try:
        total_cents = parse_amount(said.total)
    except ValueError:
        raise DecisionRefused(Message("approval.total_unreadable")) from None
    asked = house.ledger.check_requests.find(said.digest)
    if asked is not None:
        return _agree_to_checks(house, word, asked, total_cents)
    stored = house.ledger.plans.get(said.digest)
    word.require_counts(house.ledger, [stored.job])
    _require_total(stored.total_cents, total_cents)
    texts = len(house.ledger.plan_views.texts_of(stored.digest))
    if texts and said.seen != texts:
        raise ApprovalWanted(Message("approval.texts", count=texts, seen=said.seen))
    states = {submission.state for submission in stored.submissions}
    if SubmissionState.PLANNED not in states and not stored.rejected_by:
        is_taken = stored.approved_at is not None or states & LIVE
        raise ApprovalWanted(Message("approval.taken_up" if is_taken else "approval.replaced"))
    approval = _approval(house, word, stored.digest, total_cents)
    house.ledger.approvals.record(approval)
    counts = same_person(word.by) in _counting(house.ledger, stored, approval.at)
    facts = {"by": word.by, "currency": stored.currency, "total": Money(total_cents), "job": stored.job}
    until = approval.expires_at.astimezone(BRASILIA)
    payments = Message("count.payments", count=stored.payees)
    lines = [Message("cli.approved", payments=payments, until=until, **facts)]
    lines += [] if counts else [Message("cli.approved.does_not_count")]
    document = {"plan_digest": stored.digest, "by": word.by, "expires_at": approval.expires_at.isoformat()}
    return Done("approved", tuple(lines), document | {"counts": counts})


def _agree_to_checks(house: House, word: Word, asked: CheckRequest, total_cents: int) -> Done:
    word.require_counts(house.ledger, [asked.job])
    _require_total(asked.cost_cents, total_cents)
    house.ledger.check_requests.approve(_approval(house, word, asked.digest, total_cents))
    facts = {"by": word.by, "count": asked.checks, "job": asked.job, "cost": Money(total_cents)}
    return Done("agreed", (Message("cli.checks.approved", **facts),), {"checks_digest": asked.digest, "by": word.by})


def _require_total(ours_cents: int, theirs_cents: int) -> None:
    if theirs_cents != ours_cents:
        raise ApprovalWanted(Message("approval.other_total", ours=Money(ours_cents), theirs=Money(theirs_cents)))


def _approval(house: House, word: Word, digest: str, total_cents: int) -> Approval:
    now = house.clock.now()
    return Approval(digest, word.by, word.kind, total_cents, now, now + GOOD_FOR)


def _counting(ledger: Ledger, plan: StoredPlan, now: dt.datetime) -> frozenset[str]:
    """Return whose yes counts by what the plan was frozen under and the policy; its job file is not read here."""
    rule = stricter(plan.rule, ledger.decision_rules.policy())
    return approvals_given(ledger, rule, plan, approvers_needed(rule, plan, needs_review=True), now)


def reject(house: House, word: Word, said: Reject) -> Done:
    """Write a person's no down: approvals so far are void, and what of the plan was not sent is withdrawn.

    Raises:
        DecisionRefused: the name was only typed where people have to sign in.
        ApprovalWanted: no such plan, or all of it was sent already.
    """
    stored = house.ledger.plans.get(said.digest)
    word.require_counts(house.ledger, [stored.job])
    fate = PlanFate(tuple(house.ledger.submissions.reject_plan(stored.digest, word.by, said.why)))
    lines = (Message("cli.rejected", by=word.by, plan=short_digest(stored.digest)), *_what_became_of(fate, stored))
    groups = {what: [_batch(one) for one in batches] for what, batches in fate.groups.items() if what != "unsent"}
    return Done("rejected", lines, {"plan_digest": stored.digest, "by": word.by} | groups)


def _what_became_of(fate: PlanFate, plan: StoredPlan) -> Iterator[Message | Listed]:
    for what, batches in fate.groups.items():
        if not batches or what not in _FATES:
            continue
        counted = Message("count.payments", count=sum(batch.payments for batch in batches))
        total = Money(sum(batch.amount_cents for batch in batches))
        yield Message(f"cli.rejected.{what}", payments=counted, currency=plan.currency, total=total)
        for batch in batches:
            yield Listed((f"    {batch.report_id}", Message(f"state.{batch.state.value}")), "  ")


def _batch(batch: Submission) -> dict[str, object]:
    state = {"report_id": batch.report_id, "state": batch.state.value}
    return state | {"payments": batch.payments, "amount_cents": batch.amount_cents}


def receive(house: House, word: Word, said: Receive) -> Done:
    """Take somebody's word for files that nobody is known to have brought; they do not count as an approver then."""
    files = house.ledger.approvals.receive(house.ledger.plans.get(said.digest).digest, word.by)
    return Done("received", facts={"files": list(files)})
