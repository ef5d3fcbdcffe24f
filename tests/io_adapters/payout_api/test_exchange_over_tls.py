"""The deadline holds over TLS too, and certificates are verified."""

import datetime as dt
import ipaddress
import socket
import ssl

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from io_adapters.payout_api.connection import DeadlinePassed, exchange
from schemas.submission import Outcome
from tests.io_adapters.payout_api.raw_server import REPORT_JSON, RawServer, reply


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for 127.0.0.1, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + dt.timedelta(1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    plain = serialization.NoEncryption()
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


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
