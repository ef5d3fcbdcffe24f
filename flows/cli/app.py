"""The command line: everything a flow does, with one exit code per kind of outcome and one JSON document on request.

Commands import what they need when they run, so that help answers at once.
"""

import gc
import os
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from flows.cli.accounts import account, deals, journal, month, owed, taxes
from flows.cli.acts import (
    approve,
    decide,
    exchange_rate,
    hold,
    reject,
    release,
    resolve,
    returned,
    unfreeze,
    withdraw,
)
from flows.cli.address_book import contacts_app
from flows.cli.bank import bank_app
from flows.cli.desk import desk_app
from flows.cli.doctor import doctor
from flows.cli.ending import Result, command, echo_document_once
from flows.cli.funding import funding_app, reports
from flows.cli.new import layouts_app, new, schema
from flows.cli.payouts import check, deploy, nightly, plan, run, settle
from flows.cli.playground import demo, sandbox, up
from flows.cli.policy import policy_app
from flows.cli.records import acts, explain, runs, status
from flows.cli.service import webhook_app
from io_adapters.cage import keep_memory_private
from schemas.errors import ExitCode, RepasseError
from schemas.readers import for_people


def _version(*, asked: bool) -> None:
    if asked:
        from importlib.metadata import version  # a tenth of the start

        typer.echo(f"repasse {version('repasse')}")
        raise typer.Exit


class _InGroups(TyperGroup):
    """The whole command line: its help lists the commands by what they are for."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401  # typer's own types, not exported
        """Leave completion out of the help, which fits a screen; the README says how it is installed."""
        params: list[Any] = super().get_params(ctx)
        for param in params:
            if param.name in {"show_completion", "install_completion"}:
                param.hidden = True
        return params

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002  # likewise
        """Write what the program does below its usage, with no line between: the whole fits a screen."""
        formatter.indent()
        formatter.write_text(self.help)
        formatter.dedent()

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002  # likewise
        """Write the commands, a heading for each group."""
        widest = max(map(len, self.commands))
        for title, names in GROUPS.items():
            formatter.write_heading(title)
            formatter.indent()
            short = {name: self.commands[name].get_short_help_str(formatter.width - 6 - widest) for name in names}
            formatter.write_dl([(name.ljust(widest), words) for name, words in short.items()])
            formatter.dedent()


app = typer.Typer(
    name="repasse",
    cls=_InGroups,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def repasse(
    ctx: typer.Context,
    *,
    names: Annotated[bool, typer.Option("--names", help="Name people in what is kept or piped.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """Pays many people their share of what came in, once, and proves it."""
    del version  # printed by its callback
    if names or (sys.stdout.isatty() and sys.stderr.isatty()):
        ctx.with_resource(for_people())


def help_(
    ctx: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="COMMAND", help="Of what.")] = None,
) -> None:
    """Print the help of a command, like --help behind it."""
    context = ctx.find_root()
    for word in words or ():
        found = getattr(context.command, "commands", {}).get(word)
        if found is None:
            raise typer.BadParameter(f"no such command: {word}")
        context = typer.Context(found, parent=context, info_name=word)
    typer.echo(context.get_help())


COMMANDS: Final[tuple[Callable[..., Result | None], ...]] = (
    *(
        demo,
        new,
        check,
        plan,
        run,
        nightly,
        approve,
        reject,
        settle,
        status,
        runs,
        acts,
        explain,
        account,
        owed,
        deals,
        month,
        taxes,
        journal,
        reports,
    ),
    *(hold, release, resolve, decide, returned, withdraw, unfreeze),
    *(sandbox, doctor, schema, up, deploy),
    exchange_rate,
)
EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "new": (
        "repasse new payments.xlsx",
        "repasse new distrokid.tsv payees.xlsx shares.xlsx --period 2026-10",
    ),
    "check": ("repasse check job.yaml", "repasse check payments.xlsx"),
    "run": ("repasse run job.yaml", "repasse run job.yaml --file corrections.xlsx", "repasse run job.yaml --yes"),
    "approve": ("repasse approve sha256:4f1c0a9b... --by Ana --total 62.858,40",),
    "explain": ('repasse explain "Ana Souza" --period 2026-10', "repasse explain ob-... --job-file job.yaml"),
    "account": ('repasse account "Ana Souza" --year 2026 --out conta.pdf',),
    "taxes": ("repasse taxes --month 2026-11", "repasse taxes --year 2026 --out informe.xlsx"),
    "journal": ("repasse journal --from 2026-01-01 --to 2026-12-31 --format beancount",),
    "month": ("repasse month 2026-10 --out outubro.xlsx",),
    "deals": ("repasse deals --out contratos.xlsx",),
    "owed": ("repasse owed --at 2026-10-31 --out devido.xlsx",),
}
for function in COMMANDS:
    command(app, examples=EXAMPLES.get(function.__name__, ()))(function)
app.command("help", hidden=True)(help_)
app.add_typer(layouts_app, name="layouts")
app.add_typer(contacts_app, name="contacts")
app.add_typer(funding_app, name="funding")
app.add_typer(bank_app, name="bank")
desk_app.add_typer(webhook_app, name="webhook")
app.add_typer(desk_app, name="desk")
app.add_typer(policy_app, name="policy")

# In the order of the help; each command but `help` is in one.
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "To begin": ("demo", "up", "new", "check", "layouts", "schema"),
    "Paying": ("plan", "run", "approve", "reject", "settle", "funding", "nightly"),
    "What is on record": (
        *("status", "runs", "acts", "explain", "account", "owed", "deals", "month", "taxes", "journal", "reports"),
        "bank",
    ),
    "People's decisions": ("decide", "returned", "resolve", "withdraw", "hold", "release", "unfreeze", "exchange-rate"),
    "Around it": ("desk", "policy", "contacts", "sandbox", "doctor", "deploy"),
}


def main() -> None:
    """Run the command line; the last line of defence against tracebacks."""
    # Modules, like rows, make hardly any cycles; looking for some as often as Python does takes a tenth of the start.
    gc.set_threshold(50_000, 10, 10)
    keep_memory_private()
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
