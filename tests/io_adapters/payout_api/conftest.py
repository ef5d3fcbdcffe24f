"""Misbehaving servers, and clients that talk to them."""

import contextlib
import socket
from collections.abc import Callable, Iterator

import httpx
import pytest
from pydantic import SecretStr

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.client import SplitApi
from tests.io_adapters.payout_api.raw_server import API_KEY, RawServer


@pytest.fixture
def serve() -> Iterator[Callable[..., RawServer]]:
    """Start a server; `serve(behave)` with a function, `serve(data)` with the bytes of its every reply."""
    servers: list[RawServer] = []

    def start(behave: Callable[[RawServer, socket.socket], None] | bytes) -> RawServer:
        def answer(server: RawServer, conn: socket.socket) -> None:
            server.read_request(conn)
            conn.sendall(behave)
            conn.shutdown(socket.SHUT_WR)
            server.over.wait(0.2)

        servers.append(RawServer(answer if isinstance(behave, bytes) else behave))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def open_api() -> Iterator[Callable[..., SplitApi]]:
    """Open clients of a server; pauses between tries take no time."""
    with contextlib.ExitStack() as stack:

        def start(url: str, **changes: object) -> SplitApi:
            settings = {"timeout_s": 1.0, "assumptions": Assumptions(), "pause": lambda _s: None} | changes
            return stack.enter_context(SplitApi(url, SecretStr(API_KEY), **settings))

        yield start


class Service:
    """Answers from a function of the request, and keeps the requests."""

    def __init__(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self.asked: list[httpx.Request] = []
        self._answer = answer

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self._answer(request)


@pytest.fixture
def talk(open_api: Callable[..., SplitApi]) -> Callable[..., tuple[SplitApi, Service]]:
    """A client and its service: an answer for all requests, several in turn, or a function of the request."""

    def start(*answers, **changes):
        turn = iter(answers)
        answer = answers[0] if len(answers) == 1 else None
        if answer is None:
            service = Service(lambda _request: next(turn))
        else:
            service = Service(answer if callable(answer) else lambda _request: answer)
        return open_api("https://pay.example/external", transport=httpx.MockTransport(service), **changes), service

    return start
