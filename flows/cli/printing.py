"""Printing a run, its problems and what waits: live in a terminal, line by line in a log, or as JSON."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from flows.books.rules.reconcile import NOTHING_TO_PAY
from flows.payables.rules.waits import line_of_wait
from flows.run import QuietProgress, progress_words, stage_words
from io_adapters.outputs.grid import Field, Grid, Tone, Toned, field_text
from io_adapters.outputs.run_grids import batches_grid, totals_grid
from schemas.errors import ExitCode, RepasseError
from schemas.issues import Issue, Severity
from schemas.job import Outputs
from schemas.messages import Message, catalogue_in, render
from schemas.obligation import reasons_text
from schemas.plan import Place
from schemas.reconciliation import Summary
from schemas.values.money import exact_text, format_cents
from schemas.waits import Wait

if TYPE_CHECKING:
    from flows.intake.examine import ExaminedSheet, ExaminedTable


from flows.address_book.rules import Action, ContactStep, PayeeRow
from flows.address_book.sync import ContactOutcome, ContactsReport, ContactsSync, Result
from io_adapters.outputs.grid import GridColumn, facts_grid
from schemas.contact_book import KnownContact
from schemas.issues import IssueCode
from schemas.messages import Catalogue
from schemas.values.masking import mask_email, mask_name, mask_tax_id

SHOWN_ISSUES = 50
SHOWN_FILES = 8
SHOWN_ROWS = 12
SHOWN_BATCHES = 50


class LiveProgress:
    """A bar that moves, above it the lines that stay; use as a context manager."""

    _language = Outputs().language

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task("", total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def speak(self, language: str) -> None:
        """Stages are named in this language from now on."""
        self._language = "en" if language == "en" else "pt-BR"

    def stage(self, name: str) -> None:
        """A stage begins."""
        self._progress.update(self._task, description=stage_words(name, self._language), completed=0, total=None)

    def show(self, message: str) -> None:
        """Something worth a line."""
        self._progress.console.print(f"  [dim]{_escaped(message)}[/dim]")

    def advance(self, what: str, done: int, total: int) -> None:
        """So many of so many are done."""
        self._progress.update(self._task, description=progress_words(what, self._language), completed=done, total=total)


def _escaped(text: str) -> str:
    """Keep text from being taken for markup, and control characters from reaching the terminal."""
    return _printable(text).replace("[", r"\[")


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _escaped_lines(text: str) -> str:
    return "\n".join(_escaped(line) for line in text.splitlines())


@contextmanager
def progress_on(console: Console) -> Iterator[LiveProgress | QuietProgress]:
    """Show progress live where a terminal watches, as quiet lines on standard error elsewhere."""
    if console.is_terminal:
        with LiveProgress(console) as live:
            yield live
    else:
        yield QuietProgress()


def show_issues(console: Console, issues: Sequence[Issue], where: str, language: str) -> None:
    """Print problems as a table, file by file: which cell, which rule, what would be right; notes are left out."""
    worse = [issue for issue in issues if issue.severity is not Severity.NOTE]
    for (file, sheet), some in groupby(worse[:SHOWN_ISSUES], key=lambda issue: (issue.file, issue.sheet)):
        table = Table(title=_escaped(" > ".join(filter(None, (file, sheet)))), title_justify="left", show_edge=False)
        for key, minimum in (
            ("cli.issues.cell", 4),
            ("cli.issues.rule", 12),
            ("cli.issues.wrong", 20),
            ("cli.issues.right", 20),
        ):
            table.add_column(render(key, language), overflow="fold", min_width=minimum)
        for issue in some:
            colour = "red" if issue.severity is Severity.ERROR else "yellow"
            value = f" ({issue.value_masked})" if issue.value_masked else ""
            wrong, right = render(issue.message, language) + value, render(issue.accepts, language)
            cells = (_place(issue, language), issue.code.value, wrong, right)
            where_text, code, message, accepts = map(_escaped, cells)
            table.add_row(where_text, f"[{colour}]{code}[/{colour}]", message, accepts)
        console.print(table)
    if len(worse) > SHOWN_ISSUES:
        console.print(render("cli.issues.more", language, count=len(worse) - SHOWN_ISSUES, where=where), soft_wrap=True)


def show_examined(console: Console, sheet: "ExaminedSheet", language: str) -> None:
    """Print what a sheet would be: which header is which column, how many rows there are, and what they sum up to."""

    def say(key: str, **facts: object) -> None:
        console.print(render(key, language, **facts), soft_wrap=True, markup=False)

    name = " > ".join(filter(None, (sheet.file, sheet.sheet)))
    say("examined.title", file=name, what=Message(f"new.is.{sheet.layout.table}", layout=sheet.layout.layout))
    console.print(f"  {render(sheet.decisions, language)}", soft_wrap=True, markup=False)
    for column in sheet.columns:
        if column.column:
            read = {"cell": column.cell, "header": _printable(column.header), "column": column.column}
            console.print(f"  {render('examined.read', language, **read)}", soft_wrap=True, markup=False)
    if rest := [f"{column.cell} {_printable(column.header)}" for column in sheet.columns if not column.column]:
        say("examined.not_read", headers=", ".join(rest))
    say("examined.rows", **{name: sheet.rows.get(name, 0) for name in ("used", "held", "ignored")})
    for currency, amount in sheet.sums.items():
        say("examined.sum", currency=currency, amount=amount)


def examined_document(sheet: "ExaminedSheet", table: "ExaminedTable") -> dict[str, Any]:
    """Return what a sheet would be, for programs."""
    return {
        "sheet": sheet.sheet,
        "layout": sheet.layout.layout,
        "could_be": [possibility.layout.layout for possibility in table.possibilities],
        "columns": {column.cell: column.column for column in sheet.columns if column.column},
        "not_read": [column.cell for column in sheet.columns if not column.column],
        "rows": dict(sheet.rows),
        "sums": {currency: exact_text(amount) for currency, amount in sheet.sums.items()},
    }


def _place(issue: Issue, language: str) -> str:
    return issue.cell or (render("cli.issues.row", language, row=issue.row) if issue.row else "")


def show_summary(console: Console, summary: Summary, language: str) -> None:
    """Print a run's totals, reports, rows and account checks."""
    labels = catalogue_in(language)
    nothing = summary.state == NOTHING_TO_PAY
    outcome = labels.write(summary.nothing_sent) if nothing else labels.of_value("output.exit", str(summary.exit_code))
    console.print(f"[bold]{summary.job}[/bold] {summary.period}  {summary.run}  [bold]{outcome}[/bold]")
    show_grid(console, totals_grid(summary.totals_cents, labels, summary.currency), language, most_rows=len(Place))
    show_grid(console, batches_grid(summary.batches, labels), language, most_rows=SHOWN_BATCHES)
    console.print(render("cli.rows", language, **summary.rows.model_dump()))
    checks = summary.account_checks
    if checks.made or checks.reused:
        cost, budget = format_cents(checks.cost_cents, language), format_cents(checks.budget_cents, language)
        counts = checks.model_dump(include={"made", "reused", "invalid", "unknown"})
        console.print(render("cli.checks", language, cost=cost, budget=budget, **counts))


def show_messages(console: Console, messages: Iterable[str], code: ExitCode) -> None:
    """Print what a person must know, and the exit code in words."""
    for message in messages:
        console.print(f"[{'yellow' if code else 'green'}]>[/] {_escaped_lines(message)}", soft_wrap=True)


def show_outputs(console: Console, outputs: Iterable[Path]) -> None:
    """Print what was written, folder by folder."""
    for folder, grouped in groupby(outputs, key=lambda path: path.parent):
        paths = list(grouped)
        names = "  ".join(path.name for path in paths)
        if len(paths) > SHOWN_FILES:
            names = f"{paths[0].name}  ... ({len(paths)})"
        console.print(f"  {_from_here(folder)}/\n    {names}", soft_wrap=True, markup=False)


def _from_here(folder: Path) -> Path:
    """Name a folder as people see it from where they are, when it is below."""
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder


_WIDEST: Final = 1_000
_STYLES: Final = {
    Tone.GOOD: "green",
    Tone.MOVING: "cyan",
    Tone.WAITING: "yellow",
    Tone.TROUBLE: "red",
    Tone.QUIET: "dim",
}


def show_grid(console: Console, grid: Grid, language: str, *, most_rows: int = SHOWN_ROWS) -> None:
    """Print a grid: its title, its notes, and its first rows; nothing of one that says nothing."""
    if not (grid.rows or grid.notes):
        return
    shown = grid.without_details()
    console.print(f"\n[bold]{_escaped(grid.title)}[/]")
    for note in grid.notes:
        console.print(f"  {_marked(note, language)}")
    if grid.rows:
        console.print(_table_of(shown, language, console, most_rows), crop=False)
    if len(grid.rows) > most_rows:
        more = render("cli.more_rows", language, count=len(grid.rows) - most_rows)
        console.print(f"  {more}", markup=False)


def _table_of(grid: Grid, language: str, console: Console, most_rows: int) -> Table:
    """Lay out a grid; where there is too little room for it, neither figures are cut off nor words and ids broken."""
    rows = grid.rows[:most_rows]
    table, room = _laid_out(grid, rows, language), console.options.update(width=_WIDEST)
    if Measurement.get(console, room, table).maximum <= console.width:
        return table
    table = _laid_out(grid, rows, language, header_lines="\n")
    least = Measurement.get(console, room, table).minimum
    table.width = least if least > console.width else None
    return table


def _laid_out(grid: Grid, rows: Sequence[Sequence[Field]], language: str, *, header_lines: str = " ") -> Table:
    """Make the table; `header_lines` parts the words of a header over cells that stay on one line."""
    table = Table(show_header=grid.has_headers, header_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for place, (column, is_figure) in enumerate(zip(grid.columns, grid.are_figures, strict=True)):
        texts = [field_text(row[place], language) for row in rows]
        stays = is_figure or not any(" " in text for text in texts)
        table.add_column(
            _escaped(column.header).replace(" ", header_lines if stays else " "),
            justify="right" if is_figure else "left",
            no_wrap=stays,
            min_width=max((len(word) for text in (column.header, *texts) for word in text.split()), default=0),
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(_marked(field, language) for field in row))
    if grid.total:
        table.add_row(*(_marked(field, language) for field in grid.total), style="bold")
    return table


def _marked(field: Field, language: str) -> str:
    text = _escaped(field_text(field, language))
    style = _STYLES.get(field.tone) if isinstance(field, Toned) else None
    return f"[{style}]{text}[/]" if style else text


def show_waits(console: Console, waits: Sequence[Wait], language: str = "") -> None:
    """Print what waits, by job and period: amount, how many, why, which run left it, and the way on.

    Args:
        waits: What waits, those of a job and period together.
        language: To tell it in; that of each job when "".
    """
    for (job, period), some in groupby(waits, key=lambda wait: (wait.job, wait.period)):
        own = list(some)
        spoken = language or own[0].language
        console.print(f"[bold]{render('cli.waits.title', spoken, job=job, period=period)}[/bold]", soft_wrap=True)
        for (_, way), alike in groupby(own, key=lambda wait: (wait.run_id, wait.way)):
            for wait in alike:
                console.print(f"  {render(line_of_wait(wait), spoken)}", soft_wrap=True, markup=False)
            console.print(f"    {render(way, spoken)}", soft_wrap=True, markup=False)


def wait_document(wait: Wait) -> dict[str, Any]:
    """Return one thing that waits, for programs."""
    return {
        "kind": wait.kind.value,
        "job": wait.job,
        "period": wait.period,
        "run": wait.run_id,
        "amount_cents": wait.amount_cents,
        "currency": wait.currency or None,
        "count": wait.count,
        "reason": wait.state or reasons_text(wait.reasons) or None,
        "words": render(wait.why, wait.language) or None,
        "way": render(wait.way, wait.language),
        "exit_code": int(wait.code),
    }


def print_error(error: RepasseError, *, as_json: bool) -> None:
    """Print an error that kept a command from doing anything: one message, no traceback."""
    if as_json:
        issues = [issue.as_json(error.language) for issue in error.issues]
        print_json({"exit_code": int(error.exit_code), "issues": issues, "error": error.message})
    stderr = Console(stderr=True)
    show_issues(stderr, error.issues, "--json", error.language)
    stderr.print(f"[red]repasse:[/red] {_escaped_lines(error.message)}", soft_wrap=True)


def print_json(document: dict[str, Any]) -> None:
    """Print the one JSON document of a command on standard output."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


SHOWN: Final = 50
_WENT_WELL: Final = frozenset({Result.CREATED, Result.FOUND, Result.EMAIL_CHANGED, Result.KEPT})


def show_sync(console: Console, report: ContactsReport, job: Path) -> None:
    """Print what a sync would do, or what it did."""
    language, sync = report.language, report.sync
    refused = [issue for issue in report.issues if issue.code is IssueCode.CONTACT_REFUSED]
    show_issues(console, refused, "--json", language)
    for grid in contacts_grids(sync, catalogue_in(language)):
        show_grid(console, grid, language, most_rows=SHOWN)
    lines = [Message("contacts.not_named", count=len(sync.plan.not_named))] if sync.plan.not_named else []
    if not any(step.calls for step in sync.plan.steps):
        lines.append(Message("contacts.nothing"))
    elif not sync.applied:
        lines.append(Message("contacts.preview", job=str(job)))
    for line in lines:
        console.print(render(line, language), soft_wrap=True, markup=False)


def contacts_grids(sync: ContactsSync, labels: Catalogue) -> tuple[Grid, Grid, Grid]:
    """Lay out a sync: counts, contacts that somebody may have to do something about, payees of whom none is made."""
    if sync.applied:
        rows = [_outcome_row(outcome, labels) for outcome in sync.outcomes if _wants_a_look(outcome)]
    else:
        rows = [_step_row(step, labels) for step in sync.plan.steps if step.calls or step.name_differs]
    left_out = [
        (
            mask_tax_id(row.tax_id) if row.tax_id else "",
            labels("contacts.place", file=row.place.file, row=row.place.row) if row.place.row else row.place.file,
            labels(f"contacts.left_out.{row.because}"),
        )
        for row in sync.plan.left_out
    ]
    who = [GridColumn(labels(f"output.{name}")) for name in ("name", "tax_id", "state")]
    where = [GridColumn(labels(f"output.{name}")) for name in ("tax_id", "file", "reason")]
    kind = "result" if sync.applied else "action"
    counts = [(labels(f"contacts.{kind}.{name}"), count) for name, count in sorted(sync.counts.items())]
    counts += [(labels("contacts.favorite.marked"), sync.marked)] if sync.marked else []
    return (
        facts_grid(labels("contacts.counts"), counts),
        Grid(labels("contacts.each"), who, rows),
        Grid(labels("contacts.left_out", count=len(left_out)), where, left_out),
    )


def _step_row(step: ContactStep, labels: Catalogue) -> tuple[str, ...]:
    parts = [] if step.action is Action.KEEP else [labels(f"contacts.action.{step.action}")]
    parts += [labels("contacts.action.favorite")] if step.favorite.mark else []
    parts += _other_name(step.known, labels) if step.name_differs else []
    return mask_name(step.wanted.name), mask_tax_id(step.wanted.tax_id), "; ".join(parts)


def _wants_a_look(outcome: ContactOutcome) -> bool:
    """Say whether a person may have something to do about a contact; those that went well are only counted."""
    nameless = outcome.known is None or outcome.known.contact_id is None
    is_odd = outcome.result not in _WENT_WELL or bool(outcome.favorite_result or outcome.favorite.note)
    return nameless or is_odd or outcome.name_differs


def _outcome_row(outcome: ContactOutcome, labels: Catalogue) -> tuple[str, ...]:
    parts = [labels(f"contacts.result.{outcome.result}")]
    if outcome.marked:
        parts.append(labels("contacts.favorite.marked"))
    if outcome.favorite_result:
        why = labels(f"contacts.result.{outcome.favorite_result}")
        parts.append(labels("contacts.favorite.failed", why=why))
    if outcome.favorite.note:
        parts.append(labels(f"contacts.favorite.{outcome.favorite.note}"))
    if outcome.known and not outcome.known.contact_id and not outcome.message:
        parts.append(labels("contacts.no_id"))
    if outcome.message:
        parts.append(outcome.message)
    parts += _other_name(outcome.known, labels) if outcome.name_differs else []
    wanted = outcome.step.wanted
    return mask_name(wanted.name), mask_tax_id(wanted.tax_id), "; ".join(parts)


def _other_name(known: KnownContact | None, labels: Catalogue) -> list[str]:
    return [labels("contacts.name_differs", name=mask_name((known.name if known else "") or ""))]


def show_known(console: Console, known: Sequence[KnownContact], language: str) -> None:
    """Print what is remembered of contacts."""
    names = ("contact", "name", "tax_id", "email", "accounts", "favorite", "state")
    columns = [GridColumn(render(f"contacts.column.{name}", language)) for name in names]
    rows = [
        (
            contact.contact_id,
            mask_name(contact.name) if contact.name else "",
            mask_tax_id(contact.tax_id),
            mask_email(contact.email) if contact.email else "",
            ", ".join(account.id for account in contact.accounts if account.id),
            contact.favorite_account_id,
            contact.state.value,
        )
        for contact in known
    ]
    show_grid(console, Grid(render("contacts.title", language), columns, rows), language, most_rows=len(rows))


def known_document(contact: KnownContact) -> dict[str, Any]:
    """Return what is remembered of a contact as JSON values, masked."""
    return {
        "contact_id": contact.contact_id,
        "name": mask_name(contact.name) if contact.name else None,
        "tax_id": mask_tax_id(contact.tax_id),
        "email": mask_email(contact.email) if contact.email else None,
        "accounts": [account.id for account in contact.accounts],
        "favorite": contact.favorite_account_id,
        "state": contact.state.value,
        "told_at": contact.told_at.isoformat() if contact.told_at else None,
    }


def contacts_document(report: ContactsReport) -> dict[str, Any]:
    """Return a sync as JSON values: counts, and every contact masked."""
    sync = report.sync
    outcomes = {outcome.step.wanted.tax_id: outcome for outcome in sync.outcomes}
    planned = {action.value: sync.plan.count(action) for action in Action}
    return {
        "job": report.job,
        "applied": sync.applied,
        "planned": planned | {"favorite": sum(step.favorite.mark is not None for step in sync.plan.steps)},
        "results": dict(sorted(sync.results.items())) | {"favorite_marked": sync.marked},
        "contacts": [_step_document(step, outcomes.get(step.wanted.tax_id)) for step in sync.plan.steps],
        "left_out": [
            {"payee": mask_tax_id(row.tax_id) if row.tax_id else "", "because": row.because.value}
            | _place_of(row.place)
            for row in sync.plan.left_out
        ],
        "not_named": len(sync.plan.not_named),
        "issues": [issue.as_json(report.language) for issue in report.issues],
    }


def _step_document(step: ContactStep, outcome: ContactOutcome | None) -> dict[str, Any]:
    known = outcome.known if outcome else step.known
    favorite = outcome.favorite if outcome else step.favorite
    return {
        "payee": mask_tax_id(step.wanted.tax_id),
        "contact_id": known.contact_id if known else None,
        "action": step.action.value,
        "result": outcome.result.value if outcome else None,
        "favorite": outcome.marked if outcome else favorite.mark,
        "favorite_note": favorite.note.value if favorite.note else None,
        "name_differs": outcome.name_differs if outcome else step.name_differs,
        "message": outcome.message if outcome else "",
    } | _place_of(step.wanted.place)


def _place_of(place: PayeeRow) -> dict[str, Any]:
    return {"file": place.file, "sheet": place.sheet or None, "row": place.row or None}
