"""What a stage of a run came to, as one line of figures: for the terminal, the log, and Prefect's state of its task."""

from flows.intake.intake import Intake
from flows.payables.draft import Draft
from flows.payables.rules.places import count_rows
from flows.run import Run
from schemas.messages import Listed, Message, Money
from schemas.obligation import Obligation, sum_cents
from schemas.plan import KEPT_BACK, Place, short_digest


def line_of(stage: str, run: Run, made: object) -> Message | None:
    """Say what a stage made; None where there is nothing to count.

    Numbers, sums and digests alone: logs and Prefect keep it.
    """
    line: Message | None = None
    match stage, made:
        case "read", Intake():
            rows = count_rows(made.inputs.rows)
            line = Message("stage.line.read", read=rows.read, used=rows.used, held=rows.held)
        case "draft", Draft():
            owed = made.payables.obligations
            ready = [due for due in owed if due.place is Place.PLANNED and due.kind != "owner"]
            held = [due for due in owed if due.place in KEPT_BACK]
            line = Message("stage.line.draft", ready=_counted(ready, run), held=_counted(held, run))
        case "check_accounts", Draft():
            counts = made.checks.counts
            asked, cost = counts.made + counts.reused, Money(counts.cost_cents)
            if asked:
                line = Message("stage.line.check_accounts", asked=asked, known=counts.reused, cost=cost)
        case "freeze_plan", Draft() if made.plan is not None and made.plan.batches:
            plan = made.plan
            facts = {"payments": Message("count.payments", count=plan.payees), "digest": short_digest(plan.digest)}
            batches, total = Message("count.batches", count=len(plan.batches)), Money(plan.total_cents, plan.currency)
            line = Message("stage.line.freeze_plan", batches=batches, total=total, **facts)
        case "send", _ if run.accepted:
            line = Message("stage.line.send", count=run.accepted)
        case "write", _ if run.summary is not None:
            sums = run.summary.totals_cents
            places = {place: getattr(sums, place.value) for place in Place}
            told = (
                Listed((Message(f"place.{place}"), Money(cents, run.summary.currency)), " ")
                for place, cents in places.items()
                if cents
            )
            line = Message("stage.line.write", sums=Listed(tuple(told)))
    return line


def _counted(owed: list[Obligation], run: Run) -> Listed:
    return Listed((str(len(owed)), Money(sum_cents(owed), run.job.currency)), " · ")
