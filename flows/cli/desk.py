"""desk: the web page for people, and who may sign in to it."""

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.ending import AsJson, finish
from schemas.errors import RepasseError

desk_app = typer.Typer(help="Serve the web page where people check and approve.", rich_markup_mode=None)
user_app = typer.Typer(help="Who may sign in to the desk, and what they may do there.", rich_markup_mode=None)
desk_app.add_typer(user_app, name="user")

Name = Annotated[str, typer.Argument(metavar="NAME", help="As they sign in, and as their words are signed.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


def add_to(app: typer.Typer) -> None:
    """Put these commands on the command line."""
    app.add_typer(desk_app, name="desk")


@desk_app.callback(invoke_without_command=True)
def desk(  # noqa: PLR0913, PLR0917  # options of a command
    context: typer.Context,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", help="Port to listen on; 0 takes a free one.")] = 8070,
    jobs: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of jobs; REPASSE_JOBS without.")] = None,
    name: Annotated[list[str] | None, typer.Option(metavar="HOST", help="Name people reach it by.")] = None,
    behind_https: Annotated[bool, typer.Option("--behind-https", help="A proxy here serves https.")] = False,
    certificate: Annotated[Path | None, typer.Option(metavar="FILE", help="Serve https with this (PEM).")] = None,
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key (PEM).")] = None,
    upload_limit: Annotated[int, typer.Option(metavar="MB", min=1, help="The longest upload.")] = 100,
) -> None:
    """Serve the web page where people check and approve.

    On loopback unless told otherwise; payouts are followed there too.
    """
    if context.invoked_subcommand is not None:
        return
    from flows.commands.desk import Serving, serve_desk  # noqa: PLC0415

    asked = Serving(host, port, jobs, tuple(name or ()), behind_https, certificate, key, upload_limit)
    try:
        serve_desk(asked)
    except RepasseError as error:
        typer.echo(f"repasse: {error.message}", err=True)
        raise typer.Exit(int(error.exit_code)) from None


@user_app.command()
def add(
    name: Name,
    role: Annotated[list[str], typer.Option(metavar="ROLE", help="preparer, approver or resolver; repeat it.")],
    password_stdin: FromStdin = False,
    as_json: AsJson = False,
) -> None:
    """Let somebody sign in; asks for their password."""
    from flows.commands.desk import add_user  # noqa: PLC0415

    finish(lambda: add_user(name, role, password_stdin=password_stdin, as_json=as_json), as_json=as_json)


@user_app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List who may sign in, with their roles."""
    from flows.commands.desk import list_users  # noqa: PLC0415

    finish(lambda: list_users(as_json=as_json), as_json=as_json)


@user_app.command()
def disable(name: Name, as_json: AsJson = False) -> None:
    """Keep somebody out from now on; their sessions end at once."""
    from flows.commands.desk import disable_user  # noqa: PLC0415

    finish(lambda: disable_user(name, as_json=as_json), as_json=as_json)


@user_app.command()
def enable(name: Name, as_json: AsJson = False) -> None:
    """Let somebody who was disabled sign in again."""
    from flows.commands.desk import enable_user  # noqa: PLC0415

    finish(lambda: enable_user(name, as_json=as_json), as_json=as_json)


@user_app.command()
def roles(
    name: Name,
    role: Annotated[list[str], typer.Option(metavar="ROLE", help="preparer, approver or resolver; repeat it.")],
    as_json: AsJson = False,
) -> None:
    """Give somebody other roles in place of the present ones.

    Their sessions end.
    """
    from flows.commands.desk import change_roles  # noqa: PLC0415

    finish(lambda: change_roles(name, role, as_json=as_json), as_json=as_json)


@user_app.command()
def password(name: Name, password_stdin: FromStdin = False, as_json: AsJson = False) -> None:
    """Give somebody another password; their sessions end."""
    from flows.commands.desk import change_password  # noqa: PLC0415

    finish(lambda: change_password(name, password_stdin=password_stdin, as_json=as_json), as_json=as_json)
