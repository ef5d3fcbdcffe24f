"""Serves the sandbox: inside another program, or as a program of its own."""

import asyncio
import socket
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import uvicorn

from io_adapters.sandbox.app import create_app
from io_adapters.sandbox.assumptions import SandboxSettings
from io_adapters.sandbox.transport import TransparentProtocol

LOOPBACK: Final = "127.0.0.1"
GRACE_S: Final = 1


class SandboxServer(uvicorn.Server):
    """uvicorn, telling when it answers, and ending the waits of planted faults when it stops."""

    def __init__(self, database: Path, settings: SandboxSettings, on_ready: Callable[[], None]) -> None:
        """Prepare to serve; `on_ready` is called as soon as connections are answered."""
        self._stopping = asyncio.Event()
        self._on_ready = on_ready
        app = create_app(database, settings, stopping=self._stopping)
        super().__init__(
            uvicorn.Config(
                app,
                http=TransparentProtocol,
                ws="none",
                loop="asyncio",
                lifespan="on",
                log_config=None,
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then say so."""
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all waits, then stop."""
        self._stopping.set()
        await super().shutdown(sockets)


class EmbeddedSandbox:
    """A sandbox in a thread of this process, on a free port of loopback, for as long as the context lasts.

    Attributes:
        url: Base URL of the service, prefix included.
        control_url: Base URL of the control plane.
        api_key: The key it lets in.
    """

    url: str
    control_url: str

    def __init__(self, database: Path | None = None, settings: SandboxSettings | None = None) -> None:
        """Prepare a sandbox; without a database its state ends with it."""
        self._database = database
        self._settings = settings or SandboxSettings()
        self._exits = ExitStack()
        self.api_key = self._settings.api_key

    def __enter__(self) -> Self:
        """Start serving, and return when it answers.

        Raises:
            RuntimeError: it could not start.
        """
        with ExitStack() as exits:
            database = self._database
            if database is None:
                folder = exits.enter_context(tempfile.TemporaryDirectory(prefix="sandbox-"))
                database = Path(folder) / "sandbox.sqlite"
            listening = exits.enter_context(_bound_socket(LOOPBACK, 0))
            ready = threading.Event()
            server = SandboxServer(database, self._settings, ready.set)
            thread = threading.Thread(target=_run, args=(server, listening, ready), name="sandbox", daemon=True)
            thread.start()
            exits.callback(_stop, server, thread)
            ready.wait()
            if not server.started:
                raise RuntimeError("the sandbox did not start")
            address = f"http://{LOOPBACK}:{listening.getsockname()[1]}"
            self.url = address + self._settings.prefix
            self.control_url = f"{address}/_sandbox"
            self._exits = exits.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop serving."""
        self._exits.close()


def serve(
    host: str,
    port: int,
    database: Path,
    settings: SandboxSettings | None = None,
    on_ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until the process is asked to end (SIGINT, SIGTERM).

    Args:
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        database: The file that holds all state.
        settings: How it starts.
        on_ready: Is told the base URL, prefix included, once it answers.

    Raises:
        OSError: the address is taken or not ours.
    """
    settings = settings or SandboxSettings()
    with _bound_socket(host, port) as listening, suppress(KeyboardInterrupt):
        name = f"[{host}]" if ":" in host else host
        url = f"http://{name}:{listening.getsockname()[1]}{settings.prefix}"
        SandboxServer(database, settings, lambda: on_ready(url)).run(sockets=[listening])


def _bound_socket(host: str, port: int) -> socket.socket:
    """Take an address, to be listened on by a server."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only of a socket that says it is TCP does asyncio turn Nagle's algorithm off; with it an answer takes 40 ms more.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    return listening


def _run(server: SandboxServer, listening: socket.socket, ready: threading.Event) -> None:
    try:
        server.run(sockets=[listening])
    finally:
        ready.set()  # also when it never started, so that nobody waits for it


def _stop(server: SandboxServer, thread: threading.Thread) -> None:
    server.should_exit = True
    thread.join()
