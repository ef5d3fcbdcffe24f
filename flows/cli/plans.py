"""Printing a plan: for a terminal of a hundred columns, and as a JSON document."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table

from flows.cli.printing import show_waits, wait_document
from flows.payables.rules.exchange_rate import facts_of
from io_adapters.outputs.plan_workbook import digest_text, where_text
from schemas.messages import Message, catalogue_in, currency_sign, render
from schemas.obligation import reasons_message, reasons_text
from schemas.plan import Place
from schemas.plan_view import (
    Against,
    Change,
    ChangeKind,
    Notice,
    PayeeNotice,
    PlanChanges,
    PlannedDestination,
    PlanRow,
    PlanView,
)
from schemas.statement_sketches import paid_alike_message
from schemas.values.masking import mask_tax_id
from schemas.values.money import format_cents

WIDTH: Final = 100
LARGEST: Final = 10
SHOWN_OF_EACH_NOTICE: Final = 4
SHOWN_CHANGES: Final = 8
SHOWN_REASONS: Final = 12
SHOWN_BATCHES: Final = 6

_FIGURES: Final = re.compile(r"(\[bold\])?([-+]?[0-9][0-9.,]*)?(\[/\])?")
_COLOURS: Final = {
    Notice.PAID_BEFORE: "red",
    Notice.SECOND_ATTEMPT: "red",
    Notice.TIMES_100: "red",
    Notice.DESTINATION: "red",
    Notice.MUCH_ABOVE: "yellow",
    Notice.TAKEN_BACK: "yellow",
    Notice.NEW: "cyan",
    Notice.DISAPPEARED: "dim",
}
_MARKS: Final = {
    ChangeKind.ADDED: "[green]+[/]",
    ChangeKind.REMOVED: "[red]-[/]",
    ChangeKind.AMOUNT: "[yellow]~[/]",
    ChangeKind.DESTINATION: "[red]>[/]",
}


def show_plan(console: Console, view: PlanView, path: Path | None) -> None:
    """Print what would be paid, whom to look at, what changed, what is not paid and why, and what checks would cost.

    Args:
        console: Where to.
        path: Where plan.xlsx was written; None when it was not.
    """
    _Screen(console, view).show(path)


class _Screen:
    """One plan on one console."""

    def __init__(self, console: Console, view: PlanView) -> None:
        self._console = console
        self._view = view
        self._labels = catalogue_in(view.language)

    def show(self, path: Path | None) -> None:
        """Print all of it, what a person decides on first."""
        self._head()
        self._look()
        self._changes()
        self._totals()
        self._not_paid()
        self._largest()
        self._waits()
        self._end(path)

    def _text(self, key: str, **facts: object) -> str:
        return escape(render(key, self._view.language, **facts))

    def _money(self, cents: int) -> str:
        return format_cents(cents, self._view.language)

    def _print(self, what: RenderableType = "") -> None:
        self._console.print(what, width=min(WIDTH, self._console.width))

    def _head(self) -> None:
        view = self._view
        payments = sum(batch.payees for batch in view.plan.batches)
        counted = {"payees": view.payees, "payments": payments, "batches": len(view.plan.batches)}
        facts = {name: Message(f"count.{name}", count=count) for name, count in counted.items()}
        counts = self._text("cli.plan.total", **facts)
        total = f"{currency_sign(view.plan.currency)} {self._money(view.plan.total_cents)}"
        self._print(f"[bold]{view.plan.job}  {view.plan.period}  {total}[/]  {counts}")
        owner = sum(batch.owner_cents for batch in view.plan.batches)
        if owner:
            self._print(self._text("cli.plan.owner", owner=self._money(owner)))
        if view.plan.exchange:
            self._print(self._text("cli.rate.terms", **facts_of(view.plan.exchange)))

    def _look(self) -> None:
        view = self._view
        self._title("cli.look.title")
        for reason in view.review_reasons:
            self._print(f"  [red]{_shown(render(reason, view.language))}[/]")
        if view.first_ever:
            self._print(f"  {self._text('cli.look.first_ever')}")
            return
        if not view.notices:
            self._print(f"  {self._text('cli.look.nothing')}")
            return
        for notice, count in view.notice_counts.items():
            if count:
                self._print(f"  [{_COLOURS[notice]}]{self._text(f'cli.look.{notice}', count=count)}[/]")
        shown = [payee for notice in Notice for payee in _first_of(view.notices, notice)]
        self._rows(row for payee in shown for row in self._rows_of(payee))
        self._more(len(view.notices) - len(shown))

    def _rows_of(self, payee: PayeeNotice) -> Iterator[tuple[str, ...]]:
        """Tell of one payee; of a destination that changed, on a line of its own, which it is now."""
        yield (
            f"[{_COLOURS[payee.notice]}]{self._text(f'cli.look.short_{payee.notice}')}[/]",
            _shown(payee.name or "?"),
            _shown(mask_tax_id(payee.tax_id)),
            self._money(payee.now_cents) if payee.now_cents else "",
            self._why(payee),
        )
        if payee.notice is Notice.DESTINATION:
            for destination in payee.destinations:
                yield "", "", "", "", _shown(render(destination.message, self._view.language))

    def _why(self, notice: PayeeNotice) -> str:
        before = self._money(notice.before_cents)
        match notice.notice:
            case Notice.PAID_BEFORE:
                return _shown(render(paid_alike_message(notice.alike), self._view.language))
            case Notice.SECOND_ATTEMPT:
                return self._text("cli.look.attempt", number=notice.attempt, report=notice.report)
            case Notice.NEW:
                return ""
            case Notice.TIMES_100 | Notice.MUCH_ABOVE:
                is_usual = notice.notice is Notice.MUCH_ABOVE and notice.amounts > 1
                key = "cli.look.usual" if is_usual else "cli.look.last_amount"
                return self._text(key, before=before, amounts=notice.amounts)
            case Notice.TAKEN_BACK | Notice.DISAPPEARED:
                is_less = notice.notice is Notice.TAKEN_BACK
                return self._text("cli.look.less_than_booked" if is_less else "cli.look.was_paid", before=before)
            case Notice.DESTINATION:
                used, paid = self._day(notice.last_used_at), self._day(notice.last_paid_at)
                return self._text(f"cli.look.destination_{'old' if used else 'new'}", used=used, paid=paid)

    def _changes(self) -> None:
        changes = self._view.changes
        day = self._day(changes.at)
        facts = {"run": changes.run_id, "day": day, "period": changes.period}
        key = {Against.LAST_PLAN: "plan", Against.LAST_PERIOD: "period", Against.NOTHING: "nothing"}[changes.against]
        self._title(f"cli.plan.since_{key}", **facts)
        if changes.against is Against.NOTHING:
            return
        if not changes.any:
            self._print(f"  {self._text('cli.plan.unchanged')}")
            return
        for rate in changes.rates:
            facts = {"currency": rate.currency, "before": rate.before, "now": rate.now}
            self._print(f"  [yellow]{self._text('cli.plan.rate', **facts)}[/]")
        if changes.shares:
            self._print(f"  [yellow]{self._text('cli.plan.shares', count=changes.shares)}[/]")
        counts = {kind.value: len(changes.of_kind(kind)) for kind in ChangeKind}
        whole = self._signed(changes.now_cents - changes.before_cents)
        self._print(f"  {self._text('cli.plan.changed', **counts, sum=whole)}")
        self._rows(
            (
                _MARKS[change.kind],
                _shown(change.name or "?"),
                _shown(mask_tax_id(change.tax_id)),
                self._signed(change.difference_cents) if change.difference_cents else "",
                self._how(change),
            )
            for change in changes.changes[:SHOWN_CHANGES]
        )
        self._more(len(changes.changes) - SHOWN_CHANGES)

    def _how(self, change: Change) -> str:
        if change.kind is ChangeKind.DESTINATION:
            return escape(self._labels("output.change.destination").lower())
        if change.kind is ChangeKind.AMOUNT:
            return f"{self._money(change.before_cents)} -> {self._money(change.now_cents)}"
        return _shown(where_text(change, self._labels))

    def _totals(self) -> None:
        self._title("cli.plan.totals")
        totals = self._view.totals
        placed = {place: getattr(totals, place.value) for place in Place}
        lines = [(self._labels(f"place.{place}"), self._money(cents)) for place, cents in placed.items() if cents]
        self._rows([*lines, (f"[bold]{self._labels('output.summary.in')}[/]", f"[bold]{self._money(totals.in_)}[/]")])

    def _not_paid(self) -> None:
        groups = self._view.not_paid
        if not groups:
            return
        self._title("cli.plan.not_paid")
        self._rows(
            (
                self._labels(f"place.{group.place}"),
                self._money(group.amount_cents),
                str(group.count),
                _shown(self._labels.write(reasons_message(group.reasons))),
            )
            for group in groups[:SHOWN_REASONS]
        )
        self._more(len(groups) - SHOWN_REASONS)

    def _largest(self) -> None:
        largest = self._view.largest(LARGEST)
        if not largest:
            return
        self._title("cli.plan.largest")
        self._rows(
            (
                _shown(row.name),
                _shown(row.tax_id_masked),
                self._money(row.amount_cents),
                _shown(" · ".join(filter(None, (self._destination(row), _reference_text(row.reference))))),
            )
            for row in largest
        )

    def _destination(self, row: PlanRow) -> str:
        return render(row.destination.message, self._view.language) if row.destination else ""

    def _end(self, path: Path | None) -> None:
        view = self._view
        self._print()
        for batch in view.plan.batches[:SHOWN_BATCHES] if len(view.plan.batches) > 1 else ():
            facts = {"number": batch.number, "payments": batch.payees, "amount": self._money(batch.amount_cents)}
            self._print(self._text("cli.plan.batch", **facts))
        self._more(len(view.plan.batches) - SHOWN_BATCHES)
        checks = view.checks
        if checks.wanted:
            cost, budget, left = map(self._money, (checks.cost_cents, checks.budget_cents, checks.left_cents))
            self._print(self._text("cli.plan.checks", wanted=checks.wanted, cost=cost, budget=budget, left=left))
        if checks.beyond_budget:
            self._print(f"[yellow]{self._text('cli.plan.beyond', count=checks.beyond_budget)}[/]")
        self._print(self._text("cli.rows", **view.rows.model_dump()))
        # Digest and path stay whole, so that they can be copied.
        self._console.print(self._text("cli.plan.digest", digest=digest_text(view, self._labels)), soft_wrap=True)
        if path:
            self._console.print(self._text("cli.plan.file", path=path), soft_wrap=True)

    def _waits(self) -> None:
        if self._view.waits:
            self._title("cli.waits.elsewhere")
            show_waits(self._console, self._view.waits, self._view.language)

    def _title(self, key: str, **facts: object) -> None:
        self._print()
        self._print(f"[bold]{self._text(key, **facts)}[/]")

    def _rows(self, rows: Iterable[tuple[str, ...]]) -> None:
        """Print rows without lines around them; columns of figures stand to the right."""
        lines = list(rows)
        if not lines:
            return
        table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(width=0)
        for cells in zip(*lines, strict=True):
            if all(_FIGURES.fullmatch(cell) for cell in cells):
                table.add_column(justify="right", no_wrap=True)
            else:
                table.add_column(overflow="fold", max_width=40)
        for line in lines:
            table.add_row("", *line)
        self._print(table)

    def _more(self, count: int) -> None:
        if count > 0:
            self._print(f"  {self._text('cli.plan.more', count=count)}")

    def _signed(self, cents: int) -> str:
        return f"+{self._money(cents)}" if cents > 0 else self._money(cents)

    def _day(self, moment: dt.datetime | None) -> str:
        if moment is None:
            return ""
        return f"{moment:%d/%m/%Y}" if self._view.language == "pt-BR" else f"{moment:%Y-%m-%d}"


def _first_of(notices: Iterable[PayeeNotice], kind: Notice) -> list[PayeeNotice]:
    return [notice for notice in notices if notice.notice is kind][:SHOWN_OF_EACH_NOTICE]


def _reference_text(reference: str) -> str:
    """Leave out references that only Repasse gives."""
    return "" if reference.partition("/")[0] == "royalties" else reference


def _shown(text: str) -> str:
    """Keep what others wrote from being taken for markup, and control characters from reaching the terminal."""
    return escape("".join(mark if mark.isprintable() else " " for mark in text))


def plan_document(view: PlanView, *, names: bool) -> dict[str, Any]:
    """Return a plan for programs: counts and sums, of nobody in particular.

    Args:
        names: Whether the section `people` is wanted, which names payees, with their tax ids masked: whom to look at,
            what changed, and the largest payments. It is for a person's eyes, not for logs.
    """
    labels = catalogue_in(view.language)
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
                "place": group.place.value,
                "reason": reasons_text(group.reasons),
                "words": labels.write(reasons_message(group.reasons)),
                "obligations": group.count,
                "amount_cents": group.amount_cents,
            }
            for group in view.not_paid
        ],
        "first_ever": view.first_ever,
        "reasons_to_look": [render(reason, view.language) for reason in view.review_reasons],
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
        "largest": [_row(row) for row in view.largest(LARGEST)],
    }


def _notice(notice: PayeeNotice) -> dict[str, Any]:
    return {
        "notice": notice.notice.value,
        "name": notice.name,
        "tax_id_masked": mask_tax_id(notice.tax_id),
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
        "tax_id_masked": mask_tax_id(change.tax_id),
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
    }
