"""What `repasse plan` shows: what would be paid and what not, before anything is asked or written."""

from dataclasses import dataclass
from typing import Any

from flows.stages.freeze_plan import elsewhere_of
from flows.stages.run import Run
from flows.steps.account_checks import accounts_to_ask, accounts_to_pay, check_cost_cents
from flows.steps.count_in import count_in
from flows.steps.plan_batches import plan_batches
from flows.steps.reconcile import count_rows, place_rows, reconcile, total_up
from flows.steps.repeated import mark_repeated
from flows.steps.tell_rows import tell_rows
from flows.steps.work_out import identity_of
from schemas.exit_codes import ExitCode
from schemas.issues import errors_among
from schemas.plan import PaymentPlan, Place
from schemas.reconciliation import RowCounts, Totals
from schemas.tables.frames import records

LARGEST = 10


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan as a person wants to see it.

    Attributes:
        plan: The batches as they would be made now.
        digest: Identity of the plan; None while account checks are outstanding, for they may change it.
        totals: Every centavo of `in`.
        rows: Every row.
        payees: How many people would be paid.
        checks_wanted: How many accounts would have to be checked.
        checks_cost_cents: What that costs at most.
        checks_budget_cents: What the job allows.
        largest: (name, centavos) of the largest payments.
        not_paid: (place, reason, how many, centavos) of what would not be paid.
        stopped: Whether rows have problems and the job says that then nothing is sent.
    """

    plan: PaymentPlan
    digest: str | None
    totals: Totals
    rows: RowCounts
    payees: int
    checks_wanted: int
    checks_cost_cents: int
    checks_budget_cents: int
    largest: tuple[tuple[str, int], ...]
    not_paid: tuple[tuple[str, str, int, int], ...]
    stopped: bool = False

    @property
    def exit_code(self) -> ExitCode:
        """Done, or done with rows that would be held, or stopped by them."""
        if self.stopped:
            return ExitCode.ROWS_REFUSED
        return ExitCode.ROWS_HELD if self.totals.held or self.totals.conflict or self.rows.held else ExitCode.DONE

    def as_json(self) -> dict[str, Any]:
        """Return the view for programs."""
        return {
            "job": self.plan.job,
            "period": self.plan.period,
            "currency": self.plan.currency,
            "plan_digest": self.digest,
            "provisional": self.digest is None,
            "totals_cents": self.totals.model_dump(by_alias=True),
            "rows": self.rows.model_dump(),
            "payees": self.payees,
            "batches": [{"payments": b.payees, "amount_cents": b.amount_cents} for b in self.plan.batches],
            "account_checks": {
                "wanted": self.checks_wanted,
                "cost_cents": self.checks_cost_cents,
                "budget_cents": self.checks_budget_cents,
            },
            "not_paid": [
                {"place": place, "reason": reason, "obligations": count, "amount_cents": cents}
                for place, reason, count, cents in self.not_paid
            ],
        }


def view_plan(run: Run) -> PlanView:
    """Turn what was worked out into a view; asks nobody, writes nothing."""
    worked, inputs, job, period = run.require_worked(), run.require_inputs(), run.job, run.order.period
    told = tell_rows(worked.obligations, inputs, elsewhere_of(run), run.language)
    run.issues += [issue for issue in told if issue not in run.issues]
    plan = plan_batches(
        worked.obligations, identity_of(job, period), period, max_payments=job.rules.max_payments_per_batch
    )
    named = set(worked.obligations["submission_id"]) - {""}
    submissions = {one.id: one for one in run.ledger.submissions.with_ids(named)}
    words = run.ledger.decisions.on_reports(worked.obligations["key"])
    planned_owner = bool(plan.batches)
    placed = reconcile(worked.obligations, submissions, run.id, decisions=words, planned_owner=planned_owner)
    carried_in = run.standing.history.carried_in if run.standing else {}
    repeated = run.standing.repeated if run.standing else {}
    accounts = accounts_to_pay(worked.obligations, ownership=job.account_checks.ownership)
    asked = accounts_to_ask(accounts, run.verdicts, job.account_checks.when)
    payable = placed[(placed["place"] == Place.PLANNED.value) & (placed["kind"] != "owner")]
    largest = payable.nlargest(LARGEST, "amount_cents")
    others = placed[placed["place"] != Place.PLANNED.value]
    groups = others.groupby(["place", "reason"])["amount_cents"].agg(["size", "sum"]).reset_index()
    held = placed["place"].isin([Place.HELD.value, Place.CONFLICT.value]).any()
    stopped = job.rules.invalid_payee == "stop" and bool(held or errors_among(run.issues))
    return PlanView(
        plan=plan,
        stopped=stopped,
        digest=plan.digest if plan.batches and not asked and not stopped else None,
        totals=total_up(placed, count_in(inputs, carried_in), submissions, {}, run.id),
        rows=count_rows(place_rows(mark_repeated(inputs.rows, repeated), placed)),
        payees=payable["tax_id"].nunique(),
        checks_wanted=len(asked),
        checks_cost_cents=len(asked) * check_cost_cents(job.account_checks.fee),
        checks_budget_cents=job.account_checks.budget,
        largest=tuple((str(one["name"]), int(one["amount_cents"])) for one in records(largest)),
        not_paid=tuple(
            (str(one["place"]), str(one["reason"]), int(one["size"]), int(one["sum"])) for one in records(groups)
        ),
    )
