"""Forged deliveries, as many as will go: `python load.py PORT PATH DELIVERIES LINES [AT_MOST_PER_S]`.

A program of its own, so that it does not share a processor's turn with what it measures. Prints one JSON document:
how many were answered with which status, in how many seconds, and how long answers took (milliseconds).
"""

import asyncio
import json
import sys
import time
from collections import Counter

BODY = b'{"event": "split.done", "status": "DONE", "paidAmount": 1000000}'


async def knock(port: int, path: str, count: int, pause_s: float, statuses: Counter[int], took_ms: list[float]) -> None:
    """Send deliveries one after another over one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST {path} HTTP/1.1\r\nHost: hooks.example\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY
    due = time.perf_counter()
    for _ in range(count):
        due += pause_s
        await asyncio.sleep(max(0.0, due - time.perf_counter()) if pause_s else 0)
        began = time.perf_counter()
        writer.write(request)
        answer = await reader.readuntil(b"\r\n\r\n")
        took_ms.append(1000 * (time.perf_counter() - began))
        statuses[int(answer.split()[1])] += 1
    writer.close()
    await writer.wait_closed()


async def main(port: int, path: str, deliveries: int, lines: int, per_s: float) -> None:
    """Knock over several connections at once."""
    statuses: Counter[int] = Counter()
    took_ms: list[float] = []
    began = time.perf_counter()
    pause_s = lines / per_s if per_s else 0.0
    await asyncio.gather(*(knock(port, path, deliveries // lines, pause_s, statuses, took_ms) for _ in range(lines)))
    seconds = time.perf_counter() - began
    took_ms.sort()
    print(
        json.dumps(
            {
                "statuses": dict(statuses),
                "seconds": round(seconds, 3),
                "per_s": round(sum(statuses.values()) / seconds),
                "median_ms": round(took_ms[len(took_ms) // 2], 2),
                "p99_ms": round(took_ms[len(took_ms) * 99 // 100], 2),
            }
        )
    )


if __name__ == "__main__":
    words = sys.argv[1:]
    asyncio.run(main(int(words[0]), words[1], int(words[2]), int(words[3]), float(words[4]) if len(words) > 4 else 0))
