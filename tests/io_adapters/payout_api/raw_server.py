"""A server over real sockets that behaves as badly as it is told to."""

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable

API_KEY = "key-canary-5f1d"
REPORT = {"_id": "65f0", "reportId": "rp-1", "status": "PENDING"}
REPORT_JSON = json.dumps(REPORT).encode()


class RawServer:
    """Accepts connections and hands each to `behave`; keeps what was read."""

    def __init__(self, behave: Callable[["RawServer", socket.socket], None]) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self._open = 0
        self.over = threading.Event()
        self._behave = behave
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/external"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def wait_until_idle(self) -> None:
        """Wait until a connection was made and every connection has ended."""
        ends_at = time.monotonic() + 30
        while (self.connections == 0 or self._open) and time.monotonic() < ends_at:
            time.sleep(0.01)

    def _accept(self) -> None:
        while True:
            try:
                conn, _ = self._listener.accept()
            except OSError:
                return
            self._open += 1
            self.connections += 1
            threading.Thread(target=self._serve, args=(conn,), daemon=True).start()

    def _serve(self, conn: socket.socket) -> None:
        with conn, contextlib.suppress(OSError):
            self._behave(self, conn)
        self._open -= 1

    def read_request(self, conn: socket.socket) -> bytes:
        """Read one whole request and keep it."""
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = conn.recv(65536)
            if not chunk:
                return data
            data += chunk
        head, _, body = data.partition(b"\r\n\r\n")
        length = next((int(h[15:]) for h in head.lower().split(b"\r\n") if h.startswith(b"content-length:")), 0)
        while len(body) < length:
            chunk = conn.recv(65536)
            if not chunk:
                break
            body += chunk
        self.requests.append(head + b"\r\n\r\n" + body)
        return self.requests[-1]

    def close(self) -> None:
        self.over.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(2)

    @property
    def posts(self) -> int:
        return sum(request.startswith(b"POST ") for request in self.requests)


def reply(status: str, body: bytes, *headers: str) -> bytes:
    """Write a whole HTTP reply."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Content-Type: application/json", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def reset(conn: socket.socket) -> None:
    """Close so that the peer gets RST instead of FIN."""
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    conn.close()
