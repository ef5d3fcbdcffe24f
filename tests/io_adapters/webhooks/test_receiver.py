"""Anybody may knock: deliveries on the secret path ring, and nothing else does or learns anything."""

import socket
from hmac import compare_digest

import httpx
import pytest

from io_adapters.webhooks import make_token
from io_adapters.webhooks.receiver import MAX_BODY_BYTES, is_known

PATIENCE_S = 60.0
BODIES = {
    "nothing": b"",
    "json": b'{"status": "DONE", "paid": true}',
    "half a json": b'{"status": ',
    "bytes": bytes(range(256)) * 10,
    "a form": b"a=1&b=2",
}


@pytest.fixture
def knock(listening):
    with httpx.Client(base_url=f"http://127.0.0.1:{listening.port}") as client:
        yield client.request


def raw(port, request, wait_s=PATIENCE_S):
    """Send bytes as they are, and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait_s) as line:
        line.sendall(request)
        answer = b""
        while data := line.recv(65536):
            answer += data
    return answer


@pytest.mark.parametrize("method", ["POST", "GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "NOTIFY"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_any_delivery_is_taken_whatever_it_says(listening, knock, method, body):
    answer = knock(method, listening.path, content=body, headers={"Content-Type": "text/nonsense"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert len(listening.rings) == 1


def test_a_query_and_a_proxys_prefix_do_not_matter(listening, knock):
    assert knock("POST", "/repasse" + listening.path + "?event=paid").status_code == 204
    assert len(listening.rings) == 1


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/hooks",
        "/hooks/",
        "/hooks/{other}",
        "/hooks/{cut}",
        "/hooks/{longer}",
        "/{token}",
        "/hooks/{token}/",
        "/x",
    ],
)
def test_every_other_path_gets_one_and_the_same_answer_and_rings_nothing(listening, knock, path):
    token = listening.token.text
    names = {"other": make_token().text, "cut": token[:-1], "longer": token + "a", "token": token}
    answers = [knock(method, path.format(**names), content=b"x") for method in ("POST", "GET")]
    reference = knock("POST", "/nobody/has/this")
    assert {
        (answer.status_code, answer.content, tuple(answer.headers.items())) for answer in [*answers, reference]
    } == {(404, b"", (("content-length", "0"),))}
    assert listening.rings == []


def test_a_wrong_token_is_as_much_work_however_much_of_it_is_right(monkeypatch):
    tokens = [make_token() for _ in range(3)]
    known = [token.sha256 for token in tokens]
    compared = []

    def counted(given, digest):
        compared.append((len(given), digest))
        return compare_digest(given, digest)

    monkeypatch.setattr("io_adapters.webhooks.receiver.compare_digest", counted)
    right = tokens[0].text
    for text in (right, right[:-1] + "!", "!" * len(right), ""):
        compared.clear()
        assert is_known(f"/hooks/{text}".encode(), known) == (text == right)
        # A hash of whatever was given, with each known one, in the time that `compare_digest` takes for all alike.
        assert compared == [(len(digest), digest) for digest in known]


def test_a_long_body_is_cut_and_the_delivery_taken_all_the_same(listening):
    head = f"POST {listening.path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000000\r\n\r\n".encode()
    answer = raw(listening.port, head + b"x" * (MAX_BODY_BYTES + 1))
    assert answer.startswith(b"HTTP/1.1 204")
    assert b"connection: close" in answer.lower()
    assert len(listening.rings) == 1


def test_a_body_that_never_comes_is_not_waited_for(listening):
    answer = raw(listening.port, f"POST {listening.path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx".encode())
    assert answer.startswith(b"HTTP/1.1 204")
    assert len(listening.rings) == 1


def test_what_is_no_http_or_a_websocket_or_a_tunnel_harms_nothing(listening, knock):
    assert raw(listening.port, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(listening.port, b"GET / HTTP/1.1\r\n" + b"A: " + b"a" * 100_000 + b"\r\n").startswith(b"HTTP/1.1 400")
    upgrade = "Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13"
    answer = raw(listening.port, f"GET {listening.path} HTTP/1.1\r\nHost: a\r\n{upgrade}\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 204")
    assert raw(listening.port, b"CONNECT a:443 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 404"
    )
    assert knock("POST", listening.path).status_code == 204


def test_who_never_says_what_they_want_is_hung_up_on(listening, monkeypatch):
    monkeypatch.setattr("io_adapters.webhooks.serving.HEAD_S", 0.3)
    with socket.create_connection(("127.0.0.1", listening.port), timeout=PATIENCE_S) as line:
        try:
            line.sendall(b"POST /hoo")
            assert line.recv(100) == b""
        except ConnectionResetError:
            pass


def test_nothing_of_a_delivery_is_written_anywhere(listening, knock, capfd, caplog):
    caplog.set_level(0)
    knock("POST", listening.path, content=b"SECRET-OF-A-BODY", headers={"X-Secret": "SECRET-OF-A-HEADER"})
    raw(listening.port, b"SECRET nonsense\r\n\r\n")
    written = "".join(capfd.readouterr()) + "".join(
        record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))
    )
    assert "SECRET" not in written
    assert listening.token.text not in written
    assert listening.token.text not in repr(listening.token)
