"""sandbox and up: servers on loopback, until they are asked to end."""

import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import typer

from flows.commands.samples import copy_samples
from flows.commands.together import Together
from flows.settings import read_settings
from schemas.errors import ConfigurationError

POOL: Final = "repasse"
LOOPBACK: Final = "127.0.0.1"
PORTS: Final = {"prefect": 4200, "sandbox": 8090, "desk": 8070}
PREFECT_URL: Final = f"http://{LOOPBACK}:{PORTS['prefect']}"
START_S: Final = 120.0
SAMPLE_JOBS: Final = ("payments", "royalties")

_PREPARATIONS: Final = (
    ["prefect", "work-pool", "create", POOL, "--type", "process", "--overwrite"],
    ["prefect", "block", "register", "--module", "flows.prefect_ui.deployments"],
    ["prefect", "--no-prompt", "deploy", "--all"],
    ["python", "-c", "from flows.prefect_ui.events import ensure_automations; ensure_automations()"],
)


def serve_sandbox(host: str, port: int, database: Path | None) -> None:
    """Serve the stand-in payout service, and say how to reach it.

    Raises:
        ConfigurationError: the address is taken or not ours.
    """
    from io_adapters.sandbox import SandboxSettings  # noqa: PLC0415
    from io_adapters.sandbox.serving import serve  # noqa: PLC0415

    where = database or _home() / "sandbox.db"
    where.parent.mkdir(parents=True, exist_ok=True)
    settings = SandboxSettings()

    def tell(url: str) -> None:
        typer.echo(f"sandbox at {url}\n  export REPASSE_API_URL={url} REPASSE_API_KEY={settings.api_key}")

    try:
        serve(host, port, where, settings, on_ready=tell)
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {host}:{port}: {error.strerror}") from None


def serve_everything() -> None:
    """Start a Prefect server, the sandbox, the desk, and a worker with the deployments; stop all of them together.

    Effects: all it writes is in the folder `up` of the home folder; without REPASSE_JOBS, copies of sample jobs too.

    Raises:
        ConfigurationError: a port is taken, or one of them did not start, or has ended.
    """
    home = _home() / "up"
    jobs = jobs_folder(home)
    logs = home / "logs"
    logs.mkdir(exist_ok=True)
    _expect_free_ports()
    together = Together(_environment(home, jobs), logs)
    with _asked_to_end():
        try:
            typer.echo("starting Prefect, the sandbox and the desk: half a minute ...")
            together.start("prefect", ["prefect", "server", "start", "--host", LOOPBACK, "--port", _port("prefect")])
            together.start("sandbox", ["repasse", "sandbox", "--port", _port("sandbox")])
            together.start("desk", ["repasse", "desk", "--port", _port("desk")])
            for name in PORTS:
                _wait_for(name, together)
            for command in _PREPARATIONS:
                together.do("preparations", command)
            together.start("worker", ["prefect", "worker", "start", "--pool", POOL])
            typer.echo(_greeting(home, jobs, together.environment))
            while True:
                together.check()
                time.sleep(0.5)
        except KeyboardInterrupt:
            typer.echo("ending ...")
        finally:
            together.stop()


def jobs_folder(home: Path) -> Path:
    """Make the folders of an installation that is tried out, with sample jobs where nobody named jobs.

    Returns:
        REPASSE_JOBS; without it, a folder of this home, which gets copies of sample jobs while it is empty.
    """
    given = os.environ.get("REPASSE_JOBS")
    jobs = Path(given).absolute() if given else home / "jobs"
    for folder in (home, jobs):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not given and not any(jobs.iterdir()):
        copy_samples(SAMPLE_JOBS, jobs)
    return jobs


def _home() -> Path:
    """Return the home folder, whatever service the environment names: nothing here speaks to it."""
    return read_settings({name: value for name, value in os.environ.items() if name == "REPASSE_HOME"}).home


def _environment(home: Path, jobs: Path) -> dict[str, str]:
    """Say to all of it where the others are; everything is on loopback, and the service is the sandbox."""
    return os.environ | {
        "PREFECT_HOME": str(home / "prefect"),
        "PREFECT_API_URL": f"{PREFECT_URL}/api",
        "PREFECT_SERVER_UI_API_URL": f"{PREFECT_URL}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
        "REPASSE_HOME": str(home),
        "REPASSE_JOBS": str(jobs),
        "REPASSE_API_URL": f"http://{LOOPBACK}:{PORTS['sandbox']}/external",
        "REPASSE_API_KEY": "sandbox-key",
    }


def _greeting(home: Path, jobs: Path, environment: Mapping[str, str]) -> str:
    """Say where everything is, how somebody gets into the desk, and how a terminal joins in."""
    program = shlex.quote(os.path.relpath(Path(sys.executable).parent / "repasse"))
    ana = f"{program} desk user add 'Ana Prado' --role preparer --role approver"
    shared = ("REPASSE_HOME", "REPASSE_API_URL", "REPASSE_API_KEY", "PREFECT_API_URL")
    return "\n".join(
        (
            f"Prefect  {PREFECT_URL}",
            f"desk     http://{LOOPBACK}:{PORTS['desk']}",
            f"sandbox  {environment['REPASSE_API_URL']}",
            f"jobs     {jobs}",
            f"logs     {home / 'logs'}",
            "To sign in to the desk, in another terminal:",
            f"  REPASSE_HOME={shlex.quote(str(home))} {ana}",
            "To work in a terminal on the same ledger and service:",
            "  export " + " ".join(f"{name}={shlex.quote(environment[name])}" for name in shared),
            "Ctrl-C ends all of it.",
        )
    )


def _port(name: str) -> str:
    return str(PORTS[name])


def _expect_free_ports() -> None:
    for name, port in PORTS.items():
        with suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=2):
            raise ConfigurationError(f"port {port}, where {name} would listen, is taken")


def _wait_for(name: str, together: Together) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        together.check()
        with suppress(OSError), socket.create_connection((LOOPBACK, PORTS[name]), timeout=2):
            return
        time.sleep(0.2)
    raise ConfigurationError(f"{name} did not start within {START_S:.0f} s; {together.logs / name}.log says why")


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """Asked to end by Ctrl-C or a signal, all of it ends; even where whoever started it ignores Ctrl-C, as `&` does."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
