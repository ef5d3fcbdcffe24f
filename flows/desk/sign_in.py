"""Signing in and out, passwords, and the language of pages.

Passwords are kept as argon2id hashes, and judged in the same time whether or not a user exists.
"""

import threading
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse

from flows.desk.guard import (
    TOKEN,
    VISIT,
    NotSignedIn,
    Posted,
    Refused,
    SignedIn,
    cookie_name,
    ledger_of,
    new_token,
    read_form,
    require_token,
    require_visit,
    safe_next,
    set_cookie,
    settings_of,
    signed_in,
)
from flows.desk.pages import remember_visit, show, visit_of
from schemas.desk_people import LANGUAGES, LONGEST_PASSWORD, SHORTEST_PASSWORD, DeskUser
from schemas.errors import DecisionRefused
from schemas.messages import Message

router = APIRouter()
_HASHER: Final = PasswordHasher()  # RFC 9106's second recommendation: 64 MiB, 3 passes, 4 lanes
# Each hash takes 64 MiB for a moment; many at once would take the machine.
_AT_ONCE: Final = threading.BoundedSemaphore(2)
# Of no password; unknown users are judged against it.
_NOBODYS: Final = _HASHER.hash("\0 nobody's password")


def hash_password(password: str) -> str:
    """Return the hash that is kept of a password.

    Raises:
        DecisionRefused: it is too short or too long.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise DecisionRefused(Message("error.password_length", shortest=SHORTEST_PASSWORD, longest=LONGEST_PASSWORD))
    with _AT_ONCE:
        return _HASHER.hash(password)


def is_password_of(user: DeskUser | None, password: str) -> bool:
    """Whether a password is that of a user who may sign in; takes as long for a user who does not exist."""
    kept = _NOBODYS if user is None else user.password_hash
    if len(password) > LONGEST_PASSWORD:
        password = ""
    try:
        with _AT_ONCE:
            _HASHER.verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False
    return user is not None and not user.disabled


def _sign_in_page(request: Request, *, status: int = 200, problem: str = "", after: str = "/") -> Response:
    token, csrf = visit_of(request, new_token)
    page = show(request, "sign_in.html", status=status, csrf=csrf, problem=problem, after=after)
    remember_visit(request, page, token)
    return page


@router.get("/sign-in")
def ask(request: Request, after: str = "/") -> Response:
    """Ask for name and password."""
    return _sign_in_page(request, after=safe_next(after))


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Judge name and password; at most so many failures for a name, and for an address."""
    form = await read_form(request)
    require_visit(request, form)
    return await run_in_threadpool(_judge, request, form.get("name", ""), form.get("password", ""), form.get("after"))


def _judge(request: Request, name: str, password: str, after: str | None) -> Response:
    ledger, settings = ledger_of(request), settings_of(request)
    address = request.client.host if request.client else "?"
    attempt = ledger.sign_in_attempts.begin(
        name,
        address,
        per_name=settings.attempts_per_name,
        per_address=settings.attempts_per_address,
        within=settings.attempts_within,
    )
    where = safe_next(after or "/")
    if attempt is None:
        return _sign_in_page(request, status=429, problem="desk.sign_in.too_many", after=where)
    user = ledger.desk_users.get(name)
    token = new_token()  # never one that was there before signing in
    right = is_password_of(user, password)
    if not right or user is None or not ledger.desk_sessions.start(token, user, settings.absolute):
        return _sign_in_page(request, status=401, problem="desk.sign_in.wrong", after=where)
    ledger.sign_in_attempts.succeed(attempt)
    ledger.desk_sessions.end(request.cookies.get(cookie_name(settings, "session"), ""))  # whoever sat here before
    answer = RedirectResponse(where, status_code=303)
    set_cookie(answer, settings, "session", token)
    answer.delete_cookie(cookie_name(settings, VISIT), path="/", secure=settings.https)
    return answer


@router.post("/sign-out")
def sign_out(request: Request, signed: SignedIn, _form: Posted) -> Response:
    """End the session."""
    ledger_of(request).desk_sessions.end(signed.session)
    settings = settings_of(request)
    answer = RedirectResponse("/sign-in", status_code=303)
    answer.delete_cookie(cookie_name(settings, "session"), path="/", secure=settings.https)
    return answer


@router.post("/language")
async def choose_language(request: Request) -> Response:
    """Speak another language from now on: to the user where somebody is signed in, to this browser elsewhere."""
    form = await read_form(request)
    language = next((known for known in LANGUAGES if known == form.get("language")), None)
    if language is None:
        raise Refused(400, "desk.refused.form")
    try:
        signed = await run_in_threadpool(signed_in, request)
    except NotSignedIn:
        require_visit(request, form)
        where = "/sign-in"
    else:
        require_token(form.get(TOKEN, ""), signed.csrf)
        await run_in_threadpool(ledger_of(request).desk_users.set_language, signed.user.key, language)
        where = safe_next(form.get("after", "/"))
    answer = RedirectResponse(where, status_code=303)
    set_cookie(answer, settings_of(request), "language", language)
    return answer
