"""A Prefect server that is not on loopback and asks nobody who it is gets nothing from Repasse."""

import socket
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL, temporary_settings

from flows.prefect_ui.deployments import require_closed_server
from schemas.errors import ConfigurationError

FAR = "prefect.selo.example"
PASSWORD = "repasse:a word"  # noqa: S105


@pytest.fixture
def far_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """A server under a name that is not this machine's; with a password, or without."""
    servers: list[ThreadingHTTPServer] = []
    resolve = socket.getaddrinfo

    def here(host: object, *rest: object, **more: object) -> object:
        return resolve("127.0.0.1" if host in {FAR, FAR.encode()} else host, *rest, **more)

    def start(is_open: bool) -> str:
        class Server(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                known = is_open or self.headers.get("Authorization") is not None
                no_such_tokens = 404 if "csrf" in self.path else 200
                self.send_response(no_such_tokens if known else 401)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(b"[]")

            do_GET = do_POST

            def log_message(self, *_words: object) -> None: ...

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Server))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://{FAR}:{servers[-1].server_address[1]}/api"

    monkeypatch.setattr(socket, "getaddrinfo", here)
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_one_that_answers_everybody_is_refused(far_server):
    with temporary_settings({PREFECT_API_URL: far_server(is_open=True)}), pytest.raises(ConfigurationError, match=FAR):
        require_closed_server()


def test_our_own_password_does_not_make_it_a_closed_one(far_server):
    with (
        temporary_settings({PREFECT_API_URL: far_server(is_open=True), PREFECT_API_AUTH_STRING: PASSWORD}),
        pytest.raises(ConfigurationError),
    ):
        require_closed_server()


def test_one_that_asks_who_it_is_is_taken(far_server):
    with temporary_settings({PREFECT_API_URL: far_server(is_open=False), PREFECT_API_AUTH_STRING: PASSWORD}):
        require_closed_server()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_one_on_loopback_may_be_open(host):
    with temporary_settings({PREFECT_API_URL: f"http://{host}:1/api"}):
        require_closed_server()
