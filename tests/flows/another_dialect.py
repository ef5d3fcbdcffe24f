"""The sandbox, spoken to in another dialect, which it has not itself: other query names, reports by reportId."""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx


class AnotherDialect:
    """Passes requests on to a service, translated.

    Attributes:
        url: Base URL to use in place of the service's.
        asked: Method and path of every request, as it came.
        hides_from_the_list: Whether GET /split shows nothing.
        hides_ids: Whether GET /split shows no `_id`.
    """

    def __init__(self, url: str, *, queries: Mapping[str, str] | None = None, by_report_id: bool = False) -> None:
        """Stand before a service.

        Args:
            url: Its base URL.
            queries: Query name here -> the service's own; other names are passed over silently.
            by_report_id: Whether paths of reports take the reportId here, and the `_id` leads nowhere.
        """
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._prefix = parts.path
        self._queries = queries
        self._by_report_id = by_report_id
        self.asked: list[tuple[str, str]] = []
        self.hides_from_the_list = False
        self.hides_ids = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}{parts.path}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.asked.append((self.command, urlsplit(self.path).path))
                reply = outer._pass_on(self.command, self.path, body, self.headers)
                self.send_response(reply.status_code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply.content)))
                self.end_headers()
                self.wfile.write(reply.content)

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def _pass_on(self, method: str, target: str, body: bytes, headers: Any) -> httpx.Response:
        parts = urlsplit(target)
        if self.hides_from_the_list and method == "GET" and parts.path.endswith("/split"):
            return httpx.Response(200, json=[])
        query = parse_qsl(parts.query)
        if self._queries is not None and not parts.path.endswith("/split"):
            query = [(self._queries[name], value) for name, value in query if name in self._queries]
        kept = {name: headers[name] for name in ("Authorization", "Content-Type") if name in headers}
        url = self._origin + self._their_path(parts.path, kept) + ("?" + urlencode(query) if query else "")
        reply = httpx.request(method, url, content=body, headers=kept)
        if self.hides_ids and method == "GET" and parts.path.endswith("/split"):
            return httpx.Response(200, json=[{**one, "_id": None} for one in reply.json()])
        return reply

    def _their_path(self, path: str, headers: Mapping[str, str]) -> str:
        before, mark, rest = path.partition("/split/")
        if not (self._by_report_id and mark):
            return path
        named, _, action = rest.partition("/")
        listed = httpx.get(f"{self._origin}{self._prefix}/split", headers=headers).json()
        ids = {report["reportId"]: report["_id"] for report in listed}
        return f"{before}{mark}{ids.get(named, 'nothing')}/{action}"
