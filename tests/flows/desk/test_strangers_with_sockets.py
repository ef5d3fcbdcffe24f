"""Strangers with sockets, and no password: they keep nobody out, and fill no disk."""

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.flows.label import COMMAND

FILES = 128
HALF = b"GET /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half:"
pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]


class Served:
    """A desk in a process of its own that may open few files."""

    def __init__(self, url: str, log: Path) -> None:
        self.url = url
        self.log = log
        self.port = int(url.rsplit(":", 1)[1])
        self.sockets: list[socket.socket] = []

    def connect(self, count: int, sent: bytes) -> None:
        for _ in range(count):
            try:
                self.sockets.append(socket.create_connection(("127.0.0.1", self.port), timeout=1))
                self.sockets[-1].sendall(sent)
            except OSError:
                return


@pytest.fixture
def served(environment: Path, tmp_path: Path) -> Iterator[Served]:
    log = tmp_path / "desk.log"

    with log.open("wb") as errors:
        process = subprocess.Popen(
            ["/bin/sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh", *COMMAND, "desk", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        assert process.stdout is not None
        desk = Served(process.stdout.readline().decode().removeprefix("desk at ").strip(), log)
        yield desk
        for one in desk.sockets:
            one.close()
        process.terminate()
        process.wait(20)
        process.stdout.close()


@pytest.mark.parametrize("sent", [b"", HALF, b"\x16\x03\x01", b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"])
def test_half_sent_requests_keep_nobody_out(served: Served, sent: bytes):
    served.connect(3 * FILES, sent)
    for _ in range(5):
        assert httpx.get(f"{served.url}/sign-in", timeout=30).status_code == 200
        served.connect(FILES // 2, sent)
    assert served.log.stat().st_size < 20_000


def test_who_never_ends_a_request_is_hung_up_on(served: Served):
    served.connect(1, HALF)
    (silent,) = served.sockets
    silent.settimeout(60)
    began = time.monotonic()
    while time.monotonic() - began < 60:
        try:
            silent.sendall(b"x")
            if not silent.recv(1, socket.MSG_DONTWAIT):
                break
        except BlockingIOError:
            time.sleep(0.5)
        except OSError:
            break
    else:
        pytest.fail("a request that never ends is waited for without an end")


@pytest.mark.long
@pytest.mark.journey
def test_what_strangers_cause_is_told_once_a_minute(served: Served):
    for _ in range(200):
        with socket.create_connection(("127.0.0.1", served.port), timeout=5) as one:
            one.sendall(b"no request at all\r\n\r\n")
            one.recv(100)
    assert served.log.read_text().count("Invalid HTTP request") <= 2
