"""A service that does nothing but check accounts, each answer some seconds after its question; a process of its own.

`python check_service.py SECONDS` prints its port. Written on bare protocols, so that it is never the slow one.
"""

import asyncio
import sys

VERDICT = b'{"valid":true,"message":"account is valid"}'


def answer(status: bytes, body: bytes) -> bytes:
    head = b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    return head % (status, len(body)) + body


YES, NOT_FOUND = answer(b"200 OK", VERDICT), answer(b"404 Not Found", b"{}")


class CheckService(asyncio.Protocol):
    """One connection."""

    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        while b"\r\n\r\n" in self._read:
            head, _, rest = self._read.partition(b"\r\n\r\n")
            length = next(
                (int(one[15:]) for one in head.lower().split(b"\r\n") if one.startswith(b"content-length:")), 0
            )
            if len(rest) < length:
                return
            self._read = rest[length:]
            reply = YES if head.startswith(b"POST /external/validate/account ") else NOT_FOUND
            asyncio.get_running_loop().call_later(self._latency_s, self._transport.write, reply)


async def serve(latency_s: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: CheckService(latency_s), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
