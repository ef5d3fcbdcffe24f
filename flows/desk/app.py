"""The desk as a FastAPI application: what its pages work with, its routes, and strict headers."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Final
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flows.acts.act import House
from flows.books.payments import PaymentSearch
from flows.desk import (
    bank,
    funding,
    home,
    hooks,
    job_columns,
    job_files,
    jobs,
    new_jobs,
    payments,
    plans,
    previews,
    runs,
    sign_in,
    unresolved,
)
from flows.desk.guard import MEGABYTE, DeskSettings, NotSignedIn, OwnFormsAlone, RequestRefused
from flows.desk.hooks import SettleBell
from flows.desk.jobs import JobsFolder, Launches
from flows.desk.new_jobs import NewJobs
from flows.desk.pages import HERE, language_of, show
from flows.desk.plans import PlanPages
from flows.desk.previews import Previews
from flows.desk.runs import RunPages
from flows.desk.unresolved import Unresolved
from flows.house_ledger import open_ledger_of
from flows.launch import Launcher
from flows.run import SYSTEM_CLOCK, Clock, Silence
from flows.runner import opened_run
from flows.settings import AlertSettings, Settings
from io_adapters.ledger.ledger import Ledger
from schemas.acts import Act, ActKind
from schemas.errors import ConfigurationError, ExitCode, RepasseError
from schemas.messages import render
from schemas.readers import for_people

PREVIEWS_FOLDER: Final = "desk"
LAUNCHED: Final = "launched"
_STATUS: Final = {ExitCode.USAGE: 422, ExitCode.APPROVAL_WANTED: 404, ExitCode.CONFIGURATION: 422}
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
repetir. O administrador encontra a causa na saída do programa.</p>
<p lang="en">Something failed on this page. What was recorded stays recorded; go back and look before you repeat it.
The administrator finds the cause in the program's output.</p>
<p><a href="/">Início · <span lang="en">Home</span></a></p></div></main></body></html>
"""


@dataclass(frozen=True, slots=True)
class Desk:
    ledger: Ledger
    clock: Clock
    jobs: JobsFolder
    previews: Previews
    launches: Launches
    plans: PlanPages
    runs: RunPages
    unresolved: Unresolved
    house: House
    new_jobs: NewJobs
    payments: PaymentSearch
    alerts: AlertSettings
    bell: SettleBell


@contextmanager
def opened_desk(
    settings: Settings, jobs_folder: Path | None, launcher: Launcher, clock: Clock = SYSTEM_CLOCK
) -> Iterator[Desk]:
    """Open what the desk works with, for as long as the context lasts.

    Args:
        jobs_folder: The folder of jobs; None where there is none.

    Raises:
        ConfigurationError: the ledger cannot be opened.
    """
    with ExitStack() as exits:
        ledger = exits.enter_context(open_ledger_of(settings, now=clock.now))
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = JobsFolder(jobs_folder.absolute() if jobs_folder else None, ledger, clock.now)
        previews = Previews(
            settings.home / PREVIEWS_FOLDER, folder, ledger, lambda: open_ledger_of(settings, now=clock.now)
        )
        exits.callback(previews.close)
        launches = Launches(ledger, folder, launcher, settings.home / LAUNCHED, clock.now)
        yield Desk(
            ledger=ledger,
            clock=clock,
            jobs=folder,
            previews=previews,
            launches=launches,
            plans=PlanPages(ledger, folder, launches, clock.now),
            runs=RunPages(ledger, clock.now),
            unresolved=Unresolved(ledger),
            house=House(ledger, clock, lambda: opened_run("desk", None, settings, Silence(), clock)),
            new_jobs=NewJobs(),
            payments=PaymentSearch(ledger),
            alerts=settings.alerts,
            bell=exits.enter_context(SettleBell(launcher)),
        )


def create_app(desk: Desk, settings: DeskSettings) -> FastAPI:
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.desk, app.state.settings = desk, settings
    parts = (
        *(sign_in, home, jobs, job_columns, job_files, new_jobs, previews, plans, payments, runs, unresolved, funding),
        *(bank, hooks),
    )
    for part in parts:
        app.include_router(part.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    app.add_exception_handler(NotSignedIn, _ask_to_sign_in)
    app.add_exception_handler(RequestRefused, _report_refused)
    app.add_exception_handler(RepasseError, _report_error)
    app.add_exception_handler(HTTPException, _report_http)
    app.add_exception_handler(RequestValidationError, _report_http)
    app.add_middleware(DownloadsOnRecord, ledger=desk.ledger)
    app.add_middleware(OwnFormsAlone, settings=settings, refuse=_report_refused)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(settings.hosts), www_redirect=False)
    app.add_middleware(ReadByPeople)
    app.add_middleware(StrictHeaders, https=settings.https)
    return app


def _ask_to_sign_in(request: Request, _error: Exception) -> Response:
    if request.method == "GET" and not request.url.path.endswith("/live"):
        return RedirectResponse(f"/sign-in?after={quote(request.url.path, safe='/:')}", status_code=303)
    return _problem(request, 401, render("desk.refused.signed_out", language_of(request)))


def _report_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRefused)  # noqa: S101 - what the handler is registered for
    limit = request.app.state.settings.upload_limit_bytes // MEGABYTE
    return _problem(request, error.status, render(error.key, language_of(request), limit=limit))


def _report_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RepasseError)  # noqa: S101 - what the handler is registered for
    status = 422 if isinstance(error, ConfigurationError) else _STATUS.get(error.exit_code, 409)
    return _problem(request, status, render(error.content, language_of(request)))


def _report_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    key = "desk.refused.nothing" if status in {404, 405} else "desk.refused.form"
    answer = _problem(request, status, render(key, language_of(request)))
    if isinstance(error, HTTPException):
        answer.headers.update(error.headers or {})  # what is allowed where something is not
    return answer


def _problem(request: Request, status: int, words: str) -> Response:
    return show(request, "problem.html", status=status, words=words)


class ReadByPeople:
    """Names people in the answers: whoever gets one has signed in, or sees a page that names nobody."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with for_people():
            await self._app(scope, receive, send)


class DownloadsOnRecord:
    """Writes down who downloads what before the first byte of it leaves."""

    def __init__(self, app: ASGIApp, *, ledger: Ledger) -> None:
        self._app = app
        self._ledger = ledger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_on_record(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(scope=message).get("content-disposition", "")
                signed = scope.get("state", {}).get("signed")
                if signed is not None and given.startswith("attachment"):
                    facts = {"path": scope["path"][:_LONGEST_PATH]}
                    act = Act(ActKind.DOWNLOAD, signed.user.name, "", "", self._ledger.now(), facts)
                    await run_in_threadpool(self._ledger.acts.record, act)
            await send(message)

        await self._app(scope, receive, send_on_record)


_LONGEST_PATH: Final = 200


class StrictHeaders:
    """Adds the headers to every answer, and answers in the place of an application that failed.

    The text of an exception may hold people's data: only its name and place go to standard error.
    """

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
