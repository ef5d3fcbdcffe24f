"""How a command ends: one document on request, one exit code, and no traceback for what a person can mend."""

import json
import sys
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from schemas.errors import RepasseError
from schemas.exit_codes import ExitCode

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who says so.", show_default=False)]

# Whether a command has printed its document.
_TOLD: Final[list[bool]] = []


def finish(command: Callable[[], tuple[ExitCode, dict[str, Any]]], *, as_json: bool) -> None:
    """Run a command's body, print its document when asked, and exit with its code."""
    try:
        code, document = command()
    except RepasseError as error:
        from flows.terminal.printing import print_error  # noqa: PLC0415

        print_error(error, as_json=as_json)
        code = error.exit_code
    else:
        if as_json:
            from flows.terminal.printing import print_json  # noqa: PLC0415

            print_json({"exit_code": int(code), "issues": []} | document)
    _TOLD.append(True)
    raise typer.Exit(int(code))


def echo_document_once(code: ExitCode, words: str) -> None:
    """Give a program that asked for JSON its document, where the command ended before it could print one."""
    if "--json" in sys.argv and not _TOLD:
        typer.echo(json.dumps({"exit_code": int(code), "issues": [], "error": words}))
