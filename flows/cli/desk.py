"""desk: serve the web page for people, and say who may sign in to it."""

import datetime as dt
import getpass
import os
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.cli.ending import LOOPBACK, AsJson, Result, command, console_for, ended, opened_ledger, print_text
from schemas.errors import ConfigurationError, DecisionRefused, ExitCode
from schemas.messages import Message

if TYPE_CHECKING:
    from flows.desk.guard import DeskSettings
    from flows.desk.serving import Where
    from flows.settings import Settings
    from schemas.approval import DeskUser, Role
if TYPE_CHECKING:
    from flows.settings import Settings
    from io_adapters.ledger.ledger import Ledger
    from schemas.approval import PolicyOnRecord


desk_app = typer.Typer(help="Serve the web page where people check and approve.", rich_markup_mode=None)
user_app = typer.Typer(help="Who may sign in to the desk, and what they may do there.", rich_markup_mode=None)
desk_app.add_typer(user_app, name="user")

Name = Annotated[str, typer.Argument(metavar="NAME", help="As they sign in, and as their words are signed.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]

# An upload that has not ended by then never will.
UNFINISHED_FOR: Final = dt.timedelta(days=1)


@desk_app.callback(invoke_without_command=True)
@ended
def desk(
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
    from flows.cli.doctor import require_enough_approvers
    from flows.desk.guard import LOOPBACK_HOSTS, MEGABYTE, DeskSettings
    from flows.desk.serving import Where
    from flows.settings import UPLOADS, read_settings

    https = behind_https or certificate is not None
    if (certificate is None) != (key is None):
        raise ConfigurationError(Message("error.certificate_and_key"))
    if host not in LOOPBACK and certificate is None:
        raise ConfigurationError(Message("error.passwords_in_clear", host=host))
    settings = read_settings()
    folder = _jobs_folder(jobs)
    served = DeskSettings(
        uploads=settings.home / UPLOADS,
        https=https,
        hosts=(
            *LOOPBACK_HOSTS,
            *map(_in_addresses, name or ()),
            *(() if host in LOOPBACK else (_in_addresses(host),)),
        ),
        upload_limit_bytes=upload_limit * MEGABYTE,
    )
    if not _users():
        typer.echo("nobody may sign in yet: repasse desk user add NAME --role preparer --role approver", err=True)
    try:
        require_enough_approvers(settings)
    except ConfigurationError as error:  # told, and served all the same: who is missing is added while it runs
        typer.echo(error.message, err=True)
    where = Where(host, port, certificate, key, behind_proxy=behind_https)
    serve_desk(settings, folder, served, where, on_ready=lambda url: typer.echo(f"desk at {url}"))


def serve_desk(
    settings: "Settings",
    jobs: Path | None,
    served: "DeskSettings",
    where: "Where",
    *,
    on_ready: Callable[[str], None],
) -> None:
    """Serve the desk until somebody ends it.

    Args:
        jobs: Folder of jobs; None for none.
        on_ready: Called with the address once it listens.

    Effects: where the house has no policy, a strict one is written first.

    Raises:
        ConfigurationError: it cannot listen there, or the policy lies where jobs are written.
    """
    from flows.desk.app import create_app, opened_desk
    from flows.desk.serving import serve
    from flows.desk.uploads import forget_unfinished
    from flows.house_ledger import utc_now
    from flows.launch import launcher_for
    from io_adapters.spreadsheets.readers import read_in_the_cage_alone

    if settings.policy is None:
        write_policy(settings)
        print_text(console_for(as_json=True), "cli.policy.written", path=settings.policy)
    if jobs is not None:
        settings.require_policy_outside(jobs)
        os.environ["REPASSE_JOBS"] = str(jobs)  # for what it starts, too: where jobs may read
    if settings.uncaged_workbooks == "refuse":
        read_in_the_cage_alone()
    forget_unfinished(served.uploads, utc_now() - UNFINISHED_FOR)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with closing(launcher_for(settings, warm=True)) as launcher, opened_desk(settings, jobs, launcher) as opened:
        try:
            serve(create_app(opened, served), where, on_ready=on_ready)
        except OSError as error:
            facts = {"host": where.host, "port": where.port, "why": error.strerror}
            raise ConfigurationError(Message("error.cannot_listen", **facts)) from None


def let_two_in(settings: "Settings", samples: Path | None = None) -> str:
    """Let two people sign in who are to try the desk out, the one to prepare and the other to approve.

    Args:
        samples: Folder of sample jobs, which the first of them has brought; None where people's own jobs are tried.

    Returns:
        The password of both, which is written nowhere; "" where somebody may sign in already.
    """
    from flows.desk.sign_in import hash_password
    from flows.house_ledger import open_ledger_of
    from io_adapters.spreadsheets.files import sha256_of
    from schemas.approval import Role

    roles = {PREPARES: (Role.PREPARER,), APPROVES: (Role.APPROVER, Role.RESOLVER)}
    with open_ledger_of(settings) as ledger:
        if ledger.desk_users.list():
            return ""
        password = "-".join(secrets.token_hex(2) for _ in range(3))
        for name, own in roles.items():
            ledger.desk_users.add(name, own, hash_password(password, name))
        for path in samples.rglob("*") if samples else ():
            if path.is_file():
                ledger.authors.record(sha256_of(str(path)), PREPARES)
    return password


PREPARES: Final = "Ana Prado"
APPROVES: Final = "Bia Souza"


def _in_addresses(host: str) -> str:
    """Write a host as browsers do when they name it: lower case, IPv6 in brackets."""
    return f"[{host.lower()}]" if ":" in host else host.lower()


def _jobs_folder(given: Path | None) -> Path | None:
    text = str(given) if given else os.environ.get("REPASSE_JOBS", "")
    if not text:
        typer.echo("no folder of jobs: set REPASSE_JOBS, or give --jobs", err=True)
        return None
    folder = Path(text).absolute()
    if not folder.is_dir():
        raise ConfigurationError(Message("error.jobs_folder", folder=str(folder)))
    return folder


def _users() -> "list[DeskUser]":

    with opened_ledger(create=False) as ledger:
        return ledger.desk_users.list()


def _at_terminal() -> str:
    from flows.run_request import current_user

    return current_user()


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
        user = ledger.desk_users.add(name, wanted, hashed, by=_at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.added", name=user.name, roles=_roles_of(user))
    return ExitCode.DONE, {"user": user.name, "roles": sorted(user.roles)}


@command(user_app, "list")
def list_(as_json: AsJson = False) -> Result:
    """List who may sign in, with their roles."""
    users, console = _users(), console_for(as_json=as_json)
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
        ledger.desk_users.disable(name, by=_at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.kept_out")
    return ExitCode.DONE, {"disabled": True}


@command(user_app)
def enable(name: Name, as_json: AsJson = False) -> Result:
    """Let somebody who was disabled sign in again."""
    with opened_ledger() as ledger:
        ledger.desk_users.enable(name, by=_at_terminal())
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
        ledger.desk_users.change_roles(name, wanted, by=_at_terminal())
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
        ledger.desk_users.link(name, filter(None, read), by=_at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.documents", count=len(read))
    return ExitCode.DONE, {"documents": len(read)}


@command(user_app)
def unlock(name: Name, as_json: AsJson = False) -> Result:
    """Let somebody try to sign in again at once."""
    with opened_ledger() as ledger:
        if ledger.desk_users.get(name) is None:
            raise DecisionRefused(Message("error.no_user"))
        ledger.sign_in_attempts.forget(name, by=_at_terminal())
    print_text(console_for(as_json=as_json), "cli.user.unlocked")
    return ExitCode.DONE, {"unlocked": True}


@command(user_app)
def password(name: Name, password_stdin: FromStdin = False, as_json: AsJson = False) -> Result:
    """Give somebody another password; their sessions end."""
    with opened_ledger() as ledger:
        if ledger.desk_users.get(name) is None:
            raise DecisionRefused(Message("error.no_user"))
        ledger.desk_users.change_password(name, _asked_password(name, stdin=password_stdin), by=_at_terminal())
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


policy_app = typer.Typer(help="Show the policy of the house; two people may loosen it.", rich_markup_mode=None)

STRICT_POLICY: Final = """\
# O mínimo que a casa pede de todo job; docs/job-file.md explica cada chave.
# The least this house asks of every job; docs/job-file.md says what each key means.
# Pedir menos: mude este arquivo, e duas pessoas confirmem. To ask for less: change it, and let two people say so.
#   repasse policy loosen --by ANA --by BIA --why "..."
above: "0.00"
approvers: 1
identities: signed_in
other_than_preparer: true
account_checks: {per_day: 500, per_month: 5000, approval_above: 100, phone_again_above: "1000.00"}
reads: {schemes: [], folders: []}
"""


def write_policy(settings: "Settings") -> None:
    """Write a strict policy into the home folder; called where there is none.

    Raises:
        ConfigurationError: it cannot be written.
    """
    from flows.settings import POLICY
    from io_adapters.outputs.atomic import replace_atomically

    path = settings.home / POLICY
    try:
        replace_atomically(path, STRICT_POLICY.encode())
    except OSError as error:
        facts = {"path": str(path), "kind": error.strerror}
        raise ConfigurationError(Message("error.file_unreadable", **facts)) from None


@policy_app.callback(invoke_without_command=True)
@ended
def policy(context: typer.Context, as_json: AsJson = False) -> Result | None:
    """Show the strictest policy the ledger has been used under; no job undercuts it."""
    if context.invoked_subcommand is not None:
        return None
    with opened_ledger(create=False) as ledger:
        house = ledger.decision_rules.house()
    console = console_for(as_json=as_json)
    if house is None:
        print_text(console, "cli.policy.none")
        return ExitCode.DONE, {"policy": None}
    document = _document(house)
    for name, value in document.items():
        console.print(f"{name}: {'-' if value is None else value}", soft_wrap=True, markup=False)
    return ExitCode.DONE, {"policy": document}


def _document(house: "PolicyOnRecord") -> dict[str, object]:
    from dataclasses import asdict

    rule = asdict(house.rule)
    checks = {name: value for name, value in asdict(house).items() if name != "rule"}
    return rule | checks


@command(policy_app)
def loosen(
    by: Annotated[list[str], typer.Option(metavar="NAME", help="Who says so; give it twice.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="What for.")],
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read their passwords from standard input, a line each.")
    ] = False,
    as_json: AsJson = False,
) -> Result:
    """Let the policy count as its file is now.

    Though it asks for less than before. Two people say so. Where there are users of the desk, both are among them, may
    approve, and type their passwords.
    """
    with opened_ledger() as ledger:
        _require_approvers(ledger, by, stdin=password_stdin)
        ledger.decision_rules.loosen(by, why)
    print_text(console_for(as_json=as_json), "cli.policy.loosened")
    return ExitCode.DONE, {"loosened": True}


@command(policy_app)
def seal_again(
    by: Annotated[list[str], typer.Option(metavar="NAME", help="Who says so; give it twice.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="What became of the key.")],
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read their passwords from standard input, a line each.")
    ] = False,
    as_json: AsJson = False,
) -> Result:
    """Seal the acts again after a lost key.

    They are taken for what they were, after the key of approvals was lost. Two people say so, as for `loosen`. What was
    said under the lost key has to be said again.
    """
    with opened_ledger() as ledger:
        _require_approvers(ledger, by, stdin=password_stdin)
        ledger.acts.seal_again(by, why)
    print_text(console_for(as_json=as_json), "cli.policy.sealed")
    return ExitCode.DONE, {"sealed": True}


def _require_approvers(ledger: "Ledger", names: Sequence[str], *, stdin: bool) -> None:
    """Where there are users of the desk, they are among them and type their passwords."""
    for name in names if ledger.desk_users.list() else ():
        _require_approver(ledger, name, stdin=stdin)


def _require_approver(ledger: "Ledger", name: str, *, stdin: bool) -> None:
    from flows.desk.sign_in import is_password_of
    from schemas.approval import Role

    user = ledger.desk_users.get(name)
    if stdin:
        typed = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        typed = getpass.getpass(f"password of {name}: ")
    else:
        raise DecisionRefused(Message("error.no_terminal"))
    if not is_password_of(user, typed) or user is None or Role.APPROVER not in user.roles:
        raise DecisionRefused(Message("error.policy_who"))
