"""A door in front of a service, on a port of its own, that can be shut: then connections are refused."""

import socket
import threading
from contextlib import suppress
from typing import Self


class Gate:
    """Passes bytes both ways between its own port and a service's.

    Attributes:
        port: Where it listens, also after it was shut and opened again.
    """

    def __init__(self, port: int) -> None:
        """Stand in front of a port of loopback."""
        self._behind = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._let_in()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shut()

    def shut(self) -> None:
        """Refuse connections from now on."""
        with suppress(OSError):  # wakes the thread that waits for the next guest
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def open(self) -> None:
        """Let connections in again."""
        self._door = socket.create_server(("127.0.0.1", self.port))
        self._let_in()

    def _let_in(self) -> None:
        threading.Thread(target=self._receive, args=(self._door,), daemon=True).start()

    def _receive(self, door: socket.socket) -> None:
        with suppress(OSError):
            while True:
                guest, _ = door.accept()
                host = socket.create_connection(("127.0.0.1", self._behind))
                for source, sink in ((guest, host), (host, guest)):
                    threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
