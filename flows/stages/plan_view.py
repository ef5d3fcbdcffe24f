"""What `repasse plan` shows: what would be paid and what not, before anything is asked or written."""

from pathlib import Path
from typing import Final

from flows.stages.freeze_plan import alike_of, told_rows
from flows.stages.plan_compare import compare
from flows.stages.plan_page import page_of
from flows.stages.reasons_to_look import reasons_to_look
from flows.stages.run import Run
from flows.stages.waits import waits_elsewhere
from flows.stages.write import output_folder
from flows.steps.account_checks import accounts_to_ask, accounts_to_pay, check_cost_cents
from flows.steps.breakdown import break_down
from flows.steps.count_in import count_in
from flows.steps.exchange_rate import terms_of
from flows.steps.plan_batches import plan_batches
from flows.steps.plan_look import not_paid_of, notices_of_rows, rows_of
from flows.steps.reconcile import count_rows, place_rows, reconcile, total_up
from flows.steps.repeated import mark_repeated
from flows.steps.work_out import identity_of
from io_adapters.outputs.plan_workbook import write_plan_workbook
from schemas.issues import errors_among
from schemas.plan import PaymentPlan, Place
from schemas.plan_view import ChecksView, PlanView
from schemas.tables.frames import DataFrame
from schemas.tables.obligations import Obligations

NAME: Final = "plan.xlsx"


def view_plan(run: Run) -> PlanView:
    """Turn what was worked out, or the plan that was frozen, into a view; asks nobody, writes nothing."""
    job = run.job
    told = told_rows(run)
    run.issues += [issue for issue in told if issue not in run.issues]
    plan = _plan(run)
    placed = _placed(run, plan)
    found = compare(run, placed)
    checks = _checks(run)
    alike = alike_of(run)
    planned, others = rows_of(placed, found.notices, found.names, alike)
    held = placed["place"].isin([Place.HELD.value, Place.CONFLICT.value]).any()
    stopped = job.rules.invalid_payee == "stop" and bool(held or errors_among(run.issues))
    inputs, standing = run.require_inputs(), run.standing
    carried_in = standing.history.carried_in if standing else {}
    rows = mark_repeated(inputs.rows, run.used_before.repeated, run.used_before.renamed)
    return PlanView(
        plan=plan,
        payer_name=job.payer.name,
        language=run.language,
        digest=plan.digest if plan.batches and not checks.wanted and not stopped else None,
        totals=total_up(placed, count_in(inputs, carried_in), {}, {}, run.id),
        rows=count_rows(place_rows(rows, placed)),
        payees=_payees(placed),
        planned=planned,
        others=others,
        not_paid=not_paid_of(placed),
        checks=checks,
        notices=(*notices_of_rows(placed, alike), *found.notices),
        first_ever=not (run.ledger.history.ever_paid() or any(one.attempt for one in found.notices)),
        changes=found.changes,
        stopped=stopped,
        reasons_to_look=tuple(reasons_to_look(run, plan)),
        waits=waits_elsewhere(run.ledger, job.job, plan.period),
    )


def write_plan(run: Run, view: PlanView, folder: Path | None = None) -> Path | None:
    """Write the plan's workbook, where the job wants workbooks.

    Args:
        run: What is planned.
        view: As `view_plan` gives it.
        folder: Where; beside the folders of the runs, in "plan", when None.

    Returns:
        Where it is; None when the job's formats leave workbooks out.
    """
    if "xlsx" not in run.job.outputs.formats:
        return None
    return write_plan_workbook(view, (folder or output_folder(run).with_name("plan")) / NAME)


def warn_of_plan(run: Run) -> None:
    """Tell, in a run that waits for approval, whom to look at before saying yes, and where all of it stands.

    Effects: keeps the plan as people see it in the ledger, for the desk; writes plan.xlsx into the run's folder; adds
    one message, of counts alone.
    """
    view = view_plan(run)
    if run.plan is not None:
        run.ledger.plan_views.save(run.plan.digest, run.id, page_of(view).to_bytes())
    path = write_plan(run, view, output_folder(run))
    counts = [run.say(f"look.{notice}", count=count) for notice, count in view.notice_counts.items() if count]
    what = run.say("look.first_ever") if view.first_ever else "; ".join(counts) or run.say("look.nothing")
    run.messages.append(run.say("look.run", what=what, where=path) if path else run.say("look.only", what=what))


def _plan(run: Run) -> PaymentPlan:
    """The frozen plan where there is one; what would be frozen now otherwise."""
    if run.plan is not None:
        return run.plan
    per_batch = run.job.rules.max_payments_per_batch
    identity, worked = identity_of(run.job, run.order.period), run.require_worked()
    return plan_batches(
        worked.obligations,
        identity,
        run.order.period,
        max_payments=per_batch,
        exchange=terms_of(run.job),
        arrays=break_down(run.job.breakdown, worked.obligations, worked.earnings, worked.territories),
    )


def _placed(run: Run, plan: PaymentPlan) -> DataFrame[Obligations]:
    obligations = run.require_worked().obligations
    submissions = {one.id: one for one in run.ledger.submissions.with_ids(set(obligations["submission_id"]) - {""})}
    words = run.ledger.decisions.on_reports(obligations["key"])
    return reconcile(obligations, submissions, run.id, decisions=words, planned_owner=bool(plan.batches))


def _payees(placed: DataFrame[Obligations]) -> int:
    paid = (placed["place"] == Place.PLANNED.value) & (placed["kind"] != "owner")
    return int(placed.loc[paid, "tax_id"].nunique())


def _checks(run: Run) -> ChecksView:
    """What checks are still to be made; none of a frozen plan, before which they are made."""
    rules = run.job.account_checks
    accounts = accounts_to_pay(run.require_worked().obligations, ownership=rules.ownership)
    asked = accounts_to_ask(accounts, run.verdicts, rules.when) if run.plan is None else []
    return ChecksView(len(asked), check_cost_cents(rules.fee), rules.budget)
