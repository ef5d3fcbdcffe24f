"""ASGI middleware between socket and application: counts every call and plays planted faults.

uvicorn does not show an application its connection. `TransparentProtocol` puts asyncio's transport into the state of
each request, so that a connection can be closed, reset, or left in the middle of an answer.
"""

import asyncio
import socket
import struct
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from io_adapters.sandbox.context import Sandbox
from io_adapters.sandbox.counting import endpoint_at
from io_adapters.sandbox.faults import Fault, Reply, disturbed

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER, on, for no time: closing sends RST instead of FIN


class TransparentProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol; `scope["state"]["transport"]` is the connection of the request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's own
        """Remember the connection for the requests that come over it."""
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)


class FaultyTransport:
    """ASGI middleware that counts calls, holds them up and plays planted faults."""

    def __init__(self, app: ASGIApp, *, prefix: str, sandbox: Sandbox, stopping: asyncio.Event) -> None:
        """Wrap an application; waits end at once when `stopping` is set."""
        self._app = app
        self._prefix = prefix
        self._sandbox = sandbox
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as planted."""
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
        """Return a `send` that begins its answer no earlier than so long after now."""
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

    async def _answer(self, fault: Fault, reply: Reply, scope: Scope, send: Send) -> None:
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

    async def _drip(self, fault: Fault, reply: Reply, scope: Scope, send: Send) -> None:
        await send(_head(reply))
        for index in range(len(reply.body)):
            await send(_part(reply.body[index : index + 1], more=True))
            if not await self._waited(fault.seconds):
                _close(scope, "drop")
                return
        await send(_part(b"", more=False))

    async def _true_reply(self, scope: Scope, body: bytes) -> Reply:
        """Let the application have the request, and keep its answer back."""
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def keep(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, keep)
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return Reply(sent[0]["status"], tuple(sent[0]["headers"]), content)

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


def _head(reply: Reply) -> Message:
    return {"type": "http.response.start", "status": reply.status, "headers": list(reply.headers)}


def _part(content: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": more}


async def _send_whole(reply: Reply, send: Send) -> None:
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
