"""Puts the desk together: its pages, its guards, and what it says when something is refused."""

from typing import Final
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from io_adapters.desk.guard import NotSignedIn, Refused
from io_adapters.desk.headers import StrictHeaders
from io_adapters.desk.pages import HERE, Pages, language_of
from io_adapters.desk.ports import Ports
from io_adapters.desk.routes import doubts, home, jobs, plans, runs, sign_in
from io_adapters.desk.settings import MEGABYTE, DeskSettings
from io_adapters.desk.words import say
from schemas.errors import ConfigurationError, RepasseError
from schemas.exit_codes import ExitCode

_STATUS: Final = {ExitCode.USAGE: 422, ExitCode.APPROVAL_WANTED: 404, ExitCode.CONFIGURATION: 422}


def create_app(ports: Ports, settings: DeskSettings) -> FastAPI:
    """Make the desk.

    Args:
        ports: What it works with.
        settings: How it is served.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.ports, app.state.settings, app.state.pages = ports, settings, Pages()
    for part in (sign_in, home, jobs, plans, runs, doubts):
        app.include_router(part.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    app.add_exception_handler(NotSignedIn, _ask_to_sign_in)
    app.add_exception_handler(Refused, _tell_refused)
    app.add_exception_handler(RepasseError, _tell_error)
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_exception_handler(RequestValidationError, _tell_http)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(settings.hosts), www_redirect=False)
    app.add_middleware(StrictHeaders, https=settings.https)
    return app


def _ask_to_sign_in(request: Request, _error: Exception) -> Response:
    if request.method == "GET" and not request.url.path.endswith("/live"):
        return RedirectResponse(f"/sign-in?after={quote(request.url.path, safe='/:')}", status_code=303)
    return _problem(request, 401, say(language_of(request), "refused.signed_out"))


def _tell_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)  # noqa: S101 - what the handler is registered for
    limit = request.app.state.settings.upload_limit_bytes // MEGABYTE
    return _problem(request, error.status, say(language_of(request), error.key, limit=limit))


def _tell_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RepasseError)  # noqa: S101 - what the handler is registered for
    status = 422 if isinstance(error, ConfigurationError) else _STATUS.get(error.exit_code, 409)
    return _problem(request, status, error.in_words(language_of(request)))


def _tell_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    key = "refused.nothing" if status in {404, 405} else "refused.form"
    answer = _problem(request, status, say(language_of(request), key))
    if isinstance(error, HTTPException):
        answer.headers.update(error.headers or {})  # what is allowed where something is not
    return answer


def _problem(request: Request, status: int, words: str) -> Response:
    pages: Pages = request.app.state.pages
    return pages.show(request, "problem.html", status=status, words=words)
