"""bank: statements of the bank read, their lines explained, and a month held against service and register."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.acts.forms import ExplainLine
from flows.cli.acts import command_of
from flows.cli.address_book import institutions
from flows.cli.ending import (
    AsJson,
    By,
    Result,
    as_month,
    command,
    console_for,
    ended,
    opened_ledger,
    print_text,
    suffix_of,
    terminal_language,
)
from schemas.errors import ExitCode
from schemas.messages import render

if TYPE_CHECKING:
    from schemas.bank import Closing, Explained

# Printed of each table; a workbook and JSON have all.
MOST_ROWS = 200

bank_app = typer.Typer(help="Hold the bank's statements against service and register.", rich_markup_mode=None)
command(bank_app)(command_of(ExplainLine, "explain"))
command(bank_app)(institutions)


@command(bank_app)
def read(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="OFX, or a sheet.", show_default=False)],
    by: By,
    account: Annotated[str, typer.Option(metavar="TEXT", help="As you call it; an OFX says its number.")] = "",
    layout: Annotated[str, typer.Option(metavar="FILE", help="A layout, for headers that are not known.")] = "",
    as_json: AsJson = False,
) -> Result:
    """Read a statement, and explain its lines.

    Where one answer fits. What another file has brought already is read once.
    """
    from flows.bank.closing import take_statement

    with opened_ledger() as ledger:
        taken = take_statement(ledger, file, account, layout, by)
        of_lines = {each.line_id for each in ledger.bank.explained()}
        left = [line for line in ledger.bank.lines() if line.id not in of_lines]
    facts = {"file": file.name, "count": taken.new, "explained": len({each.line_id for each in taken.explained})}
    console = console_for(as_json=as_json)
    print_text(console, "bank.read", **facts)
    for problem in taken.breaks:
        console.print(render(problem, terminal_language()), soft_wrap=True, markup=False)
    document = {"account": taken.statement.account, "new": taken.new, "unexplained": [line.id for line in left]}
    document["explained"] = [_explained_document(each) for each in taken.explained]
    return ExitCode.ROWS_HELD if left or taken.breaks else ExitCode.DONE, document


@bank_app.callback(invoke_without_command=True)
@ended
def bank(
    context: typer.Context,
    month: Annotated[
        str,
        typer.Option(metavar="MONTH", help="Such as 2026-10; else the latest.", callback=as_month),
    ] = "",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the month to a .xlsx.")] = None,
    as_json: AsJson = False,
) -> Result | None:
    """Hold the bank's statements against service and register.

    A month is closed when every difference is 0.00 and every line is explained.
    """
    if context.invoked_subcommand is not None:
        return None
    from flows.bank.closing import closing_of, months_of_bank
    from flows.cli.printing import show_grid
    from io_adapters.outputs.accounts import write_workbook
    from io_adapters.outputs.bank import closing_grids
    from schemas.messages import catalogue_in

    suffix_of(out, {".xlsx"})
    console, language = console_for(as_json=as_json), terminal_language()
    with opened_ledger(create=False) as ledger:
        months = months_of_bank(ledger)
        closing = closing_of(ledger, month or months[0]) if month or months else None
    if closing is None:
        print_text(console, "bank.none")
        return ExitCode.DONE, {"month": None}
    grids = closing_grids(closing, catalogue_in(language))
    for grid in grids:
        show_grid(console, grid, language, most_rows=MOST_ROWS)
    if out is not None:
        written = write_workbook(grids, out, language)
        console.print(render("account.written", language, path=str(written)), soft_wrap=True, markup=False)
    return ExitCode.DONE if closing.is_closed else ExitCode.ROWS_HELD, _document(closing)


def _explained_document(each: "Explained") -> dict[str, Any]:
    return {"line": each.line_id, "matter": each.matter.value, "of": each.subject, "how": each.how}


def _document(closing: "Closing") -> dict[str, Any]:
    return {
        "month": closing.month,
        "closed": closing.is_closed,
        "covered_until": closing.covered_until.isoformat() if closing.covered_until else None,
        "gaps": [
            gap._asdict() | {"first": gap.first.isoformat(), "last": gap.last.isoformat()} for gap in closing.gaps
        ],
        "rows": [
            {
                "matter": row.matter.value,
                "of": row.subject,
                "job": row.job,
                "bank_cents": row.bank_cents,
                "service_cents": row.service_cents,
                "recorded_cents": row.recorded_cents,
                "difference_cents": row.difference_cents,
            }
            for row in closing.rows
        ],
        "unexplained": [
            {
                "line": line.id,
                "day": line.day.isoformat(),
                "account": line.account,
                "cents": line.cents,
                "text": line.text,
            }
            for line in closing.unexplained
        ],
        "explained": [_explained_document(each) for _, each in closing.explained],
        "missing": [
            {"matter": need.matter.value, "of": need.subject, "day": need.day.isoformat(), "cents": need.cents}
            for need in closing.missing
        ],
    }
