"""webhook listen: take deliveries. Each is a reason to look at the service, and nothing in it is believed."""

import subprocess
import sys
from typing import Final

import typer

from flows.commands.webhook import LOOPBACK
from flows.launchers import launcher_for
from flows.opening import open_ledger_of
from flows.settings import Settings, read_settings
from flows.start import is_watched
from io_adapters.webhooks import PATH, Debouncer, KnownTokens, Poll, open_door
from schemas.errors import ConfigurationError, RepasseError

LONGEST_PAUSE_S: Final = 86_400
SETTLE: Final = (sys.executable, "-c", "from flows.cli import main; main()", "settle", "--json")


def listen(host: str, port: int, every_s: float) -> None:
    """Take deliveries until asked to end; each has open reports looked at, at most once in `every_s` seconds.

    Raises:
        ConfigurationError: the address cannot be had, the environment names no service or no ledger, or nobody can mean
            such a pause.
    """
    if not 1 <= every_s <= LONGEST_PAUSE_S:
        raise ConfigurationError(f"--every-s must be a number of seconds from 1 to {LONGEST_PAUSE_S}, a day")
    settings = read_settings()
    settings.require_service()
    try:
        with (
            open_ledger_of(settings) as ledger,
            open_door(host, port) as door,
            KnownTokens(ledger.webhooks.token_hashes, on_failure=_tell) as known,
            Debouncer(poll_of(settings), every_s=every_s, on_failure=_tell) as bell,
        ):
            if not known():
                typer.echo("no webhook is registered yet; `repasse webhook register URL` makes one", err=True)
            if host not in LOOPBACK:
                typer.echo("this listens beyond loopback: put a proxy that speaks TLS in front of it", err=True)
            door.serve(known, bell.ring, lambda: typer.echo(f"listening at {door.url}{PATH}..."))
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {host}:{port}: {error.strerror}") from None


def poll_of(settings: Settings) -> Poll:
    """Choose how to look: the settle deployment where Prefect watches, a child process to its end elsewhere."""
    if not is_watched():
        return settle_here
    launcher = launcher_for(settings)

    def ask_prefect(slot: int, /) -> None:
        launcher.settle(key=f"webhook-{slot}")

    return ask_prefect


def settle_here(_slot: int, /) -> None:
    """Run `repasse settle` to its end, so that there is never more than one; it gets this process's environment."""
    done = subprocess.run(  # noqa: S603
        SETTLE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        start_new_session=True,
    )
    typer.echo(f"settle ended with exit code {done.returncode}")


def _tell(failure: Exception) -> None:
    # What nobody foresaw may hold anything in its text; its name does not.
    words = failure.message if isinstance(failure, RepasseError) else type(failure).__name__
    typer.echo(f"repasse: {words}", err=True)
