"""The deadline holds over TLS too, and certificates are verified."""

import socket
import ssl

import httpx
import pytest

from io_adapters.payout_api.connection import DeadlinePassed, exchange
from schemas.submission import Outcome
from tests.io_adapters.payout_api.raw_server import REPORT_JSON, RawServer, reply
from tests.one_certificate import write_own_certificate


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for 127.0.0.1, signed by itself."""
    return write_own_certificate(tmp_path_factory.mktemp("tls"))


def over_tls(certificate, behave):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def start(server: RawServer, conn: socket.socket) -> None:
        with context.wrap_socket(conn, server_side=True) as tls:
            behave(server, tls)

    return start


def ask(server, certificate, deadline_s):
    trusting = ssl.create_default_context(cafile=str(certificate))
    with httpx.Client(verify=trusting, trust_env=False, timeout=3600) as client:
        request = client.build_request("POST", server.url.replace("http:", "https:"), content=b" " * 5_000_000)
        return exchange(client, request, deadline_s=deadline_s, max_bytes=1000)


def test_a_service_with_an_unknown_certificate_is_sent_nothing(serve, open_api, certificate):
    server = serve(over_tls(certificate, lambda server, conn: server.read_request(conn)))
    answer = open_api(server.url.replace("http:", "https:")).create_report(
        b"{}", report_id="rp-1", was_in_doubt=False, deadline_s=3, before_connect=lambda: None
    )
    assert (answer.outcome, server.requests) == (Outcome.NOT_SENT, [])
    assert "certificate verify failed" in str(answer.reason)


def test_a_trusted_service_is_heard(serve, certificate):
    def answer(server, conn):
        server.read_request(conn)
        conn.sendall(reply("200 OK", REPORT_JSON))

    got = ask(serve(over_tls(certificate, answer)), certificate, 10)
    assert (got.status, got.body, got.failure) == (200, REPORT_JSON, None)


def drip(server, conn):
    server.read_request(conn)
    for byte in reply("200 OK", b" " * 500):
        conn.sendall(bytes([byte]))
        if server.over.wait(0.1):
            return


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(lambda server, _conn: server.over.wait(), id="reads nothing"),
        pytest.param(lambda server, conn: (server.read_request(conn), server.over.wait()), id="never answers"),
        pytest.param(drip, id="drips"),
    ],
)
def test_the_deadline_holds_over_tls(serve, certificate, behave):
    got = ask(serve(over_tls(certificate, behave)), certificate, 1.0)
    assert isinstance(got.failure, DeadlinePassed)
