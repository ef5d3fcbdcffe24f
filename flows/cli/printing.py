"""Printing a run, its problems and what waits: live in a terminal, line by line in a log, or as JSON."""

import json
import re
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
from flows.run import QuietProgress, progress_words, stage_words
from io_adapters.outputs.grid import Field, Grid, Toned, field_text
from io_adapters.outputs.run_grids import batches_grid, totals_grid
from schemas.errors import ExitCode, RepasseError
from schemas.issues import Issue, Severity
from schemas.job import Outputs
from schemas.messages import Listed, Message, as_read, catalogue_in, render
from schemas.plan import Place
from schemas.readers import people_read, shown
from schemas.reasons import reasons_text
from schemas.reconciliation import Summary
from schemas.states import Tone
from schemas.values.money import exact_text, format_cents
from schemas.waits import Wait, matters

if TYPE_CHECKING:
    from flows.intake.examine import ExaminedSheet, ExaminedTable

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
    worse = [issue.as_shown() for issue in issues if issue.severity is not Severity.NOTE]
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

    name = shown(" > ".join(filter(None, (sheet.file, sheet.sheet))))
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
    if sheet.months:
        say("examined.months", months=Listed(sheet.months))


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
        "months": list(sheet.months),
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
        console.print(f"  {shown(str(_from_here(folder)))}/\n    {names}", soft_wrap=True, markup=False)


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
        for (_, way), alike in groupby(matters(own), key=lambda matter: (matter.first.run_id, matter.first.way)):
            for matter in alike:
                console.print(f"  {render(matter.line, spoken)}", soft_wrap=True, markup=False)
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
    """Print the one JSON document of a command on standard output, as whoever reads it may see it."""
    told = document if people_read() else _without_names(document, "")
    sys.stdout.write(json.dumps(told, ensure_ascii=False, indent=1) + "\n")


# What a document holds under these keys, programs have named, and nobody a payee, a file or a cell.
_OURS: Final = frozenset(
    {
        *(
            "account_id",
            "action",
            "against",
            "approves",
            "attempt",
            "base_url",
            "by",
            "cell",
            "change",
            "code",
            "contact_id",
            "could_be",
        ),
        *(
            "currency",
            "elsewhere",
            "exit_code",
            "extPaymentId",
            "host",
            "id",
            "institutions",
            "job",
            "jobs",
            "key_type",
        ),
        *("kind", "layout", "layouts", "linked_by", "month", "months", "not_named", "not_read", "notice", "order_id"),
        *("outcome", "period", "place", "plan_digest", "policy", "prefect", "problems", "report_id", "result", "roles"),
        *("rows", "run", "service", "severity", "split_id", "state", "status", "step", "submission", "sums", "tags"),
        *("update_id", "url", "user", "webhook_id", "rests_on", "deprecated", "where", "columns", "tables_of"),
    }
)


_FIELD: Final = re.compile(r"[a-z][a-z0-9_]*|[A-Z]{1,3}[0-9]+|[A-Z]{3}")  # a cell, a currency, and names of ours


def _without_names(value: Any, key: str) -> Any:  # noqa: ANN401  # JSON
    match value:
        case dict():
            plain = {name: name if _FIELD.fullmatch(name) else as_read(name) for name in value}
            return {plain[name]: _without_names(held, name) for name, held in value.items()}
        case list() | tuple():
            return [_without_names(held, key) for held in value]
        case str() if key not in _OURS:
            return as_read(value)
    return value
