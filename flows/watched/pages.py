"""Pages and tables for people who look at a run in the Prefect UI: totals, identities and masked values, no more."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from flows.watched.page_words import page_word
from io_adapters.outputs.labels import Labels
from schemas.issues import Issue
from schemas.money import format_cents
from schemas.plan import PaymentPlan, Place
from schemas.reconciliation import AccountCheckCounts, Summary
from schemas.standing_words import state_in_words

MOST_ROWS: Final = 500
_MOST_LINES: Final = 50


def plan_page(
    plan: PaymentPlan, unpaid_cents: Mapping[Place, int], checks: AccountCheckCounts, language: str, *, waits: bool
) -> str:
    """Write what a plan would pay, and what it leaves out.

    Args:
        plan: The frozen plan.
        unpaid_cents: What is in no batch of it, by place.
        checks: What its account checks did and cost.
        language: Of the job.
        waits: Whether people have to approve it.
    """

    def word(key: str, **facts: object) -> str:
        return page_word(language, key, **facts)

    def money(cents: int) -> str:
        return format_cents(cents, language)

    total = f"{plan.currency} {money(plan.total_cents)}"
    facts = [
        (word("total"), f"**{total}**"),
        (word("payments"), str(plan.payees)),
        (word("largest"), f"{plan.currency} {money(plan.largest_cents)}"),
        (word("batches"), str(len(plan.batches))),
        (
            word("checks"),
            word("checks.cost", made=checks.made, cost=money(checks.cost_cents), budget=money(checks.budget_cents)),
        ),
        (word("digest"), f"`{plan.digest}`"),
    ]
    lines = [f"# {word('plan', job=plan.job, period=plan.period)}", ""]
    lines += _pairs(facts) if plan.batches else [word("nothing")]
    if any(unpaid_cents.values()):
        lines += ["", f"## {word('not_in_plan')}", "", *_places(unpaid_cents, plan.currency, language)]
    if waits:
        lines += ["", word("approve", digest=plan.digest, total=money(plan.total_cents))]
    return "\n".join(lines)


def problems_table(issues: Sequence[Issue]) -> list[dict[str, Any]]:
    """List problems as rows of a table, errors first, at most `MOST_ROWS` of them; values are masked."""
    order = {"error": 0, "warning": 1, "note": 2}
    ranked = sorted(issues, key=lambda issue: order[issue.severity.value])
    return [
        {
            "file": issue.file,
            "sheet": issue.sheet or "",
            "cell": issue.cell or "",
            "row": "" if issue.row is None else str(issue.row),
            "code": issue.code.value,
            "severity": issue.severity.value,
            "value": issue.value_masked,
            "wrong": issue.message,
            "right": issue.accepts,
        }
        for issue in ranked[:MOST_ROWS]
    ]


def problems_title(job: str, period: str, count: int, language: str) -> str:
    """Name the table of problems, and say how many there are when it does not hold them all."""
    title = page_word(language, "problems", job=job, period=period)
    shown = min(count, MOST_ROWS)
    more = page_word(language, "problems.more", shown=shown, count=count)
    return f"{title}: {count}" if shown == count else f"{title}: {more}"


def reconciliation_page(summary: Summary, language: str) -> str:
    """Write where every centavo is, what each report came to, and what does not fit."""

    def word(key: str, **facts: object) -> str:
        return page_word(language, key, **facts)

    places = {place: getattr(summary.totals_cents, place.value) for place in Place}
    came_in = f"{summary.currency} {format_cents(summary.totals_cents.in_, language)}"
    facts = [
        (word("state"), f"**{state_in_words(summary.state, language)}**"),
        (word("run"), f"`{summary.run}`"),
        (word("in"), came_in),
    ]
    lines = [f"# {word('reconciliation', job=summary.job, period=summary.period)}", "", *_pairs(facts), ""]
    lines += [*_places(places, summary.currency, language), "", word("rows", **summary.rows.model_dump())]
    if summary.batches:
        head = (word("report"), word("payments"), word("amount", currency=summary.currency))
        lines += ["", *_header(*head, word("outcome"), word("status"))]
        lines += _bounded(
            (
                f"| `{one.report_id}` | {one.payments} | {format_cents(one.amount_cents, language)} "
                f"| {state_in_words(one.outcome, language)} | {one.status or ''} |"
                for one in summary.batches
            ),
            language,
        )
    if summary.discrepancies:
        lines += ["", f"## {word('discrepancies')}", ""]
        told = (f"- `{one.report_id or ''}` {one.kind}: {one.message}" for one in summary.discrepancies)
        lines += _bounded(told, language)
    return "\n".join(lines)


def outputs_page(job: str, period: str, outputs: Sequence[Path], language: str) -> str:
    """Link the files of a run; a browser follows such links on the machine that holds the files."""
    lines = [f"# {page_word(language, 'outputs', job=job, period=period)}", ""]
    folder = common_folder(outputs)
    lines += [f"`{folder}`", ""] if folder else []
    shown = sorted({path for path in outputs if path.parent == folder})
    lines += [f"- [{path.name}](file://{quote(str(path))})" for path in shown]
    return "\n".join(lines)


def contacts_page(job: str, counts: Mapping[str, int], language: str, *, applied: bool) -> str:
    """Write how many contacts came, or would come, to what; nobody is named."""

    def word(key: str) -> str:
        return page_word(language, key)

    lines = [
        f"# {page_word(language, 'contacts', job=job)}",
        "",
        word("contacts.done" if applied else "contacts.preview"),
    ]
    rows = [f"| {name} | {count} |" for name, count in sorted(counts.items())]
    return "\n".join([*lines, "", *_header(word("contacts.what"), word("contacts.count")), *rows])


def common_folder(outputs: Sequence[Path]) -> Path | None:
    """Return the run's own folder, in which all its outputs lie; None when there are none."""
    return min((path.parent for path in outputs), key=lambda folder: len(folder.parts), default=None)


def _places(cents: Mapping[Place, int], currency: str, language: str) -> list[str]:
    labels = Labels(language)
    rows = [
        f"| {labels.of_value('place', place.value)} | {format_cents(amount, language)} |"
        for place, amount in cents.items()
        if amount
    ]
    return [*_header(page_word(language, "place"), page_word(language, "amount", currency=currency)), *rows]


def _pairs(facts: Iterable[tuple[str, str]]) -> list[str]:
    return ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in facts)]


def _header(*names: str) -> list[str]:
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def _bounded(lines: Iterable[str], language: str) -> list[str]:
    every = list(lines)
    left = len(every) - _MOST_LINES
    return [*every[:_MOST_LINES], "", page_word(language, "more", count=left)] if left > 0 else every
