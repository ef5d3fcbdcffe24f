"""The books of a run, closed anew by hand from summary.json."""

from typing import Any

SUMMARY = {
    "run", "job", "period", "plan_digest", "currency", "state", "exit_code", "totals_cents", "batches", "rows",
    "account_checks", "issues", "discrepancies",
}  # fmt: skip
PLACES = {
    "paid", "processing", "withheld", "income_tax", "owner", "tax", "recouped", "carried", "held", "conflict",
    "duplicate", "planned", "not_sent", "in_doubt", "undetermined", "refused", "failed", "excluded", "returned",
}  # fmt: skip
BATCH = {"report_id", "split_id", "status", "outcome", "payments", "amount_cents"}
ROWS = {"read", "used", "held", "duplicate", "ignored"}
CHECKS = {"made", "reused", "invalid", "unknown", "cost_cents", "budget_cents"}


def assert_books_close(summary: dict[str, Any]) -> None:
    """Every key is there and no other, every centavo has one place, and every row."""
    assert set(summary) == SUMMARY
    totals, rows = dict(summary["totals_cents"]), dict(summary["rows"])
    assert set(totals) == PLACES | {"in"}
    assert totals.pop("in") == sum(totals.values())
    assert set(rows) == ROWS
    assert rows.pop("read") == sum(rows.values())
    assert set(summary["account_checks"]) == CHECKS
    assert all(set(batch) - {"exchange", "linked_by"} == BATCH for batch in summary["batches"])


def places(summary: dict[str, Any]) -> dict[str, int]:
    """Where the centavos are, without the empty places and without `in`."""
    return {name: cents for name, cents in summary["totals_cents"].items() if cents and name != "in"}
