"""Serving the receiver until it is stopped: on loopback, behind a proxy that speaks TLS."""

import asyncio
import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from io_adapters.webhooks.receiver import Receiver

HEAD_S: Final = 10.0
CONNECTIONS: Final = 256
HEAD_BYTES: Final = 16 * 1024
GRACE_S: Final = 1
BACKLOG: Final = 1024


class PromptProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol; who takes long to say what they want is hung up on."""

    _hang_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's own
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Wait no longer once a request is there, and begin again with the first bytes of the next one."""
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle  # none before the first request
        if cycle is not None and not cycle.response_complete:
            self._stop_waiting()
        else:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._hang_up is None:
            self._hang_up = self.loop.call_later(HEAD_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._hang_up is not None:
            self._hang_up.cancel()
            self._hang_up = None


class _Server(uvicorn.Server):
    """uvicorn, telling when it answers."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then say so."""
        await super().startup(sockets)
        self._on_ready()


@dataclass(slots=True)
class Door:
    """An address that is taken and not served yet.

    Attributes:
        url: Where it is, e.g. "http://127.0.0.1:8091".
        listening: Its socket.
    """

    url: str
    listening: socket.socket

    def serve(
        self, known: Callable[[], Collection[str]], ring: Callable[[], None], on_ready: Callable[[], None]
    ) -> None:
        """Serve until the process is asked to end (SIGINT, SIGTERM).

        Args:
            known: The sha256 of each token in use, from memory.
            ring: Called for each delivery; must return at once.
            on_ready: Called once deliveries are answered.
        """
        config = uvicorn.Config(
            Receiver(known, ring),
            http=PromptProtocol,
            ws="none",
            loop="asyncio",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            log_level="critical",  # strangers decide what would be logged, and how often
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            limit_concurrency=CONNECTIONS,
            h11_max_incomplete_event_size=HEAD_BYTES,
            backlog=BACKLOG,
            timeout_graceful_shutdown=GRACE_S,
        )
        with suppress(KeyboardInterrupt):
            _Server(config, on_ready).run(sockets=[self.listening])


@contextmanager
def open_door(host: str, port: int) -> Iterator[Door]:
    """Take an address; port 0 takes a free one.

    Raises:
        OSError: it is taken, or not ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only of a socket that says it is TCP does asyncio turn Nagle's algorithm off.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        name = f"[{host}]" if ":" in host else host
        yield Door(f"http://{name}:{listening.getsockname()[1]}", listening)
