"""A receiver on a real socket, as a program of its own or in a thread, and a bell that counts."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
import uvicorn

from io_adapters.webhooks import MadeToken, make_token, open_door


@dataclass
class Listening:
    """A receiver that serves, with one token it knows.

    Attributes:
        token: Known to it.
        port: On loopback.
        rings: One entry for each delivery it took.
    """

    token: MadeToken
    port: int
    rings: list[int] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The secret path."""
        return f"/hooks/{self.token.text}"


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listening]:
    """A receiver in a thread; it ends with the test."""
    servers: list[uvicorn.Server] = []
    begin = uvicorn.Server.__init__

    def remember(server: uvicorn.Server, config: uvicorn.Config) -> None:
        begin(server, config)
        servers.append(server)

    monkeypatch.setattr(uvicorn.Server, "__init__", remember)  # a thread takes no signals: it is asked to end this way
    ready = threading.Event()
    with open_door("127.0.0.1", 0) as door:
        told = Listening(make_token(), int(door.url.rpartition(":")[2]))
        known: Callable[[], set[str]] = lambda: {told.token.sha256}  # noqa: E731
        thread = threading.Thread(target=door.serve, args=(known, lambda: told.rings.append(1), ready.set), daemon=True)
        thread.start()
        assert ready.wait(60)
        yield told
        servers[0].should_exit = True
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "it did not happen within a minute"
            time.sleep(0.01)

    return wait
