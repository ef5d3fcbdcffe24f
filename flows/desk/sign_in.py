"""Signing in and out, passwords, and the language of pages.

Passwords are kept as argon2id hashes, and judged in the same time whether or not a user exists.
"""

import threading
from itertools import pairwise
from string import digits
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse

from flows.desk.guard import (
    TOKEN,
    VISIT,
    DeskSettings,
    NotSignedIn,
    Posted,
    RequestRefused,
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
from flows.desk.pages import language_of, remember_visit, show, visit_of
from io_adapters.ledger.desk import AttemptLimits
from io_adapters.ledger.ledger import Ledger
from schemas.approval import LANGUAGES, LONGEST_PASSWORD, SHORTEST_PASSWORD, DeskUser
from schemas.errors import DecisionRefused
from schemas.messages import Message, render

DEVICE: Final = "device"
DEVICE_S: Final = 180 * 24 * 3600
FEWEST_CHARACTERS: Final = 5
# What is tried first, in the languages of those who sign in; digits at its ends do not make it another.
_WORDS: Final = frozenset(
    {"senha", "password", "mudar", "mudarsenha", "trocar", "admin", "administrador", "administrator", "usuario", "user"}
    | {"repasse", "bemvindo", "welcome", "changeme", "letmein", "qwerty", "qwertyuiop", "asdfghjkl", "brasil"}
    | {"flamengo", "corinthians", "palmeiras", "iloveyou", "teamo", "segredo", "secret", "master"}
)

router = APIRouter()
_HASHER: Final = PasswordHasher()  # RFC 9106's second recommendation: 64 MiB, 3 passes, 4 lanes
# Each hash takes 64 MiB for a moment; many at once would take the machine.
_AT_ONCE: Final = threading.BoundedSemaphore(2)
# Of no password; unknown users are judged against it.
_NOBODYS: Final = _HASHER.hash("\0 nobody's password")


def hash_password(password: str, name: str) -> str:
    """Return the hash that is kept of a password.

    Raises:
        DecisionRefused: it is too short or too long, or one that is guessed at once.
    """
    if is_guessed_at_once(password, name):
        raise DecisionRefused(Message("error.password_guessed"))
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise DecisionRefused(Message("error.password_length", shortest=SHORTEST_PASSWORD, longest=LONGEST_PASSWORD))
    with _AT_ONCE:
        return _HASHER.hash(password)


def is_guessed_at_once(password: str, name: str) -> bool:
    """Whether a password is hardly one: the user's name, few different characters, one after the other, or a word.

    >>> is_guessed_at_once("aaaaaaaaaa", "Ana"), is_guessed_at_once("Ana Lima 1", "Ana Lima")
    (True, True)
    >>> is_guessed_at_once("1234567890", "Ana"), is_guessed_at_once("correct horse battery", "Ana")
    (True, False)
    """
    plain = rest = _letters_and_digits(password)
    for known in sorted({*map(_letters_and_digits, (name, *name.split())), *_WORDS} - {""}, key=len, reverse=True):
        rest = rest.replace(known, "")
    says_little = rest != plain and len(rest.strip(digits)) < FEWEST_CHARACTERS
    steps = {ord(after) - ord(before) for before, after in pairwise(password)}
    return says_little or len(set(password.casefold())) < FEWEST_CHARACTERS or len(steps) <= len(("up", "down"))


def _letters_and_digits(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


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
    return _sign_in_page(request, after=safe_next(after))


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Judge name and password; who has failed a few times from where they are waits longer each time."""
    form = await read_form(request)
    require_visit(request, form)
    return await run_in_threadpool(_judge, request, form.get("name", ""), form.get("password", ""), form.get("after"))


def _judge(request: Request, name: str, password: str, after: str | None) -> Response:
    ledger, settings = ledger_of(request), settings_of(request)
    address = request.client.host if request.client else "?"
    user = ledger.desk_users.get(name)
    device = _known_device(request, user)
    attempt = ledger.sign_in_attempts.begin(name, device or address, _limits(settings, is_known_device=bool(device)))
    where = safe_next(after or "/")
    if attempt is None:
        return _sign_in_page(request, status=429, problem="desk.sign_in.too_many", after=where)
    token = new_token()  # never one that was there before signing in
    right = is_password_of(user, password)
    if not right or user is None or not ledger.desk_sessions.start(token, user, settings.absolute):
        ledger.sign_in_attempts.refuse(user)
        return _sign_in_page(request, status=401, problem="desk.sign_in.wrong", after=where)
    ledger.sign_in_attempts.succeed(attempt)
    ledger.desk_sessions.end(request.cookies.get(cookie_name(settings, "session"), ""))  # whoever sat here before
    answer = RedirectResponse(where, status_code=303)
    set_cookie(answer, settings, "session", token)
    _remember_device(answer, ledger, settings, user)
    answer.delete_cookie(cookie_name(settings, VISIT), path="/", secure=settings.https)
    return answer


def _limits(settings: DeskSettings, *, is_known_device: bool) -> AttemptLimits:
    counts = (settings.attempts_free, settings.attempts_per_name, settings.attempts_per_address)
    return AttemptLimits(*counts, settings.attempts_within, is_known_device)


def _remember_device(answer: Response, ledger: Ledger, settings: DeskSettings, user: DeskUser) -> None:
    device = new_token()[:22]
    mark = ledger.desk_sessions.device_mark(user.key, device)
    set_cookie(answer, settings, DEVICE, f"{device}.{mark}", max_age_s=DEVICE_S)


def _known_device(request: Request, user: DeskUser | None) -> str:
    """Name the browser that asks, where this user has signed in with it before; "" where not."""
    device, _, mark = request.cookies.get(cookie_name(settings_of(request), DEVICE), "").partition(".")
    sessions = ledger_of(request).desk_sessions
    return f"device {device}" if user is not None and device and sessions.is_device_of(user.key, device, mark) else ""


@router.get("/password")
def own_password(request: Request, _signed: SignedIn) -> Response:
    return show(request, "password.html", problem="")


@router.post("/password")
def change_own_password(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Give oneself another password; every other session of one's own ends."""
    ledger, settings = ledger_of(request), settings_of(request)
    address = _known_device(request, signed.user) or (request.client.host if request.client else "?")
    attempt = ledger.sign_in_attempts.begin(signed.user.name, address, _limits(settings, is_known_device=True))
    if attempt is None:
        return show(request, "password.html", status=429, problem=render("desk.sign_in.too_many", language_of(request)))
    new = form.get("new", "")
    if not is_password_of(signed.user, form.get("password", "")):
        return show(request, "password.html", status=422, problem=render("desk.password.wrong", language_of(request)))
    ledger.sign_in_attempts.succeed(attempt)
    if new != form.get("again", ""):
        return show(request, "password.html", status=422, problem=render("desk.password.differ", language_of(request)))
    try:
        hashed = hash_password(new, signed.user.name)
    except DecisionRefused as refused:
        return show(request, "password.html", status=422, problem=render(refused.content, language_of(request)))
    ledger.desk_users.change_password(signed.user.name, hashed, by=signed.user.name)
    answer, token = RedirectResponse("/?done=password", status_code=303), new_token()
    if (user := ledger.desk_users.get(signed.user.name)) and ledger.desk_sessions.start(token, user, settings.absolute):
        set_cookie(answer, settings, "session", token)
    return answer


@router.post("/sign-out")
def sign_out(request: Request, signed: SignedIn, _form: Posted) -> Response:
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
        raise RequestRefused(400, "desk.refused.form")
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
