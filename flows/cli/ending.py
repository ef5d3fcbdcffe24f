"""What commands share: options, opening the ledger, printing, exit codes.

One document on request, one exit code, and no traceback for what a person can mend.
"""

import datetime as dt
import functools
import json
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, ParamSpec, TypeVar

import typer

from schemas.errors import ConfigurationError, ExitCode, RepasseError, trouble_of_the_machine
from schemas.messages import Message, render

if TYPE_CHECKING:
    from rich.console import Console

    from io_adapters.ledger.ledger import Ledger

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]


def plain_names(given: str | list[str] | None) -> str | list[str] | None:
    """Refuse a name that is not what it looks like, wherever people say who they are.

    Raises:
        BadParameter: it holds a control or an invisible character, or letters of several scripts.
    """
    from schemas.values.names import is_plain_name

    for name in [given] if isinstance(given, str) else given or []:
        if not is_plain_name(name):
            raise typer.BadParameter("a name has letters of one script, and no invisible or control characters")
    return given


def as_day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise ConfigurationError(Message("error.day", found=text)) from None


def as_month(given: str | None) -> str | None:
    """Read a month as people write it, "out/26" or "outubro", as its label."""
    from schemas.job import BRASILIA, month_label

    return month_label(given, dt.datetime.now(BRASILIA).date()) if given else given


By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who says so.", show_default=False, callback=plain_names)]
JobFile = Annotated[Path, typer.Argument(metavar="JOB", help="The job file (YAML).", show_default=False)]

# What a command comes to: its exit code, and its JSON document.
Result = tuple[ExitCode, dict[str, Any]]
P = ParamSpec("P")
R = TypeVar("R", bound=Result | None)

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})

LOG_WIDTH: Final = 160

# Whether a command has printed its document.
_TOLD: Final[list[bool]] = []


def suffix_of(out: Path | None, known: Collection[str]) -> str:
    """Return what kind of file is to be written; "" for none.

    Raises:
        ConfigurationError: it is none of those known.
    """
    suffix = out.suffix.lower() if out is not None else ""
    if out is not None and suffix not in known:
        raise ConfigurationError(Message("error.out_suffix", found=suffix or "-", known=", ".join(sorted(known))))
    return suffix


def command(
    app: typer.Typer, name: str | None = None, examples: Sequence[str] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Put a function on a command line; what it returns is how the command ends.

    The function itself stays as it is, for other code to call. Examples stand at the end of its help.
    """
    # \b keeps the help from filling lines up.
    epilog = "\n  ".join(["\b\nFor example:", *examples]) if examples else None

    def put(function: Callable[P, R]) -> Callable[P, R]:
        app.command(name, epilog=epilog)(ended(function))
        return function

    return put


def ended(function: Callable[P, Result | None]) -> Callable[P, None]:
    """Have a function end as commands do: its document is printed when asked for, and its exit code is the program's.

    One that serves until it is asked to end returns nothing.
    """

    @functools.wraps(function)
    def run(*words: P.args, **options: P.kwargs) -> None:
        _finish(lambda: function(*words, **options), as_json=bool(options.get("as_json")))

    return run


def _finish(body: Callable[[], Result | None], *, as_json: bool) -> None:
    try:
        result = _told_of_the_machine(body)
    except RepasseError as error:
        error.language = error.language or terminal_language()
        from flows.cli.printing import print_error

        print_error(error, as_json=as_json)
        code = error.exit_code
    else:
        if result is None:
            return
        code, document = result
        if as_json:
            from flows.cli.printing import print_json

            print_json({"exit_code": int(code), "issues": []} | document)
    _TOLD.append(True)
    raise typer.Exit(int(code))


def _told_of_the_machine(body: Callable[[], Result | None]) -> Result | None:
    """Do what a command does; a full disk and the like are told as what they are.

    Raises:
        ConfigurationError: the machine has no room, right or place for it.
    """
    try:
        return body()
    except Exception as error:
        if (trouble := trouble_of_the_machine(error)) is not None:
            raise trouble from error
        raise


def console_for(*, as_json: bool) -> "Console":
    """Where people's text goes: standard output, or standard error beside a JSON document."""
    from rich.console import Console

    console = Console(stderr=as_json, highlight=False)
    if not console.is_terminal:
        console.width = LOG_WIDTH
    return console


def at_terminal() -> str:
    """Return who sits at the terminal, as its system knows them."""
    from flows.run_request import current_user

    return current_user()


def terminal_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of whoever reads the terminal, by the usual variables; English where they ask for no other.

    >>> terminal_language({"LANG": "pt_BR.UTF-8"}), terminal_language({"LANG": "pt_BR.UTF-8", "LC_ALL": "C.UTF-8"})
    ('pt-BR', 'en')
    """
    asked = next(filter(None, map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "pt-BR" if asked.casefold().startswith("pt") else "en"


def print_text(console: "Console", key: str, **facts: object) -> None:
    """Print a text of the catalogue in the terminal's language; for what belongs to no job."""
    console.print(render(key, terminal_language(), **facts), soft_wrap=True, markup=False)


def in_brazil(at: dt.datetime) -> dt.datetime:
    """Return a moment as the clocks of Brasília showed it, wherever the machine stands."""
    from schemas.job import BRASILIA

    return at.astimezone(BRASILIA)


def opened_ledger(*, create: bool = True) -> "Ledger":
    """Open the ledger the environment names; use as a context manager."""
    from flows.house_ledger import open_ledger_of
    from flows.settings import read_settings

    return open_ledger_of(read_settings(), create=create)


def echo_document_once(code: ExitCode, words: str) -> None:
    """Give a program that asked for JSON its document, where the command ended before it could print one."""
    if "--json" in sys.argv and not _TOLD:
        typer.echo(json.dumps({"exit_code": int(code), "issues": [], "error": words}))
