"""layouts: what Repasse can read, and the draft of something new."""

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.ending import AsJson, finish

layouts_app = typer.Typer(help="List what Repasse can read; draft a layout.", rich_markup_mode=None)


@layouts_app.callback(invoke_without_command=True)
def layouts(context: typer.Context, as_json: AsJson = False) -> None:
    """List the statements and tables Repasse can read; `layouts new FILE` drafts a layout."""
    if context.invoked_subcommand is None:
        from flows.commands.layouts import list_layouts  # noqa: PLC0415

        finish(lambda: list_layouts(as_json=as_json), as_json=as_json)


@layouts_app.command("new")
def layouts_new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A statement of the sender.", show_default=False)],
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Of the layout; made of the file's without.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draft a layout from a file, for a person to finish.

    Prints YAML, with every guess marked.
    """
    from flows.commands.layouts import new_layout  # noqa: PLC0415

    finish(lambda: new_layout(file, name, as_json=as_json), as_json=as_json)
