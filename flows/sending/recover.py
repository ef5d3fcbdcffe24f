"""Recovery before anything new: settle doubts, and send stored approved batches that are still valid."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from flows.payables.draft import Draft, kept_answers, redraft
from flows.payables.rules.compute import Payables, compute_payables, identity_of
from flows.payables.rules.exchange_rate import terms_of
from flows.payables.rules.plan_batches import batch_again
from flows.reports.report_list import doubt_abandoned, poll_reports
from flows.run import Run
from flows.sending.exchange_rates import set_rates
from flows.sending.send import send
from io_adapters.ledger.approvals_missing import approvals_given, approvers_needed, rule_for
from schemas.errors import ExitCode, NotSent
from schemas.messages import Message, Money
from schemas.plan import Place
from schemas.submission import Submission, SubmissionState

S = SubmissionState


def recover(run: Run, drafted: Draft) -> Draft:
    """Finish stored approved batches, byte for byte, and their exchange rates; then work out again what is left.

    Raises:
        NotSent: the service cannot be reached or refuses the key, or sending is on hold with batches waiting, or an
            answer said that no further batch would fare better: then nothing that costs money is asked either.
        SendingFrozen: ledger and service disagree.
    """
    doubt_abandoned(run)
    poll_reports(run)
    withdraw_what_lapsed(run, drafted)
    send(run, drafted.payables.obligations)
    if run.sending_stopped:
        raise NotSent(run.sending_stopped)
    set_rates(run, run.job.job)
    return redraft(run, drafted)


def withdraw_what_lapsed(run: Run, drafted: Draft) -> None:
    """Withdraw approved batches that were never sent and do not stand any more; their payments are planned anew.

    A batch stands while its approval lasts, the people who gave it still count, and the same input and rules would make
    the very same bytes. Those of another period, whose input this run has not read, only lapse; the rest is told.
    """
    waiting = run.ledger.submissions.list(job=run.job.job, states={S.APPROVED, S.NOT_SENT}, bodies=False)
    if not waiting:
        return
    until, now = run.ledger.submissions.good_until([submission.id for submission in waiting]), run.clock.now()
    _withdraw(run, [submission for submission in waiting if submission.id not in until], "recover.rejected")
    _withdraw(
        run,
        [submission for submission in waiting if submission.id in until and until[submission.id] <= now],
        "recover.lapsed",
    )
    left = [submission for submission in waiting if submission.id in until and until[submission.id] > now]
    mine = [submission for submission in left if submission.period == run.request.period.label]
    unworded = _without_words(run, mine)
    _withdraw(run, unworded, "recover.words")
    mine = [submission for submission in mine if submission not in unworded]
    if mine:
        _withdraw(run, _changed(run, drafted, mine), "recover.changed")
    _report_other_periods(run, [submission for submission in left if submission.period != run.request.period.label])


def _withdraw(run: Run, batches: Sequence[Submission], why: str) -> None:
    if not batches:
        return
    reason = Message(f"cli.{why}.reason")
    withdrawn = run.ledger.submissions.withdraw_unsent([batch.id for batch in batches], run_id=run.id, reason=reason)
    for batch in withdrawn:
        amount = Money(batch.amount_cents, batch.currency)
        facts = {"report": batch.report_id, "payments": batch.payments, "amount": amount}
        run.messages.append(Message("cli.recover.withdrawn", **facts, reason=reason))


def _without_words(run: Run, batches: Sequence[Submission]) -> list[Submission]:
    """Choose the batches whose plan lacks words by now: a rule became stricter, or who gave them does not count."""
    lacking = set[str]()
    for digest in {batch.plan_digest for batch in batches}:
        plan = run.ledger.plans.get(digest)
        rule = rule_for(run.ledger, run.job, plan)
        needed = max(run.ledger.submissions.approvers_of(digest), approvers_needed(rule, plan))
        if len(approvals_given(run.ledger, rule, plan, needed, run.clock.now(), used=True)) < needed:
            lacking.add(digest)
    return [batch for batch in batches if batch.plan_digest in lacking]


def _changed(run: Run, drafted: Draft, batches: Sequence[Submission]) -> list[Submission]:
    """Choose the batches that the present input, payees, accounts and rules would not make again, byte for byte."""
    job, period = run.job, run.request.period
    identity = identity_of(job, period)
    payables = _worked_without(run, drafted, {batch.id for batch in batches})
    planned = {obligation.key: obligation for obligation in payables.obligations if obligation.place is Place.PLANNED}
    arrays = payables.arrays(job.breakdown)
    rates = {digest: run.ledger.plans.get(digest).exchange for digest in {batch.plan_digest for batch in batches}}

    def stands(batch: Submission) -> bool:
        payments = run.ledger.claims.payments_of(batch.id)
        again = batch_again(batch.batch_number, payments, planned, identity, period, arrays)
        same_rate = rates[batch.plan_digest] == terms_of(job)
        return again is not None and again.content_hash == batch.content_hash and same_rate

    return [batch for batch in batches if not stands(batch)]


def _worked_without(run: Run, drafted: Draft, submission_ids: Collection[str]) -> Payables:
    snapshot = drafted.snapshot
    claims = tuple(claim for claim in snapshot.claims if claim.submission_id not in submission_ids)
    others = tuple(claim for claim in snapshot.claims_elsewhere if claim.submission_id not in submission_ids)
    before = replace(snapshot, claims=claims, claims_elsewhere=others)
    inputs, period = drafted.inputs, run.request.period
    payables = compute_payables(inputs, run.job, period, before, {})
    if run.job.account_checks.when != "new_or_changed":
        return payables
    return compute_payables(inputs, run.job, period, before, kept_answers(run, payables))


def _report_other_periods(run: Run, batches: Sequence[Submission]) -> None:
    for (period, digest), count in Counter((batch.period, batch.plan_digest) for batch in batches).items():
        cents = sum(batch.amount_cents for batch in batches if (batch.period, batch.plan_digest) == (period, digest))
        facts = {"period": period, "count": count, "amount": Money(cents), "digest": digest}
        run.end_with(ExitCode.NOT_SENT, Message("cli.recover.other_period", **facts))
