"""Why a person must look at a plan, whatever the job lets go without one and whatever --yes says."""

from flows.stages.freeze_plan import elsewhere_of
from flows.stages.run import Run
from flows.steps.tell_rows import paid_before
from schemas.money import format_cents
from schemas.plan import PaymentPlan
from schemas.tables.frames import records
from schemas.told import Told


def reasons_to_look(run: Run, plan: PaymentPlan) -> list[Told]:
    """Say why a person must look at a plan before it is sent, a sentence for each reason; empty when none must.

    Whoever is asked for a word is told all of them: in the terminal, in plan.xlsx, and on the desk's page.
    """
    if not plan.batches:
        return []
    return [*_files_again(run), *_rows_paid_before(run), *_rejected(run, plan)]


def _files_again(run: Run) -> list[Told]:
    again = sorted(run.order.again)
    return [Told("look.again", files=", ".join(again))] if again else []


def _rows_paid_before(run: Run) -> list[Told]:
    elsewhere = elsewhere_of(run)
    found = (
        [row for row in records(run.require_worked().obligations) if paid_before(row, elsewhere)] if elsewhere else []
    )
    if not found:
        return []
    total = format_cents(sum(int(row["amount_cents"]) for row in found), run.language)
    return [Told("look.paid_before", rows=len(found), total=total)]


def _rejected(run: Run, plan: PaymentPlan) -> list[Told]:
    return [Told("look.rejected")] if run.ledger.approvals.was_rejected(plan.digest) else []
