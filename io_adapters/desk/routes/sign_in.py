"""Signing in and out, and the language of pages."""

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse

from io_adapters.desk.guard import (
    TOKEN,
    VISIT,
    NotSignedIn,
    Posted,
    Refused,
    SignedIn,
    cookie_name,
    new_token,
    ports_of,
    read_form,
    require_token,
    require_visit,
    safe_next,
    set_cookie,
    settings_of,
    signed_in,
)
from io_adapters.desk.pages import Pages, remember_visit, visit_of
from io_adapters.desk.passwords import is_password_of
from schemas.desk_people import LANGUAGES

router = APIRouter()


def _sign_in_page(request: Request, *, status: int = 200, problem: str = "", after: str = "/") -> Response:
    pages: Pages = request.app.state.pages
    token, csrf = visit_of(request, new_token)
    page = pages.show(request, "sign_in.html", status=status, csrf=csrf, problem=problem, after=after)
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
    ports, settings = ports_of(request), settings_of(request)
    address = request.client.host if request.client else "?"
    attempt = ports.attempts.begin(
        name,
        address,
        per_name=settings.attempts_per_name,
        per_address=settings.attempts_per_address,
        within=settings.attempts_within,
    )
    where = safe_next(after or "/")
    if attempt is None:
        return _sign_in_page(request, status=429, problem="sign_in.too_many", after=where)
    user = ports.users.get(name)
    token = new_token()  # never one that was there before signing in
    if not is_password_of(user, password) or user is None or not ports.sessions.start(token, user, settings.absolute):
        return _sign_in_page(request, status=401, problem="sign_in.wrong", after=where)
    ports.attempts.succeed(attempt)
    ports.sessions.end(request.cookies.get(cookie_name(settings, "session"), ""))  # whoever sat here before
    answer = RedirectResponse(where, status_code=303)
    set_cookie(answer, settings, "session", token)
    answer.delete_cookie(cookie_name(settings, VISIT), path="/", secure=settings.https)
    return answer


@router.post("/sign-out")
def sign_out(request: Request, signed: SignedIn, _form: Posted) -> Response:
    """End the session."""
    ports_of(request).sessions.end(signed.session)
    settings = settings_of(request)
    answer = RedirectResponse("/sign-in", status_code=303)
    answer.delete_cookie(cookie_name(settings, "session"), path="/", secure=settings.https)
    return answer


@router.post("/language")
async def choose_language(request: Request) -> Response:
    """Speak another language from now on: to the user where somebody is signed in, to this browser elsewhere."""
    form = await read_form(request)
    language = next((one for one in LANGUAGES if one == form.get("language")), None)
    if language is None:
        raise Refused(400, "refused.form")
    try:
        signed = await run_in_threadpool(signed_in, request)
    except NotSignedIn:
        require_visit(request, form)
        where = "/sign-in"
    else:
        require_token(form.get(TOKEN, ""), signed.csrf)
        await run_in_threadpool(ports_of(request).users.set_language, signed.user.key, language)
        where = safe_next(form.get("after", "/"))
    answer = RedirectResponse(where, status_code=303)
    set_cookie(answer, settings_of(request), "language", language)
    return answer
