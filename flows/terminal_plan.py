"""How a plan is shown in a terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows.stages.plan_view import PlanView
from schemas.money import format_cents


def show_plan(console: Console, view: PlanView, language: str) -> None:
    """Print what would be paid and what not, the largest payments, the batches and the cost of checks."""
    plan = view.plan
    total = format_cents(plan.total_cents, language)
    console.print(
        f"[bold]{plan.job}[/bold] {plan.period}: {view.payees} payees, {plan.payees} payments in "
        f"{len(plan.batches)} batches, [bold]{plan.currency} {total}[/bold]"
    )
    _show_rows(console, "largest", [(name, format_cents(cents, language)) for name, cents in view.largest])
    _show_rows(
        console,
        "not paid",
        [
            (f"{place}: {count} x {reason}" if reason else f"{place}: {count}", format_cents(cents, language))
            for place, reason, count, cents in view.not_paid
        ],
    )
    if view.checks_wanted:
        cost, budget = (format_cents(c, language) for c in (view.checks_cost_cents, view.checks_budget_cents))
        console.print(f"account checks wanted: {view.checks_wanted}, at most {cost} of a budget of {budget}")
    console.print(f"digest: {view.digest or 'none yet; the plan is provisional until the accounts are checked'}")


def _show_rows(console: Console, title: str, rows: list[tuple[str, str]]) -> None:
    if not rows:
        return
    table = Table(title=title, title_justify="left", show_header=False, show_edge=False, pad_edge=False)
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    for name, amount in rows:
        table.add_row(escape(name), amount)
    console.print(table)
