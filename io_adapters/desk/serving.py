"""Serves the desk until it is asked to end."""

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI

GRACE_S = 3


@dataclass(frozen=True, slots=True)
class Where:
    """Where to listen.

    Attributes:
        host: Address.
        port: Port; 0 takes a free one.
        certificate, key: To serve https itself; None where something in front does, or on loopback.
        behind_proxy: Whether a proxy on this machine tells whom requests come from.
    """

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False


class _Server(uvicorn.Server):
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
        _Server(_config(app, where), lambda: on_ready(url)).run(sockets=[listening])


def _config(app: FastAPI, where: Where) -> uvicorn.Config:
    return uvicorn.Config(
        app,
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
