"""Requests leave as a company wants it: through its proxy, its authority trusted, with a client certificate."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from pydantic import SecretStr

from flows.settings import read_settings
from io_adapters.alerts import NotAlerted, post_webhook
from io_adapters.payout_api.connection import Connections
from schemas.egress import Egress
from schemas.errors import ConfigurationError
from tests.one_certificate import write_own_certificate

FAR = "payouts.selo.example"


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[tuple[int, list[str]]]:
    """A server that says yes to everything, and keeps the first line of each request."""
    lines: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            lines.append(self.requestline)
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_POST = do_GET

        def do_CONNECT(self) -> None:
            lines.append(self.requestline)
            self.send_error(502)

        def log_message(self, *_words: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1], lines
    finally:
        server.shutdown()
        server.server_close()


def get(url: str, egress: Egress) -> int:
    with Connections(url, SecretStr("key"), None, egress).open(10.0) as client:
        return client.get("/split").status_code


def wrapping(certificate: Path, *, asks: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if asks:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(certificate)
    return context


def test_a_companys_own_authority_is_trusted_where_it_is_named(tmp_path):
    certificate = write_own_certificate(tmp_path)
    with serving(wrapping(certificate)) as (port, _):
        url = f"https://127.0.0.1:{port}"
        with pytest.raises(httpx.ConnectError, match="certificate verify failed"):
            get(url, Egress())
        assert get(url, Egress(ca_file=str(certificate))) == 200
        with pytest.raises(NotAlerted):
            post_webhook(url, {})
        post_webhook(url, {}, egress=Egress(ca_file=str(certificate)))


def test_a_service_that_asks_for_a_client_certificate_gets_it(tmp_path):
    certificate = write_own_certificate(tmp_path)
    with serving(wrapping(certificate, asks=True)) as (port, _):
        url, trusted = f"https://127.0.0.1:{port}", str(certificate)
        with pytest.raises(httpx.TransportError):
            get(url, Egress(ca_file=trusted))
        assert get(url, Egress(ca_file=trusted, client_cert=trusted)) == 200


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_what_goes_far_goes_through_the_proxy_and_what_stays_here_does_not(scheme):
    with serving() as (proxy, seen), serving() as (near, _):
        egress = Egress(proxy=f"http://127.0.0.1:{proxy}")
        if scheme == "http":
            assert get(f"http://{FAR}", egress) == 200
        else:
            with pytest.raises(httpx.ProxyError):
                get(f"https://{FAR}", egress)
            with pytest.raises(NotAlerted):
                post_webhook(f"https://{FAR}/hook", {}, egress=egress)
        through = len(seen)
        assert through
        assert all(FAR in line for line in seen)
        assert get(f"http://127.0.0.1:{near}", egress) == 200
        assert len(seen) == through


def test_nothing_of_other_variables_is_heeded(monkeypatch):
    with serving() as (proxy, seen), serving() as (near, _):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert get(f"http://{socket.gethostbyname('localhost')}:{near}", Egress()) == 200
        post_webhook(f"http://127.0.0.1:{near}/hook", {})
        assert not seen


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REPASSE_CA_FILE", "/nowhere.pem"),
        ("REPASSE_CLIENT_CERT", "/nowhere.pem"),
        ("REPASSE_PROXY", "socks5://127.0.0.1:1"),
        ("REPASSE_PROXY", "proxy.example:3128"),
        ("REPASSE_PROXY", "http://"),
    ],
)
def test_what_cannot_be_used_is_told_at_once(name, value):
    with pytest.raises(ConfigurationError, match=name if "PROXY" in name else "certificate"):
        read_settings({name: value})


def test_a_file_that_holds_no_certificate_is_told(tmp_path):
    (tmp_path / "no.pem").write_text("no certificate")
    with pytest.raises(ConfigurationError, match="PEM"):
        Connections("https://a.example", SecretStr("k"), None, Egress(ca_file=str(tmp_path / "no.pem"))).open(1.0)
