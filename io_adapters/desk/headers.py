"""What every answer carries, and what becomes of an exception nobody foresaw."""

import sys
from pathlib import Path
from traceback import extract_tb
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# connect-src: the script fetches the fragment of a run's page.
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HSTS: Final = "max-age=31536000"
# In both languages: whose page it was may be what failed.
_FAILED: Final = """<!doctype html>
<html lang="pt-BR"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Repasse</title>
<link rel="stylesheet" href="/static/desk.css"></head><body><main class="wide"><div class="narrow">
<h1>Algo falhou nesta página</h1>
<p class="alert bad" role="alert">O que já estava registrado continua registrado. Volte ao início e confira antes de
repetir. Quem cuida da instalação encontra a causa na saída do programa.</p>
<p lang="en">Something failed on this page. What was recorded stays recorded; go back and look before you repeat it.
Whoever looks after the installation finds the cause in the program's output.</p>
<p><a href="/">Início · <span lang="en">Home</span></a></p></div></main></body></html>
"""


class StrictHeaders:
    """Adds the headers to every answer, and answers in the place of an application that failed.

    The text of an exception may hold people's data: only its name and place go to standard error.
    """

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                static = scope["path"].startswith("/static/") and message["status"] == 200
                for name, value in HEADERS.items():
                    headers[name] = "private, max-age=300" if static and name == "Cache-Control" else value
                if self._https:
                    headers["Strict-Transport-Security"] = _HSTS
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001
            frame = extract_tb(error.__traceback__)[-1]
            place = "/".join(Path(frame.filename).parts[-3:])
            sys.stderr.write(f"repasse desk: {type(error).__name__} in {place}:{frame.lineno}\n")
            if not begun:
                answer = HTMLResponse(_FAILED, status_code=500)
                await answer(scope, receive, send_with_headers)
