"""The command line: everything a flow does, with one exit code per kind of outcome and one JSON document on request.

Commands import what they need when they run, so that help answers at once.
"""

import gc
import os
import sys
from collections.abc import Callable
from typing import Final

import typer

from flows.cli.accounts import account, owed
from flows.cli.address_book import contacts_app, institutions
from flows.cli.decisions import approve, decide, hold, reject, release, resolve, unfreeze
from flows.cli.desk import desk_app
from flows.cli.doctor import doctor
from flows.cli.ending import Result, command, echo_document_once
from flows.cli.layouts import layouts_app, schema
from flows.cli.new import new
from flows.cli.payouts import check, nightly, plan, run, settle
from flows.cli.playground import demo, sandbox, up
from flows.cli.records import explain, runs, status, trace
from flows.cli.service import exchange_rate, qrcode, webhook_app
from schemas.errors import RepasseError
from schemas.exit_codes import ExitCode

app = typer.Typer(
    name="repasse",
    help="Pays many people their share of what came in, once, and proves it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

COMMANDS: Final[tuple[Callable[..., Result | None], ...]] = (  # in the order of the help
    *(demo, new, check, plan, run, nightly, approve, reject, settle, status, runs, trace, explain, account, owed),
    *(hold, release, resolve, decide, unfreeze),
    *(sandbox, doctor, schema, up),
    *(institutions, exchange_rate, qrcode),
)
for function in COMMANDS:
    command(app)(function)
app.add_typer(layouts_app, name="layouts")
app.add_typer(contacts_app, name="contacts")
app.add_typer(webhook_app, name="webhook")
app.add_typer(desk_app, name="desk")


def main() -> None:
    """Run the command line; the last line of defence against tracebacks."""
    # Modules, like rows, make hardly any cycles; looking for some as often as Python does takes a tenth of the start.
    gc.set_threshold(50_000, 10, 10)
    try:
        app()
    except RepasseError as error:  # raised before a command could catch it
        typer.echo(f"repasse: {error.message}", err=True)
        sys.exit(int(error.exit_code))
    except SystemExit as end:
        if end.code == ExitCode.USAGE:
            # The words about usage went to standard error; programs get their document all the same.
            echo_document_once(ExitCode.USAGE, "usage: see --help")
        raise
    except Exception as bug:
        if os.environ.get("REPASSE_DEBUG"):
            raise
        # The text of an exception nobody foresaw may hold people's data; its name does not.
        words = f"this is a bug in Repasse: {type(bug).__name__}; REPASSE_DEBUG=1 shows where"
        typer.echo(f"repasse: {words}", err=True)
        echo_document_once(ExitCode.BUG, words)
        sys.exit(int(ExitCode.BUG))
