"""Printing a plan: as grids in a terminal, and as a JSON document."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from flows.cli.printing import show_grid, show_waits, wait_document
from flows.payables.rules.exchange_rate import facts_of
from io_adapters.outputs.plan_grids import digest_text, plan_grids
from schemas.messages import catalogue_in, render
from schemas.plan_view import (
    Change,
    ChangeKind,
    PayeeNotice,
    PlanChanges,
    PlannedDestination,
    PlanRow,
    PlanView,
    groups_of,
)
from schemas.readers import people_read
from schemas.reasons import reasons_message, reasons_text
from schemas.waits import Wait


def show_plan(console: Console, view: PlanView, waits: Sequence[Wait], path: Path | None) -> None:
    """Print what would be paid, whom to look at, what changed, what is not paid and why, and what checks would cost.

    Args:
        waits: What earlier periods of the job leave open, and runs of it that did not get to their end.
        path: Where plan.xlsx was written; None when it was not.
    """
    language, labels = view.language, catalogue_in(view.language)
    grids = plan_grids(view, labels)
    named = people_read()
    shown = [grids.identity, grids.review, *([grids.to_check, grids.notices] if named else [])]
    shown += [grids.changes, *([grids.changed] if named else []), grids.totals, grids.not_paid]
    shown += [*([grids.largest] if named else []), *([grids.batches] if len(view.batches) > 1 else [])]
    shown += [grids.checks] if view.checks.wanted else []
    for grid in shown:
        show_grid(console, grid, language)
    if not named:
        console.print(f"\n{render('cli.plan.names', language)}", soft_wrap=True, markup=False)
    if waits:
        console.print(f"\n[bold]{render('cli.waits.elsewhere', language)}[/]")
        show_waits(console, waits, language)
    console.print(f"\n{render('cli.rows', language, **view.rows.model_dump())}", soft_wrap=True, markup=False)
    # Digest and path stay whole, so that they can be copied.
    digest = render("cli.plan.digest", language, digest=digest_text(view, labels))
    console.print(digest, soft_wrap=True, markup=False)
    if path:
        console.print(render("cli.plan.file", language, path=path), soft_wrap=True, markup=False)


def plan_document(view: PlanView, waits: Iterable[Wait], *, names: bool) -> dict[str, Any]:
    """Return a plan for programs: counts and sums, of nobody in particular.

    Args:
        names: Whether the section `people` is wanted, which names payees, with their tax ids masked: whom to look at,
            what changed, and the largest payments. It is for a person's eyes, not for logs.
    """
    labels = catalogue_in(view.language)
    document = {
        "job": view.job,
        "period": view.period,
        "currency": view.currency,
        "plan_digest": view.digest,
        "provisional": view.digest is None,
        "total_cents": view.total_cents,
        "totals_cents": view.totals.model_dump(by_alias=True),
        "rows": view.rows.model_dump(),
        "payees": view.payees,
        "batches": [{"payments": b.payments, "amount_cents": b.amount_cents} for b in view.batches],
        "account_checks": {
            "wanted": view.checks.wanted,
            "cost_cents": view.checks.cost_cents,
            "budget_cents": view.checks.budget_cents,
            "left_cents": view.checks.left_cents,
            "beyond_budget": view.checks.beyond_budget,
        },
        "exchange": facts_of(view.exchange) if view.exchange else None,
        "not_paid": [
            {
                "place": group.place.value,
                "reason": reasons_text(group.reasons),
                "words": labels.write(reasons_message(group.reasons)),
                "obligations": group.count,
                "amount_cents": group.amount_cents,
            }
            for group in view.not_paid
        ],
        "first_ever": view.first_ever,
        "review_reasons": [render(reason, view.language) for reason in view.review_reasons],
        "texts_to_check": len(view.to_check),
        "notices": {group.notice.value: group.count for group in groups_of(view.notices)},
        "changes": _changes(view.changes),
        "waits": [wait_document(wait) for wait in waits],
    }
    return document | ({"people": _people(view)} if names else {})


def _changes(changes: PlanChanges) -> dict[str, Any]:
    return {
        "against": changes.against.value,
        "run": changes.run_id or None,
        "at": changes.at.isoformat() if changes.at else None,
        "period": changes.period or None,
        "before_cents": changes.before_cents,
        "now_cents": changes.now_cents,
        **{
            kind.value: {
                "payments": len(changes.of_kind(kind)),
                "difference_cents": sum(change.difference_cents for change in changes.of_kind(kind)),
            }
            for kind in ChangeKind
        },
        "rates": [{"currency": r.currency, "before": r.before, "now": r.now} for r in changes.rates],
        "shares": changes.shares,
    }


def _people(view: PlanView) -> dict[str, Any]:
    return {
        "notices": [_notice(notice) for notice in view.notices],
        "changes": [_change(change) for change in view.changes.changes],
        "largest": [_row(row) for row in view.largest],
        "texts_to_check": [
            {"where": text.header or text.kind.value, "text": text.text, "payments": text.count}
            for text in view.to_check
        ],
    }


def _notice(notice: PayeeNotice) -> dict[str, Any]:
    return {
        "notice": notice.notice.value,
        "name": notice.name,
        "tax_id_masked": notice.tax_id,
        "now_cents": notice.now_cents,
        "before_cents": notice.before_cents,
        "amounts": notice.amounts,
        "last_paid_at": notice.last_paid_at.isoformat() if notice.last_paid_at else None,
        "attempt": notice.attempt or None,
        "report_id": notice.report or None,
        "last_used_at": notice.last_used_at.isoformat() if notice.last_used_at else None,
        "alike": [asdict(alike) for alike in notice.alike],
        "destinations": [_destination(destination) for destination in notice.destinations],
    }


def _destination(destination: PlannedDestination) -> dict[str, Any]:
    return {
        "kind": destination.kind.rpartition(".")[2],
        "number_masked": destination.number,
        "bank": destination.bank or None,
        "holder": destination.holder or None,
        "confirmed_at": destination.confirmed_at.isoformat() if destination.confirmed_at else None,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "change": change.kind.value,
        "name": change.name,
        "tax_id_masked": change.tax_id,
        "reference": change.reference,
        "before_cents": change.before_cents,
        "now_cents": change.now_cents,
        "elsewhere": change.elsewhere.value if change.elsewhere else None,
    }


def _row(row: PlanRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "tax_id_masked": row.tax_id_masked,
        "reference": row.reference,
        "amount_cents": row.amount_cents,
        "destination": _destination(row.destination) if row.destination else None,
        "sent": dict(row.sent),
    }
