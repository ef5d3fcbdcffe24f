"""desk user: who may sign in to the desk, and what they may do there."""

import getpass
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.ending import AsJson, Result, at_terminal, command, console_for, opened_ledger, print_text
from schemas.errors import DecisionRefused, ExitCode
from schemas.messages import Message

if TYPE_CHECKING:
    from schemas.approval import DeskUser, Role

user_app = typer.Typer(help="Who may sign in to the desk, and what they may do there.", rich_markup_mode=None)

Name = Annotated[str, typer.Argument(metavar="NAME", help="As they sign in, and as their words are signed.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


def known_users() -> "list[DeskUser]":
    with opened_ledger(create=False) as ledger:
        return ledger.desk_users.list()


@command(user_app)
def add(
    name: Name,
    role: Annotated[list[str], typer.Option(metavar="ROLE", help="preparer, approver or resolver; repeat it.")],
    password_stdin: FromStdin = False,
    as_json: AsJson = False,
) -> Result:
    """Let somebody sign in; asks for their password."""
    wanted = [_role(text) for text in role]
    hashed = _asked_password(name, stdin=password_stdin)
    with opened_ledger() as ledger:
        user = ledger.desk_users.add(name, wanted, hashed, by=at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.added", name=user.name, roles=_roles_of(user))
    return ExitCode.DONE, {"user": user.name, "roles": sorted(user.roles)}


@command(user_app, "list")
def list_(as_json: AsJson = False) -> Result:
    """List who may sign in, with their roles."""
    users, console = known_users(), console_for(as_json=as_json)
    for user in users:
        print_text(console, "cli.user.disabled" if user.disabled else "cli.user", name=user.name, roles=_roles_of(user))
    if not users:
        print_text(console, "cli.user.none")
    document = [{"user": u.name, "roles": sorted(u.roles), "disabled": u.disabled} for u in users]
    return ExitCode.DONE, {"users": document}


@command(user_app)
def disable(name: Name, as_json: AsJson = False) -> Result:
    """Keep somebody out from now on; their sessions end at once."""
    with opened_ledger() as ledger:
        ledger.desk_users.disable(name, by=at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.kept_out")
    return ExitCode.DONE, {"disabled": True}


@command(user_app)
def enable(name: Name, as_json: AsJson = False) -> Result:
    """Let somebody who was disabled sign in again."""
    with opened_ledger() as ledger:
        ledger.desk_users.enable(name, by=at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.let_in")
    return ExitCode.DONE, {"disabled": False}


@command(user_app)
def roles(
    name: Name,
    role: Annotated[list[str], typer.Option(metavar="ROLE", help="preparer, approver or resolver; repeat it.")],
    as_json: AsJson = False,
) -> Result:
    """Give somebody other roles in place of the present ones.

    Their sessions end.
    """
    wanted = [_role(text) for text in role]
    with opened_ledger() as ledger:
        ledger.desk_users.change_roles(name, wanted, by=at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.roles", roles=", ".join(sorted(wanted)))
    return ExitCode.DONE, {"roles": sorted(wanted)}


@command(user_app)
def payee(
    name: Name,
    document: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="A CPF or CNPJ of theirs; repeat it; none for nobody's.")
    ] = None,
    as_json: AsJson = False,
) -> Result:
    """Say under which documents somebody is paid themselves.

    Their word then counts for no plan that pays one of them. Their sessions end.
    """
    from schemas.values.tax_id import parse_tax_id

    read = [parse_tax_id(text).value for text in document or ()]
    if None in read:
        raise DecisionRefused(Message("error.user_document"))
    with opened_ledger() as ledger:
        ledger.desk_users.link(name, filter(None, read), by=at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.documents", count=len(read))
    return ExitCode.DONE, {"documents": len(read)}


@command(user_app)
def unlock(name: Name, as_json: AsJson = False) -> Result:
    """Let somebody try to sign in again at once."""
    with opened_ledger() as ledger:
        if ledger.desk_users.get(name) is None:
            raise DecisionRefused(Message("error.no_user"))
        ledger.sign_in_attempts.forget(name, by=at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.unlocked")
    return ExitCode.DONE, {"unlocked": True}


@command(user_app)
def password(name: Name, password_stdin: FromStdin = False, as_json: AsJson = False) -> Result:
    """Give somebody another password; their sessions end."""
    with opened_ledger() as ledger:
        if ledger.desk_users.get(name) is None:
            raise DecisionRefused(Message("error.no_user"))
        ledger.desk_users.change_password(name, _asked_password(name, stdin=password_stdin), by=at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.password")
    return ExitCode.DONE, {"changed": True}


def _role(text: str) -> "Role":
    from schemas.approval import Role

    try:
        return Role(text.strip().lower())
    except ValueError:
        raise DecisionRefused(Message("error.role", roles=", ".join(Role))) from None


def _roles_of(user: "DeskUser") -> str:
    return ", ".join(sorted(user.roles))


def _asked_password(name: str, *, stdin: bool) -> str:
    """Return the hash of a password typed where nobody sees it, or given on standard input."""
    from flows.desk.sign_in import hash_password  # takes a moment, and its library

    if stdin:
        return hash_password(sys.stdin.readline().rstrip("\r\n"), name)
    if not sys.stdin.isatty():
        raise DecisionRefused(Message("error.no_terminal"))
    password = getpass.getpass("password: ")
    if getpass.getpass("once more: ") != password:
        raise DecisionRefused(Message("error.passwords_differ"))
    return hash_password(password, name)
