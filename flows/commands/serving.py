"""sandbox and up: servers on loopback, until they are asked to end."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import typer

from flows.settings import read_settings
from schemas.errors import ConfigurationError

ROOT: Final = Path(__file__).resolve().parents[2]
POOL: Final = "repasse"
LOOPBACK: Final = "127.0.0.1"
PREFECT_PORT: Final = 4200
SANDBOX_PORT: Final = 8090
DESK_PORT: Final = 8070
PREFECT_URL: Final = f"http://{LOOPBACK}:{PREFECT_PORT}"
START_S: Final = 120.0
GRACE_S: Final = 10.0

_PREPARATIONS: Final = (
    ["prefect", "work-pool", "create", POOL, "--type", "process", "--overwrite"],
    ["prefect", "block", "register", "--module", "flows.blocks"],
    ["prefect", "--no-prompt", "deploy", "--all"],
    ["python", "-c", "from flows.watched.automations import ensure_automations; ensure_automations()"],
)


def serve_sandbox(host: str, port: int, database: Path | None) -> None:
    """Serve the stand-in payout service, and say how to reach it.

    Raises:
        ConfigurationError: the address is taken or not ours.
    """
    from io_adapters.sandbox import SandboxSettings  # noqa: PLC0415
    from io_adapters.sandbox.serving import serve  # noqa: PLC0415

    where = database or read_settings({}).home / "sandbox.db"
    where.parent.mkdir(parents=True, exist_ok=True)
    settings = SandboxSettings()

    def tell(url: str) -> None:
        typer.echo(f"sandbox at {url}\n  export REPASSE_API_URL={url} REPASSE_API_KEY={settings.api_key}")

    try:
        serve(host, port, where, settings, on_ready=tell)
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {host}:{port}: {error.strerror}") from None


def serve_everything() -> None:
    """Start a Prefect server, the sandbox, the desk, and a worker with the deployments; stop all of them together."""
    home = read_settings({}).home / "up"
    jobs = Path(os.environ.get("REPASSE_JOBS") or home / "jobs").absolute()
    for folder in (home, jobs):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    environment = _environment(home, jobs)
    started: list[subprocess.Popen[bytes]] = []
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # asked to end either way, all of it ends
    try:
        started += [_start(command, environment) for command in _servers(home)]
        _wait_for_prefect(started[0])
        for command in _PREPARATIONS:
            _run(command, environment)
        started.append(_start(["prefect", "worker", "start", "--pool", POOL], environment))
        typer.echo(
            f"Prefect {PREFECT_URL}\ndesk    http://{LOOPBACK}:{DESK_PORT}\nsandbox {environment['REPASSE_API_URL']}\n"
            f"jobs    {jobs}\nhome    {home}\nCtrl-C ends all of it"
        )
        while all(process.poll() is None for process in started):
            time.sleep(0.5)
    except KeyboardInterrupt:
        typer.echo("ending ...")
    finally:
        _stop(started)


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
        "REPASSE_API_URL": f"http://{LOOPBACK}:{SANDBOX_PORT}/external",
        "REPASSE_API_KEY": "sandbox-key",
    }


def _servers(home: Path) -> list[list[str]]:
    """List what is served, Prefect first."""
    return [
        ["prefect", "server", "start", "--host", LOOPBACK, "--port", str(PREFECT_PORT)],
        ["repasse", "sandbox", "--port", str(SANDBOX_PORT), "--database", str(home / "sandbox.db")],
        ["repasse", "desk", "--port", str(DESK_PORT)],
    ]


def _start(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    program = str(Path(sys.executable).parent / command[0])
    return subprocess.Popen([program, *command[1:]], cwd=ROOT, env=dict(environment), start_new_session=True)  # noqa: S603


def _run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    program = str(Path(sys.executable).parent / command[0])
    subprocess.run([program, *command[1:]], cwd=ROOT, env=dict(environment), check=True)  # noqa: S603


def _wait_for_prefect(server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            with socket.create_connection((LOOPBACK, PREFECT_PORT), timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise ConfigurationError(f"the Prefect server did not start; is port {PREFECT_PORT} taken?")


def _stop(started: list[subprocess.Popen[bytes]]) -> None:
    """Ask, wait, and insist; only what was started here."""
    for process in reversed(started):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
    until = time.monotonic() + GRACE_S
    for process in reversed(started):
        try:
            process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
