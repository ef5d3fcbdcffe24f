"""desk: serve the web page for people."""

import datetime as dt
import os
import secrets
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.cli.ending import LOOPBACK, console_for, ended, print_text
from flows.cli.policy import write_policy
from flows.cli.users import known_users, user_app
from schemas.errors import ConfigurationError
from schemas.messages import Message

if TYPE_CHECKING:
    from flows.desk.guard import DeskSettings
    from flows.desk.serving import Where
    from flows.settings import Settings


desk_app = typer.Typer(help="Serve the web page where people check and approve.", rich_markup_mode=None)
desk_app.add_typer(user_app, name="user")

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
    if not known_users():
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
