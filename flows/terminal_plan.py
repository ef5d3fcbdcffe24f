"""How a plan is shown in a terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows.stages.plan_view import PlanView
from flows.wording import say
from io_adapters.outputs.labels import Labels
from schemas.money import format_cents


def show_plan(console: Console, view: PlanView, language: str) -> None:
    """Print what would be paid and what not, the largest payments, the batches and the cost of checks."""
    plan = view.plan
    total = format_cents(plan.total_cents, language)
    counts = say(language, "plan.total", payees=view.payees, payments=plan.payees, batches=len(plan.batches))
    console.print(f"[bold]{plan.job}[/bold] {plan.period}: {counts}, [bold]{plan.currency} {total}[/bold]")
    largest = [(name, format_cents(cents, language)) for name, cents in view.largest]
    _show_rows(console, say(language, "plan.largest"), largest)
    of = Labels(language).of_value
    not_paid = [
        (f"{of('place', place)} ({count}) {of('reason', reason)}", format_cents(cents, language))
        for place, reason, count, cents in view.not_paid
    ]
    _show_rows(console, say(language, "plan.not_paid"), not_paid)
    console.print(say(language, "rows", **view.rows.model_dump()))
    if view.checks_wanted:
        cost, budget = (format_cents(c, language) for c in (view.checks_cost_cents, view.checks_budget_cents))
        console.print(say(language, "plan.checks", wanted=view.checks_wanted, cost=cost, budget=budget))
    digest = view.digest
    console.print(say(language, "plan.digest", digest=digest) if digest else say(language, "plan.provisional"))


def _show_rows(console: Console, title: str, rows: list[tuple[str, str]]) -> None:
    if not rows:
        return
    table = Table(title=title, title_justify="left", show_header=False, show_edge=False, pad_edge=False)
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    for name, amount in rows:
        table.add_row(escape(name), amount)
    console.print(table)
