"""Serves the sandbox: inside another program, or as a program of its own."""

import asyncio
import socket
import struct
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from io_adapters.sandbox import accounts, contacts, control, pix, splits, webhooks
from io_adapters.sandbox.assumptions import SandboxSettings
from io_adapters.sandbox.context import (
    NOT_LET_IN,
    Fault,
    FaultyReply,
    Sandbox,
    disturbed,
    refuse_unknown_queries,
    require_api_key,
)
from io_adapters.sandbox.validation import HTTPValidationError, RequestCounter, answer_405, answer_422, endpoint_at

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER, on, for no time: closing sends RST instead of FIN


class TransparentProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol; `scope["state"]["transport"]` is the connection of the request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's own
        """Remember the connection for the requests that come over it."""
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)


class FaultyTransport:
    def __init__(self, app: ASGIApp, *, prefix: str, sandbox: Sandbox, stopping: asyncio.Event) -> None:
        self._app = app
        self._prefix = prefix
        self._sandbox = sandbox
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        within = scope["type"] == "http" and scope["path"].startswith(self._prefix + "/")
        endpoint = endpoint_at(scope["method"], scope["path"].removeprefix(self._prefix)) if within else None
        if endpoint is None:
            await self._app(scope, receive, send)
            return
        fault = self._sandbox.faults.next(endpoint)
        self._sandbox.requests.count(endpoint)
        latency_s = self._sandbox.behaviour.latency_s
        if latency_s:
            send = self._held_back(send, latency_s)
        if fault is None:
            await self._app(scope, receive, send)
        else:
            await self._play(fault, scope, await _whole_body(receive), send)

    def _held_back(self, send: Send, latency_s: float) -> Send:
        loop = asyncio.get_running_loop()
        due = loop.time() + latency_s

        async def send_when_due(message: Message) -> None:
            if loop.time() < due:
                await self._waited(due - loop.time())
            await send(message)

        return send_when_due

    async def _play(self, fault: Fault, scope: Scope, body: bytes, send: Send) -> None:
        if fault.kind == "late":
            await _send_whole(disturbed(fault, None), send)
            if await self._waited(fault.seconds):
                await self._true_reply(scope, body)
            return
        effect_waits = fault.kind == "hang" and fault.when == "before"
        if effect_waits and not await self._waited(fault.seconds):
            _close(scope, "drop")
            return
        has_effect = fault.when == "after" or fault.kind in {"hang", "wrong_report_id"}
        true_reply = await self._true_reply(scope, body) if has_effect else None
        if fault.kind == "hang" and not effect_waits and not await self._waited(fault.seconds):
            _close(scope, "drop")
            return
        await self._answer(fault, disturbed(fault, true_reply), scope, send)

    async def _answer(self, fault: Fault, reply: FaultyReply, scope: Scope, send: Send) -> None:
        match fault.kind:
            case "drop" | "reset":
                _close(scope, fault.kind)
            case "cut_head":
                _transport(scope).write(b"HTTP/1.1 200 OK\r\ncontent-type: appl")
                _close(scope, "finish")
            case "cut":
                await send(_head(reply))
                await send(_part(reply.body[: len(reply.body) // 2], more=True))
                _close(scope, "finish")
            case "drip":
                await self._drip(fault, reply, scope, send)
            case _:
                await _send_whole(reply, send)
        await asyncio.sleep(0)  # a closed connection tells uvicorn so in the loop's next turn

    async def _drip(self, fault: Fault, reply: FaultyReply, scope: Scope, send: Send) -> None:
        await send(_head(reply))
        for index in range(len(reply.body)):
            await send(_part(reply.body[index : index + 1], more=True))
            if not await self._waited(fault.seconds):
                _close(scope, "drop")
                return
        await send(_part(b"", more=False))

    async def _true_reply(self, scope: Scope, body: bytes) -> FaultyReply:
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def keep(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, keep)
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return FaultyReply(sent[0]["status"], tuple(sent[0]["headers"]), content)

    async def _waited(self, seconds: float) -> bool:
        """Wait; False when the server stops meanwhile."""
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return True
        return False


async def _whole_body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


def _head(reply: FaultyReply) -> Message:
    return {"type": "http.response.start", "status": reply.status, "headers": list(reply.headers)}


def _part(content: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": more}


async def _send_whole(reply: FaultyReply, send: Send) -> None:
    await send(_head(reply))
    await send(_part(reply.body, more=False))


def _transport(scope: Scope) -> Any:  # noqa: ANN401
    return scope["state"]["transport"]


def _close(scope: Scope, how: str) -> None:
    """Close the connection: "finish" after what is already written, "drop" at once, "reset" at once and with RST."""
    transport = _transport(scope)
    if how == "finish":
        transport.close()
        return
    if how == "reset":
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort()


SUBJECTS: Final = (contacts, pix, accounts, splits, webhooks)
GUARDS: Final = (Depends(require_api_key), Depends(refuse_unknown_queries))
SAVE_EVERY_S: Final = 0.5
THREADS: Final = 100


def create_app(
    database: Path,
    settings: SandboxSettings,
    *,
    clock: Callable[[], float] = time.time,
    stopping: asyncio.Event | None = None,
) -> FastAPI:
    """Return the sandbox over a SQLite file, which is made where there is none."""
    sandbox = Sandbox(database, settings, clock)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = THREADS
        saving = asyncio.create_task(_save_now_and_then(sandbox.requests))
        yield
        saving.cancel()
        with suppress(asyncio.CancelledError):
            await saving
        sandbox.close()

    app = FastAPI(
        title="Payout service sandbox",
        summary="A local stand-in: play money, its own memory, faults on demand under /_sandbox.",
        version="1.0.0",
        lifespan=lifespan,
        responses={422: {"model": HTTPValidationError}},
    )
    app.state.sandbox, app.state.prefix = sandbox, settings.prefix
    for subject in SUBJECTS:
        app.include_router(subject.router, prefix=settings.prefix, dependencies=GUARDS, responses=NOT_LET_IN)
    app.include_router(control.router)
    app.add_exception_handler(RequestValidationError, answer_422)
    app.add_exception_handler(405, answer_405)
    app.add_middleware(FaultyTransport, prefix=settings.prefix, sandbox=sandbox, stopping=stopping or asyncio.Event())
    return app


async def _save_now_and_then(requests: RequestCounter) -> None:
    while True:
        await asyncio.sleep(SAVE_EVERY_S)
        await run_in_threadpool(requests.save)


LOOPBACK: Final = "127.0.0.1"
GRACE_S: Final = 1


class SandboxServer(uvicorn.Server):
    def __init__(self, database: Path, settings: SandboxSettings, on_ready: Callable[[], None]) -> None:
        self._stopping = asyncio.Event()
        self._on_ready = on_ready
        app = create_app(database, settings, stopping=self._stopping)
        super().__init__(
            uvicorn.Config(
                app,
                http=TransparentProtocol,
                ws="none",
                loop="asyncio",
                lifespan="on",
                log_config=None,
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping.set()
        await super().shutdown(sockets)


class EmbeddedSandbox:
    """A sandbox in a thread of this process, on a free port of loopback, for as long as the context lasts."""

    url: str
    control_url: str

    def __init__(self, database: Path | None = None, settings: SandboxSettings | None = None) -> None:
        self._database = database
        self._settings = settings or SandboxSettings()
        self._exits = ExitStack()
        self.api_key = self._settings.api_key

    def __enter__(self) -> Self:
        """Start serving, and return when it answers.

        Raises:
            RuntimeError: it could not start.
        """
        with ExitStack() as exits:
            database = self._database
            if database is None:
                folder = exits.enter_context(tempfile.TemporaryDirectory(prefix="sandbox-"))
                database = Path(folder) / "sandbox.sqlite"
            listening = exits.enter_context(_bound_socket(LOOPBACK, 0))
            ready = threading.Event()
            server = SandboxServer(database, self._settings, ready.set)
            thread = threading.Thread(target=_run, args=(server, listening, ready), name="sandbox", daemon=True)
            thread.start()
            exits.callback(_stop, server, thread)
            ready.wait()
            if not server.started:
                raise RuntimeError("the sandbox did not start")
            address = f"http://{LOOPBACK}:{listening.getsockname()[1]}"
            self.url = address + self._settings.prefix
            self.control_url = f"{address}/_sandbox"
            self._exits = exits.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exits.close()


def serve(
    host: str,
    port: int,
    database: Path,
    settings: SandboxSettings | None = None,
    on_ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until the process is asked to end (SIGINT, SIGTERM).

    Raises:
        OSError: the address is taken or not ours.
    """
    settings = settings or SandboxSettings()
    with _bound_socket(host, port) as listening, suppress(KeyboardInterrupt):
        name = f"[{host}]" if ":" in host else host
        url = f"http://{name}:{listening.getsockname()[1]}{settings.prefix}"
        SandboxServer(database, settings, lambda: on_ready(url)).run(sockets=[listening])


def _bound_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only of a socket that says it is TCP does asyncio turn Nagle's algorithm off; with it an answer takes 40 ms more.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    return listening


def _run(server: SandboxServer, listening: socket.socket, ready: threading.Event) -> None:
    try:
        server.run(sockets=[listening])
    finally:
        ready.set()  # also when it never started, so that nobody waits for it


def _stop(server: SandboxServer, thread: threading.Thread) -> None:
    server.should_exit = True
    thread.join()
