"""What `repasse plan --json` prints."""

from dataclasses import asdict
from typing import Any

from flows.payables.rules.exchange_rate import facts_of
from flows.terminal.waits import wait_document
from io_adapters.outputs.labels import Labels, reason_in_words
from schemas.plan_view import Change, ChangeKind, PayeeNotice, PlanChanges, PlanRow, PlanView
from schemas.values.masking import mask_tax_id

LARGEST = 10


def plan_document(view: PlanView, *, names: bool) -> dict[str, Any]:
    """Return a plan for programs: counts and sums, of nobody in particular.

    Args:
        view: The plan.
        names: Whether the section `people` is wanted, which names payees, with their tax ids masked: whom to look at,
            what changed, and the largest payments. It is for a person's eyes, not for logs.
    """
    labels = Labels(view.language)
    document = {
        "job": view.plan.job,
        "period": view.plan.period,
        "currency": view.plan.currency,
        "plan_digest": view.digest,
        "provisional": view.digest is None,
        "total_cents": view.plan.total_cents,
        "totals_cents": view.totals.model_dump(by_alias=True),
        "rows": view.rows.model_dump(),
        "payees": view.payees,
        "batches": [{"payments": b.payees, "amount_cents": b.amount_cents} for b in view.plan.batches],
        "account_checks": {
            "wanted": view.checks.wanted,
            "cost_cents": view.checks.cost_cents,
            "budget_cents": view.checks.budget_cents,
            "left_cents": view.checks.left_cents,
            "beyond_budget": view.checks.beyond_budget,
        },
        "exchange": facts_of(view.plan.exchange) if view.plan.exchange else None,
        "not_paid": [
            {
                "place": one.place.value,
                "reason": one.reason,
                "words": reason_in_words(one.reason, labels),
                "obligations": one.count,
                "amount_cents": one.amount_cents,
            }
            for one in view.not_paid
        ],
        "first_ever": view.first_ever,
        "reasons_to_look": [reason.in_words(view.language) for reason in view.reasons_to_look],
        "notices": {notice.value: count for notice, count in view.notice_counts.items()},
        "changes": _changes(view.changes),
        "waits": [wait_document(wait) for wait in view.waits],
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
                "difference_cents": sum(one.difference_cents for one in changes.of_kind(kind)),
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
        "largest": [_row(one) for one in view.largest(LARGEST)],
    }


def _notice(one: PayeeNotice) -> dict[str, Any]:
    return {
        "notice": one.notice.value,
        "name": one.name,
        "tax_id_masked": mask_tax_id(one.tax_id),
        "now_cents": one.now_cents,
        "before_cents": one.before_cents,
        "amounts": one.amounts,
        "last_paid_at": one.last_paid_at.isoformat() if one.last_paid_at else None,
        "attempt": one.attempt or None,
        "report_id": one.report or None,
        "last_used_at": one.last_used_at.isoformat() if one.last_used_at else None,
        "alike": [asdict(alike) for alike in one.alike],
    }


def _change(one: Change) -> dict[str, Any]:
    return {
        "change": one.kind.value,
        "name": one.name,
        "tax_id_masked": mask_tax_id(one.tax_id),
        "reference": one.reference,
        "before_cents": one.before_cents,
        "now_cents": one.now_cents,
        "elsewhere": one.elsewhere.value if one.elsewhere else None,
    }


def _row(one: PlanRow) -> dict[str, Any]:
    return {
        "name": one.name,
        "tax_id_masked": one.tax_id_masked,
        "reference": one.reference,
        "amount_cents": one.amount_cents,
    }
