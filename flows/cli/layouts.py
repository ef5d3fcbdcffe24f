"""layouts and schema: what Repasse can read, and how to declare what it cannot read yet."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.ending import AsJson, Result, command, console_for, ended
from schemas.errors import ExitCode

if TYPE_CHECKING:
    from schemas.layouts.layout import Layout

layouts_app = typer.Typer(help="List what Repasse can read; draft a layout.", rich_markup_mode=None)


@layouts_app.callback(invoke_without_command=True)
@ended
def layouts(context: typer.Context, as_json: AsJson = False) -> Result | None:
    """List the statements and tables Repasse can read; `layouts new FILE` drafts a layout."""
    if context.invoked_subcommand is not None:
        return None
    console = console_for(as_json=as_json)
    known = _known()
    by_table = Counter(layout.table for layout in known)
    width = max(len(layout.layout) for layout in known)
    for layout in known:
        is_assumed = layout.rests_on is not None and layout.rests_on.kind == "assumption"
        line = f"{layout.layout:<{width}}  {layout.table:<13}  {layout.title}{' (assumed)' if is_assumed else ''}"
        console.print(line, soft_wrap=True, markup=False)
    rests_on = {layout.layout: layout.rests_on.model_dump() for layout in known if layout.rests_on}
    names = [layout.layout for layout in known]
    return ExitCode.DONE, {"layouts": names, "tables": dict(by_table), "rests_on": rests_on}


@command(layouts_app, "new")
def layouts_new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A statement of the sender.", show_default=False)],
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Of the layout; made of the file's without.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Draft a layout from a file, for a person to finish.

    Prints YAML, with every guess marked.
    """
    from flows.intake.read_files import sum_money
    from io_adapters.spreadsheets.reading import open_file
    from schemas.layouts.drafting import draft_layout, money_candidates
    from schemas.messages import render

    known = _known()
    with open_file(str(file)) as opened:
        draft = draft_layout(opened.views, known, name or _name_of(file))
        candidates = money_candidates(opened.views, known)
    sums = {column.name: render(told, "en") for column in candidates if (told := sum_money(str(file), column))}
    if not as_json:
        lines = [f"#   {header}: {told}\n" for header, told in sums.items()]
        sys.stdout.write(draft + "".join([f"\n# {render('draft.sums', 'en')}\n", *lines] if lines else []))
    return ExitCode.DONE, {"layout": draft, "sums": sums}


def schema(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="job or layout", show_default=True)] = "job",
) -> None:
    """Print the JSON Schema of a job or a layout, for editors."""
    from io_adapters.spreadsheets.declarations import job_schema, layout_schema, policy_schema

    schemas = {"job": job_schema, "layout": layout_schema, "policy": policy_schema}
    if what not in schemas:
        sys.stderr.write(f"repasse: there is no schema of {what}; there are: {', '.join(schemas)}\n")
        raise typer.Exit(int(ExitCode.USAGE))
    sys.stdout.write(json.dumps(schemas[what](), ensure_ascii=False, indent=1) + "\n")


def _known() -> "list[Layout]":
    from io_adapters.spreadsheets.declarations import known_layouts, read_layout

    return [read_layout(name, Path()) for name in known_layouts()]


def _name_of(file: Path) -> str:
    """Make a layout's name of a file's: letters, digits and hyphens."""
    stem = "".join(mark if mark.isascii() and mark.isalnum() else "-" for mark in file.name.split(".")[0].lower())
    return "-".join(filter(None, stem.split("-"))) or "mine"
