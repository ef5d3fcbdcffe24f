"""sandbox and up: servers on loopback, until they are asked to end."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
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
START_S: Final = 60.0
GRACE_S: Final = 10.0


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
    """Start a Prefect server, the sandbox, and a worker with the deployments; stop all of them together."""
    home = read_settings({}).home / "up"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    prefect = f"http://{LOOPBACK}:{PREFECT_PORT}"
    environment = os.environ | {
        "PREFECT_HOME": str(home / "prefect"),
        "PREFECT_API_URL": f"{prefect}/api",
        "PREFECT_SERVER_UI_API_URL": f"{prefect}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "REPASSE_HOME": str(home),
        "REPASSE_API_URL": f"http://{LOOPBACK}:{SANDBOX_PORT}/external",
        "REPASSE_API_KEY": "sandbox-key",
    }
    started: list[subprocess.Popen[bytes]] = []
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # asked to end either way, all of it ends
    try:
        started.append(
            _start(["prefect", "server", "start", "--host", LOOPBACK, "--port", str(PREFECT_PORT)], environment)
        )
        started.append(
            _start(
                ["repasse", "sandbox", "--port", str(SANDBOX_PORT), "--database", str(home / "sandbox.db")], environment
            )
        )
        _wait_for_prefect(started[0])
        _run(["prefect", "work-pool", "create", POOL, "--type", "process", "--overwrite"], environment)
        _run(["prefect", "--no-prompt", "deploy", "--all"], environment)
        started.append(_start(["prefect", "worker", "start", "--pool", POOL], environment))
        typer.echo(
            f"Prefect {prefect}\nsandbox {environment['REPASSE_API_URL']}\nhome    {home}\nCtrl-C ends all of it"
        )
        while all(process.poll() is None for process in started):
            time.sleep(0.5)
    except KeyboardInterrupt:
        typer.echo("ending ...")
    finally:
        _stop(started)


def _start(command: list[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    program = str(Path(sys.executable).parent / command[0])
    return subprocess.Popen([program, *command[1:]], cwd=ROOT, env=dict(environment), start_new_session=True)  # noqa: S603


def _run(command: list[str], environment: Mapping[str, str]) -> None:
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
