"""Access to the desk: sessions in cookies, tokens in forms (CSRF), origins, roles, settings."""

import asyncio
import datetime as dt
import hmac
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import parse_qs, urlsplit

from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from io_adapters.ledger.ledger import Ledger
from schemas.acts import ActKind
from schemas.approval import DeskUser, Role
from schemas.states import PART_OF, State, may, possible_acts

LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
MEGABYTE: Final = 1_000_000
FORM_LIMIT_BYTES: Final = 64_000
# As many fields as such a form can hold: a freeze is lifted by naming all that froze sending.
MOST_FIELDS: Final = 2_000
LONGEST_TEXT: Final = 2_000
# Of a small form; who is slower than that holds a connection and says nothing.
FORM_WITHIN_S: Final = 20
# Pages that ask by themselves; that they ask is no sign that anybody is there.
ASKING_BY_THEMSELVES: Final = "/live"
# Where the service rings: the one exception to origin and token.
HOOKS: Final = "/hooks/"
TOKEN: Final = "token"  # noqa: S105 - the name of a form's field
VISIT: Final = "visit"
# No text of PostgreSQL can hold it, and nobody means it.
UNWRITABLE: Final = "\0"


@dataclass(frozen=True, slots=True)
class DeskSettings:
    """How the desk is served."""

    uploads: Path
    https: bool = False
    hosts: tuple[str, ...] = LOOPBACK_HOSTS
    upload_limit_bytes: int = 100 * MEGABYTE
    idle: dt.timedelta = dt.timedelta(minutes=30)
    absolute: dt.timedelta = dt.timedelta(hours=12)
    attempts_free: int = 5
    attempts_per_name: int = 100
    attempts_per_address: int = 200
    attempts_within: dt.timedelta = dt.timedelta(minutes=15)


class NotSignedIn(Exception):
    """Nobody is signed in; the page asks to."""


class RequestRefused(Exception):
    """A request that is not answered; `key` names the words for it in `words`.

    No frozen dataclass: whoever hands an exception on writes its traceback to it.
    """

    def __init__(self, status: int, key: str) -> None:
        super().__init__(status, key)
        self.status = status
        self.key = key


@dataclass(frozen=True, slots=True)
class Signed:
    """Somebody signed in, and the token every form of theirs must bear."""

    user: DeskUser
    session: str
    csrf: str

    def may(self, what: Role | ActKind) -> bool:
        return may(what, self.user.roles) if isinstance(what, ActKind) else what in self.user.roles

    def has_turn(self, state: State) -> bool:
        return state.turn.value in {role.value for role in self.user.roles}

    def acts(self, state: State) -> tuple[ActKind, ...]:
        return possible_acts(state, self.user.roles)

    def require(self, what: Role | ActKind) -> None:
        if not self.may(what):
            part = PART_OF[what] if isinstance(what, ActKind) else what
            raise RequestRefused(403, f"desk.refused.{part}")


Form = Mapping[str, str]


def ledger_of(request: Request) -> Ledger:
    ledger: Ledger = request.app.state.desk.ledger
    return ledger


def settings_of(request: Request) -> DeskSettings:
    settings: DeskSettings = request.app.state.settings
    return settings


def new_token() -> str:
    return secrets.token_urlsafe(32)


def csrf_of(token: str) -> str:
    """Return the form token that belongs to a session, or to a visit; who knows one does not know the other."""
    return hmac.new(token.encode(), b"repasse desk form", "sha256").hexdigest()


def cookie_name(settings: DeskSettings, what: str) -> str:
    """Name a cookie; over https so that no other host and no path can set it."""
    return f"__Host-repasse-{what}" if settings.https else f"repasse-{what}"


def set_cookie(response: Response, settings: DeskSettings, what: str, value: str, *, max_age_s: int = 0) -> None:
    """Hand a browser a cookie that no script reads and no other site sends; without an age it ends with the browser."""
    name, age_s = cookie_name(settings, what), max_age_s or None
    response.set_cookie(name, value, httponly=True, samesite="strict", secure=settings.https, path="/", max_age=age_s)


def signed_in(request: Request) -> Signed:
    """Return who is signed in.

    Raises:
        NotSignedIn: nobody, or no longer.
    """
    if UNWRITABLE in request.scope["path"]:
        raise RequestRefused(404, "desk.refused.nothing")
    settings = settings_of(request)
    token = request.cookies.get(cookie_name(settings, "session"), "")
    user = None
    if token:
        seen = not request.url.path.endswith(ASKING_BY_THEMSELVES)
        sessions = ledger_of(request).desk_sessions
        user = sessions.find(token, idle=settings.idle, absolute=settings.absolute, seen=seen)
    if user is None:
        raise NotSignedIn
    signed = Signed(user, token, csrf_of(token))
    request.state.signed = signed
    return signed


SignedIn = Annotated[Signed, Depends(signed_in)]


def require_same_origin(request: Request) -> None:
    """Refuse a form that another site sent; a browser that says nothing of where it comes from is refused too."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site != "same-origin":
            raise RequestRefused(403, "desk.refused.origin")
        return
    origin = urlsplit(request.headers.get("origin", ""))
    schemes = {"https"} if settings_of(request).https else {"http", "https"}
    if origin.netloc != request.headers.get("host") or origin.scheme not in schemes:
        raise RequestRefused(403, "desk.refused.origin")


def require_visit(request: Request, form: Form) -> None:
    """Refuse a form of nobody signed in without the token of its visit; a browser that never visited has none."""
    visit = request.cookies.get(cookie_name(settings_of(request), VISIT), "")
    if not visit:
        raise RequestRefused(403, "desk.refused.token")
    require_token(form.get(TOKEN, ""), csrf_of(visit))


def require_token(given: str, csrf: str) -> None:
    if not hmac.compare_digest(given.encode(), csrf.encode()):
        raise RequestRefused(403, "desk.refused.token")


_LOOKS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_IN_FIELDS: Final = re.compile(rb"(?:^|&)token=([0-9a-f]{64})(?:&|$)")
_IN_PARTS: Final = re.compile(rb'name="?token"?[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([0-9a-f]{64})\r\n')


class OwnFormsAlone:
    """Refuses, before any route sees it, whatever is no look and does not come from a form of this desk.

    Its origin must be the desk's, whoever sends it. Of a browser with a session the token must be among the first
    bytes, as every form of ours has it, and be that of this session or visit: a route cannot forget to ask for it. A
    browser without a session may do nothing that needs one.
    """

    def __init__(
        self, app: ASGIApp, settings: DeskSettings, refuse: Callable[[Request, RequestRefused], Response]
    ) -> None:
        self._app, self._settings, self._refuse = app, settings, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        rings = scope["type"] == "http" and scope["method"] == "POST" and scope["path"].startswith(HOOKS)
        if scope["type"] != "http" or scope["method"] in _LOOKS or rings:
            await self._app(scope, receive, send)
            return
        request, read = Request(scope), list[Message]()
        try:
            require_same_origin(request)
            if request.cookies.get(cookie_name(self._settings, "session")):
                await self._require_token(request, receive, read)
        except RequestRefused as refused:
            answer = await run_in_threadpool(self._refuse, request, refused)
            await answer(scope, receive, send)
            return

        async def receive_again() -> Message:
            return read.pop(0) if read else await receive()

        await self._app(scope, receive_again, send)

    async def _require_token(self, request: Request, receive: Receive, read: list[Message]) -> None:
        """Read a request until its token is there; what was read is put into `read`, for whoever reads it after."""
        cookies = (request.cookies.get(cookie_name(self._settings, what), "") for what in ("session", VISIT))
        tokens = {csrf_of(cookie) for cookie in cookies if cookie}
        in_parts = request.headers.get("content-type", "").startswith("multipart/")
        body, more = bytearray(), True
        try:
            async with asyncio.timeout(FORM_WITHIN_S):
                while more and len(body) <= FORM_LIMIT_BYTES:
                    read.append(await receive())
                    body += read[-1].get("body", b"")
                    more = read[-1]["type"] == "http.request" and read[-1].get("more_body", False)
                    if in_parts and (found := _IN_PARTS.search(body)):
                        return require_any_token(found[1].decode(), tokens)
        except TimeoutError:
            raise RequestRefused(408, "desk.refused.form") from None
        if len(body) > FORM_LIMIT_BYTES and not in_parts:
            raise RequestRefused(413, "desk.refused.form")
        found = None if in_parts else _IN_FIELDS.search(body)
        return require_any_token(found[1].decode() if found else "", tokens)


def require_any_token(given: str, tokens: Collection[str]) -> None:
    """Refuse a token that is none of those."""
    if not any(hmac.compare_digest(given.encode(), token.encode()) for token in tokens):
        raise RequestRefused(403, "desk.refused.token")


async def read_form(request: Request) -> Form:
    """Read a small form.

    Raises:
        Refused: it is too large, or no form.
    """
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise RequestRefused(415, "desk.refused.form")
    try:
        async with asyncio.timeout(FORM_WITHIN_S):
            body = await _read_body(request)
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except TimeoutError:
        raise RequestRefused(408, "desk.refused.form") from None
    except ValueError:
        raise RequestRefused(400, "desk.refused.form") from None
    if any(UNWRITABLE in value for values in fields.values() for value in values):
        raise RequestRefused(400, "desk.refused.form")
    return {name: values[-1] for name, values in fields.items()}


async def _read_body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > FORM_LIMIT_BYTES:
            raise RequestRefused(413, "desk.refused.form")
    return bytes(body)


async def posted(request: Request) -> Form:
    signed = await run_in_threadpool(signed_in, request)
    form = await read_form(request)
    require_token(form.get(TOKEN, ""), signed.csrf)
    return form


Posted = Annotated[Form, Depends(posted)]


def safe_next(path: str) -> str:
    """Return where to go after signing in: a page of the desk, whatever was asked for."""
    fine = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if fine and not path.startswith("/sign-") else "/"
