"""The preview of a plan: `repasse plan`, plan.xlsx and the desk's page."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from flows.intake.rules.inputs import input_totals
from flows.payables.draft import Draft
from flows.payables.freeze_plan import alike_of, plan_of, row_issues
from flows.payables.plan_review import compare, notes_on, owner_issues, review_reasons, to_check
from flows.payables.rules.account_checks import (
    accounts_to_ask,
    accounts_to_pay,
    check_cost_cents,
    check_fingerprint,
)
from flows.payables.rules.left_out import mark_repeated
from flows.payables.rules.places import count_rows, place_rows, reconcile, total_up
from flows.payables.rules.plan_batches import sent_fields
from flows.payables.rules.plan_review import (
    destinations_of_plan,
    not_paid_of,
    notices_of_rows,
    rows_of,
)
from flows.payables.rules.returned import returned_cents
from flows.payables.waits import waits_elsewhere
from flows.reports.funding import have_ready
from flows.reports.report_list import frozen_message
from flows.run import Run
from io_adapters.outputs.plan_grids import write_plan_workbook
from schemas.issues import errors_among
from schemas.messages import Listed, Message, render
from schemas.obligation import Obligations, any_in, planned_payments, submissions_of
from schemas.parsing.written import TextToCheck, WrittenText, Wrote
from schemas.plan import HOME_CURRENCY, KEPT_BACK, PaymentPlan
from schemas.plan_view import (
    BatchLine,
    ChecksView,
    PayeeNotice,
    PlannedDestination,
    PlanRow,
    PlanView,
)
from schemas.values.masking import mask_tax_id, mask_within


def view_plan(run: Run, drafted: Draft) -> PlanView:
    """Turn what was worked out, or the plan that was frozen, into a view; asks nobody, writes nothing."""
    job = run.job
    issues = [*row_issues(run, drafted), *owner_issues(run, drafted)]
    run.issues += [issue for issue in issues if issue not in run.issues]
    plan = _plan(run, drafted)
    placed = _placed(run, drafted, plan)
    found = compare(run, drafted, placed)
    checks = _checks(run, drafted)
    alike = alike_of(run, drafted)
    destinations = destinations_of_plan(placed, drafted.snapshot.institutions, _confirmed_at(run, placed))
    planned, others = rows_of(placed, found.notices, found.names, alike, destinations, sent_fields(plan))
    held = any_in(placed, KEPT_BACK)
    stopped = job.rules.invalid_payee == "stop" and bool(held or errors_among(run.issues))
    inputs, before = drafted.inputs, drafted.intake.used_before
    rows = mark_repeated(inputs.rows, before.repeated, before.renamed)
    changes, in_cents = found.changes, input_totals(inputs, drafted.snapshot.history.carried_in)
    cost_cents = sum(batch.amount_cents for batch in plan.batches)
    return PlanView(
        ready=have_ready(run.ledger, cost_cents) if cost_cents and plan.currency == HOME_CURRENCY else None,
        language=run.language,
        digest=plan.digest if plan.batches and not checks.wanted and not stopped else None,
        job=plan.job,
        period=plan.period,
        currency=plan.currency,
        payer_name=job.payer.name,
        payer_document=plan.payer if len(plan.payer) == len("12ABC34501DE35") else _masked(plan.payer),
        exchange=plan.exchange,
        total_cents=plan.total_cents,
        totals=total_up(placed, in_cents + returned_cents(placed), {}, {}, run.id),
        rows=count_rows(place_rows(rows, placed)),
        batches=tuple(BatchLine(b.number, b.payees, b.amount_cents, b.owner_cents) for b in plan.batches),
        payees=len({obligation.payee.tax_id for obligation in planned_payments(placed)}),
        planned=_with_texts(planned, drafted.intake.written, run.language),
        others=_with_texts(others, drafted.intake.written, run.language),
        not_paid=not_paid_of(placed),
        checks=checks,
        notices=_as_shown((*notices_of_rows(placed, alike), *found.notices), placed, destinations),
        first_ever=not (run.ledger.history.ever_paid() or any(notice.attempt for notice in found.notices)),
        changes=replace(changes, changes=tuple(replace(c, tax_id=_masked(c.tax_id)) for c in changes.changes)),
        stopped=stopped,
        review_reasons=(*_in_the_way(run), *review_reasons(run, drafted, plan), *notes_on(run, drafted)),
        to_check=tuple(replace(text, text=_told(text, run.language)) for text in to_check(run, drafted)),
    )


def _told(text: WrittenText | TextToCheck, language: str) -> str:
    """Say what was written so that nobody's data is repeated; a colour by its name."""
    if text.kind is Wrote.COLOUR:
        return ", ".join(render(f"colour.{colour}", language) for colour in text.text.split(", "))
    told = mask_within(text.text)
    return f"{text.column}: {told}" if text.kind in {Wrote.FORMAT, Wrote.UNSEEN} else told


def _with_texts(rows: Iterable[PlanRow], written: Iterable[WrittenText], language: str) -> tuple[PlanRow, ...]:
    """Put beside each payment what people wrote beside its row."""
    of_row = defaultdict[tuple[str, str, int], list[tuple[str, str]]](list)
    for said in written:
        if said.is_of_row:
            of_row[said.file, said.sheet, said.row].append(
                (said.header or render(f"output.written.{said.kind}", language), _told(said, language))
            )
    return tuple(replace(row, written=tuple(of_row.get((row.file, row.sheet, row.row), ()))) for row in rows)


def _in_the_way(run: Run) -> list[Message]:
    """Say what keeps any plan from being sent: a freeze, and a person's hold."""
    freeze, hold = run.ledger.freeze.current(), run.ledger.hold.current()
    stopped = [frozen_message(freeze)] if freeze else []
    return [*stopped, *([Message("cli.hold.standing", by=hold.by, why=hold.why)] if hold else [])]


def _confirmed_at(run: Run, placed: Obligations) -> dict[str, dt.datetime]:
    ownership = run.job.account_checks.ownership
    checks = {
        obligation.key: check_fingerprint(obligation, ownership=ownership) for obligation in planned_payments(placed)
    }
    kept = run.ledger.checks.kept(checks.values(), run.clock.now())
    valid = {name: check.checked_at for name, check in kept.items() if check.result == "valid" and check.checked_at}
    return {key: valid[name] for key, name in checks.items() if name in valid}


def _masked(tax_id: str) -> str:
    return mask_tax_id(tax_id) if tax_id else ""


def _as_shown(
    notices: Iterable[PayeeNotice], placed: Obligations, destinations: Mapping[str, PlannedDestination]
) -> tuple[PayeeNotice, ...]:
    by_payee = defaultdict[str, dict[PlannedDestination, None]](dict)
    for obligation in planned_payments(placed):
        if obligation.key in destinations:
            by_payee[obligation.payee.tax_id][destinations[obligation.key]] = None
    return tuple(
        replace(notice, tax_id=_masked(notice.tax_id), destinations=tuple(by_payee.get(notice.tax_id, ())))
        for notice in notices
    )


def write_plan(run: Run, view: PlanView, folder: Path | None = None) -> Path | None:
    """Write the plan's workbook, where the job wants workbooks.

    Args:
        folder: Where; beside the folders of the runs, in "plan", when None.

    Returns:
        Where it is; None when the job's formats leave workbooks out.
    """
    if "xlsx" not in run.job.outputs.formats:
        return None
    waits = waits_elsewhere(run.ledger, view.job, view.period)
    return write_plan_workbook(view, waits, (folder or run.output_folder.with_name("plan")) / NAME)


def _plan(run: Run, drafted: Draft) -> PaymentPlan:
    """The frozen plan where there is one; what would be frozen now otherwise."""
    if drafted.plan is not None:
        return drafted.plan
    return plan_of(run, drafted.payables)


def _placed(run: Run, drafted: Draft, plan: PaymentPlan) -> Obligations:
    obligations = drafted.payables.obligations
    named = run.ledger.submissions.with_ids(submissions_of(obligations))
    submissions = {submission.id: submission for submission in named}
    decisions = run.ledger.decisions.on_reports([obligation.key for obligation in obligations])
    return reconcile(obligations, submissions, run.id, decisions=decisions, planned_owner=bool(plan.batches))


def _checks(run: Run, drafted: Draft) -> ChecksView:
    """What checks are still to be made; none of a frozen plan, before which they are made."""
    rules = run.job.account_checks
    accounts = accounts_to_pay(drafted.payables.obligations, ownership=rules.ownership)
    asked = accounts_to_ask(accounts, drafted.verdicts, rules.when) if drafted.plan is None else []
    return ChecksView(len(asked), check_cost_cents(rules.fee), rules.budget)


NAME: Final = "plan.xlsx"


def warn_of_plan(run: Run, drafted: Draft) -> None:
    """Tell, in a run that waits for approval, whom to look at before saying yes, and where all of it stands.

    Effects: keeps the plan as people see it in the ledger, for the desk; writes plan.xlsx into the run's folder; adds
    one message, of counts alone.
    """
    view = view_plan(run, drafted)
    if drafted.plan is not None:
        texts = {text.token for text in view.to_check}
        run.ledger.plan_views.save(drafted.plan.digest, run.id, view.to_bytes(), texts)
    path = write_plan(run, view, run.output_folder)
    counts = [Message(f"cli.review.{group.notice}", count=group.count) for group in view.notice_groups]
    what = (
        Message("cli.review.first_ever")
        if view.first_ever
        else Listed(tuple(counts), "; ")
        if counts
        else Message("cli.review.nothing")
    )
    run.messages.append(
        Message("cli.review.run", what=what, where=str(path)) if path else Message("cli.review.only", what=what)
    )
