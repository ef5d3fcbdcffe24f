"""What stands between a team and the service: it delivers twice, gives old answers, or changes what is said."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

POST_SPLIT: Final = ("POST", "/split")
Report = dict[str, Any]


@dataclass
class Proxy:
    """Passes everything on, and does what it is told to.

    Attributes:
        target: Address of the true service.
        deliveries: How often each POST /split is passed on.
        stale_from: From this POST /split on (the first is 1), the answer is that of the first one.
        changes: Changes one report of an answer or a list, in place.
        instead: What every POST /split is answered with, none of which is passed on.
        repeats_lists: Whether a list says each report twice.
        before_post: Called once, when the first POST /split is about to be passed on.
        lists: How often a list was asked for.
        asked: What each POST /split asked for.
    """

    target: str
    deliveries: int = 1
    stale_from: int | None = None
    changes: Callable[[Report], None] = lambda _: None
    before_post: list[Callable[[], object]] = field(default_factory=list)
    instead: Report | None = None
    repeats_lists: bool = False
    lists: int = 0
    posts: int = 0
    asked: list[Report] = field(default_factory=list)
    url: str = ""
    _first: httpx.Response | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """Pass a request on and return what comes back, or should."""
        parts = urlsplit(self.target)
        url = f"{parts.scheme}://{parts.netloc}{path}"
        is_post = method == "POST" and path.endswith("/split")
        while is_post and self.before_post:
            self.before_post.pop()()
        if is_post and self.instead is not None:
            return 200, json.dumps(self.instead).encode()
        for _ in range(self.deliveries if is_post else 1):
            reply = httpx.request(method, url, headers=headers, content=body, timeout=30)
        with self._lock:
            self.lists += method == "GET" and urlsplit(path).path.endswith("/split")
            self.posts += is_post
            if is_post:
                self.asked.append(json.loads(body, parse_float=Decimal))
                self._first = self._first or reply
                if self.stale_from is not None and self.posts >= self.stale_from:
                    reply = self._first
        return reply.status_code, self._changed(reply.content)

    def _changed(self, content: bytes) -> bytes:
        said = json.loads(content) if content else None
        for report in said if isinstance(said, list) else [said]:
            if isinstance(report, dict) and "_id" in report:
                self.changes(report)
        if self.repeats_lists and isinstance(said, list):
            said += said
        return json.dumps(said).encode() if said is not None else content


@contextmanager
def standing_before(target: str) -> Iterator[Proxy]:
    """Put a proxy before a service."""
    proxy = Proxy(target)

    class Handler(BaseHTTPRequestHandler):
        def _pass_on(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            kept = {name: self.headers[name] for name in ("authorization", "content-type") if name in self.headers}
            status, content = proxy.answer(self.command, self.path, kept, body)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _pass_on

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    proxy.url = f"http://127.0.0.1:{server.server_port}{urlsplit(target).path}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
