"""desk: serve the web page for people, and say who may sign in to it."""

import datetime as dt
import getpass
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from flows.opening import open_ledger_of, utc_now
from flows.settings import read_settings
from flows.terminal.printing import console_for
from schemas.desk_people import DeskUser, Role
from schemas.errors import ConfigurationError, DecisionRefused
from schemas.exit_codes import ExitCode

Result = tuple[ExitCode, dict[str, Any]]

# An upload that has not ended by then never will.
UNFINISHED_FOR: Final = dt.timedelta(days=1)
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class Serving:
    """How the desk is to be served.

    Attributes:
        host: Address to listen on.
        port: Port; 0 takes a free one.
        jobs: Folder of jobs; what REPASSE_JOBS names when None.
        names: Names people reach it by, beside the loopback's.
        behind_https: Whether a proxy on this machine serves https in front of it.
        certificate, key: To serve https itself.
        upload_limit_mb: The longest upload.
    """

    host: str
    port: int
    jobs: Path | None
    names: tuple[str, ...]
    behind_https: bool
    certificate: Path | None
    key: Path | None
    upload_limit_mb: int


def serve_desk(asked: Serving) -> None:
    """Serve the desk until it is asked to end, and say where it is.

    Raises:
        ConfigurationError: the address is taken or not ours, or passwords would travel in the clear.
    """
    from flows.desk.opening import UPLOADS, opened_desk  # noqa: PLC0415  # all the stages
    from flows.launchers import launcher_for  # noqa: PLC0415
    from io_adapters.desk.app import create_app  # noqa: PLC0415
    from io_adapters.desk.serving import Where, serve  # noqa: PLC0415
    from io_adapters.desk.settings import LOOPBACK_HOSTS, MEGABYTE, DeskSettings  # noqa: PLC0415
    from io_adapters.desk.uploads import forget_unfinished  # noqa: PLC0415

    https = asked.behind_https or asked.certificate is not None
    if (asked.certificate is None) != (asked.key is None):
        raise ConfigurationError("--certificate and --key belong together")
    if asked.host not in LOOPBACK and asked.certificate is None:
        raise ConfigurationError(
            f"on {asked.host} passwords would travel in the clear: give --certificate and --key, or listen on "
            "loopback behind a proxy that serves https (--behind-https)"
        )
    settings = read_settings()
    folder = _jobs_folder(asked.jobs)
    if folder is not None:
        settings.require_policy_outside(folder)
    desk = DeskSettings(
        uploads=settings.home / UPLOADS,
        https=https,
        hosts=(
            *LOOPBACK_HOSTS,
            *map(_in_addresses, asked.names),
            *(() if asked.host in LOOPBACK else (_in_addresses(asked.host),)),
        ),
        upload_limit_bytes=asked.upload_limit_mb * MEGABYTE,
    )
    forget_unfinished(desk.uploads, utc_now() - UNFINISHED_FOR)
    where = Where(asked.host, asked.port, asked.certificate, asked.key, behind_proxy=asked.behind_https)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with opened_desk(settings, folder, launcher_for(settings)) as ports:
        if not any(True for _ in _users()):
            typer.echo("nobody may sign in yet: repasse desk user add NAME --role preparer --role approver", err=True)
        try:
            serve(create_app(ports, desk), where, on_ready=lambda url: typer.echo(f"desk at {url}"))
        except OSError as error:
            raise ConfigurationError(f"cannot listen on {asked.host}:{asked.port}: {error.strerror}") from None


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
        raise ConfigurationError(f"the folder of jobs {folder} is not there: see REPASSE_JOBS")
    return folder


def _users() -> list[DeskUser]:
    with open_ledger_of(read_settings(), create=False) as ledger:
        return ledger.desk_users.list()


def add_user(name: str, roles: list[str], *, password_stdin: bool, as_json: bool) -> Result:
    """Let somebody sign in to the desk; asks for their password.

    Raises:
        DecisionRefused: the name, a role or the password will not do.
    """
    wanted = [_role(text) for text in roles]
    hashed = _asked_password(twice=True, stdin=password_stdin)
    with open_ledger_of(read_settings()) as ledger:
        user = ledger.desk_users.add(name, wanted, hashed)
    console_for(as_json=as_json).print(f"{user.name} may sign in: {_roles_of(user)}", markup=False)
    return ExitCode.DONE, {"user": user.name, "roles": sorted(user.roles)}


def list_users(*, as_json: bool) -> Result:
    """List who may sign in to the desk, and who no longer may."""
    users, console = _users(), console_for(as_json=as_json)
    for user in users:
        console.print(f"{user.name}: {_roles_of(user)}{' (disabled)' if user.disabled else ''}", markup=False)
    if not users:
        console.print("nobody yet")
    told = [{"user": u.name, "roles": sorted(u.roles), "disabled": u.disabled} for u in users]
    return ExitCode.DONE, {"users": told}


def disable_user(name: str, *, as_json: bool) -> Result:
    """Keep somebody out of the desk from this moment on; their sessions end at once."""
    with open_ledger_of(read_settings()) as ledger:
        ledger.desk_users.disable(name)
    console_for(as_json=as_json).print("they may no longer sign in; every session of theirs has ended")
    return ExitCode.DONE, {"disabled": True}


def enable_user(name: str, *, as_json: bool) -> Result:
    """Let a disabled user in again, with the password and the roles they had."""
    with open_ledger_of(read_settings()) as ledger:
        ledger.desk_users.enable(name)
    console_for(as_json=as_json).print("they may sign in again")
    return ExitCode.DONE, {"disabled": False}


def change_roles(name: str, roles: list[str], *, as_json: bool) -> Result:
    """Give somebody other roles in place of those they have; their sessions end."""
    wanted = [_role(text) for text in roles]
    with open_ledger_of(read_settings()) as ledger:
        ledger.desk_users.change_roles(name, wanted)
    console_for(as_json=as_json).print(f"from now on: {', '.join(sorted(wanted))}; every session of theirs has ended")
    return ExitCode.DONE, {"roles": sorted(wanted)}


def change_password(name: str, *, password_stdin: bool, as_json: bool) -> Result:
    """Give somebody another password; their sessions end."""
    with open_ledger_of(read_settings()) as ledger:
        if ledger.desk_users.get(name) is None:
            raise DecisionRefused("there is no user of that name; `repasse desk user list` shows them")
        ledger.desk_users.change_password(name, _asked_password(twice=True, stdin=password_stdin))
    console_for(as_json=as_json).print("the password was changed; every session of theirs has ended")
    return ExitCode.DONE, {"changed": True}


def _role(text: str) -> Role:
    try:
        return Role(text.strip().lower())
    except ValueError:
        raise DecisionRefused(f"--role is one of {', '.join(Role)}") from None


def _roles_of(user: DeskUser) -> str:
    return ", ".join(sorted(user.roles))


def _asked_password(*, twice: bool, stdin: bool) -> str:
    """Return the hash of a password typed where nobody sees it, or given on standard input."""
    from io_adapters.desk.passwords import hash_password  # noqa: PLC0415  # takes a moment, and its library

    if stdin:
        return hash_password(sys.stdin.readline().rstrip("\r\n"))
    if not sys.stdin.isatty():
        raise DecisionRefused("there is no terminal to ask for the password: give it with --password-stdin")
    password = getpass.getpass("password: ")
    if twice and getpass.getpass("once more: ") != password:
        raise DecisionRefused("the two were not the same; nothing was changed")
    return hash_password(password)
