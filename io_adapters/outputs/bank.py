"""The bank held against service and register, as tables for people: a month, its open lines, what is missing."""

from collections.abc import Sequence

from io_adapters.outputs.grid import Grid, GridColumn, Toned
from schemas.bank import BankMonth, Closing
from schemas.messages import Catalogue, Message, Money, Said, period_text
from schemas.plan import HOME_CURRENCY
from schemas.states import Tone


def closing_grids(closing: Closing, labels: Catalogue) -> tuple[Grid, ...]:
    """Lay a month out: what bank, service and register say; lines without an explanation and with; what is missing."""

    def money(cents: int) -> Money:
        return Money(cents, HOME_CURRENCY)

    columns = [GridColumn(labels(f"bank.column.{name}"), 44 if name == "of" else 18) for name in _COLUMNS]
    rows = [
        (
            *(labels(f"bank.matter.{row.matter}"), Said(row.subject), Said(row.job)),
            *(money(row.bank_cents), money(row.service_cents), money(row.recorded_cents)),
            money(row.difference_cents),
        )
        for row in closing.rows
    ]
    lines = [
        (Said(line.id), line.day, Said(line.account), money(line.cents), line.text) for line in closing.unexplained
    ]
    line_columns = [GridColumn(labels(f"bank.column.{name}")) for name in ("line", "day", "account", "amount", "text")]
    explained = [
        (
            *(Said(line.id), line.day, money(-said.cents), labels(f"bank.matter.{said.matter}"), Said(said.subject)),
            labels(f"bank.how.{said.how}"),
        )
        for line, said in closing.explained
    ]
    explained_columns = [GridColumn(labels(f"bank.column.{name}")) for name in _OF_EXPLAINED]
    missing = [
        (labels(f"bank.matter.{need.matter}"), Said(need.subject), need.day, money(need.cents))
        for need in closing.missing
    ]
    missing_columns = [GridColumn(labels(f"bank.column.{name}")) for name in ("matter", "of", "day", "amount")]
    title = labels("bank.closing", month=period_text(closing.month, labels.language))
    return (
        Grid(title, columns, rows, notes_of(closing, labels)),
        Grid(labels("bank.unexplained"), line_columns, lines),
        Grid(labels("bank.missing"), missing_columns, missing),
        Grid(labels("bank.explained_lines"), explained_columns, explained),
    )


def bank_months_grids(months: Sequence[BankMonth], labels: Catalogue) -> list[Grid]:
    """Say of months whether they are closed; nothing of those without a statement of the bank."""
    columns = [GridColumn(labels(f"bank.column.{name}")) for name in ("month", "closed")]
    rows = [
        (
            period_text(month.month, labels.language),
            Toned(labels("bank.closed"), Tone.GOOD) if month.is_closed else Toned(labels("bank.open"), Tone.WAITING),
        )
        for month in months
    ]
    return [Grid(labels("bank.months"), columns, rows)] if rows else []


_OF_EXPLAINED = ("line", "day", "amount", "matter", "of", "how")
_COLUMNS = ("matter", "of", "job", "bank", "service", "register", "difference")


def notes_of(closing: Closing, labels: Catalogue) -> list[str | Toned]:
    """Say whether a month is closed, and what keeps it open."""
    if closing.is_closed:
        return [Toned(labels("bank.closed"), Tone.GOOD)]
    notes = [Message("bank.open")]
    if closing.covered_until is None or closing.covered_until < closing.last:
        until = "" if closing.covered_until is None else f"{closing.covered_until:%d/%m/%Y}"
        notes.append(Message("bank.open.covered", day=until or "-"))
    notes += [
        Message(
            "bank.open.gap",
            account=gap.account,
            first=f"{gap.first:%d/%m/%Y}",
            last=f"{gap.last:%d/%m/%Y}",
            sum=Money(gap.cents, HOME_CURRENCY),
        )
        for gap in closing.gaps
    ]
    if differing := sum(1 for row in closing.rows if row.difference_cents):
        notes.append(Message("bank.open.differences", count=differing))
    if closing.unexplained:
        notes.append(Message("bank.open.lines", count=len(closing.unexplained)))
    if closing.missing:
        notes.append(Message("bank.open.missing", count=len(closing.missing)))
    return [Toned(labels.write(note), Tone.WAITING) for note in notes]
