"""What takes people's words: submissions in doubt, obligations to decide, and what stops all sending."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from io_adapters.desk.guard import Form, Posted, Refused, SignedIn, new_token, ports_of
from io_adapters.desk.pages import Pages, language_of
from schemas.approval import DecisionKind
from schemas.desk_people import Role
from schemas.errors import RepasseError

router = APIRouter()
LONGEST_TEXT = 2_000
MOST_KEYS = 500


def _page(request: Request, *, status: int = 200, problem: str = "", told: str = "") -> Response:
    pages: Pages = request.app.state.pages
    doubts = ports_of(request).doubts
    facts: dict[str, Any] = {"doubts": doubts.list(), "undetermined": doubts.undetermined(), "stop": doubts.stop()}
    return pages.show(request, "doubts.html", status=status, problem=problem, told=told, kinds=DecisionKind, **facts)


@router.get("/doubts")
def doubts(request: Request, _signed: SignedIn, told: str = "") -> Response:
    """Show everything that waits for a person's word."""
    known = {"linked", "first", "absent", "decided", "held", "released", "lifted"}
    return _page(request, told=told if told in known else "")


@router.post("/doubts/link")
def link(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take a person's word that a report of the service is the one in doubt."""
    signed.require(Role.RESOLVER)
    try:
        ports_of(request).doubts.link(_text(form, "subject"), _text(form, "report"), by=signed.user.name)
    except RepasseError as refused:
        return _page(request, status=422, problem=refused.in_words(language_of(request)))
    return RedirectResponse("/doubts?told=linked", status_code=303)


@router.post("/doubts/absent")
def absent(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word that the service never had it."""
    signed.require(Role.RESOLVER)
    try:
        ended = ports_of(request).doubts.declare_absent(
            _text(form, "subject"), by=signed.user.name, evidence=_text(form, "evidence")
        )
    except RepasseError as refused:
        return _page(request, status=422, problem=refused.in_words(language_of(request)))
    return RedirectResponse(f"/doubts?told={'absent' if ended else 'first'}", status_code=303)


@router.post("/doubts/decide")
def decide(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take a person's word on obligations."""
    signed.require(Role.RESOLVER)
    keys = _text(form, "obligations", longest=40 * MOST_KEYS).replace(",", " ").split()
    kinds = {kind.value: kind for kind in DecisionKind}
    if form.get("kind") not in kinds or len(keys) > MOST_KEYS:
        raise Refused(422, "refused.empty")
    try:
        evidence = _text(form, "evidence")
        ports_of(request).doubts.decide(keys, kinds[form["kind"]], by=signed.user.name, evidence=evidence)
    except RepasseError as refused:
        return _page(request, status=422, problem=refused.in_words(language_of(request)))
    return RedirectResponse("/doubts?told=decided", status_code=303)


@router.post("/sending/hold")
def hold(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Stop all sending; anybody may."""
    ports_of(request).doubts.hold(by=signed.user.name, why=_text(form, "why"))
    return RedirectResponse("/doubts?told=held", status_code=303)


@router.post("/sending/release")
def release(request: Request, signed: SignedIn, _form: Posted) -> Response:
    """Let sending go on after a hold."""
    signed.require(Role.RESOLVER)
    ports_of(request).doubts.release(by=signed.user.name)
    return RedirectResponse("/doubts?told=released", status_code=303)


@router.post("/sending/unfreeze")
def unfreeze(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word that a freeze is understood."""
    signed.require(Role.RESOLVER)
    tags = [name.removeprefix("tag:") for name in form if name.startswith("tag:")]
    try:
        ended = ports_of(request).doubts.unfreeze(tags, by=signed.user.name, evidence=_text(form, "evidence"))
    except RepasseError as refused:
        return _page(request, status=422, problem=refused.in_words(language_of(request)))
    return RedirectResponse(f"/doubts?told={'lifted' if ended else 'first'}", status_code=303)


@router.post("/settle")
def settle(request: Request, _signed: SignedIn, _form: Posted) -> Response:
    """Look once at everything that is open or in doubt; creates no report."""
    ports_of(request).launches.settle(key=f"desk-settle-{new_token()[:16]}")
    return RedirectResponse("/?told=settle", status_code=303)


def _text(form: Form, name: str, longest: int = LONGEST_TEXT) -> str:
    text = form.get(name, "").strip()
    if not text or len(text) > longest:
        raise Refused(422, "refused.empty")
    return text
