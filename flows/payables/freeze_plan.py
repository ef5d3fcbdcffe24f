"""Freezing a plan: cut it into batches and store them, byte for byte, before anybody approves."""

from dataclasses import replace

from flows.intake.intake import Intake, record_inputs
from flows.intake.rules.hold_lines import HELD_FOR
from flows.payables.draft import Draft
from flows.payables.earlier_reports import attempts_of
from flows.payables.rules.account_checks import check_fingerprint, mask_words
from flows.payables.rules.claims import report_second_attempts
from flows.payables.rules.compute import Payables, identity_of
from flows.payables.rules.exchange_rate import terms_of
from flows.payables.rules.left_out import issues_for_obligations, used_corrections
from flows.payables.rules.paid_before import paid_alike, report_twins
from flows.payables.rules.plan_batches import plan_batches
from flows.run import Run
from io_adapters.ledger.approvals_missing import rule_for
from schemas.approval import APPROVING, DecisionKind
from schemas.errors import ApprovalWanted, ExitCode, RowsRefused
from schemas.issues import Issue, IssueCode, errors_among, make_issue
from schemas.messages import Message, Money
from schemas.obligation import Obligation, any_in, planned_payments
from schemas.plan import KEPT_BACK, Approval, PaymentPlan, Place, short_digest
from schemas.sources import PaidAlike, SourceKind, UsedSource
from schemas.submission import SubmissionState
from schemas.values.names import same_person


def freeze_plan(run: Run, drafted: Draft) -> Draft:
    """Make the plan and store it in the ledger; older plans of this job and period that wait for approval are void.

    Raises:
        RowsRefused: rows have problems, and the job says that then nothing is sent.
        ApprovalWanted: the run was started by who approved a plan, and this would be another.
    """
    payables, job = drafted.payables, run.job
    issues = row_issues(run, drafted)
    run.issues += [issue for issue in issues if issue not in run.issues]
    held = any_in(payables.obligations, KEPT_BACK)
    if held:
        run.codes.add(ExitCode.ROWS_HELD)
    if job.rules.invalid_payee == "stop" and (held or errors_among(run.issues)):
        raise RowsRefused(Message("cli.rows.stop"))
    plan = plan_of(run, payables)
    _keep_approved(run, plan)
    rule = rule_for(run.ledger, job)
    record_inputs(run, drafted.intake)
    stored = run.ledger.plans.store(plan, run.id, run.request.by, run.require_service().url, rule)
    _remember_files(run, drafted.intake)
    run.ledger.sources.record(run.id, _used_by(drafted))
    run.ledger.pix_key_types.confirm(job.job, drafted.intake.confirmed_key_types, run.request.by)
    used = used_corrections(drafted.intake.put_right, payables.obligations, drafted.inputs.rows)
    run.ledger.corrected_rows.record(run.id, job.job, run.request.period.label, used)
    named = {
        payment.obligation_key: submission.id
        for batch, submission in zip(plan.batches, stored, strict=True)
        for payment in batch.payments
    }
    return replace(drafted, payables=_named(payables, named, run.id), plan=plan)


def _used_by(drafted: Draft) -> list[UsedSource]:
    """Return what the plan rests on; an invoice of somebody whose royalties still wait for one has not counted."""
    planned = planned_payments(drafted.payables.obligations)
    paid = {obligation.payee.tax_id for obligation in planned if obligation.kind == "royalty"}
    return [used for used in drafted.snapshot.used if used.kind is not SourceKind.INVOICE or used.payee in paid]


def approved_plans(run: Run) -> dict[str, list[Approval]]:
    """Return the plans of the job and period that people have approved and nobody has taken up, by digest."""
    job, period, ledger = run.job.job, run.request.period.label, run.ledger
    planned = ledger.submissions.list(job=job, period=period, states={SubmissionState.PLANNED}, bodies=False)
    digests = {submission.plan_digest for submission in planned}
    given = {digest: ledger.approvals.valid(digest, run.clock.now()) for digest in digests}
    return {digest: approvals for digest, approvals in given.items() if approvals}


def _keep_approved(run: Run, plan: PaymentPlan) -> None:
    """Let no run that an approval started put another plan in the place of the approved one.

    Whoever approved would be its preparer. One who prepared the approved plan as well may plan anew.

    Raises:
        ApprovalWanted: it would; nothing was stored.
    """
    by = same_person(run.request.by)
    for digest, approvals in approved_plans(run).items():
        people = {same_person(approval.by) for approval in approvals}
        prepared = same_person(run.ledger.plans.get(digest).prepared_by) == by
        if digest != plan.digest and not prepared and by in {*people, APPROVING}:
            names = ", ".join(sorted(approval.by for approval in approvals))
            raise ApprovalWanted(Message("cli.plan.approved_another", by=names, approved=short_digest(digest)))


def plan_of(run: Run, payables: Payables) -> PaymentPlan:
    job, period = run.job, run.request.period
    return plan_batches(
        payables.obligations,
        identity_of(job, period),
        period,
        max_payments=job.rules.max_payments_per_batch,
        exchange=terms_of(job),
        arrays=payables.arrays(job.breakdown),
    )


def _remember_files(run: Run, intake: Intake) -> None:
    """Write down which files the plan is made of, and which of their lines; what is held was not used."""
    inputs, before = intake.inputs, intake.used_before
    held_whole = {
        file
        for statement in inputs.statements
        for file in statement.files - set(statement.totals.by_platform["file"])
        if statement.held.loc[statement.held["file"] == file, "codes"].isin(HELD_FOR).any()
    }
    for file in inputs.files:
        run.ledger.files.record(
            run.id,
            run.job.job,
            run.request.period.label,
            file.source,
            file.name,
            file_sha256=file.file_sha256,
            content_sha256=file.content_sha256,
            used=file.name not in {*before.repeated, *held_whole, *inputs.unread_money},
            again=file.name in before.released,
            lines=file.lines,
            sums=file.sums,
        )


def row_issues(run: Run, drafted: Draft) -> list[Issue]:
    """Name each row that is not paid, or looks paid already, with what the service said of its account."""
    ownership = run.job.account_checks.ownership

    def answer_of(obligation: Obligation) -> str:
        verdict = drafted.verdicts.get(check_fingerprint(obligation, ownership=ownership))
        return mask_words(verdict.message, [obligation.payee.name, obligation.account_holder]) if verdict else ""

    inputs, obligations = drafted.inputs, drafted.payables.obligations
    wanting = drafted.payables.to_invoice
    issues = issues_for_obligations(
        obligations, inputs, alike_of(run, drafted), answer_of, wanting, is_preview=run.is_preview
    )
    issues += [*report_twins(obligations), *_moved_tiers(run, drafted)]
    return issues + report_second_attempts(obligations, inputs, attempts_of(run.ledger, run.job.job, obligations))


def _moved_tiers(run: Run, drafted: Draft) -> list[Issue]:
    """Tell of later periods that stand as if this one had come to something else."""
    inputs, labels = drafted.inputs, dict(drafted.snapshot.history.journal.periods)
    names = dict(zip(*(inputs.payees[column].tolist() for column in ("tax_id", "name")), strict=True))
    return [
        make_issue(
            IssueCode.TIER_MOVED,
            file=inputs.shares["file"].iloc[0],
            found=names.get(payee, "?"),
            period=labels.get(start, start.isoformat()),
            amount=Money(cents, run.job.currency),
        )
        for payee, start, cents in drafted.payables.moved_tiers
    ]


def alike_of(run: Run, drafted: Draft) -> dict[str, tuple[PaidAlike, ...]]:
    snapshot = drafted.snapshot
    decided = {key for key, decision in snapshot.decisions.items() if decision.kind is DecisionKind.PAY}
    identity = identity_of(run.job, run.request.period)
    return paid_alike(drafted.payables.obligations, snapshot.elsewhere, identity, decided)


def _named(payables: Payables, submissions: dict[str, str], run_id: str) -> Payables:
    named = (
        replace(obligation, submission_id=submissions[obligation.key], run_id=run_id)
        if obligation.place is Place.PLANNED and obligation.key in submissions
        else obligation
        for obligation in payables.obligations
    )
    return replace(payables, obligations=tuple(named))
