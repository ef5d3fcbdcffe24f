"""Serving the desk until it is stopped; who takes long to say what they want is hung up on."""

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_S: Final = 10.0
CONNECTIONS: Final = 256
MINUTE_S: Final = 60.0
LINE: Final = 120
LINES: Final = 1_000
HEAD_BYTES: Final = 16 * 1024
GRACE_S: Final = 3


class PromptProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol; who takes long to say what they want is hung up on.

    Where so many are connected that there is no room for others, whoever has not been heard of for longest goes:
    connections that say nothing keep nobody out.
    """

    _hang_up: asyncio.TimerHandle | None = None
    heard_s = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's own
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.heard_s = self.loop.time()
        self._wait_for_head()
        if len(self.connections) > most_connections():
            waiting = [other for other in self.connections if isinstance(other, PromptProtocol) and other.is_waiting]
            min(waiting, key=lambda other: other.heard_s, default=self).transport.abort()

    @property
    def is_waiting(self) -> bool:
        """Whether no request of it is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Wait no longer once a request is there, and begin again with the first bytes of the next one."""
        super().data_received(data)
        self.heard_s = self.loop.time()
        if self.is_waiting:
            self._wait_for_head()
        else:
            self._stop_waiting()

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


def most_connections() -> int:
    """Return how many connections there may be at once: half of the files that the system lets the process open."""
    if resource is None:
        return CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if files == resource.RLIM_INFINITY else max(8, min(CONNECTIONS, files // 2))


def backlog() -> int:
    """Return how many callers are taken at once, before any of them can be hung up on: far fewer than there is room."""
    return max(8, most_connections() // 4)


class OnceAMinute(logging.Filter):
    """Lets the same line through once a minute, with how often it was left out since: a flood fills no disk."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        line = f"{record.name} {record.msg}"[:LINE]
        at_s, left_out = self._told.get(line, (-MINUTE_S, 0))
        if record.created - at_s < MINUTE_S:
            self._told[line] = (at_s, left_out + 1)
            return False
        if len(self._told) > LINES:
            self._told.clear()
        self._told[line] = (record.created, 0)
        if left_out:
            record.msg = f"{record.msg} (and {left_out} times more)"
        record.exc_info = record.exc_info if record.levelno >= logging.CRITICAL else None  # its text may be anybody's
        return True


def hush_floods() -> None:
    """Let what the server and its event loop say of connections be said once a minute."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        if not any(isinstance(known, OnceAMinute) for known in logger.filters):
            logger.addFilter(OnceAMinute())


@dataclass(frozen=True, slots=True)
class Where:
    """Where to listen.

    Attributes:
        certificate, key: To serve https itself; None where something in front does, or on loopback.
    """

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False


class _DeskServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()


def serve(app: FastAPI, where: Where, on_ready: Callable[[str], None] = lambda _: None) -> None:
    """Serve until the process is asked to end (SIGINT, SIGTERM). No access log: addresses say who looked at what.

    Raises:
        OSError: the address is taken or not ours.
    """
    family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening, suppress(KeyboardInterrupt):
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((where.host, where.port))
        name = f"[{where.host}]" if ":" in where.host else where.host
        url = f"{'https' if where.certificate else 'http'}://{name}:{listening.getsockname()[1]}"
        hush_floods()
        _DeskServer(_config(app, where), lambda: on_ready(url)).run(sockets=[listening])


def _config(app: FastAPI, where: Where) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=PromptProtocol,
        backlog=backlog(),
        h11_max_incomplete_event_size=HEAD_BYTES,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=where.behind_proxy,
        timeout_graceful_shutdown=GRACE_S,
        ssl_certfile=where.certificate,
        ssl_keyfile=where.key,
    )
